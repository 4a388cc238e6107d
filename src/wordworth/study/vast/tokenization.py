"""Experiment 2: words of one token against words of several (VAST, Figures 2 and 8)."""

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon
from wordworth.encode import InContexts
from wordworth.run import Findings
from wordworth.statistics.correlation import pearson
from wordworth.study.vast.words import RatedWords, WordsInSettings, greedy_poles
from wordworth.task.valence import drawn, effect_sizes, record_slots

POOLINGS = ("first", "last", "mean", "max")
LEAST = 10
"""Words of either kind below which a correlation says nothing."""

Rows = NDArray[np.intp]
Pole = tuple[InContexts, Rows]


def tokenization(findings: Findings, words: WordsInSettings, lexicon: Lexicon, anew: Lexicon | None) -> None:
    """ρ by layer for balanced sets of singly and multiply tokenized words, under poles of either kind."""
    setting = "random" if "random" in words.settings else "bleached"
    rated = words.rated(lexicon, setting)
    rng = np.random.default_rng(words.chosen.seed)
    single, multiple = (_by_tokens(rated.words, several) for several in (False, True))
    size = min(len(single), len(multiple))
    if size < LEAST:
        findings.warn(
            f"tokenization was left out: of {lexicon.name}'s words {len(single)} have one token and {len(multiple)} "
            f"have several, and {LEAST} of each are needed (warriner has enough)."
        )
        return
    sets = {
        "single": np.sort(rng.choice(single, size, replace=False)),
        "multiple": np.sort(rng.choice(multiple, size, replace=False)),
    }
    high, low = _balanced(rng, *(_by_tokens(pole, several=False) for pole in rated.poles))
    compared = _Compared(words, lexicon, rated, sets)
    if len(high) >= 2:
        findings.add(compared.by_pooling("valence", (rated.poles[0], high), (rated.poles[1], low)))
    else:
        findings.warn(f"{words.model.name} has no two polar words of one token on each side.")
    if anew is not None:
        findings.add(compared.multiple_poles(words.rated(anew, setting).words, anew))


def _by_tokens(encoded: InContexts, several: bool) -> Rows:
    """The rows of words of one token, or of several."""
    subwords = encoded.store.subwords
    return np.flatnonzero(subwords > 1 if several else subwords == 1)


def _balanced(rng: np.random.Generator, one: Rows, other: Rows) -> tuple[Rows, Rows]:
    """Both cut at random to the size of the smaller."""
    size = min(len(one), len(other))
    return np.sort(rng.choice(one, size, replace=False)), np.sort(rng.choice(other, size, replace=False))


class _Compared:
    """Two sets of a lexicon's words, held against poles."""

    def __init__(self, words: WordsInSettings, lexicon: Lexicon, rated: RatedWords, sets: dict[str, Rows]) -> None:
        self.words = words
        self.lexicon = lexicon
        self.rated = rated
        self.sets = sets

    def multiple_poles(self, known: InContexts, anew: Lexicon) -> Findings:
        """Poles of several tokens: the 25 highest and lowest of ANEW that the model splits."""
        split = _by_tokens(known, several=True)
        places = known.positions[split]
        names, ratings = [anew.words[place] for place in places.tolist()], anew.valence[places]
        if len(names) < 2 * LEAST:
            findings = Findings()
            findings.warn(f"{self.words.model.name} splits {len(names)} words of ANEW: too few to be poles.")
            return findings
        row_of = dict(zip(names, split.tolist(), strict=True))
        high, low = greedy_poles(names, ratings.tolist(), min(25, len(names) // 2))
        sides = [(known, np.array([row_of[word] for word in side])) for side in (high, low)]
        return self.by_pooling("valence:multiple-poles", sides[0], sides[1])

    def by_pooling(self, measure: str, high: Pole, low: Pole) -> Findings:
        """ρ of both sets in every layer, under every pooling."""
        findings = Findings()
        for pooling in POOLINGS:
            layers = self.rated.words.layers(pooling)
            a, b = (encoded.layers(pooling).rows(rows) for encoded, rows in (high, low))
            for kind, rows in self.sets.items():
                chosen = layers.rows(rows)
                ratings = self.lexicon.valence[layers.positions[rows]]
                dataset = f"{self.lexicon.name}:{kind}"
                where = {**layers.columns, "language": self.words.language, "dataset": dataset}
                where["experiment"] = "tokenization"
                effects = effect_sizes(chosen, (a, b))
                rho = pearson(effects, ratings, items=chosen.words, **drawn(self.words.chosen))
                record_slots(findings, {**where, "measure": measure}, chosen, rho)
                if measure == "valence" and pooling == self.words.pooling:
                    subwords = chosen.subwords
                    findings.item(
                        **where,
                        item=list(chosen.words),
                        subwords=None if subwords is None else subwords.tolist(),
                        group=kind,
                        reference=ratings.tolist(),
                    )
        return findings
