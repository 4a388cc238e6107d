"""What is printed with a table for a paper: p that is never 0, and a caption: data, n, interval and tests."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, isclose
from typing import Any

import polars as pl

from wordworth.pages.leaderboard import ALPHA, Leading, Score
from wordworth.pages.runs import Runs
from wordworth.results import Run
from wordworth.results.numbers import format_list, format_number

SMALL_P = 1e-4
"""Below it p is written with a power of ten."""
TEST_COLUMNS = ("experiment", "model", "language", "dataset", "setting")
"""What tells a test from others; its targets are the same in every layer."""

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
    "languages": "Valence (Pearson’s ρ with ratings) in every layer and setting, by language.",
    "tokenization": "Valence (Pearson’s ρ with ratings) of words that the tokenizer keeps whole (single) and of words "
    "that it splits (multiple), in sets of equal size, by how the tokens of a word are pooled.",
    "similarity-layers": "Spearman’s ρ between cosine and rated similarity in every layer, by how subwords/contexts "
    "are pooled.",
    "bias-layers": f"{_BIAS}, in every layer.",
    "bias": f"{_BIAS}.",
    "agreement": "Mean rank correlation, over layers, of the estimators of one bias.",
    "weat": f"Word embedding association tests: {_D}, positive as the test’s name has it.",
    "weat-nullified": f"Word embedding association tests in the top layer: {_D}, by the number of principal components "
    "nullified (raw: none).",
    "weat-layers": f"Word embedding association tests in every layer, bleached setting: {_D}.",
    "published": "Numbers of this run beside the nearest ones that a paper has.",
    "failed": "Parts that could not be computed.",
}
"""Table → what it shows, where the caption of its figure speaks of lines and colours."""

BEST_LAYER = "A language model’s valence and similarity are those of its best layer, picked on the same items."
Leaders = Sequence[tuple[str, Leading]]
"""What was compared, and who leads in it."""


@dataclass(frozen=True)
class Chance:
    """p, or what it is below: 1 / `below`."""

    p: float
    below: int | None = None
    """Partitions of which none was counted; 0 where their number is unknown."""

    def written(self, power: Callable[[str, int], str]) -> str:
        """Write .0011, < 1/10,000, or 7.8 and a power of ten by `power`; never 0."""
        if self.below is not None:
            return f"< 1/{self.below:,}" if self.below else "none"
        if self.p >= SMALL_P:
            return f"{self.p:#.2g}".removeprefix("0")
        mantissa, exponent = f"{self.p:.1e}".split("e")
        return power(mantissa, int(exponent))


def chance(runs: Runs, score: Mapping[str, Any]) -> Chance | None:
    """Return p of a score; None where it has none.

    Where none of N partitions was counted it is below 1/N: of m random ones, p is then 1/(m + 1); of all that there
    are, counted strictly, it is 0, and N follows from the sizes of the two sets of targets.
    """
    p = score["p"]
    if p is None or p != p:
        return None
    run = runs.run_of(score)
    if p == 0:
        return Chance(p, _partitions(run, tuple((name, score[name]) for name in TEST_COLUMNS)))
    draws = int(run.manifest["settings"].get("permutations") or 0)
    return Chance(p, draws if draws and isclose(p, 1 / (draws + 1), rel_tol=1e-9) else None)


@lru_cache(maxsize=1024)
def _partitions(run: Run, place: tuple[tuple[str, Any], ...]) -> int:
    """Count the ways to divide the targets of a test into sets of their sizes; 0 where no items tell."""
    here = (pl.col(name).eq_missing(pl.lit(value)) for name, value in place)
    used = run.items.filter(*here, pl.col("left_out").is_null(), pl.col("value").is_not_null())
    sides = used.select(pl.col("group").str.head(3), "item").unique().collect().get_column("group").to_list()
    first, second = sides.count("X: "), sides.count("Y: ")
    return comb(first + second, first) if first and second else 0


def caption(runs: Runs, what: str, scores: Sequence[Score], leaders: Leaders) -> str:
    """Return the sentences over a table of these scores."""
    tested = [score for score in scores if score["p"] is not None]
    measured = [score for score in scores if score["low"] is not None and score["high"] is not None]
    return " ".join([what, *_data(scores), *_interval(runs, measured), *_test(runs, tested), *_bold(leaders)])


def _data(scores: Sequence[Score]) -> Iterator[str]:
    named = list(dict.fromkeys(score["dataset"] for score in scores if score["dataset"]))
    counts = {score["n"] for score in scores if score["n"] is not None}
    n = f"n = {counts.pop():,}" if len(counts) == 1 else ""
    data = f"Data: {format_list(named, most=12)}" if named else ""
    if data or n:
        yield f"{', '.join(filter(None, (data, n)))}."
    if len(counts) > 1:
        yield "n is the number of items."


def _settings(runs: Runs, scores: Sequence[Score]) -> list[Mapping[str, Any]]:
    """Return the settings of the runs that the scores are of."""
    once = {(score["study"], score["model"]): score for score in scores}
    return [runs.run_of(score).manifest["settings"] for score in once.values()]


def _interval(runs: Runs, scores: Sequence[Score]) -> Iterator[str]:
    if not scores:
        return
    counts = {int(one.get("resamples") or 0) for one in _settings(runs, scores)}
    drawn = " or ".join(f"{count:,}" for count in sorted(counts))
    yield f"Brackets: 95 % intervals (bootstrap, {drawn} resamples)." if all(counts) else "Brackets: 95 % intervals."


def _test(runs: Runs, scores: Sequence[Score]) -> Iterator[str]:
    """Say what p is; only association tests have one in a table."""
    if not scores:
        return
    settings = _settings(runs, scores)
    sides = {str(one.get("sides", "one")) for one in settings}
    side = f"{sides.pop()}-sided " if len(sides) == 1 else ""
    drawn = " or ".join(f"{count:,}" for count in sorted({int(one.get("permutations") or 0) for one in settings}))
    partitions = f"all partitions of the targets, or {drawn} random ones where they are too many"
    yield f"p: {side}permutation test over {partitions}."
    chances = [one for one in (chance(runs, score) for score in scores) if one is not None]
    strict = {one.get("p_count") == "strict" for one in settings}
    much = "more" if strict == {True} else "as much" if strict == {False} else "as much, or more"
    if any(one.below for one in chances):
        yield f"< 1/N: none of N partitions gives {much}."
    if any(one.below == 0 for one in chances):
        yield "“none”: no partition gives more."


def _bold(leaders: Leaders) -> Iterator[str]:
    compared = [(name, one) for name, one in leaders if one.models]
    tests = sorted({one.test for _, one in compared if one.test})
    untested = list(dict.fromkeys(name for name, one in compared if not one.test))
    if tests:
        yield (
            "Bold: the best model of each measure, and those that are not significantly worse on the items that both "
            f"have ({format_list(tests)}; p < {format_number(ALPHA)} after Holm’s correction over the models)."
        )
    if untested:
        yield f"There is no paired test for {format_list(untested, most=12)}: there only the best is bold."
