"""Sentence pairs: the probability of each sentence by its whole words, and how often the stereotype is preferred."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from math import log
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from wordworth.catalog.read.sentence_pairs import SentencePair, SentencePairs
from wordworth.measure.sentence_pairs import Estimates, regress_on_census, score_triples
from wordworth.results.findings import Findings, Keys
from wordworth.results.vocabulary import Caution
from wordworth.statistics.bootstrap import Exact
from wordworth.statistics.effect_size import mean_interval, sign_flip
from wordworth.task.settings import Intervals
from wordworth.task.similarity import estimate_rate
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.splitting import WordSplitter
from wordworth.whole_words.surprisal import Pll, surprisal

SENTENCE_KINDS = ("stereotype", "antistereotype", "unrelated")
NO_WORDS_SHARED = "the two sentences have no word in common"
TIED = "both sentences have the same probability"


@dataclass(frozen=True)
class PairScores:
    """ln P of the sentences of some pairs (sides × pairs), NaN where it is unknown, and why a pair is not used."""

    logp: Exact
    skipped: list[str | None]


class _ScoredSentence(NamedTuple):
    """The words of a sentence, ln of their probabilities, and why one of them has none."""

    words: list[str]
    logp: Exact
    reason: str | None


def score_sentences(
    model: WordModel,
    pairs: Sequence[SentencePair],
    scored_words: Literal["all", "unmodified"] = "all",
    pll: Pll = "within_word_l2r",
    *,
    is_per_word: bool = False,
) -> PairScores:
    """Return ln P of the sentences of each pair: the sum over whole words, or their mean with `is_per_word`.

    Words of the text before a sentence do not count. With `unmodified`, only words that both sentences have do; an
    unrelated sentence then has no probability. A pair with a word that cannot be scored is skipped, with the reason.
    """
    sides = SENTENCE_KINDS if scored_words == "all" else SENTENCE_KINDS[:2]
    keys = [[(pair.before, getattr(pair, side)) for side in sides if getattr(pair, side)] for pair in pairs]
    sentence_scores = _score_words(model, list(dict.fromkeys(key for pair in keys for key in pair)), pll)
    add_up = np.mean if is_per_word else np.sum
    logp = np.full((len(SENTENCE_KINDS), len(pairs)), np.nan)
    reasons: list[str | None] = []
    for number, pair_keys in enumerate(keys):
        sentences = [sentence_scores[key] for key in pair_keys]
        reason = next((one.reason for one in sentences if one.reason), None)
        words = [one.logp for one in sentences]
        if scored_words == "unmodified":
            words = _select_shared(*sentences)
            reason = reason if len(words[0]) else NO_WORDS_SHARED
        if reason is None:
            logp[: len(words), number] = [float(add_up(one)) for one in words]
            reason = TIED if logp[0, number] == logp[1, number] else None
        reasons.append(reason)
    return PairScores(logp, reasons)


def _score_words(model: WordModel, keys: Sequence[tuple[str, str]], pll: Pll) -> dict[tuple[str, str], _ScoredSentence]:
    """Return the words of each sentence, read behind the text before it."""
    table = surprisal(model, [" ".join(key).lstrip() for key in keys], bos=True, pll=pll).sort("text", "place")
    bounds = np.searchsorted(table["text"].to_numpy(), np.arange(len(keys) + 1)).tolist()
    scores = {}
    for key, (start, end) in zip(keys, pairwise(bounds), strict=True):
        rows = table[start + len(WordSplitter()(key[0]).words) : end]
        logp = rows["surprisal"].to_numpy() * -log(2)
        scores[key] = _ScoredSentence(rows["word"].to_list(), logp, next(iter(rows["skipped"].drop_nulls()), None))
    return scores


def _select_shared(first: _ScoredSentence, second: _ScoredSentence) -> list[Exact]:
    """Return ln P of the words that both sentences have, in each."""
    blocks = SequenceMatcher(None, first.words, second.words, autojunk=False).get_matching_blocks()
    places = [[block[side] + at for block in blocks for at in range(block.size)] for side in (0, 1)]
    return [one.logp[place] for one, place in zip((first, second), places, strict=True)]


def score_preferences(
    model: str, data: SentencePairs, numbers: Sequence[int], scores: PairScores, settings: Intervals
) -> Findings:
    """Record how often stereotypes are preferred in a set and in each of its types, and the items behind it.

    `numbers` are the places of the pairs in the set. Triples get StereoSet's measures; occupations with their real
    shares of women are held against these.
    """
    findings = Findings()
    keys: Keys = {"experiment": "preference", "model": model, "language": data.language, "dataset": data.name}
    pairs = [data.pairs[number] for number in numbers]
    groups = [pair.group or str(number) for pair, number in zip(pairs, numbers, strict=True)]
    odds = scores.logp[0] - scores.logp[1]
    is_used = np.array([reason is None for reason in scores.skipped])
    sides = dict(zip(SENTENCE_KINDS, scores.logp, strict=True))
    findings.item(
        "stereotype_pairs",
        **keys,
        pair=list(numbers),
        group=groups,
        **{name: [getattr(pair, name) or None for pair in pairs] for name in ("type", "before", *SENTENCE_KINDS)},
        **{f"logp_{side}": _list_known(logp, np.isfinite(logp)) for side, logp in sides.items()},
        women=[pair.women for pair in pairs],
        value=_list_known(odds, is_used),
        is_stereotype=_list_known(odds > 0, is_used),
        skipped=scores.skipped,
    )
    if not is_used.any():
        findings.notice("failed", "no pair has a probability of both sentences", **keys)
        return findings
    types = np.array([pair.type for pair in pairs])
    subsets = list(dict.fromkeys(types[is_used].tolist()))
    for subset in [None, *(subsets if len(subsets) > 1 else [])]:
        rows = np.flatnonzero(is_used if subset is None else is_used & (types == subset))
        _, group_ids = np.unique([groups[at] for at in rows], return_inverse=True)
        _record_preference(findings, {**keys, "subset": subset}, scores.logp[:, rows], group_ids, settings)
        if subset is None:
            variant = "per-word" if data.is_per_word else None
            estimate = {"value": float(odds[rows].mean()), "n": len(rows), **_resample(odds[rows], group_ids, settings)}
            findings.score(**keys, measure="log-odds", variant=variant, **estimate)
            if pairs[0].women is not None:
                women = np.array([pairs[at].women for at in rows], dtype=np.float64)
                here = {**keys, "experiment": "census"}
                with findings.part(**here):
                    _record_census(findings, here, women, odds[rows], group_ids, settings)
    findings.set_coverage(float(is_used.mean()))
    findings.add_cautions([Caution.FAULTY_PAIRS] if data.has_faults else [])
    return findings


def _record_preference(
    findings: Findings, where: Keys, logp: Exact, groups: NDArray[np.intp], settings: Intervals
) -> None:
    """Record the share that prefers the stereotype, with its p against ½; of triples StereoSet's measures.

    Pairs on one target or occupation lean the same way: then groups are resampled, and p flips the signs of whole
    groups. Where every pair is a group of its own, the interval is Wilson's and p exact binomial.
    """
    prefers = logp[0] > logp[1]
    hits, count = int(prefers.sum()), len(prefers)
    share = estimate_rate(hits, count)
    test: dict[str, Any] = {"p": float(binomtest(hits, count).pvalue), "p_method": "exact"}
    if groups.max() + 1 < count:
        share |= _resample(prefers, groups, settings)
        sign_test = sign_flip(np.bincount(groups, weights=prefers - 0.5).astype(np.float64), seed=settings.seed)
        test = {"p": float(sign_test.p), "p_method": sign_test.method, "partitions": sign_test.partitions}
    findings.score(**where, measure="stereotype-share", **share, **test, sides="two")
    if np.isfinite(logp[2]).all():
        estimates = score_triples(logp, groups, **settings.bootstrap)
        _record_estimates(findings, {**where, "n": count}, ("lms", "ss", "icat"), estimates)


def _resample(values: NDArray[Any], groups: NDArray[np.intp], settings: Intervals) -> dict[str, float | None]:
    """Return the interval of a mean over pairs, with groups drawn again; of one group there is none."""
    sizes = np.bincount(groups).astype(np.float64)
    ends: tuple[float | None, float | None] = (None, None)
    if len(sizes) > 1:
        sums = np.bincount(groups, weights=values).astype(np.float64)
        ends = mean_interval(sums, sizes, **settings.bootstrap)
    return dict(zip(("low", "high"), ends, strict=True))


def _record_census(
    findings: Findings, where: Keys, women: Exact, odds: Exact, groups: NDArray[np.intp], settings: Intervals
) -> None:
    """Record how the pronouns of occupations follow their real shares of women."""
    count = np.bincount(groups)
    of_women = np.where(women > 0.5, odds, -odds)  # the stereotype is the gender of most in the occupation
    shares, means = (np.bincount(groups, weights=one) / count for one in (women, of_women))
    estimates = regress_on_census(shares, means, **settings.bootstrap)
    _record_estimates(findings, {**where, "n": len(count)}, ("census-slope", "census-correlation"), estimates)


def _record_estimates(findings: Findings, row: dict[str, Any], names: Sequence[str], estimates: Estimates) -> None:
    for name, value, low, high in zip(names, *map(np.ndarray.tolist, estimates), strict=True):
        findings.score(**row, measure=name, value=value, low=low, high=high)


def _list_known(values: NDArray[Any], is_known: NDArray[np.bool_]) -> list[Any]:
    return [value if is_finite else None for value, is_finite in zip(values.tolist(), is_known, strict=True)]
