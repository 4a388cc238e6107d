"""What a measure is: its name and variant in `scores.csv`, its formula, its paper, and what can be done with it.

A measure is declared once, in the file of its function: which way is better, the table of items that it summarizes, the
paired test that compares two models on those items, and whether it is a main score. Comparisons, leaderboards, pages
and training logs read the declaration. Measures that are a count, a library's number or a transform's have no function
of ours, and are declared at the end of this file.
"""

from dataclasses import dataclass
from typing import Any, Literal

from wordworth.errors import WordworthError, nearest

Better = Literal["higher", "lower", "zero", ""]
PairedTest = Literal["pearson", "spearman", "hits", "association", "mean", ""]
"""How two models are compared on the same items: a difference of correlations with people (`pearson`, `spearman`), of
shares (`hits`), of effect sizes of two word sets (`association`), or of means."""


@dataclass(frozen=True)
class Measure:
    """One measure, or one variant of it."""

    name: str
    formula: str
    """One sentence, with a full stop; `{k}` and `{threshold}` are the values in the columns of these names."""
    paper: str = ""
    """Its key in the catalog's references; blank where it is ours."""
    better: Better = ""
    """“zero” where both signs are bias; blank where neither way is better."""
    variant: str | None = None
    verdict: str = ""
    """What the side that wins a comparison does, before “than”. It is the side with the larger value, or with the
    smaller one where lower is better. Without a verdict the larger side “has a larger NAME”."""
    noun: str = ""
    """What is measured, after “no difference in”; blank for the name itself."""
    items: str = ""
    """The item table that it summarizes (`wordworth.results.items`); blank where no items are saved."""
    item_value: str = "value"
    """The column of that table that it is computed from."""
    paired_test: PairedTest = ""
    is_main: bool = False
    """Whether leaderboards, cards and training logs show it as a main number of a model."""
    has_open_variants: bool = False
    """Whether `variant` may be any name, such as that of an embedding."""
    grows_with_vectors: bool = False
    """Whether it is in the units of a model's vectors: it compares one model before and after, not two models."""

    @property
    def larger_wins(self) -> bool:
        """Return whether the verdict is about the side with the larger value."""
        return not (self.verdict and self.better == "lower")


MEASURES: dict[tuple[str, str | None], Measure] = {}
"""Every measure by its name and variant: filled as the files of this room are imported."""


def declare(
    name: str, formula: str, paper: str = "", better: Better = "", variant: str | None = None, **more: object
) -> Measure:
    """Add a measure to `MEASURES`; one that is declared twice is an error. `more` are other fields of `Measure`."""
    if (name, variant) in MEASURES:
        raise WordworthError(f"the measure {label(name, variant)} is declared twice; give one of them another name")
    MEASURES[name, variant] = Measure(name, formula, paper, better, variant, **more)  # type: ignore[arg-type]
    return MEASURES[name, variant]


ESTIMATOR: dict[str, Any] = {"items": "bias_words", "paired_test": "mean", "is_main": True}
"""What all estimators of bias declare that have a value per word."""


def find_measure(name: str, variant: str | None = None) -> Measure:
    """Return the measure that a row of `scores.csv` names."""
    if (name, variant) in MEASURES:
        return MEASURES[name, variant]
    plain = MEASURES.get((name, None))
    if plain is not None and plain.has_open_variants:
        return plain
    if plain is not None or any(one == name for one, _ in MEASURES):
        variants = [other for one, other in MEASURES if one == name and other]
        raise WordworthError(f"{name} has no variant {variant!r}{nearest(str(variant), variants)}")
    close = nearest(name, sorted({one for one, _ in MEASURES}))
    raise WordworthError(f"no measure is called {name!r}{close or '; declare it in a file of measure/'}")


def main_measures() -> list[str]:
    """Return the names of the main measures of a model."""
    return [name for (name, variant), one in MEASURES.items() if one.is_main and variant is None]


def label(name: str, variant: str | None = None, k: int | None = None, threshold: float | None = None) -> str:
    """Return a measure as tables and sentences show it: `valence`, `valence (spearman)`, `top-10`, `threshold .5`."""
    joint = "" if name == "T" else "-" if name == "top" else "@"
    text = f"{name}{joint}{k}" if k is not None else name
    text += f" {threshold:g}".replace("0.", ".") if threshold is not None else ""
    return f"{text} ({variant})" if variant else text


declare(
    "contexts",
    "Contexts that words were aggregated over: sentences, counted once for each word in them.",
    "bommasani2020",
)
declare("single-token", "Share of a data set's words that the tokenizer keeps whole in ordinary use.", "wolfe2022")
declare("coverage", "Share of a data set's items whose words all have vectors.", "", "higher")
# Prediction: what is predicted instead of a word, and whether paraphrases are near.
declare(
    "share",
    "Share of a band's misses that were answered by a word of the band that `variant` names.",
    "dudy2020",
    has_open_variants=True,
)
declare("types", "Share of the text's types that were never among the best guesses.", "dudy2020", "lower", is_main=True)
declare(
    "hits",
    "Sentences that are nearer to their paraphrase than to the other sentence.",
    "dudy2020",
    "higher",
    is_main=True,
)
declare("chi2", "χ² of the hits of two sets, without continuity correction.", "dudy2020", has_open_variants=True)
declare("exact", "Odds ratio of the hits of two sets, with Fisher's exact p.", "dudy2020", has_open_variants=True)
# Subspaces: how well-defined they are, and what a classifier still knows after each round.
declare("dimensions", "Dimensions of the subspace that is removed.")
declare("principal", "The principal value number {k} of a bias's words over the first.", "dev2020")
declare(
    "cosine",
    "|cos| between the first component of all words of a bias and the direction removed.",
    "dev2020",
    is_main=True,
)
declare(
    "inlp", "Accuracy of a linear classifier on held-out words, before any projection.", "ravfogel2020", "", "before"
)
declare("inlp", "Accuracy of a linear classifier on held-out words, after the last one.", "ravfogel2020", "", "after")
declare("inlp", "Share of the largest class among the held-out words.", "ravfogel2020", "", "chance")
