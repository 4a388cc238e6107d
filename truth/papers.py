"""Compare our numbers with the papers', where the model and the data are the papers' own."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from wordworth.papers.comparisons import Comparison, comparisons
from wordworth.papers.published import load_published
from wordworth.results.runs import Runs

EXPLAINED = Path(__file__).with_name("explained.toml")
AGREE, DIFFERS, NOT_COMPARABLE, OPEN = "agrees", "differs", "not comparable", "open"
VERDICTS = (AGREE, DIFFERS, NOT_COMPARABLE, OPEN)


@dataclass(frozen=True)
class Beside:
    """A published number, ours, and the reason that is given for a difference; it is not tested."""

    comparison: Comparison
    verdict: str
    reason: str

    @property
    def published(self) -> Any:
        return self.comparison.published


def digits(value: float) -> int:
    """Return the decimals that a number was printed with, as far as its value shows."""
    return len(f"{value:.6f}".rstrip("0").partition(".")[2])


def within_rounding(one: Comparison) -> bool:
    """Return whether ours, rounded as the paper rounds, is the paper's number, or in its range."""
    if one.published.value is None:
        return one.difference == 0
    # Half a unit of the last digit printed, and never finer than two digits: 0.8 was printed as .80.
    return abs(one.difference) <= 0.5 * 10 ** -max(2, digits(one.published.value)) + 1e-9


def beside_ours(runs: Runs) -> list[Beside]:
    """Return what can be compared with a paper here: the same model, or people and languages, which have none."""
    reasons = tomllib.loads(EXPLAINED.read_text(encoding="utf-8"))["difference"]
    return [
        Beside(one, *_verdict(one, reasons))
        for one in comparisons(runs)
        if one.nearness in ("same model", "over languages")
    ]


def each_once(beside: Iterable[Beside]) -> list[Beside]:
    """Return a published number once, though two runs here have it."""
    return list({id(one.published): one for one in beside}.values())


def _verdict(one: Comparison, reasons: Sequence[Mapping[str, str | bool]]) -> tuple[str, str]:
    if one.unlike:
        return NOT_COMPARABLE, one.unlike
    for entry in reasons:
        fields = {"paper": one.published.paper, "model": one.published.model, **one.published.quantity._asdict()}
        patterns = ((key, pattern) for key, pattern in entry.items() if key not in ("reason", "comparable"))
        if all(fnmatchcase(str(fields[key]), str(pattern)) for key, pattern in patterns):
            if not entry.get("comparable", True):
                return NOT_COMPARABLE, str(entry["reason"])
            return (AGREE, "") if within_rounding(one) else (DIFFERS, str(entry["reason"]))
    return (AGREE if within_rounding(one) else OPEN), ""


def not_here(shown: Sequence[Beside]) -> Iterator[tuple[str, int, str]]:
    """Yield (paper, numbers, models) that no run here compares with: their models are not available offline."""
    held = {id(one.published) for one in shown}
    rest = [one for one in load_published() if id(one) not in held]
    for paper, count in Counter(one.paper for one in rest).items():
        models = dict.fromkeys(one.model for one in rest if one.paper == paper and one.model)
        yield paper, count, ", ".join(models)
