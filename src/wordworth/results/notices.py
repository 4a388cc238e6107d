"""What a reader must know about a run or a number, as data. Pages and the terminal make the sentences."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

NoticeKind = Literal["failed", "skipped", "reduced", "substituted", "caution", "info"]
SHOWN_AT_ONCE: tuple[NoticeKind, ...] = ("failed", "skipped", "reduced", "substituted", "caution")
"""Kinds that the terminal shows when a study ends; `info` is only in `run.json` and on the page."""


class Notice(BaseModel):
    """One thing to know: a part that failed or was skipped, a smaller sample, a stand-in, a caution, or a fact."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: NoticeKind
    reason: str
    """A clause without a full stop. With a count it continues it: “merged with another word of the same vector”."""
    count: int | None = None
    total: int | None = None
    """`count` of `total` items are concerned."""
    study: str | None = None
    experiment: str | None = None
    model: str | None = None
    language: str | None = None
    dataset: str | None = None
    context: str | None = None
    control: str | None = None
    layer: int | None = None
    measure: str | None = None

    @property
    def place(self) -> str:
        """What it is about: “smollm2-135m, bias, weat3”."""
        names = (self.model, self.experiment, self.control, self.dataset, self.context, self.language, self.measure)
        words = [str(name) for name in names if name]
        return ", ".join([*words, *([f"layer {self.layer}"] if self.layer is not None else [])])

    def __str__(self) -> str:
        counted = "" if self.count is None else f"{self.count:,} "
        counted += "" if self.total is None else f"of {self.total:,} "
        names_model = bool(self.model) and not counted and self.reason.startswith(str(self.model))
        place = self.model_copy(update={"model": None}).place if names_model else self.place
        text = f"{place}: {counted}{self.reason}" if place else f"{counted}{self.reason}"
        is_name = names_model or not text.partition(" ")[0].isalpha()  # of a model or a file, which keeps its case
        start = text[:1] if place or is_name else text[:1].upper()
        return f"{start}{text[1:].rstrip('.')}."


class Caution(StrEnum):
    """Why a number must be read with care."""

    FEW_ITEMS = "few-items"
    LOW_COVERAGE = "low-coverage"
    UNBALANCED_SETS = "unbalanced-sets"
    MACHINE_TRANSLATED = "machine-translated"


MIN_ITEMS = 20
"""Fewer items than this are a caution: an interval over eight pairs is not firm, however narrow it looks."""
MIN_COVERAGE = 0.8
"""A smaller share of a data set's items, or of a word set's words, is a caution."""
MIN_TEST_COVERAGE = 0.5
"""A test with a smaller share of a set is refused, unless the user names it."""
MAX_IMBALANCE = 2.0
"""Two sets where one has more than this many times the other's words are a caution."""
CAUTION_MARK = "†"
"""The mark of a number with cautions, in every table."""
CAUTION_TEXTS = {
    Caution.FEW_ITEMS: f"fewer than {MIN_ITEMS} items",
    Caution.LOW_COVERAGE: f"less than {MIN_COVERAGE:.0%} of the data",
    Caution.UNBALANCED_SETS: "word sets of very different sizes",
    Caution.MACHINE_TRANSLATED: "machine-translated words",
}


def coverage_cautions(coverage: float | None) -> list[Caution]:
    """Return the caution of a low coverage, if it is one."""
    return [Caution.LOW_COVERAGE] if coverage is not None and coverage < MIN_COVERAGE else []


def size_cautions(n: int | None) -> list[Caution]:
    """Return the caution of few items, if they are few."""
    return [Caution.FEW_ITEMS] if n is not None and n < MIN_ITEMS else []


def balance_cautions(first: int, second: int) -> list[Caution]:
    """Return the caution of two sets of very different sizes, if they are."""
    return [Caution.UNBALANCED_SETS] if max(first, second) > MAX_IMBALANCE * min(first, second) else []


def caution_legend(rows: Iterable[tuple[str, Iterable[str]]], max_names: int = 6) -> str:
    """Return the line under a table: each caution once, with the names of the rows that have it; blank without any."""
    names: dict[Caution, dict[str, None]] = {}
    for name, cautions in rows:
        for caution in cautions or ():
            names.setdefault(Caution(caution), {})[name] = None
    parts = []
    for caution, some in names.items():
        shown = [name for name in some if name]
        rest = f" and {len(shown) - max_names:,} more" if len(shown) > max_names else ""
        parts.append(CAUTION_TEXTS[caution] + (f" ({', '.join(shown[:max_names])}{rest})" if shown else ""))
    return f"{CAUTION_MARK} {'; '.join(parts)}" if parts else ""
