"""The names that scores are recorded under: experiments, contexts, versions of a model, controls; cautions, notices.

Measures are declared with their functions (`wordworth.measure`). A name that is not declared cannot be recorded.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

CONTEXTS = ("random", "bleached", "aligned", "misaligned", "decontextualized", "aggregated")
"""The text that a word is in: drawn from a corpus; “This is WORD”; text that agrees or disagrees with the word's
valence; the word alone; the mean over many sentences."""
CONTROL_KINDS = ("untrained", "shuffled", "poles-out", "swap", "random-words")
"""The same network with random weights; ratings in random order; the lexicon without the polar words; sentence pairs
that differ in two words of one kind; lists of random words that are about as frequent."""
ORIGINAL = "original"
"""A model or embedding as it was, compared with versions of it."""
RANDOM = "random"
"""A random subspace removed: the mean over draws, or one `draw`."""
RANDOM_RETRAINED = "random-retrained"
"""The mean over networks that were trained without random subspaces."""
VERSIONS = (ORIGINAL, "projection", "hard-debias", "inlp", "leace", RANDOM, RANDOM_RETRAINED)
"""What was removed from a model. A network trained on changed vectors is a version under its own name."""
HARMLESS = ("weat1", "weat2")
"""Tests whose positive effect is what people share, not a stereotype of a group of people."""

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
"""Kinds that the terminal shows when a study ends; `info` is only in `run.json` and on the page."""


class Notice(BaseModel):
    """One thing to know: a part that failed or was skipped, a smaller sample, a stand-in, a caution, or a fact."""

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
        """Return what it is about: “smollm2-135m, bias, weat3”."""
        names = (self.model, self.experiment, self.control, self.dataset, self.context, self.language, self.measure)
        words = [str(name) for name in names if name]
        return ", ".join([*words, *([f"layer {self.layer}"] if self.layer is not None else [])])

    def __str__(self) -> str:
        counted = "" if self.count is None else f"{self.count:,} "
        counted += "" if self.total is None else f"of {self.total:,} "
        names_model = bool(self.model) and not counted and self.reason.startswith(str(self.model))
        place = self.model_copy(update={"model": None}).place if names_model else self.place
        text = f"{place}: {counted}{self.reason}" if place else f"{counted}{self.reason}"
        is_name = names_model or not text.partition(" ")[0].isalpha()  # of a model or a file, which keeps its case
        start = text[:1] if place or is_name else text[:1].upper()
        return f"{start}{text[1:].rstrip('.')}{'' if text.endswith('?') else '.'}"


class Caution(StrEnum):
    """Why a number must be read with care."""

    FEW_ITEMS = "few-items"
    LOW_COVERAGE = "low-coverage"
    UNBALANCED_SETS = "unbalanced-sets"
    SHARED_VECTORS = "shared-vectors"
    MACHINE_TRANSLATED = "machine-translated"
    FAULTY_PAIRS = "faulty-pairs"


MIN_ITEMS, MIN_TEST_WORDS = 20, 12
"""Fewer items than this are a caution: an interval over eight pairs is not firm, however narrow it looks. An
association test compares two sets of words, of which the papers' smallest have 6 each."""
MIN_COVERAGE = 0.8
"""A smaller share of a data set's items, or of a word set's words, is a caution."""
MIN_TEST_COVERAGE = 0.5
"""A test with a smaller share of a set is refused, unless the user names it."""
MAX_IMBALANCE = 2.0
"""Two sets where one has more than this many times the other's words are a caution."""
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
    least = MIN_TEST_WORDS if measure == "weat" else MIN_ITEMS
    return [Caution.FEW_ITEMS] if n is not None and n < least else []


def balance_cautions(first: int, second: int) -> list[Caution]:
    """Return the caution of two sets of very different sizes, if they are."""
    return [Caution.UNBALANCED_SETS] if max(first, second) > MAX_IMBALANCE * min(first, second) else []


def caution_legend(rows: Iterable[tuple[str, Iterable[str]]], max_names: int = 6) -> str:
    """Return the line under a table: each caution once, with the names of the rows that have it; blank without any."""
    names: dict[Caution, dict[str, None]] = {}
    for name, cautions in rows:
        for caution in cautions or ():
            names.setdefault(Caution(caution), {})[name] = None
    parts = []
    for caution, some in names.items():
        shown = [name for name in some if name]
        rest = f" and {len(shown) - max_names:,} more" if len(shown) > max_names else ""
        parts.append(CAUTION_TEXTS[caution] + (f" ({', '.join(shown[:max_names])}{rest})" if shown else ""))
    return f"{CAUTION_MARK} {'; '.join(parts)}" if parts else ""
