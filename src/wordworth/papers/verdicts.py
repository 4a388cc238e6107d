"""Whether a paper's number came out again: reproduced, not reproduced, undecided or not measured, and why.

Only the paper's model on the paper's data is judged. What is computed without chance must give the printed number; what
depends on a draw or a seed is judged by a prediction interval over repeats, since the paper has one draw, too.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from wordworth.papers.comparisons import Comparison
from wordworth.papers.published import MIN_ACCURACY, SAME, PaperNumber, declarations, load_published, nearest
from wordworth.results.runs import Runs, Score
from wordworth.results.table import format_percent
from wordworth.results.vocabulary import ORIGINAL

REPRODUCED, UNDECIDED, NOT_REPRODUCED, NOT_MEASURED = "reproduced", "undecided", "not reproduced", "not measured"
VERDICTS = (REPRODUCED, UNDECIDED, NOT_REPRODUCED, NOT_MEASURED)
MIN_REPEATS = 3  # fewer draws or seeds give no prediction interval to judge by
MARGIN = 0.1
"""A level is reproduced only where the whole prediction interval is this near to the paper's number. Of measures other
than `LEVELS`, which may be tiny, the margin is this share of the number."""
BOUNDED_MEASURES = ("valence", "similarity", "net-neutral", "fraction-neutral", "threshold", "accuracy", "top", "T")
"""Correlations with people, and shares."""
DRAWN_CONTEXTS = ("random", "aggregated")
STUDIES_WITH_TRAINING = ("infer", "predict")
"""Studies whose papers measure networks that they trained, from a random start or in a random order."""


class Verdict(NamedTuple):
    """A verdict, and the reason in a clause where it needs one."""

    name: str
    reason: str = ""

    def __str__(self) -> str:
        return ": ".join(filter(None, self))


def why_not_judged(number: PaperNumber, model: str, trained_on: str = "", accuracy: float | None = None) -> str:
    """Return why networks cannot reproduce a published number; blank for the paper's model on the paper's data."""
    data = declarations()["papers"][number.paper].get("trained_on", {}).get(number.model, "")
    match = nearest(model, "", [number])
    reasons = {
        "other model": match is None or match[1] != SAME,
        f"trained on {trained_on or 'data that it does not name'}, not {data}": bool(data) and trained_on != data,
        f"its accuracy is {accuracy}, near chance": accuracy is not None and accuracy < MIN_ACCURACY,
    }
    return "; ".join(reason for reason, applies in reasons.items() if applies)


def judge(paper: float, values: Sequence[float], *, change: bool = False, margin: float = MARGIN) -> Verdict:
    """Return whether a paper's number came out again in repeats that differ only in their seed.

    The paper has one repeat, so its number is held against the 95 % prediction interval of one more. An interval that
    contains both the number and another answer decides nothing. The other answer is no change, for a change, and any
    number farther than `margin`, for a level.
    """
    if len(values) < MIN_REPEATS:
        count = f"{len(values)} draw{'' if len(values) == 1 else 's'}"
        return Verdict(UNDECIDED, f"{count} of chance; an interval needs {MIN_REPEATS}")
    low, high = prediction_interval(values)
    if not low <= paper <= high:
        return Verdict(NOT_REPRODUCED)
    if change:
        return Verdict(UNDECIDED, "no change is as likely") if low <= 0 <= high else Verdict(REPRODUCED)
    is_wide = low < paper - margin or high > paper + margin
    return Verdict(UNDECIDED, f"the interval is wider than ±{margin:.2g}") if is_wide else Verdict(REPRODUCED)


def prediction_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of one more value, Student's: mean ± t · s · √(1 + 1/n)."""
    count, mean = len(values), float(np.mean(values))
    half = float(stats.t.ppf(0.975, count - 1) * np.std(values, ddof=1) * np.sqrt(1 + 1 / count))
    return mean - half, mean + half


def judge_exact(theirs: PaperNumber, ours: Score) -> Verdict:
    """Return whether a number without chance is the printed one, to one unit of its last digit, or in its range."""
    n, coverage = ours["n"], ours["coverage"]
    if theirs.n is not None and n != theirs.n:
        return Verdict(UNDECIDED, f"n is {n}, the paper's {theirs.n}")
    if theirs.n is None and coverage is None:
        return Verdict(UNDECIDED, f"n is {n}, and the paper does not say its own")
    if theirs.n is None and coverage < 1:
        return Verdict(UNDECIDED, f"{format_percent(coverage)} of the data has vectors")
    if theirs.value is None:
        is_equal = (theirs.low or 0.0) <= ours["value"] <= (theirs.high or 0.0)
    else:
        decimals = printed_decimals(theirs)
        is_equal = abs(round(ours["value"], decimals) - theirs.value) < 1.5 * 10**-decimals
    return Verdict(REPRODUCED if is_equal else NOT_REPRODUCED)


def printed_decimals(number: PaperNumber) -> int:
    """Return the decimals that a paper prints a measure with in one place, where it may drop zeros at the end."""
    twins = (twin for twin in load_published() if (twin.paper, twin.place) == (number.paper, number.place))
    values = [twin.value for twin in twins if twin.quantity.measure == number.quantity.measure]
    return max(len(f"{value:.6f}".rstrip("0").partition(".")[2]) for value in values if value is not None)


def judge_comparisons(pairs: Sequence[tuple[Comparison, Runs]], *, is_reduced: bool = False) -> Verdict:
    """Return the verdict on one published number from our scores of one model, each of a run with its own seed.

    Reduced runs, with smaller samples than the paper's, decide nothing.
    """
    comparison, runs = pairs[0]
    theirs, ours = comparison.published, comparison.ours
    if obstacle := _obstacle(comparison, runs):
        return Verdict(NOT_MEASURED, obstacle)
    if is_reduced:
        return Verdict(UNDECIDED, "the samples are smaller than the paper's")
    if theirs.value is None or not _is_drawn(ours, runs):
        return judge_exact(theirs, ours)
    margin = MARGIN if theirs.quantity.measure in BOUNDED_MEASURES else MARGIN * abs(theirs.value)
    return judge(theirs.value, [pair.ours["value"] for pair, _ in pairs], margin=margin)


def _obstacle(comparison: Comparison, runs: Runs) -> str:
    """Return why a score is not of the paper's model on the paper's data; blank where it is."""
    theirs, ours, facts = comparison.published, comparison.ours, runs.facts.get(comparison.ours["model"], {})
    name = str(facts.get("base") or facts.get("name", ours["name"]))
    if not theirs.model:  # of people, or over models
        paper_models = {number.model for number in load_published() if number.paper == theirs.paper}
        strangers = [model for model in runs.facts if model not in paper_models]
        return f"other models, {', '.join(strangers)}" if strangers else comparison.unlike
    if comparison.nearness != SAME:
        return f"other model, {name}"
    if comparison.unlike:
        return comparison.unlike
    accuracy = runs.scores.filter(measure="accuracy", model=ours["model"], version=ORIGINAL)["value"]
    training_data = str(facts.get("trained_on", "")) if ours["study"] == "infer" else ""
    why_not = why_not_judged(theirs, name, training_data, accuracy[0] if len(accuracy) else None)
    return why_not if ours["study"] == "infer" else _other_text(theirs, ours, runs, facts)


def _other_text(theirs: PaperNumber, ours: Score, runs: Runs, facts: dict[str, Any]) -> str:
    """Return which text words were read in, where the paper read them in another one."""
    text = declarations()["papers"][theirs.paper].get("text")
    if text is None or not _reads_text(ours, facts):
        return ""
    corpus = runs.run_of(ours).settings["corpus"]
    names = [Path(name).name for name in (corpus if isinstance(corpus, list) else [corpus])]
    is_theirs = all(name.startswith(tuple(text["names"])) for name in names)
    return "" if is_theirs else f"contexts of {', '.join(names)}, not {text['called']}"


def _reads_text(ours: Score, facts: dict[str, Any]) -> bool:
    """Return whether a score is of words in sentences that were drawn from a text."""
    is_of_sentences = ours["study"] == "static" and not facts.get("words")
    return is_of_sentences or ours["context"] in DRAWN_CONTEXTS


def _is_drawn(ours: Score, runs: Runs) -> bool:
    """Return whether a score depends on a draw or a seed."""
    if ours["study"] in STUDIES_WITH_TRAINING:
        return str(ours["experiment"]) != "stability"
    return ours["version"] == "random" or _reads_text(ours, runs.facts.get(ours["model"], {}))
