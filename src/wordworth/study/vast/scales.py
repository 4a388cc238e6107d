"""Scales by lexicon and setting, made when first asked for and shared by the experiments."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.word_sets import PolarWords
from wordworth.measure import valence
from wordworth.study.findings import Findings
from wordworth.study.options import Options
from wordworth.study.vast.encodings import Encodings
from wordworth.study.vast.scale import Scale, in_setting


@dataclass(eq=False)
class Scales:
    """What the experiments on one model and language have in common."""

    findings: Findings
    encodings: Encodings
    polar: PolarWords
    settings: tuple[str, ...]
    pooling: str
    components: int
    options: Options
    _scales: dict[tuple[str, str], Scale] = field(default_factory=dict)
    _best: dict[str, int] = field(default_factory=dict)

    def of(self, lexicon: Lexicon, setting: str) -> Scale:
        """The lexicon in a setting; encoded once."""
        key = lexicon.name, setting
        if key not in self._scales:
            sides = self.polar.pleasant, self.polar.unpleasant
            self._scales[key] = in_setting(self.encodings, lexicon, setting, *sides)
        return self._scales[key]

    def best_layer(self, lexicon: Lexicon) -> int:
        """The layer of highest valence, bleached (or in the first setting that is run)."""
        if lexicon.name not in self._best:
            setting = "bleached" if "bleached" in self.settings else self.settings[0]
            scale = self.of(lexicon, setting)
            effects = scale.by_layer(self.encodings.layers, self.pooling)
            self._best[lexicon.name] = int(np.argmax(valence(effects, scale.ratings(), resamples=1).value))
        return self._best[lexicon.name]

    def chosen_layers(self, lexicon: Lexicon) -> tuple[int, ...]:
        """The best layer and the top one, as the paper takes them."""
        return tuple(sorted({self.best_layer(lexicon), self.encodings.model.layers}))

    def where(self, experiment: str, dataset: str, setting: str = "", pooling: str = "") -> dict[str, str]:
        """The columns that say which number a number is."""
        return {
            "experiment": experiment,
            "model": self.encodings.model.name,
            "language": self.encodings.language,
            "dataset": dataset,
            "setting": setting,
            "pooling": pooling or self.pooling,
        }


def greedy_poles(words: Sequence[str], ratings: Sequence[float], size: int = 25) -> tuple[list[str], list[str]]:
    """The words rated highest and lowest, as VAST's appendix picks poles; ties go to the earlier word."""
    order = sorted(range(len(words)), key=lambda at: (ratings[at], -at))
    return [words[at] for at in reversed(order[-size:])], [words[at] for at in order[:size]]


def balanced(findings: Findings, polar: PolarWords, seed: int) -> PolarWords:
    """Polar words cut at random to one size, as VAST's appendix does for languages with unequal sets."""
    rng = np.random.default_rng(seed)
    size = min(len(polar.pleasant), len(polar.unpleasant))
    sides = []
    for words in (polar.pleasant, polar.unpleasant):
        kept = sorted(rng.choice(len(words), size, replace=False).tolist()) if len(words) > size else range(len(words))
        sides.append(tuple(words[at] for at in kept))
        gone = [word for at, word in enumerate(words) if at not in kept]
        if gone:
            findings.note(f"Dropped at random to balance the polar words ({polar.language}): {', '.join(gone)}.")
    return PolarWords(polar.language, sides[0], sides[1], polar.dropped)
