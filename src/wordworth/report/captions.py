"""What stands over a table for a paper: what it shows, on what data, n, the interval, and the tests."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wordworth.report.best import ALPHA, Score, Standing, run_of
from wordworth.report.chances import chance
from wordworth.report.naming import listed, number
from wordworth.report.runs import Runs

_D = "d is Cohen’s d of the association of two sets of words with two others"
_BIAS = "The bias of a list of words by an attribute, under several estimators, each on its own scale"
WHAT = {
    "leaderboard": "The main measure of each study for each model.",
    "intrinsic": "Agreement with people: valence is Pearson’s ρ between a word’s association with pleasant and "
    "unpleasant words (SC-WEAT) and its rating; similarity is Spearman’s ρ between cosine and rated similarity; "
    "analogy is the share of questions solved.",
    "corpus-size": "The same tasks on vectors trained on samples of one corpus.",
    "valence-layers": "Pearson’s ρ between a word’s association with pleasant and unpleasant words and its rating, in "
    "every layer, by the context the word stands in (untrained: the same network with random weights).",
    "affects": "Pearson’s ρ between a word’s association and its rated valence, dominance and arousal in every layer, "
    "in the bleached setting (“This is WORD”).",
    "languages": "Valence (Pearson’s ρ with ratings) in every layer and setting, by language.",
    "tokenization": "Valence (Pearson’s ρ with ratings) of words that the tokenizer keeps whole (single) and of words "
    "that it splits (multiple), in sets of equal size, by how the tokens of a word are pooled.",
    "isolation": "Valence (Pearson’s ρ with ratings) in the best and the top layer by the number of principal "
    "components nullified (raw: untouched; 0: the mean subtracted).",
    "anisotropy": "Mean cosine of two words by the number of principal components nullified (raw: untouched; 0: the "
    "mean subtracted).",
    "validation": "Spearman’s ρ between cosine and rated similarity by the number of principal components nullified, "
    "in the bleached setting.",
    "probes": "Weighted F1 of logistic regressions in the top layer: from the whole vector, from its first components "
    "alone, and from what is left without them.",
    "similarity-layers": "Spearman’s ρ between cosine and rated similarity in every layer, by how subwords/contexts "
    "are pooled.",
    "similarity-sentences": "Spearman’s ρ between cosine and rated similarity in the best layer, by the number of "
    "sentences that a vector is the mean of.",
    "bias-layers": f"{_BIAS}, in every layer.",
    "bias": f"{_BIAS}.",
    "agreement": "Mean rank correlation, over layers, of the estimators of one bias.",
    "agreement-pairs": "Rank correlation, over layers, of every two estimators of one bias.",
    "weat": f"Word embedding association tests: {_D}, positive as the test’s name has it.",
    "weat-nullified": f"Word embedding association tests in the top layer: {_D}, by the number of principal components "
    "nullified (raw: none).",
    "weat-layers": f"Word embedding association tests in every layer, bleached setting: {_D}.",
    "prediction": "Whole words predicted: top-k is the share of the words of the text that are among the k best "
    "guesses, Tk that of its different words that ever are.",
    "coverage": "Whole words predicted by band of frequency: top-k over the words of a band, Tk over its different "
    "words.",
    "confusion": "Of the words of a band that were missed, the share for which a word of another band was guessed "
    "(band of the word > band of the guess).",
    "soft-match": "Whole words predicted, where a guess counts if it is among the k nearest words of the right one.",
    "paraphrase": "Share of sentences with a rare or a common word that are closer to their paraphrase than to "
    "another sentence with the word.",
    "neutrality": "Inferences between sentences that differ in a word for a person alone, so that neutral is right. "
    "Net neutral: its mean probability; fraction neutral: how often it is the most probable; threshold: how often its "
    "probability is above τ.",
    "slices": "Net neutral (mean probability of neutral) of the parts of a probe in which it is lowest.",
    "accuracy": "Accuracy of the NLI model on the benchmark itself.",
    "debias": "The same measures on the embedding as it was, with the bias taken out, and without a random subspace of "
    "the same size.",
    "stability": "How far one direction holds the bias: later principal values over the first, and the cosine of that "
    "direction with the one taken out.",
    "published": "Numbers of this run beside the nearest ones that a paper has.",
    "failed": "Parts that could not be computed.",
}
"""Table → what it shows. A figure’s own caption speaks of lines and colours."""

BEST_LAYER = "A language model’s valence and similarity are those of its best layer, picked on the same items."
Standings = Sequence[tuple[str, Standing]]
"""What was compared, and who stands first in it."""


def caption(runs: Runs, what: str, scores: Sequence[Score], parts: Sequence[str], standings: Standings) -> str:
    """The sentences over a table of these scores."""
    said = [what, *_data(scores, parts)]
    if "interval" in parts:
        said += _interval(runs, [score for score in scores if score["low"] is not None and score["high"] is not None])
    if "p" in parts:
        said += _tested(runs, [score for score in scores if score["p"] is not None])
    return " ".join([*said, *_bold(standings)])


def _data(scores: Sequence[Score], parts: Sequence[str]) -> Iterator[str]:
    named = list(dict.fromkeys(score["dataset"] for score in scores if score["dataset"]))
    counts = {score["n"] for score in scores if score["n"] is not None}
    n = f"n = {counts.pop():,}" if len(counts) == 1 else ""
    data = f"Data: {listed(named, most=12)}" if named else ""
    if data or n:
        yield f"{', '.join(filter(None, (data, n)))}."
    if len(counts) > 1 and "n" in parts:
        yield "n is the number of items."


def _settings(runs: Runs, scores: Sequence[Score]) -> list[Mapping[str, Any]]:
    """Those of the runs that the scores are of."""
    once = {(score["study"], score["model"]): score for score in scores}
    return [run_of(runs, score).manifest["settings"] for score in once.values()]


def _interval(runs: Runs, scores: Sequence[Score]) -> Iterator[str]:
    effects = {score["measure"] == "weat" for score in scores}
    settings = _settings(runs, scores)
    counts = {int(one.get("resamples") or 0) for one in settings}
    drawn = " or ".join(f"{count:,}" for count in sorted(counts))
    if scores and effects == {True} and all(one.get("d_interval") == "jackknife" for one in settings):
        yield "Brackets: 95 % intervals (jackknife)."
    elif scores:
        yield (
            f"Brackets: 95 % intervals (bootstrap, {drawn} resamples)." if all(counts) else "Brackets: 95 % intervals."
        )


def _tested(runs: Runs, scores: Sequence[Score]) -> Iterator[str]:
    """What p is: that of the association tests, which alone have one in a table."""
    if not scores:
        return
    settings = _settings(runs, scores)
    sides = {str(one.get("sides", "one")) for one in settings}
    side = f"{sides.pop()}-sided " if len(sides) == 1 else ""
    drawn = " or ".join(f"{count:,}" for count in sorted({int(one.get("permutations") or 0) for one in settings}))
    fitted = all(one.get("p_method") == "normal" for one in settings)
    every = f"over all partitions of the targets, or {drawn} random ones where they are too many"
    yield f"p: {side}permutation test {f'by a normal fitted to {drawn} random partitions' if fitted else every}."
    found = [one for one in (chance(runs, score) for score in scores) if one is not None]
    strict = {one.get("p_count") == "strict" for one in settings}
    much = "more" if strict == {True} else "as much" if strict == {False} else "as much, or more"
    if any(one.below for one in found):
        yield f"< 1/N: none of N partitions gives {much}."
    if any(one.below == 0 for one in found):
        yield "“none”: no partition gives more."


def _bold(standings: Standings) -> Iterator[str]:
    compared = [(name, one) for name, one in standings if one.first]
    tests = sorted({test for _, one in compared for test in one.tests})
    alone = list(dict.fromkeys(name for name, one in compared if not one.tests))
    lone = dict.fromkeys(f"{model} ({name})" for name, one in compared if one.tests for model in sorted(one.untested))
    if tests:
        yield (
            "Bold: the best model of each measure, and those that are not significantly worse on the items that both "
            f"have ({listed(tests)}; p < {number(ALPHA)} after Holm’s correction over the models)."
        )
    if alone:
        yield f"There is no paired test for {listed(alone, most=12)}: there the best alone is bold."
    if lone:
        yield f"Not tested against the best: {listed(list(lone))}."
