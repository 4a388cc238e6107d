"""What `wordworth show` and `wordworth ls` show of an entry, as plain data."""

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
"""What a user may search for → texts in the titles of what is about it."""
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
    """Return the entries of a kind, or of all kinds, with a text in the name, title, language or note, or on a topic.

    `language` is a name or a code; what has words of several languages is found by each that it declares.
    """
    texts = (search.lower(), *TOPICS.get(search.lower(), ()))
    wanted = language_named(language)
    return [
        one
        for one in entries(kind)
        if any(text in f"{one.name} {one.title} {one.language} {one.note}".lower() for text in texts)
        and (not wanted or wanted in (one.language, *one.details.get("languages", ())))
    ]


def language_of(declared: Entry) -> str:
    """Return the language with its code: “german (de)”."""
    code = code_of(declared.language)
    return f"{declared.language} ({code})" if code else declared.language


def unit_of(declared: Entry) -> str:
    """Return the unit of its count: words of word vectors, layers of a language model, lines of a text, …"""
    details = declared.details
    if declared.kind == "models":
        return _UNITS_OF_MODELS.get(details["family"], "layers")
    if declared.kind == "word_sets" and details.get("pairs"):
        return "pairs"
    if declared.kind == "tests" and declared.sources:  # SEAT's, in files of their own
        return "sentences"
    return str(details.get("unit") or _UNITS[declared.kind])


def describe_contents(declared: Entry) -> str:
    """Return “400,000 words”, “30 layers”."""
    return f"{declared.count:,} {unit_of(declared)}"


def download_bytes(declared: Entry) -> int | None:
    """Return the unpacked bytes of its downloads; none if it comes with the package or is placed by hand."""
    if any(source.kind == "package" for source in declared.sources):
        return None
    return next((source.bytes for source in declared.sources if source.remote), None)


def download(declared: Entry) -> str:
    """Return “84 MB”, “from the hub”, “by hand”; blank where nothing is fetched."""
    size = download_bytes(declared)
    if size is not None:
        return f"{size / 1e6:,.0f} MB" if size >= 1e7 else f"{size / 1e6:,.1f} MB" if size >= 1e5 else "under 0.1 MB"
    if "hub" in declared.details:
        return "from the hub"
    by_hand = bool(declared.sources) and all(source.kind == "data" for source in declared.sources)
    return "by hand" if by_hand else ""


class Excerpt(NamedTuple):
    """The first rows of an entry's data, where it is here: showing fetches nothing."""

    header: tuple[str, ...] = ()
    rows: TableRows = ()
    left_out: tuple[str, ...] = ()
    """What was left out or merged in reading, one sentence each."""


def is_here(declared: Entry) -> bool:
    """Return whether an entry's data, and that of the entries it is made of, is on this machine.

    A file in its place that is not the published one is not its data; loading the entry says so.
    """
    if "hub" in declared.details:
        return is_cached(hub_file(declared.details["hub"]))
    try:
        return all(not one.sources or here(one.name, one.sources) is not None for one in (declared, *made_of(declared)))
    except WordworthError:
        return False


def made_of(declared: Entry) -> tuple[Entry, ...]:
    """Return the other entries that an entry is made of."""
    recipe = declared.details.get("derived")
    if recipe:
        kinds = {"lexicon": "lexica", "words": "lexica", "among": "lexica", "translation": "word_sets"}
        return tuple(entry(name, kinds[role]) for role, name in recipe.items())
    if declared.kind == "tests" and not declared.sources:
        return tuple(entry(declared.details[group]["set"], "word_sets") for group in "xyab")
    return ()


def excerpt(declared: Entry, rows: int = 5) -> Excerpt:
    """Return the first rows of an entry, where its data is here. Nothing is fetched."""
    if declared.kind in _DECLARED_KINDS:  # what is shown of these is in the TOML: their data is too large to look into
        header, pairs = _describe(declared)
        return Excerpt(header, tuple(pairs))
    if not is_here(declared):
        return Excerpt()
    columns, left_out = _READERS[declared.kind](declared)
    first = islice(zip(*columns.values(), strict=True), rows)
    return Excerpt(tuple(columns), tuple(tuple(map(_format, row)) for row in first), tuple(left_out))


def summary(declared: Entry) -> dict[str, Any]:
    """Return what there is to say of an entry, as JSON has it."""
    keys = ("kind", "name", "title", "count", "language", "scale", "licence", "note")
    return {
        **{key: getattr(declared, key) for key in keys},
        "reference": str(declared.reference),
        "bibtex": declared.reference.bibtex(),
        "sources": [source.place for source in declared.sources] or list(filter(None, [declared.details.get("hub")])),
        "here": is_here(declared),
        **excerpt(declared)._asdict(),
    }


_DECLARED_KINDS = ("models", "corpora", "templates", "wordnets")
Columns = tuple[Mapping[str, Iterable[object]], Iterable[str]]
"""Column → its cells, and what was left out."""


def _describe(declared: Entry) -> tuple[tuple[str, str], list[tuple[str, str]]]:
    details = declared.details
    if declared.kind != "templates":
        return ("field", "value"), [
            (key, str(value)) for key, value in details.items() if isinstance(value, str | int | float)
        ]
    texts = [(name, details[name]) for name in ("bleached", "premise", "hypothesis") if name in details]
    texts += [(f"aligned {one['low']:g} to {one['high']:g}", one["text"]) for one in details.get("aligned", ())]
    return ("template", "text"), texts


def _format(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1_000 else f"{cell:.4g}"
    return ", ".join(cell) if isinstance(cell, tuple) else str(cell)


def _read_lexicon(declared: Entry) -> Columns:
    lexicon = load_lexicon(declared.name)
    return {"word": lexicon.words, **lexicon.ratings}, map(str, lexicon.left_out)


def _read_word_set(declared: Entry) -> Columns:
    if declared.details.get("translations"):
        forms = load_translations(declared.name).forms
        return {"word": forms, "forms": forms.values()}, ()
    words = load_word_set(declared.name)
    dropped = [f"{word!r} is listed more than once and is used once" for word in words.dropped]
    if words.pairs:
        first, second = zip(*words.pairs, strict=True)
        return {"first": first, "second": second}, dropped
    return {"word": words.words, **words.scores}, dropped


def _read_test(declared: Entry) -> Columns:
    test = load_test(declared.name)
    words = {"count": map(len, test.groups), "first words": [words[:5] for words in test.groups]}
    return {"set": "XYAB", "label": test.labels, **words}, test.remarks


def _read_pairs(declared: Entry) -> Columns:
    pairs = load_pairs(declared.name)
    return {"first": pairs.first, "second": pairs.second, "score": pairs.scores}, ()


def _read_nli(declared: Entry) -> Columns:
    data = load_nli(declared.name)
    left_out = [f"{count:,} {reason}" for reason, count in data.left_out.items()]
    return {"premise": data.premises, "hypothesis": data.hypotheses, "label": data.labels}, left_out


def _read_sentence_pairs(declared: Entry) -> Columns:
    data = load_sentence_pairs(declared.name)
    left_out = [f"{count:,} {reason}" for reason, count in data.left_out.items()]
    return {name: [getattr(pair, name) for pair in data.pairs] for name in ("stereotype", "antistereotype")}, left_out


def _read_frequencies(declared: Entry) -> Columns:
    listed = load_frequencies(declared.name)
    return {"word": listed.counts, listed.unit: listed.counts.values()}, ()


def _read_paraphrases(declared: Entry) -> Columns:
    probe = load_paraphrases(declared.name)
    columns = zip(*(triple.differing() for triple in probe.triples), strict=True)
    left_out = [f"{sentence!r}: {reason}" for sentence, reason in probe.left_out]
    return dict(zip(("word", "hypernym", "sibling"), columns, strict=True)), left_out


def _read_analogies(declared: Entry) -> Columns:
    return dict(zip("abcd", zip(*load_analogies(declared.name).questions, strict=True), strict=True)), ()


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
