"""Declare the names of experiments, contexts, versions of a model and controls, and define notices and cautions.

Measures are declared with their functions (`wordworth.measure`). A name that is not declared cannot be recorded.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

CONTEXTS = ("random", "bleached", "aligned", "misaligned", "decontextualized", "aggregated")
"""The text that a word is in: drawn from a corpus; “This is WORD”; text that agrees or disagrees with the word's
valence; only the word; the mean over many sentences."""
CONTROL_KINDS = ("untrained", "shuffled", "poles-out", "swap", "random-words")
"""The same network with random weights; ratings in random order; the lexicon without the polar words; sentence pairs
that differ in two words of one kind; lists of random words that are about as frequent."""
ORIGINAL = "original"
"""A model or embedding as it was, compared with versions of it."""
RANDOM = "random"
"""A random subspace removed: the mean over draws, or one `draw`."""
RANDOM_RETRAINED = "random-retrained"
"""The mean over networks that were trained without random subspaces."""
HARMLESS = ("weat1", "weat2")
"""Tests whose positive effect is not a stereotype of people (flowers, instruments)."""

EXPERIMENT_TITLES = {
    "valence": "Agreement of words' associations with rated valence.",
    "weat": "Association tests.",
    "sensitivity": "A number under other choices; every variant is an item.",
    "similarity": "Agreement of cosines with rated similarity.",
    "analogy": "Analogy questions.",
    "raters": "Agreement of people's ratings of the same words.",
    "corpus-size": "Vectors trained on samples of a corpus.",
    "neighbours": "Nearest words, as items.",
    "contextualization": "Valence by layer and context.",
    "control": "Valence of a control.",
    "tokenization": "Valence of words of one token and of several.",
    "isolation": "Valence with principal components nullified.",
    "probes": "Acceptability and part of speech from vectors.",
    "validation": "Word similarity, raw and isolated.",
    "bias": "Bias in every layer: association tests, or estimators.",
    "languages": "Valence in the paper's languages.",
    "quality": "Word similarity by layer, pooling and number of sentences.",
    "agreement": "Rank correlation of estimators over layers.",
    "prediction": "Whole words predicted.",
    "coverage": "Whole words predicted, by frequency.",
    "soft-match": "Near misses.",
    "confusion": "Misses by the band of the guess.",
    "instead": "What is predicted instead, as items.",
    "confused": "Words mistaken for others, as items.",
    "never-predicted": "Types that are never predicted.",
    "paraphrase": "Rare words in use.",
    "preference": "Which sentence of a pair is more probable.",
    "census": "Pronouns of occupations against their real shares of women.",
    "gender": "Neutrality on the sentence pairs of a probe.",
    "nationality": "Neutrality on the sentence pairs of a probe.",
    "religion": "Neutrality on the sentence pairs of a probe.",
    "accuracy": "Accuracy on labelled pairs.",
    "subspace": "What is removed.",
    "stability": "How well defined a subspace is.",
    "calibration": "How often a bias of known size is detected.",
}
"""Experiment → what it is. A user's own probe of inference is an experiment under its own name."""

NoticeKind = Literal["failed", "skipped", "reduced", "substituted", "caution", "info"]
SHOWN_AT_ONCE: tuple[NoticeKind, ...] = ("failed", "skipped", "reduced", "substituted", "caution")
"""Kinds that the terminal shows at the end of a study; `info` is only in `run.json` and on the page."""


class Notice(BaseModel):
    """Report that a part failed or was skipped, reduced or substituted, or a caution, or a fact."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: NoticeKind
    reason: str
    """A clause without a full stop. With a count it continues it: “merged with another word of the same vector”."""
    count: int | None = None
    total: int | None = None
    """`count` of `total` items are concerned."""
    study: str | None = None
    experiment: str | None = None
    model: str | None = None
    language: str | None = None
    dataset: str | None = None
    context: str | None = None
    control: str | None = None
    layer: int | None = None
    measure: str | None = None

    @property
    def place(self) -> str:
        """Return what the notice is about: “smollm2-135m, bias, weat3”."""
        names = (self.model, self.experiment, self.control, self.dataset, self.context, self.language, self.measure)
        words = [str(name) for name in names if name]
        return ", ".join([*words, *([f"layer {self.layer}"] if self.layer is not None else [])])

    def __str__(self) -> str:
        count_text = "" if self.count is None else f"{self.count:,} "
        count_text += "" if self.total is None else f"of {self.total:,} "
        names_model = bool(self.model) and not count_text and self.reason.startswith(str(self.model))
        place = self.model_copy(update={"model": None}).place if names_model else self.place
        text = f"{place}: {count_text}{self.reason}" if place else f"{count_text}{self.reason}"
        is_name = names_model or not text.partition(" ")[0].isalpha()  # of a model or a file, which keeps its case
        start = text[:1] if place or is_name else text[:1].upper()
        return f"{start}{text[1:].rstrip('.')}{'' if text.endswith('?') else '.'}"


class Caution(StrEnum):
    """Name a reason to read a number with care."""

    FEW_ITEMS = "few-items"
    LOW_COVERAGE = "low-coverage"
    UNBALANCED_SETS = "unbalanced-sets"
    SHARED_VECTORS = "shared-vectors"
    MACHINE_TRANSLATED = "machine-translated"
    FAULTY_PAIRS = "faulty-pairs"


MIN_ITEMS, MIN_TEST_WORDS = 20, 12
"""Fewer items are a caution, since an interval over a few pairs is unreliable. The second is for association tests,
whose smallest sets in the papers have 6 words each."""
MIN_COVERAGE = 0.8
"""A smaller share of a data set's items, or of a word set's words, is a caution."""
MIN_TEST_COVERAGE = 0.5
"""A test with a smaller share of a set is refused, unless the user names it."""
MAX_IMBALANCE = 2.0
"""A larger ratio of the sizes of two sets is a caution."""
CAUTION_MARK = "†"
"""The mark of a number with cautions, in every table."""
CAUTION_TEXTS = {
    Caution.FEW_ITEMS: f"fewer than {MIN_ITEMS} items",
    Caution.LOW_COVERAGE: f"less than {MIN_COVERAGE:.0%} of the data",
    Caution.UNBALANCED_SETS: "word sets of very different sizes",
    Caution.SHARED_VECTORS: "different words with one vector",
    Caution.MACHINE_TRANSLATED: "machine-translated words",
    Caution.FAULTY_PAIRS: "many pairs are faulty (Blodgett et al. 2021)",
}


def coverage_cautions(coverage: float | None) -> list[Caution]:
    """Return the caution of a low coverage, if it is one."""
    return [Caution.LOW_COVERAGE] if coverage is not None and coverage < MIN_COVERAGE else []


def size_cautions(n: int | None, measure: str = "") -> list[Caution]:
    """Return the caution of few items, if they are few for this measure."""
    min_items = MIN_TEST_WORDS if measure == "weat" else MIN_ITEMS
    return [Caution.FEW_ITEMS] if n is not None and n < min_items else []


def balance_cautions(first_size: int, second_size: int) -> list[Caution]:
    """Return the caution of two sets of very different sizes, if they are."""
    small, large = sorted((first_size, second_size))
    return [Caution.UNBALANCED_SETS] if large > MAX_IMBALANCE * small else []


def caution_legend(rows: Iterable[tuple[str, Iterable[str]]], max_names: int = 6) -> str:
    """Return the line under a table: each caution once, with the names of the rows that have it; blank without any."""
    names: dict[Caution, dict[str, None]] = {}
    for name, cautions in rows:
        for caution in cautions or ():
            names.setdefault(Caution(caution), {})[name] = None
    texts = []
    for caution, row_names in names.items():
        labels = [name for name in row_names if name]
        suffix = f" and {len(labels) - max_names:,} more" if len(labels) > max_names else ""
        texts.append(CAUTION_TEXTS[caution] + (f" ({', '.join(labels[:max_names])}{suffix})" if labels else ""))
    return f"{CAUTION_MARK} {'; '.join(texts)}" if texts else ""
