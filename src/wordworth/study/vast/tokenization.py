"""Experiment 2: words of one token against words of several (VAST, Figures 2 and 8)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.contexts import bleached
from wordworth.encode import InContexts, token_counts
from wordworth.results.findings import Findings
from wordworth.results.notices import NoticeKind
from wordworth.statistics.correlation import pearson
from wordworth.study.vast.words import EncodedWords, choose_greedy_poles
from wordworth.task.valence import compute_effect_sizes, get_bootstrap_options, record_slots
from wordworth.task.words import UNBALANCED

POOLINGS = ("first", "last", "mean", "max")
KINDS = ("single", "multiple")
MIN_WORDS_PER_KIND = 10
"""With fewer words of either kind a correlation says nothing."""
MAX_LOST = 0.1
"""A larger share of lost words is a caution."""
OTHERWISE = "split otherwise in its text than in ordinary use"
SPLIT = "the model splits it into several tokens"
UNKNOWN = "the tokenizer does not locate it in ordinary use"
Rows = NDArray[np.intp]


def score_tokenization(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score ρ by layer for balanced sets of singly and multiply tokenized words, under poles of either kind.

    In random contexts, as the paper, with the words that the corpus has; and bleached, where no word is lost.
    """
    anew = load_lexicon("anew") if words.language == "english" else None
    for context in [one for one in ("random", "bleached") if one in words.contexts] or ["bleached"]:
        comparison = _Comparison(words, max(lexica, key=len), context)
        findings.add(comparison.score(anew), experiment="tokenization")


class TokenKinds:
    """Words that were encoded, of one token or of several as the tokenizer splits them in ordinary use.

    That is in the bleached text, behind a space. A space that is a token of its own counts as a token, as in the paper.
    One occurrence may be split otherwise, behind a bracket or with a capital; such a word is of neither kind there.
    """

    def __init__(self, words: EncodedWords, encoded: InContexts) -> None:
        self.encoded = encoded
        usual, markers = token_counts(words.model.tokenizer, bleached(encoded.words, words.templates))
        tokens = usual + markers
        self.is_kind = {"single": tokens == 1, "multiple": tokens > 1, None: usual == 0}
        """Kind → for each word that was asked for, whether it is of that kind; None where that is not known."""
        present = usual[encoded.positions]
        self._is_usual = (present > 0) & ((present == 1) == (encoded.store.subwords == 1))
        self.tokens = encoded.store.subwords + markers[encoded.positions]

    def rows(self, kind: str) -> Rows:
        """Return the rows of the encoded words of a kind."""
        return np.flatnonzero(self._is_usual & self.is_kind[kind][self.encoded.positions])

    def names(self, rows: Rows) -> list[str]:
        """Return the words of some rows."""
        return [self.encoded.words[place] for place in self.encoded.positions[rows].tolist()]

    def lost(self, kind: str | None) -> dict[int, str]:
        """Return the places of the words of a kind that have no vector of that kind, with the reason."""
        reasons = dict.fromkeys(self.encoded.positions[~self._is_usual].tolist(), OTHERWISE) | self.encoded.reasons
        if kind is None:
            reasons = dict.fromkeys(range(len(self.encoded.words)), UNKNOWN) | self.encoded.reasons
        return {place: reasons[place] for place in sorted(reasons) if self.is_kind[kind][place]}


Pole = tuple[TokenKinds, Rows]
"""Encoded words, and the rows of those that are the pole."""


def _balance(rng: np.random.Generator, groups: Sequence[Rows]) -> list[Rows]:
    """Cut all at random to the size of the smallest."""
    size = min(map(len, groups))
    return [np.sort(rng.choice(group, size, replace=False)) for group in groups]


class _Comparison:
    """The two kinds of a lexicon's words in one context, compared under the same poles."""

    def __init__(self, words: EncodedWords, lexicon: Lexicon, context: str) -> None:
        self.words, self.lexicon, self.context = words, lexicon, context
        encoded = words.encode_rated(lexicon, context)
        self.rated = TokenKinds(words, encoded.words)
        self.poles = [TokenKinds(words, pole) for pole in encoded.poles]
        self.place: dict[str, Any] = {"model": words.model.name, "language": words.language, "context": context}
        self.ratings = dict(zip(lexicon.words, lexicon.valence.tolist(), strict=True))
        rng = np.random.default_rng(words.settings.seed)
        self.sets = dict(zip(KINDS, _balance(rng, [self.rated.rows(kind) for kind in KINDS]), strict=True))
        self.sides = _balance(rng, [pole.rows("single") for pole in self.poles])

    def score(self, anew: Lexicon | None) -> Findings:
        """Return the scores, and for every word whether it was used."""
        findings = Findings()
        self._record_words(findings)
        self._record_poles(findings)
        if not self._report_size(findings):
            return findings
        if len(self.sides[0]) >= 2:
            self._score_poolings(findings, None, [*zip(self.poles, self.sides, strict=True)])
        else:
            reason = "fewer than two polar words of one token on a side, so words have no scores under such poles"
            self._notice(findings, "skipped", reason)
        if anew is not None:
            self._score_multiple_poles(findings, anew)
        return findings

    def _notice(self, findings: Findings, kind: NoticeKind, reason: str, **counts: int) -> None:
        place = {**self.place, "experiment": "tokenization", "dataset": self.lexicon.name}
        findings.notice(kind, reason, **place, **counts)

    def _record_words(self, findings: Findings) -> None:
        """Record every word of the lexicon: used, dropped to balance the sets, or lost."""
        place = {**self.place, "pooling": self.words.pooling, "dataset": self.lexicon.name}
        for kind in KINDS:
            dropped = np.setdiff1d(self.rated.rows(kind), self.sets[kind])
            for rows, reason in ((self.sets[kind], None), (dropped, UNBALANCED)):
                names = self.rated.names(rows)
                columns = {"subwords": self.rated.tokens[rows].tolist(), "rating": [self.ratings[one] for one in names]}
                findings.item("rated_words", **place, subset=kind, word=names, **columns, skipped=reason)
        for one in (*KINDS, None):
            lost = {self.lexicon.words[at]: reason for at, reason in self.rated.lost(one).items()}
            columns = {"rating": [self.ratings[word] for word in lost], "skipped": list(lost.values())}
            findings.item("rated_words", **place, subset=one, word=list(lost), **columns)

    def _record_poles(self, findings: Findings) -> None:
        """Record every polar word: those of one token are used, as many on either side."""
        place = {**self.place, "pooling": self.words.pooling, "dataset": self.lexicon.name}
        for label, pole, rows in zip(("pleasant", "unpleasant"), self.poles, self.sides, strict=True):
            names = pole.encoded.words
            reasons: dict[int, str | None] = dict.fromkeys(range(len(names)), SPLIT)
            reasons |= pole.lost("single") | pole.lost(None)
            reasons |= dict.fromkeys(pole.encoded.positions[pole.rows("single")].tolist(), UNBALANCED)
            reasons |= dict.fromkeys(pole.encoded.positions[rows].tolist())
            skipped = [reasons[at] for at in range(len(names))]
            findings.item("word_lists", **place, list=label, word=list(names), skipped=skipped)

    def _report_size(self, findings: Findings) -> bool:
        """Record how many words each set has, and return whether they are enough."""
        size, total = len(self.sets["single"]), len(self.lexicon)
        lost = sum(len(self.rated.lost(kind)) for kind in (*KINDS, None))
        single, multiple = (int(self.rated.is_kind[kind].sum()) for kind in KINDS)
        reason = f"words have no vector of their kind; {single:,} are one token, and {multiple:,} are split"
        if size < MIN_WORDS_PER_KIND:
            need = f"{MIN_WORDS_PER_KIND} of each are needed, and one kind has {size:,} (warriner has enough)"
            self._notice(findings, "skipped", f"{reason}; {need}", count=lost, total=total)
            return False
        notice: NoticeKind = "caution" if lost > MAX_LOST * total else "info"
        self._notice(findings, notice, f"{reason}; each set has {size:,}", count=lost, total=total)
        return True

    def _score_multiple_poles(self, findings: Findings, anew: Lexicon) -> None:
        """Score under poles of several tokens: the 25 highest and lowest of ANEW that the model splits."""
        known = TokenKinds(self.words, self.words.encode_rated(anew, self.context).words)
        place = {**self.place, "pooling": self.words.pooling, "dataset": anew.name}
        lost = known.lost("multiple")
        gone = [anew.words[at] for at in lost]
        findings.item("word_lists", **place, list="split words", word=gone, skipped=list(lost.values()))
        rows = known.rows("multiple")
        names, ratings = known.names(rows), anew.valence[known.encoded.positions[rows]]
        if len(names) < 2 * MIN_WORDS_PER_KIND:
            reason = "words of ANEW are split, too few to be poles of several tokens"
            self._notice(findings, "skipped", reason, count=len(names))
            return
        row_of = dict(zip(names, rows.tolist(), strict=True))
        sides = choose_greedy_poles(names, ratings.tolist(), min(25, len(names) // 2))
        for label, side in zip(("pleasant", "unpleasant"), sides, strict=True):
            findings.item("word_lists", **place, list=f"{label}, split", word=list(side))
        poles = [(known, np.array([row_of[word] for word in side])) for side in sides]
        self._score_poolings(findings, "multiple-poles", poles)

    def _score_poolings(self, findings: Findings, variant: str | None, poles: Sequence[Pole]) -> None:
        """Score ρ of both sets in every layer, under every pooling."""
        for pooling in POOLINGS:
            layers = self.rated.encoded.layers(pooling)
            high, low = (kinds.encoded.layers(pooling).rows(rows) for kinds, rows in poles)
            every = np.concatenate(list(self.sets.values()))  # both sets out of one reading
            parts = np.split(compute_effect_sizes(layers.rows(every), (high, low)), len(self.sets), axis=1)
            for (kind, rows), effects in zip(self.sets.items(), parts, strict=True):
                chosen, ratings = layers.rows(rows), self.lexicon.valence[layers.positions[rows]]
                rho = pearson(effects, ratings, items=chosen.words, **get_bootstrap_options(self.words.settings))
                place = {**self.place, "pooling": pooling, "dataset": self.lexicon.name, "subset": kind}
                record_slots(findings, {**place, "measure": "valence", "variant": variant}, chosen, rho)
