"""How a language model is made a static embedding in a file."""

from dataclasses import dataclass

from wordworth.task.settings import CORPUS, HOW, ON, Named, Placement, Seeded, setting

PER_WORD = 100
SIMILARITY = "similarity"
"""The vocabulary of the paper's four sets of pairs: 2,005 words."""


@dataclass(frozen=True, kw_only=True)
class ExportSettings(Placement, Seeded):
    """How a language model is reduced to one vector a word."""

    layer: int | None = setting(None, "Layer to take; a quarter of the way up, as the paper's, if not given.", HOW)
    vocabulary: Named = setting(
        SIMILARITY, "Words: `similarity`, a lexicon or word set of the catalog, or a file with a word a line.", ON
    )
    corpus: tuple[Named, ...] = setting(
        ("enwiki-sample",),
        f"{CORPUS} that sentences are drawn from, or none: words alone. Several count as one.",
        ON,
        metavar="NAME|FILE|none",
        catalog="corpora",
    )
    per_word: int | None = setting(None, f"Contexts of a word; {PER_WORD} if not given.", ON, least=1, most=100_000)
    sentences: int | None = setting(
        None, "Sentences drawn in all, instead of --per-word.", ON, least=1, most=100_000_000
    )
    pooling: str = setting("mean/mean", "Pooling of a word's subwords; F/G: then of its contexts.", HOW, metavar="F/G")
    weighting: str = setting(
        "uniform", "Weight of a sentence in the mean.", HOW, choices=("uniform", "inverse-frequency")
    )
    components: int | None = setting(
        None,
        "Principal components to nullify: the mean and so many are taken off (Mu & Viswanath advise dimensions / 100).",
        HOW,
        least=0,
        most=1_000,
    )
    language: str = setting("english", "Language of the words, and of the text.", ON, catalog="languages")
    lower_case: bool = setting(False, "Put the sentences into lower case.", ON)
