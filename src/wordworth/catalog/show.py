"""Describe entries as plain data for `wordworth show` and `wordworth ls`."""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

from wordworth.catalog.fetch.hub import hub_file, is_cached
from wordworth.catalog.fetch.sources import here
from wordworth.catalog.read.frequencies import load_frequencies
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.nli import load_nli
from wordworth.catalog.read.pairs import load_analogies, load_pairs, load_paraphrases
from wordworth.catalog.read.sentence_pairs import load_sentence_pairs
from wordworth.catalog.read.word_sets import load_test, load_translations, load_word_set
from wordworth.catalog.registry import Entry, code_of, entries, entry, language_named
from wordworth.errors import WordworthError

TOPICS = {"gender": ("male", "woman", "heilman"), "race": ("african", "black"), "age": ("young",)}
"""Search word → texts in the titles of entries on that topic."""
_UNITS = {
    "lexica": "words",
    "word_sets": "words",
    "tests": "words",
    "pairs": "pairs",
    "analogies": "questions",
    "templates": "texts",
    "frequencies": "words",
    "wordnets": "synsets",
    "paraphrases": "triples",
    "nli": "pairs",
    "sentence_pairs": "pairs",
}
_UNITS_OF_MODELS = {"static": "words", "sentence": "layer", "nli": "labels"}
TableRows = tuple[tuple[str, ...], ...]


def find_entries(kind: str | None = None, search: str = "", language: str = "") -> list[Entry]:
    """Return the entries of a kind (or all) with a text in the name, title, language or note, or on a topic.

    `language` is a name or a code; an entry with several languages is found by each of them.
    """
    texts = (search.lower(), *TOPICS.get(search.lower(), ()))
    language_name = language_named(language)
    return [
        entry
        for entry in entries(kind)
        if any(text in f"{entry.name} {entry.title} {entry.language} {entry.note}".lower() for text in texts)
        and (not language_name or language_name in (entry.language, *entry.details.get("languages", ())))
    ]


def language_of(entry: Entry) -> str:
    """Return the language with its code: “german (de)”."""
    code = code_of(entry.language)
    return f"{entry.language} ({code})" if code else entry.language


def unit_of(entry: Entry) -> str:
    """Return the unit of an entry's count: words of word vectors, layers of a language model, lines of a text, …"""
    details = entry.details
    if entry.kind == "models":
        return _UNITS_OF_MODELS.get(details["family"], "layers")
    if entry.kind == "word_sets" and details.get("pairs"):
        return "pairs"
    if entry.kind == "tests" and entry.sources:  # SEAT's, in files of their own
        return "sentences"
    return str(details.get("unit") or _UNITS[entry.kind])


def describe_contents(entry: Entry) -> str:
    """Return the count with its unit: “400,000 words”, “30 layers”."""
    return f"{entry.count:,} {unit_of(entry)}"


def download_bytes(entry: Entry) -> int | None:
    """Return the unpacked bytes of an entry's download; None if it is in the package or placed by hand."""
    if any(source.kind == "package" for source in entry.sources):
        return None
    return next((source.bytes for source in entry.sources if source.remote), None)


def download(entry: Entry) -> str:
    """Return “84 MB”, “from the hub” or “by hand”; blank if nothing is fetched."""
    size = download_bytes(entry)
    if size is not None:
        return f"{size / 1e6:,.0f} MB" if size >= 1e7 else f"{size / 1e6:,.1f} MB" if size >= 1e5 else "under 0.1 MB"
    if "hub" in entry.details:
        return "from the hub"
    is_by_hand = bool(entry.sources) and all(source.kind == "data" for source in entry.sources)
    return "by hand" if is_by_hand else ""


class Excerpt(NamedTuple):
    """The first rows of an entry's data if it is on this machine: showing fetches nothing."""

    header: tuple[str, ...] = ()
    rows: TableRows = ()
    left_out: tuple[str, ...] = ()
    """A sentence per row that was left out or merged in reading."""


def is_here(entry: Entry) -> bool:
    """Return whether the data of an entry, and of the entries it is made of, is on this machine.

    Files other than the published ones do not count; loading the entry reports them.
    """
    if "hub" in entry.details:
        return is_cached(hub_file(entry.details["hub"]))
    try:
        return all(not part.sources or here(part.name, part.sources) is not None for part in (entry, *made_of(entry)))
    except WordworthError:
        return False


def made_of(whole_entry: Entry) -> tuple[Entry, ...]:
    """Return the other entries that an entry is made of."""
    recipe = whole_entry.details.get("derived")
    if recipe:
        kinds = {"lexicon": "lexica", "words": "lexica", "among": "lexica", "translation": "word_sets"}
        return tuple(entry(name, kinds[role]) for role, name in recipe.items())
    if whole_entry.kind == "tests" and not whole_entry.sources:
        return tuple(entry(whole_entry.details[group]["set"], "word_sets") for group in "xyab")
    return ()


def excerpt(entry: Entry, rows: int = 5) -> Excerpt:
    """Return the first rows of an entry if its data is on this machine. Nothing is fetched."""
    if entry.kind in _DECLARED_KINDS:  # described by the TOML, since their data is too large to read
        header, pairs = _describe(entry)
        return Excerpt(header, tuple(pairs))
    if not is_here(entry):
        return Excerpt()
    columns, remarks = _READERS[entry.kind](entry)
    first = islice(zip(*columns.values(), strict=True), rows)
    return Excerpt(tuple(columns), tuple(tuple(map(_format, row)) for row in first), tuple(remarks))


def summary(entry: Entry) -> dict[str, Any]:
    """Return all facts of an entry, as in JSON."""
    keys = ("kind", "name", "title", "count", "language", "scale", "licence", "note")
    return {
        **{key: getattr(entry, key) for key in keys},
        "reference": str(entry.reference),
        "bibtex": entry.reference.bibtex(),
        "sources": [source.place for source in entry.sources] or list(filter(None, [entry.details.get("hub")])),
        "here": is_here(entry),
        **excerpt(entry)._asdict(),
    }


_DECLARED_KINDS = ("models", "corpora", "templates", "wordnets")
Columns = tuple[Mapping[str, Iterable[object]], Iterable[str]]
"""Column → its cells, and the rows that were left out."""


def _describe(entry: Entry) -> tuple[tuple[str, str], list[tuple[str, str]]]:
    details = entry.details
    if entry.kind != "templates":
        values = {key: value for key, value in details.items() if isinstance(value, str | int | float)}
        return ("field", "value"), [(key, str(value)) for key, value in values.items()]
    texts = [(name, details[name]) for name in ("bleached", "premise", "hypothesis") if name in details]
    texts += [(f"aligned {bin_['low']:g} to {bin_['high']:g}", bin_["text"]) for bin_ in details.get("aligned", ())]
    return ("template", "text"), texts


def _format(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1_000 else f"{cell:.4g}"
    return ", ".join(cell) if isinstance(cell, tuple) else str(cell)


def _read_lexicon(entry: Entry) -> Columns:
    lexicon = load_lexicon(entry.name)
    return {"word": lexicon.words, **lexicon.ratings}, map(str, lexicon.left_out)


def _read_word_set(entry: Entry) -> Columns:
    if entry.details.get("translations"):
        forms = load_translations(entry.name).forms
        return {"word": forms, "forms": forms.values()}, ()
    words = load_word_set(entry.name)
    remarks = [f"{word!r} is listed more than once and is used once" for word in words.repeats]
    if words.pairs:
        first, second = zip(*words.pairs, strict=True)
        return {"first": first, "second": second}, remarks
    return {"word": words.words, **words.scores}, remarks


def _read_test(entry: Entry) -> Columns:
    test = load_test(entry.name)
    words = {"count": map(len, test.groups), "first words": [words[:5] for words in test.groups]}
    return {"set": "XYAB", "label": test.labels, **words}, test.remarks


def _read_pairs(entry: Entry) -> Columns:
    pairs = load_pairs(entry.name)
    return {"first": pairs.first, "second": pairs.second, "score": pairs.scores}, ()


def _read_nli(entry: Entry) -> Columns:
    data = load_nli(entry.name)
    remarks = [f"{count:,} {reason}" for reason, count in data.left_out.items()]
    return {"premise": data.premises, "hypothesis": data.hypotheses, "label": data.labels}, remarks


def _read_sentence_pairs(entry: Entry) -> Columns:
    data = load_sentence_pairs(entry.name)
    remarks = [f"{count:,} {reason}" for reason, count in data.left_out.items()]
    return {name: [getattr(pair, name) for pair in data.pairs] for name in ("stereotype", "antistereotype")}, remarks


def _read_frequencies(entry: Entry) -> Columns:
    frequencies = load_frequencies(entry.name)
    return {"word": frequencies.counts, frequencies.unit: frequencies.counts.values()}, ()


def _read_paraphrases(entry: Entry) -> Columns:
    probe = load_paraphrases(entry.name)
    columns = zip(*(triple.differing() for triple in probe.triples), strict=True)
    remarks = [f"{sentence!r}: {reason}" for sentence, reason in probe.left_out]
    return dict(zip(("word", "hypernym", "sibling"), columns, strict=True)), remarks


def _read_analogies(entry: Entry) -> Columns:
    return dict(zip("abcd", zip(*load_analogies(entry.name).questions, strict=True), strict=True)), ()


_READERS: dict[str, Callable[[Entry], Columns]] = {
    "lexica": _read_lexicon,
    "word_sets": _read_word_set,
    "tests": _read_test,
    "pairs": _read_pairs,
    "analogies": _read_analogies,
    "nli": _read_nli,
    "sentence_pairs": _read_sentence_pairs,
    "frequencies": _read_frequencies,
    "paraphrases": _read_paraphrases,
}
