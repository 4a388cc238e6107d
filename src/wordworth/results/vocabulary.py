"""The names that scores are recorded under: experiments, what the column `setting` holds in each, models by step.

Here are the experiments that several studies or rooms know; a study declares those that only it has. Measures are
declared beside their functions (`wordworth.measure`). A name that is declared nowhere cannot be recorded.
"""

import re
from dataclasses import dataclass

CONTEXTS = ("random", "bleached", "aligned", "misaligned", "decontextualized")
CONTROLS = ("untrained", "shuffled", "poles-out")
"""The same network with random weights; the ratings in random order; the lexicon without the polar words."""
ORIGINAL = "original"
"""A model or embedding as it was, beside versions of it."""
RANDOM = "random"
"""The mean over random subspaces taken out; each is `random:1` and so on."""
VERSIONS = (ORIGINAL, "projection", "hard-debias", "inlp", "leace", RANDOM)
HARMLESS = ("weat1", "weat2")
"""Tests of which a positive effect is what people share, not a stereotype of a group of them."""


@dataclass(frozen=True)
class Experiment:
    """What an experiment is, and the values that `setting` takes in it; a value may go on after a colon (`random:3`).

    Blank `settings` are open: `setting_is` says what stands there, as the name of an embedding or a band.
    """

    meaning: str
    settings: tuple[str, ...] = ()
    setting_is: str = ""

    def allows(self, setting: str | None) -> bool:
        """Whether a score of the experiment may have this setting."""
        if not setting:
            return True
        return bool(self.setting_is) or setting in self.settings or setting.partition(":")[0] in self.settings


PROBE = Experiment("Neutrality on the sentence pairs of a probe.", VERSIONS, setting_is="a version of the model")
"""What every probe of inference is, a user's own too; the experiment has the probe's name."""

EXPERIMENTS = {
    "valence": Experiment("Agreement of words' associations with rated valence.", VERSIONS),
    "weat": Experiment("Association tests.", VERSIONS),
    "sensitivity": Experiment("A number under other choices; an item a variant.", setting_is="a choice"),
    "similarity": Experiment("Agreement of cosines with rated similarity.", VERSIONS),
    "analogy": Experiment("Analogy questions."),
    "raters": Experiment("Agreement of people's ratings of the same words."),
    "corpus-size": Experiment("Vectors trained on samples of a corpus."),
    "neighbours": Experiment("Nearest words, as items."),
    "contextualization": Experiment("Valence by layer and contextual setting.", CONTEXTS),
    "control": Experiment("Valence of a control; the contextual setting stands behind a colon.", CONTROLS),
    "tokenization": Experiment("Valence of words of one token and of several.", CONTEXTS),
    "isolation": Experiment("Valence with principal components nullified.", CONTEXTS),
    "probes": Experiment("Acceptability and part of speech from vectors.", ("last word", "word before")),
    "validation": Experiment("Word similarity, raw and isolated.", CONTEXTS),
    "bias": Experiment("Bias in every layer: association tests, or estimators.", (*CONTEXTS, "aggregated", *VERSIONS)),
    "languages": Experiment("Valence in the paper's languages.", CONTEXTS),
    "quality": Experiment("Word similarity by layer, pooling and sentences.", ("aggregated", "decontextualized")),
    "agreement": Experiment("Rank correlation of estimators over layers."),
    "prediction": Experiment("Whole words predicted.", VERSIONS),
    "coverage": Experiment("Whole words predicted, by frequency.", setting_is="a band of frequency"),
    "soft-match": Experiment("Near misses.", setting_is="what says that words are near"),
    "confusion": Experiment("Misses by the band of the guess.", setting_is="bands of word and guess"),
    "instead": Experiment("What is said instead, as items."),
    "confused": Experiment("Words taken for others, as items."),
    "never-predicted": Experiment("Types that are never predicted."),
    "paraphrase": Experiment("Rare words in use.", ("idf",)),
    "gender": PROBE,
    "nationality": PROBE,
    "religion": PROBE,
    "accuracy": Experiment("Accuracy on labelled pairs.", VERSIONS, setting_is="a version of the model"),
    "subspace": Experiment("What is taken out.", VERSIONS),
    "stability": Experiment("How well defined a subspace is."),
}


BEFORE_STEP = "@step"
_LABEL = re.compile(rf"(.+){BEFORE_STEP}(\d{{1,15}})", re.DOTALL)


def at_step(name: str, step: int) -> str:
    """The label of a model after so many steps of its training."""
    return f"{name}{BEFORE_STEP}{step}"


def step_of(label: str) -> tuple[str, int] | None:
    """The name and the steps of such a label; None for any other."""
    parted = _LABEL.fullmatch(label)
    return (parted[1], int(parted[2])) if parted else None
