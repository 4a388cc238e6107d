"""What `wordworth show` and `wordworth ls` show of an entry, as plain data."""

from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

from wordworth.catalog.fetch.hub import hub_file, is_cached
from wordworth.catalog.fetch.sources import here
from wordworth.catalog.read.analogies import load_analogies
from wordworth.catalog.read.association_tests import load_test
from wordworth.catalog.read.frequencies import load_frequencies
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.nli import load_nli
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.read.paraphrases import load_paraphrases
from wordworth.catalog.read.word_sets import load_translations, load_word_set
from wordworth.catalog.registry import Entry, entry
from wordworth.errors import WordworthError

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
}
_UNITS_OF_MODELS = {"static": "words", "sentence": "layer", "nli": "labels"}
Rows = tuple[tuple[str, ...], ...]


def unit_of(declared: Entry) -> str:
    """What its count counts: words of word vectors, layers of a language model, lines of a text, …"""
    details = declared.details
    if declared.kind == "models":
        return _UNITS_OF_MODELS.get(details["family"], "layers")
    if declared.kind == "word_sets" and details.get("pairs"):
        return "pairs"
    if declared.kind == "tests" and declared.sources:  # SEAT's, in files of their own
        return "sentences"
    return str(details.get("unit") or _UNITS[declared.kind])


def held(declared: Entry) -> str:
    """“400,000 words”, “30 layers”."""
    return f"{declared.count:,} {unit_of(declared)}"


def download_bytes(declared: Entry) -> int | None:
    """Bytes of what is fetched for it, unpacked; none where it comes with the package or is put in place by hand."""
    if any(source.kind == "package" for source in declared.sources):
        return None
    return next((source.bytes for source in declared.sources if source.remote), None)


def download(declared: Entry) -> str:
    """“84 MB”, “from the hub”, “by hand”; blank where nothing is fetched."""
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
    rows: Rows = ()
    left_out: tuple[str, ...] = ()
    """What was left out or merged in reading, one sentence each."""


def is_here(declared: Entry) -> bool:
    """Whether an entry's data, and that of the entries it is made of, is on this machine.

    A file in its place that is not the published one is not its data; loading the entry says so.
    """
    if "hub" in declared.details:
        return is_cached(hub_file(declared.details["hub"]))
    try:
        return all(not one.sources or here(one.name, one.sources) is not None for one in (declared, *made_of(declared)))
    except WordworthError:
        return False


def made_of(declared: Entry) -> tuple[Entry, ...]:
    """The other entries that an entry is made of."""
    recipe = declared.details.get("derived")
    if recipe:
        kinds = {"lexicon": "lexica", "words": "lexica", "among": "lexica", "translation": "word_sets"}
        return tuple(entry(name, kinds[role]) for role, name in recipe.items())
    if declared.kind == "tests" and not declared.sources:
        return tuple(entry(declared.details[group]["set"], "word_sets") for group in "xyab")
    return ()


def excerpt(declared: Entry, rows: int = 5) -> Excerpt:
    """Return the first rows of an entry, where its data is here. Nothing is fetched."""
    is_readable = declared.kind in _DECLARED or is_here(declared)
    return Excerpt(*_FIRST[declared.kind](declared, rows)) if is_readable else Excerpt()


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


_First = tuple[tuple[str, ...], Rows, tuple[str, ...]]


def _lexicon(declared: Entry, rows: int) -> _First:
    lexicon = load_lexicon(declared.name)
    first = tuple(
        (word, *(f"{values[at]:.4g}" for values in lexicon.ratings.values()))
        for at, word in enumerate(lexicon.words[:rows])
    )
    return ("word", *lexicon.ratings), first, tuple(map(str, lexicon.left_out))


def _word_set(declared: Entry, rows: int) -> _First:
    if declared.details.get("translations"):
        forms = load_translations(declared.name).forms
        return ("word", "forms"), tuple((word, ", ".join(of_word)) for word, of_word in islice(forms.items(), rows)), ()
    words = load_word_set(declared.name)
    dropped = tuple(f"{word!r} stands more than once and is taken once" for word in words.dropped)
    if words.pairs:
        return ("first", "second"), words.pairs[:rows], dropped
    first = tuple(
        (word, *(f"{values[at]:g}" for values in words.scores.values())) for at, word in enumerate(words.words[:rows])
    )
    return ("word", *words.scores), first, dropped


def _test(declared: Entry, rows: int) -> _First:
    test = load_test(declared.name)
    sets = zip("XYAB", test.labels, test.groups, strict=True)
    first = tuple((which, label, str(len(words)), ", ".join(words[:rows])) for which, label, words in sets)
    return ("set", "label", "count", "first words"), first, test.remarks


def _pairs(declared: Entry, rows: int) -> _First:
    pairs = load_pairs(declared.name)
    first = zip(pairs.first, pairs.second, (f"{score:.4g}" for score in pairs.scores), strict=True)
    return ("first", "second", "score"), tuple(islice(first, rows)), ()


def _analogies(declared: Entry, rows: int) -> _First:
    return ("a", "b", "c", "d"), load_analogies(declared.name).questions[:rows], ()


def _nli(declared: Entry, rows: int) -> _First:
    data = load_nli(declared.name)
    left_out = tuple(f"{count:,} {reason}" for reason, count in data.left_out.items())
    columns = (data.premises, data.hypotheses, data.labels)
    return ("premise", "hypothesis", "label"), tuple(islice(zip(*columns, strict=True), rows)), left_out


def _template(declared: Entry, rows: int) -> _First:
    details = declared.details
    first = [(setting, details[setting]) for setting in ("bleached", "premise", "hypothesis") if setting in details]
    first += [(f"aligned {one['low']:g} to {one['high']:g}", one["text"]) for one in details.get("aligned", ())]
    return ("setting", "text"), tuple(first), ()


def _frequencies(declared: Entry, rows: int) -> _First:
    listed = load_frequencies(declared.name)
    first = tuple((word, f"{count:,.0f}") for word, count in islice(listed.counts.items(), rows))
    return ("word", listed.unit), first, ()


def _paraphrases(declared: Entry, rows: int) -> _First:
    probe = load_paraphrases(declared.name)
    left_out = tuple(f"{sentence!r}: {reason}" for sentence, reason in probe.left_out)
    return ("word", "hypernym", "sibling"), tuple(triple.differing() for triple in probe.triples[:rows]), left_out


def _described(declared: Entry, rows: int) -> _First:
    """Models and corpora: what is declared of them; their data is too large to look into."""
    plain = [(key, str(value)) for key, value in declared.details.items() if isinstance(value, str | int | float)]
    return ("field", "value"), tuple(plain), ()


# What is shown of these stands in the TOML.
_DECLARED = ("models", "corpora", "templates", "wordnets")


_FIRST: dict[str, Callable[[Entry, int], _First]] = {
    "lexica": _lexicon,
    "word_sets": _word_set,
    "tests": _test,
    "pairs": _pairs,
    "analogies": _analogies,
    "templates": _template,
    "nli": _nli,
    "models": _described,
    "corpora": _described,
    "frequencies": _frequencies,
    "wordnets": _described,
    "paraphrases": _paraphrases,
}
