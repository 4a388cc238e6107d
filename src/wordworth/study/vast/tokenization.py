"""Experiment 2: words of one token against words of several (VAST, Figures 2 and 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon
from wordworth.contexts import bleached
from wordworth.encode import InContexts, token_counts
from wordworth.results import Findings
from wordworth.statistics.correlation import pearson
from wordworth.study.vast.words import WordsInSettings, greedy_poles
from wordworth.task.valence import drawn, effect_sizes, record_slots
from wordworth.task.words import UNBALANCED

POOLINGS = ("first", "last", "mean", "max")
KINDS = ("single", "multiple")
LEAST = 10
"""Words of either kind below which a correlation says nothing."""
FEW = 0.1
"""The share of lost words above which a reader is warned."""
OTHERWISE = "split otherwise in its text than in ordinary use"
SPLIT = "the model splits it into several tokens"
UNKNOWN = "the tokenizer does not locate it in ordinary use"

Rows = NDArray[np.intp]


def tokenization(findings: Findings, words: WordsInSettings, lexicon: Lexicon, anew: Lexicon | None) -> None:
    """ρ by layer for balanced sets of singly and multiply tokenized words, under poles of either kind.

    In random contexts, as the paper, with the words that the corpus holds; and bleached, where no word is lost.
    """
    for setting in [one for one in ("random", "bleached") if one in words.settings] or ["bleached"]:
        findings.add(_Compared(words, lexicon, setting).findings(anew), experiment="tokenization")


class ByTokens:
    """Words that were encoded, single or multiple by how the tokenizer splits them in ordinary use.

    That is in the bleached text, behind a space. A space that is a token of its own counts as a token, as in the paper.
    One occurrence may be split otherwise, behind a bracket or with a capital; such a word is of neither kind there.
    """

    def __init__(self, words: WordsInSettings, encoded: InContexts) -> None:
        self.encoded = encoded
        usual, markers = token_counts(words.model.tokenizer, bleached(encoded.words, words.templates))
        tokens = usual + markers
        self._places = {"single": tokens == 1, "multiple": tokens > 1, "": usual == 0}
        here = usual[encoded.positions]
        self._alike = (here > 0) & ((here == 1) == (encoded.store.subwords == 1))
        self.tokens = encoded.store.subwords + markers[encoded.positions]

    def count(self, kind: str) -> int:
        """The words of a kind that were asked for; of the kind "", those that cannot be told."""
        return int(self._places[kind].sum())

    def rows(self, kind: str) -> Rows:
        """The rows of the encoded words of a kind."""
        return np.flatnonzero(self._alike & self._places[kind][self.encoded.positions])

    def names(self, rows: Rows) -> list[str]:
        return [self.encoded.words[place] for place in self.encoded.positions[rows].tolist()]

    def lost(self, kind: str) -> dict[int, str]:
        """The places of the words of a kind that have no vector of that kind, with the reason."""
        reasons = dict.fromkeys(self.encoded.positions[~self._alike].tolist(), OTHERWISE) | self.encoded.reasons
        if not kind:
            reasons = dict.fromkeys(range(len(self.encoded.words)), UNKNOWN) | self.encoded.reasons
        return {place: reasons[place] for place in sorted(reasons) if self._places[kind][place]}


@dataclass(frozen=True, eq=False)
class Pole:
    """Rows of encoded words that stand for one end."""

    words: ByTokens
    rows: Rows


def _balanced(rng: np.random.Generator, groups: Sequence[Rows]) -> list[Rows]:
    """All cut at random to the size of the smallest."""
    size = min(map(len, groups))
    return [np.sort(rng.choice(group, size, replace=False)) for group in groups]


class _Compared:
    """The two kinds of a lexicon's words in one setting, held against poles."""

    def __init__(self, words: WordsInSettings, lexicon: Lexicon, setting: str) -> None:
        self.words, self.lexicon, self.setting = words, lexicon, setting
        rated = words.rated(lexicon, setting)
        self.rated = ByTokens(words, rated.words)
        self.poles = [ByTokens(words, pole) for pole in rated.poles]
        self.where: dict[str, Any] = {"model": words.model.name, "language": words.language, "setting": setting}
        self.where |= {"pooling": words.pooling}
        rng = np.random.default_rng(words.chosen.seed)
        self.sets = dict(zip(KINDS, _balanced(rng, [self.rated.rows(kind) for kind in KINDS]), strict=True))
        self.sides = _balanced(rng, [pole.rows("single") for pole in self.poles])

    def findings(self, anew: Lexicon | None) -> Findings:
        """The scores, and where every word went."""
        findings = Findings()
        self._record_words(findings)
        self._record_poles(findings)
        size = len(self.sets["single"])
        self._say_what_is_lost(findings, size)
        if size < LEAST:
            return findings
        if len(self.sides[0]) >= 2:
            high, low = (Pole(words, rows) for words, rows in zip(self.poles, self.sides, strict=True))
            self._by_pooling(findings, "valence", high, low)
        else:
            findings.warn(f"{self.words.model.name} has no two polar words of one token on each side.")
        if anew is not None:
            self._multiple_poles(findings, anew)
        return findings

    def _record_words(self, findings: Findings) -> None:
        """An item for every word of the lexicon: used, dropped to balance the sets, or lost."""
        ratings = dict(zip(self.lexicon.words, self.lexicon.valence.tolist(), strict=True))
        for kind in KINDS:
            where = {**self.where, "dataset": f"{self.lexicon.name}:{kind}", "group": kind}
            dropped = np.setdiff1d(self.rated.rows(kind), self.sets[kind])
            for rows, reason in ((self.sets[kind], None), (dropped, UNBALANCED)):
                names = self.rated.names(rows)
                people = [ratings[name] for name in names]
                tokens = self.rated.tokens[rows].tolist()
                if names:
                    findings.item(**where, item=names, subwords=tokens, reference=people, left_out=reason)
        for kind in (*KINDS, ""):
            lost = {self.lexicon.words[place]: reason for place, reason in self.rated.lost(kind).items()}
            if lost:
                dataset = f"{self.lexicon.name}:{kind}" if kind else self.lexicon.name
                findings.item(
                    **self.where,
                    dataset=dataset,
                    group=kind or "unknown",
                    item=list(lost),
                    reference=[ratings[word] for word in lost],
                    left_out=list(lost.values()),
                )

    def _record_poles(self, findings: Findings) -> None:
        """An item for every polar word: those of one token are used, as many on either side."""
        for label, pole, kept in zip(("pleasant", "unpleasant"), self.poles, self.sides, strict=True):
            asked = pole.encoded.words
            reasons: dict[int, str | None] = dict.fromkeys(range(len(asked)), SPLIT)
            reasons |= pole.lost("single") | pole.lost("")
            reasons |= dict.fromkeys(pole.encoded.positions[pole.rows("single")].tolist(), UNBALANCED)
            reasons |= dict.fromkeys(pole.encoded.positions[kept].tolist())
            where = {**self.where, "dataset": self.lexicon.name, "group": label}
            findings.item(**where, item=list(asked), left_out=[reasons[place] for place in range(len(asked))])

    def _say_what_is_lost(self, findings: Findings, size: int) -> None:
        lost = sum(len(self.rated.lost(kind)) for kind in (*KINDS, ""))
        single, multiple = (self.rated.count(kind) for kind in KINDS)
        sentence = (
            f"tokenization, {self.setting}: of {self.lexicon.name}'s {len(self.lexicon):,} words "
            f"{self.words.model.name} keeps {single:,} whole and splits {multiple:,}; {lost:,} have no vector of their "
            f"kind"
        )
        if size < LEAST:
            need = f"{LEAST} of each are needed, so it was left out (warriner has enough)"
            findings.warn(f"{sentence}, and {size:,} are left of the fewer: {need}.")
        else:
            many = lost > FEW * len(self.lexicon)
            (findings.warn if many else findings.note)(f"{sentence}, and either set has {size:,}.")

    def _multiple_poles(self, findings: Findings, anew: Lexicon) -> None:
        """Poles of several tokens: the 25 highest and lowest of ANEW that the model splits."""
        known = ByTokens(self.words, self.words.rated(anew, self.setting).words)
        where = {**self.where, "dataset": anew.name}
        lost = known.lost("multiple")
        if lost:
            gone = [anew.words[place] for place in lost]
            findings.item(**where, group="split words", item=gone, left_out=list(lost.values()))
        rows = known.rows("multiple")
        names, ratings = known.names(rows), anew.valence[known.encoded.positions[rows]]
        if len(names) < 2 * LEAST:
            findings.warn(f"{self.words.model.name} splits {len(names)} words of ANEW: too few to be poles.")
            return
        row_of = dict(zip(names, rows.tolist(), strict=True))
        sides = greedy_poles(names, ratings.tolist(), min(25, len(names) // 2))
        for label, side in zip(("pleasant", "unpleasant"), sides, strict=True):
            findings.item(**where, group=f"{label}, split", item=list(side))
        high, low = (Pole(known, np.array([row_of[word] for word in side])) for side in sides)
        self._by_pooling(findings, "valence:multiple-poles", high, low)

    def _by_pooling(self, findings: Findings, measure: str, high: Pole, low: Pole) -> None:
        """ρ of both sets in every layer, under every pooling."""
        for pooling in POOLINGS:
            layers = self.rated.encoded.layers(pooling)
            a, b = (pole.words.encoded.layers(pooling).rows(pole.rows) for pole in (high, low))
            every = np.concatenate(list(self.sets.values()))  # both sets out of one reading
            parts = np.split(effect_sizes(layers.rows(every), (a, b)), len(self.sets), axis=1)
            for (kind, rows), effects in zip(self.sets.items(), parts, strict=True):
                chosen = layers.rows(rows)
                ratings = self.lexicon.valence[layers.positions[rows]]
                where = {**self.where, "pooling": pooling, "dataset": f"{self.lexicon.name}:{kind}"}
                rho = pearson(effects, ratings, items=chosen.words, **drawn(self.words.chosen))
                record_slots(findings, {**where, "measure": measure}, chosen, rho)
