"""What a list says of an entry in a word or two: its kind, how much it holds, what is fetched for it."""

from wordworth.catalog.entry import Entry

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
        return in_megabytes(size)
    if "hub" in declared.details:
        return "from the hub"
    by_hand = bool(declared.sources) and all(source.kind == "data" for source in declared.sources)
    return "by hand" if by_hand else ""


def in_megabytes(size: int) -> str:
    """A size as people say it."""
    return f"{size / 1e6:,.0f} MB" if size >= 1e7 else f"{size / 1e6:,.1f} MB" if size >= 1e5 else "under 0.1 MB"
