"""Turn objects in memory into inputs of studies: wrap models, and write data to files of the cache.

A lexicon, pairs, a test, a text, words, templates or a probe is written to the cache under the hash of its content, so
that it is checked and recorded like a file.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any, get_args

from wordworth.api.models import LanguageModel, NliModel, SentenceEncoder, wrap_objects
from wordworth.catalog.models import ModelKind, kind_of, load_embedding
from wordworth.catalog.registry import knows
from wordworth.catalog.resolve import NameLike, find
from wordworth.embedding import Embedding, as_embedding, is_words_and_matrix, save
from wordworth.engine.cache import entry, hash_content, kind_folder
from wordworth.errors import LibraryErrors, WordworthError
from wordworth.study import WORD_MODEL_STUDIES
from wordworth.study.names import KIND_IN_WORDS, OTHER_STUDY, Checkpoint
from wordworth.task.settings import SettingField, Settings, either

LoadedModel = LanguageModel | NliModel | SentenceEncoder
EMBEDDING_OBJECTS = ("an Embedding", "gensim KeyedVectors", "a dict", "(words, matrix)")
NETWORKS = ("a model of `ww.load`", "(model, tokenizer) of transformers")
"""The objects that are accepted as word vectors, and as a language model."""
TEST_GROUPS = ("X", "Y", "A", "B")
"""Settings with the word lists of one association test."""
MAX_PATH = 256
"""A longer text is not a path."""


def load(
    model: Any, *, name: str = "", kind: ModelKind | None = None, device: str = "auto", precision: str = "float32"
) -> Embedding | LoadedModel | Any:
    """Load a model by a name of the catalog or the hub, a path or an address; or wrap one in memory.

    A model is word vectors, a language model, a sentence encoder, or an NLI model. `kind` is needed if its files do not
    show it: static, causal, masked, encoder, sentence or nli. In memory it is gensim KeyedVectors, a dict of word →
    vector, (words, matrix), or (model, tokenizer) of transformers. `name` is its name in tables.
    """
    if isinstance(model, str | Path):
        resolved = find(f"{name}={model}" if name else model)
        model_kind = kind or kind_of(resolved)
        if model_kind == "static":
            return load_embedding(resolved)
        classes: dict[ModelKind, type[LoadedModel]] = {"nli": NliModel, "sentence": SentenceEncoder}
        return classes.get(model_kind, LanguageModel)(resolved, model_kind, device, precision)
    in_memory = _load_object(model, name)
    if in_memory is None:
        raise WordworthError(f"load takes {list_accepted(*EMBEDDING_OBJECTS, NETWORKS[-1])}; got {describe(model)}")
    return in_memory


def _load_object(model: Any, name: str) -> Embedding | LoadedModel | None:
    """Return a model in memory as `load` does; None for an unknown kind."""
    if isinstance(model, LoadedModel):
        return model
    return wrap_objects(*model, name=name) if _is_network_pair(model) else as_embedding(model, name)


def _is_network_pair(pair: Any) -> bool:
    """Return whether an object is a network and a tokenizer of transformers."""
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2
    return is_pair and hasattr(pair[0], "state_dict") and hasattr(pair[1], "convert_tokens_to_ids")


def accept_models(study: str, kinds: Collection[ModelKind], models: Any, name: str = "") -> list[Any]:
    """Return the models of a call as a study of these kinds takes them; `name` is for a single one, in tables."""
    given_models = _split_models(models)
    if name and len(given_models) != 1:
        raise WordworthError(f"name= is for one model, and {study} got {len(given_models)}; load each with `ww.load`")
    accepted = []
    for model in given_models:
        if isinstance(model, str | Path | Checkpoint):
            accepted.append(f"{name}={model}" if name else model)
        elif (loaded := _load_object(model, name)) is not None:
            accepted.append(_unwrap(study, kinds, loaded))
        elif type(model).__module__.startswith("wordworth."):  # a network as studies take it
            accepted.append(model)
        else:
            raise WordworthError(f"{study} takes {list_models(kinds)}; got {describe(models)}")
    return accepted


def _split_models(models: Any) -> list[Any]:
    """Return one or several models as a list."""
    is_one = not isinstance(models, list | tuple) or is_words_and_matrix(models) or _is_network_pair(models)
    return [models] if is_one else list(models)


def list_models(kinds: Collection[ModelKind]) -> str:
    """List, in words, the models that a study of these kinds takes."""
    networks = NETWORKS if set(kinds) - {"static", "sentence"} else ()
    return list_accepted(*(EMBEDDING_OBJECTS if "static" in kinds else ()), *networks)


def list_accepted(*objects: str) -> str:
    """Return “a name, a path, or …”."""
    return ", ".join(["a name", "a path", *objects[:-1], f"or {objects[-1]}"])


def _unwrap(study: str, kinds: Collection[ModelKind], model: Embedding | LoadedModel) -> Any:
    """Return a loaded model as the study takes it; raise for another kind, with the function to call instead."""
    kind: ModelKind = "static" if isinstance(model, Embedding) else model.kind
    if kind not in kinds:
        other, experiment = OTHER_STUDY.get(study, ("", ""))
        advice = f'; use `ww.{other}(model, experiments=["{experiment}"])`' if other and kind != "nli" else ""
        choices = either([KIND_IN_WORDS[item][1] for item in KIND_IN_WORDS if item in kinds], "and")
        raise WordworthError(f"{study} takes {choices}, and {model.name} is {KIND_IN_WORDS[kind][0]}{advice}")
    if isinstance(model, Embedding):
        provenance = model.provenance
        # Hashed at each call, since a matrix in memory may have changed.
        sha256 = provenance.sha256 or hash_embedding(model)
        return replace(model, provenance=replace(provenance, sha256=sha256))
    if study == "debias":  # it reads the files of a network again
        return save_model(model)
    if isinstance(model, NliModel):
        return model.network
    return model.word_model if study in WORD_MODEL_STUDIES and isinstance(model, LanguageModel) else model.encoder


def accept_files(models: Any) -> list[str]:
    """Return the models of an audit as names and paths, since its studies load each again."""
    files = []
    for model in _split_models(models):
        loaded = model if isinstance(model, str | Path) else _load_object(model, "")
        if loaded is None:
            raise WordworthError(f"audit takes {list_models(get_args(ModelKind))}; got {describe(models)}")
        files.append(str(loaded) if isinstance(loaded, str | Path) else save_model(loaded))
    return files


def save_model(model: Embedding | LoadedModel) -> str:
    """Return the name or path of a loaded model; write one in memory to the cache."""
    if isinstance(model, Embedding):
        return _write_object(f"{model.name}.safetensors", hash_embedding(model), lambda path: save(model, path))
    if model.objects is None:
        return str(model.origin)
    network, tokenizer = model.objects
    content = hash_content(network.state_dict(), network.config.to_json_string(), tokenizer.backend_tokenizer.to_str())

    def write(path: Path) -> None:
        with LibraryErrors(f"{model.name} cannot be saved, as debias and audit need it", "give the path of its folder"):
            network.save_pretrained(path)
            tokenizer.save_pretrained(path)

    return _write_object(model.name, content, write)


def keep_text(name: str, suffix: str, text: str) -> str:
    """Write a text to the cache under the hash of its content, in a file of that name, and return its path."""
    return _write_object(f"{name}{suffix}", hash_content(text), lambda path: path.write_text(text, encoding="utf-8"))


def _write_object(name: str, content: str, write: Callable[[Path], object]) -> str:
    """Return the path of a file or folder in the cache under the hash of its content; write it unless it exists."""
    file = re.sub(r"[/\\\0]", "-", name)
    return str(entry("objects", [file, content], lambda folder: write(folder / file)) / file)


def hash_embedding(embedding: Embedding) -> str:
    """Return the hash of words and vectors in memory."""
    return hash_content("\n".join(embedding.words), embedding.matrix)


def accept_settings(study: str, settings: type[Settings], given_settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a call with files instead of data in memory."""
    fields = settings.by_name()
    groups = {name: given_settings[name] for name in TEST_GROUPS if name in given_settings and "tests" in fields}
    other_settings = {name: value for name, value in given_settings.items() if name not in groups}
    if groups:
        tests = other_settings.get("tests", ())
        other_settings["tests"] = [*(tests if isinstance(tests, list | tuple) else [tests]), groups]
    return {
        name: _accept_setting(f"{study}({name}=…)", fields[name], value) if name in fields else value
        for name, value in other_settings.items()
    }


def _accept_setting(place: str, field: SettingField, value: Any) -> Any:
    kind = field.declared.catalog or field.name
    if field.name == "directions" and len(value) == 2 and all(isinstance(word, str) for word in value):
        return (tuple(value),)
    if kind not in _WRITERS:
        return value
    if not field.many:
        return _write_data(place, kind, value)
    values = [value] if _is_one(field.name, kind, value) else value
    return tuple(_write_data(place, kind, member) for member in values)


def _is_one(setting: str, kind: str, value: Any) -> bool:
    """Return whether a value of a repeatable setting is one data set, not a list of names and data sets."""
    if not isinstance(value, list | tuple):
        return True
    if setting in ("pairs", "bias_pairs", "sets"):  # rows of two words, and a score; or of two sentences
        width = 3 if setting == "pairs" else 2
        return bool(value) and all(isinstance(row, list | tuple) and len(row) == width for row in value)
    if kind not in ("corpora", "word_sets") or len(value) < 2 or not all(isinstance(member, str) for member in value):
        return False
    # A list of names has at least one that exists; otherwise these are sentences or words.
    return not any(knows(member, kind) or (len(member) < MAX_PATH and Path(member).exists()) for member in value)


def _write_data(place: str, kind: str, value: Any) -> Any:
    """Write a data set in memory to the cache, and return its path; return a name or a path as it is."""
    if value is None or isinstance(value, NameLike):
        return value
    write, accepted_form = _WRITERS[kind]
    try:
        named_text = write(value)
    except (TypeError, ValueError, KeyError, AttributeError):
        raise WordworthError(f"{place} takes {list_accepted(accepted_form)}; got {describe(value)}") from None
    return keep_text(*named_text)


def without_folders(value: Any) -> Any:
    """Return a value of a run with only the names of data in memory, without their paths in the cache."""
    if isinstance(value, Mapping):
        return {without_folders(key): without_folders(member) for key, member in value.items()}
    if isinstance(value, list):
        return [without_folders(member) for member in value]
    is_object = isinstance(value, str) and value.startswith(str(kind_folder("objects")))
    return Path(value).name if is_object else value


WrittenFile = tuple[str, str, str]
"""Name, suffix and content of a file."""


def _lexicon(value: Any) -> WrittenFile:
    columns = _columns(value) or {"word": list(value), "valence": list(value.values())}
    return f"own lexicon of {len(next(iter(columns.values()))):,} words", ".csv", _table(columns, ",")


def _pairs(value: Any) -> WrittenFile:
    columns = _columns(value) or dict(zip(("word1", "word2", "score"), zip(*value, strict=True), strict=True))
    return f"own list of {len(next(iter(columns.values()))):,} pairs", ".tsv", _table(columns, "\t")


def _sentence_pairs(value: Any) -> WrittenFile:
    columns = _columns(value) or dict(zip(("stereotype", "antistereotype"), zip(*value, strict=True), strict=True))
    return f"own list of {len(next(iter(columns.values()))):,} sentence pairs", ".csv", _table(columns, ",")


def _test(value: Any) -> WrittenFile:
    table = {key.lower() if key in TEST_GROUPS else key: one for key, one in value.items()}
    for group in TEST_GROUPS:
        words = table[group.lower()]
        table[group.lower()] = words if isinstance(words, Mapping) else {"label": group, "words": _texts(words)}
    return "own test", ".toml", to_toml({"test": {"name": "own test", **table}})


def _corpus(value: Any) -> WrittenFile:
    lines = [" ".join(text.split()) for text in _texts(value)]
    return f"own text of {len(lines):,} lines", "", "".join(f"{line}\n" for line in lines)


def _words(value: Any) -> WrittenFile:
    rows = [word if isinstance(word, str) else " ".join(_texts(word)) for word in value]
    return f"own list of {len(rows):,} words", ".txt", "".join(f"{row}\n" for row in rows)


def _probe(value: Any) -> WrittenFile:
    table = {"name": "own", **value.get("probe", value)}
    table["slots"] = {side: _own_words(words) for side, words in table["slots"].items()}
    if "verbs" in table:
        table["verbs"] = [{key: _own_words(words) for key, words in verb.items()} for verb in table["verbs"]]
    return "own probe", ".toml", to_toml({"probe": table})


def _own_words(words: Any) -> Any:
    """Return a list of words as in a probe's file; return names of word sets as they are."""
    if not isinstance(words, list | tuple) or any(knows(word, "word_sets") for word in words):
        return words
    return {"words": _texts(words)}


_WRITERS: dict[str, tuple[Callable[[Any], WrittenFile], str]] = {
    "lexica": (_lexicon, "a frame with columns of words and ratings, or a dict of word → rating"),
    "pairs": (_pairs, "a frame with two words and a score per row, or a list of (word, word, score)"),
    "sentence_pairs": (
        _sentence_pairs,
        "a frame with columns stereotype and antistereotype, or a list of (stereotype, antistereotype)",
    ),
    "tests": (_test, 'a dict {"X": [...], "Y": [...], "A": [...], "B": [...]}'),
    "corpora": (_corpus, "a list of sentences"),
    "frequencies": (_corpus, "a list of sentences to count"),
    "word_sets": (_words, "a list of words, or of pairs of words"),
    "vocabulary": (_words, "a list of words"),
    "templates": (lambda value: ("own templates", ".toml", to_toml(value)), "a dict with the keys of the TOML file"),
    "probes": (_probe, "a dict with the keys of the TOML file"),
}
"""Kind of data, or setting → the function that writes a file of it, and the accepted objects in words."""


def _columns(frame: Any) -> dict[str, Collection[Any]] | None:
    """Return the columns of a polars or pandas frame; None for another object."""
    return {str(name): frame[name].to_list() for name in frame.columns} if hasattr(frame, "columns") else None


def _table(columns: Mapping[str, Collection[Any]], delimiter: str) -> str:
    """Return columns of text and numbers as CSV."""
    for values in columns.values():
        if not all(isinstance(value, str | Real | None) for value in values):
            raise TypeError(values)
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return stream.getvalue()


def _texts(values: Iterable[Any]) -> list[str]:
    """Return a list of texts; raise for anything else."""
    texts = list(values)
    if isinstance(values, str) or not all(isinstance(text, str) for text in texts):
        raise TypeError(values)
    return texts


def to_toml(table: Mapping[str, Any]) -> str:
    """Return a table as TOML; tables and lists in it take one line each."""
    return "".join(f"{json.dumps(key)} = {_toml_value(value)}\n" for key, value in table.items())


def _toml_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml_value(member)}" for key, member in value.items()) + "}"
    if isinstance(value, str | bool | int | float):
        return json.dumps(value, ensure_ascii=False)
    return "[" + ", ".join(map(_toml_value, value)) + "]"


def describe(value: Any) -> str:
    """Describe an object: a list of int, a LlamaForCausalLM without its tokenizer."""
    kind = type(value).__name__
    if isinstance(value, list | tuple | set) and value:
        return f"a {kind} of {type(next(iter(value))).__name__}"
    if hasattr(value, "state_dict"):
        return f"a {kind} without its tokenizer"
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"
