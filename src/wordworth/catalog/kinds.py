"""What kind of model a name stands for, by the catalog or by the model's own files."""

import json
from pathlib import Path
from typing import Any, Literal, get_args

from wordworth.catalog.fetch.hub import config_of, from_hub
from wordworth.catalog.resolve import resolve
from wordworth.errors import Foreign, WordworthError, listed, reason_of

Kind = Literal["static", "causal", "masked", "encoder", "sentence", "nli"]
KINDS: tuple[Kind, ...] = get_args(Kind)

NLI_NETWORK = "decomposable-attention"
"""`kind` in the config.json of a network that was trained here over word vectors."""
HEADS: dict[str, Kind] = {
    "ForCausalLM": "causal",
    "LMHeadModel": "causal",
    "ForMaskedLM": "masked",
    "ForPreTraining": "masked",
    "ForConditionalGeneration": "encoder",
    "EncoderModel": "encoder",
    "Model": "encoder",
}
"""How the name of an architecture ends; the first that fits."""
WORD_HEADS = ("ForCausalLM", "LMHeadModel", "ForMaskedLM")
"""Ends of the names of classes that only predict words; a network at hand of another class has its head ignored."""
SENTENCE_FILES = ("weights.npz", "sp.model")
"""What the folder of a sentence encoder holds."""
GGUF_ENCODERS = ("bert", "roberta", "t5")


def kind_of(named: str | Path) -> Kind:
    """static (word vectors), causal, masked, encoder (without a head), sentence (one vector a text) or nli.

    Files that do not say it are an error.
    """
    resolved = resolve(named)
    if resolved.entry is not None:
        family: Kind = resolved.entry.details["family"]
        return family
    if resolved.place == "hub":
        return _of_config(config_of(resolved.target), resolved.target)
    path = resolved.path
    if resolved.is_gguf:
        return _of_gguf(from_hub(resolved.target))
    if path is None:  # an address or hf://…; language models of the hub go by their own name
        return "static"
    if path.is_dir():
        return _of_folder(path)
    if path.is_file():
        return _of_gguf(path) if path.suffix == ".gguf" else "static"
    raise WordworthError(f"there is no model at {resolved.target}; give a name (`wordworth ls models`) or a path")


def kind_of_class(name: str) -> Kind:
    """Return causal, masked or nli by the class of a network; encoder without a head that predicts words."""
    if name.endswith("ForSequenceClassification"):
        return "nli"
    return next((HEADS[end] for end in WORD_HEADS if name.endswith(end)), "encoder")


def _say() -> str:
    return f"say what it is with --model-kind ({', '.join(KINDS)})"


def _of_folder(folder: Path) -> Kind:
    from wordworth.embedding.spacy_vectors import files_in

    if (folder / "config.json").is_file():
        return _of_config(folder / "config.json", str(folder))
    if any(folder.glob("*.npy")) or files_in(folder) is not None:
        return "static"  # HistWords, a matrix and its index, or a spaCy model
    if all((folder / file).is_file() for file in SENTENCE_FILES):
        return "sentence"
    weights = sorted(folder.glob("*.gguf"))
    if weights:
        return _of_gguf(weights[0])
    raise WordworthError(f"{folder} holds neither a config.json, nor GGUF weights, nor .npy vectors; {_say()}")


def _of_config(path: Path, named: str) -> Kind:
    try:
        config: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise WordworthError(f"{path} cannot be read as JSON ({reason_of(error)}); {_say()}") from error
    if isinstance(config, dict) and config.get("kind") == NLI_NETWORK:
        return "nli"
    names = config.get("architectures") if isinstance(config, dict) else None
    if not isinstance(names, list) or not names:
        raise WordworthError(f"the config.json of {named} names no architecture; {_say()}")
    architecture = str(names[0])
    if architecture.endswith("ForSequenceClassification"):
        named_labels = config.get("id2label")
        labels = {str(label).lower() for label in (named_labels if isinstance(named_labels, dict) else {}).values()}
        if "entailment" in labels:
            return "nli"
        raise WordworthError(f"{named} classifies {listed(sorted(labels)) or 'unnamed classes'}, not entailment")
    for ending, kind in HEADS.items():
        if architecture.endswith(ending):
            return kind
    raise WordworthError(f"{named} is a {architecture}, which no study here knows; {_say()}")


def _of_gguf(path: Path) -> Kind:
    from gguf import GGUFReader

    with Foreign(f"{path} is not a GGUF file", "fetch it again"):
        field = GGUFReader(path).fields.get("general.architecture")
        architecture = str(field.contents()) if field is not None else ""
    if not architecture:
        raise WordworthError(f"{path} names no architecture; {_say()}")
    return "encoder" if any(name in architecture for name in GGUF_ENCODERS) else "causal"
