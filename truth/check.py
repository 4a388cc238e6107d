"""A number of ours and the same number computed another way."""

from dataclasses import dataclass
from typing import Any

import polars as pl

_READERS = "the package's readers of word lists and ratings"
_SPELLING = "the order in which spellings are tried (as written, lower case, capital)"
_MODEL = "pooling and texts as the paper says; tokens and network are transformers' own"
_GGUF = "the float32 weights that the package makes of SmolLM2's GGUF file"
SHARED: dict[tuple[str, str], str] = {
    ("valnorm", "valence"): f"{_READERS}; {_SPELLING}",
    ("valnorm", "valence (spearman)"): f"{_READERS}; {_SPELLING}",
    ("valnorm", "similarity"): f"{_READERS}; {_SPELLING}; a pair counts if both words are there",
    ("valnorm", "analogy"): f"which questions were answered; {_SPELLING}; the first 300,000 words are candidates",
    ("weat", "weat d"): "which words were used, and in which spelling: the run's items say",
    ("weat", "weat p"): "which words were used, and in which spelling: the run's items say; a tie counts",
    ("static", "similarity"): f"{_READERS}; {_SPELLING}; of sentences: which are drawn and where words are in them",
    **{
        ("static", measure): f"{_READERS}; {_SPELLING}; a class without words has no score"
        for measure in ("manzini", "manzini (centroid)", "garg-euclidean", "garg-cosine", "direct-bias", "ripa")
    },
    ("vast", "valence"): f"{_READERS}; {_MODEL}; {_GGUF}",
    ("vast", "isolated valence"): "nothing of the package's code; the choice of words (the authors': three lexica, ten "
    "WEATs, polar words), of ratings behind aligned texts, and of the pooling",
    ("vast", "weat d"): f"{_READERS}; {_MODEL}; {_GGUF}",
    ("debias", "weat d"): f"{_READERS}; {_SPELLING}; the direction he − she of unit vectors",
    ("debias", "similarity"): f"{_READERS}; {_SPELLING}; the direction he − she of unit vectors",
    ("isotropy", "anisotropy"): f"{_READERS}; {_MODEL}",
    **{
        ("infer", measure): "the pairs that the package writes from the templates; the trained weights"
        for measure in ("net-neutral", "fraction-neutral", "threshold .5", "entailment", "contradiction")
    },
    ("predict", "surprisal"): f"the text, its words and where a word ends; {_GGUF}",
}
"""(study, measure) → the choices that the second computation shares with the package, and so cannot check."""


@dataclass(frozen=True)
class Check:
    """What was measured, by both."""

    study: str
    measure: str
    of: str
    """The model and the data."""
    how: str
    """How it was computed the second time."""
    ours: float
    again: float
    tolerance: float
    """Of the difference, in units of the number (at least 1): what the arithmetic of either allows."""

    @property
    def shared(self) -> str:
        return SHARED[self.study, self.measure]

    @property
    def agrees(self) -> bool:
        return abs(self.ours - self.again) <= self.tolerance * max(1.0, abs(self.again))


BLANK = ("variant", "control", "subset", "draw", "components")
"""Columns that are blank in the scores that are checked, unless they are named."""


def score(scores: pl.DataFrame, **where: Any) -> dict[str, Any] | None:
    """Return the one row with these columns; None where the run has none."""
    wanted = dict.fromkeys(BLANK) | where
    rows = scores.filter(pl.col(key).eq_missing(pl.lit(value)) for key, value in wanted.items()).to_dicts()
    if len(rows) > 1:
        raise ValueError(f"{len(rows)} scores have {where}; name more columns")
    return rows[0] if rows else None
