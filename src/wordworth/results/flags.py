"""What a reader must know at a number: few items, low coverage, sets out of balance. Decided here and nowhere else."""

from collections.abc import Iterable

FEW = 20
"""Fewer items than this are flagged: an interval on eight pairs is not firm, however narrow it looks."""
COVERED = 0.8
"""A smaller share of a data set's items, or of a word set's words, is flagged."""
REFUSED = 0.5
"""A test with a smaller share of a set is refused, unless it was asked for by name."""
BALANCED = 2.0
"""Two sets are flagged where one has more than so many times the other's words."""
BY_MACHINE = "words translated by machine"
MARK = "†"
"""What a number with flags is marked with, in every table."""
_BETWEEN = "; "


def few(n: int | None) -> str:
    """`n=8`, where that is few."""
    return f"n={n:,}" if n is not None and n < FEW else ""


def uncovered(found: int, asked: int, what: str = "") -> str:
    """`coverage 46%`, where that is low; `what` says of what."""
    share = found / asked if asked else 1.0
    return f"coverage {share:.0%}" + (f" of {what}" if what else "") if share < COVERED else ""


def unbalanced(one: int, other: int) -> str:
    """`32 : 9`, where that is out of balance."""
    return f"{one:,} : {other:,}" if max(one, other) > BALANCED * min(one, other) else ""


def joined(*reasons: str | None) -> str | None:
    """The reasons that there are, each once, as a score holds them."""
    return _BETWEEN.join(dict.fromkeys(one for reason in reasons for one in parted(reason))) or None


def parted(flags: str | None) -> Iterable[str]:
    """The reasons, one by one."""
    return flags.split(_BETWEEN) if flags else ()


def legend(flagged: Iterable[tuple[str, str | None]], most: int = 6) -> str:
    """What stands under a table or a figure: every reason once, and what it is a flag of; blank where there is none."""
    by_reason: dict[str, dict[str, None]] = {}
    for name, flags in flagged:
        for reason in parted(flags):
            by_reason.setdefault(reason, {})[name] = None

    def said(reason: str) -> str:
        names = [name for name in by_reason[reason] if name]
        more = f" and {len(names) - most:,} more" if len(names) > most else ""
        return f"{reason} ({', '.join(names[:most])}{more})" if names else reason

    return f"{MARK} to be read with care: {_BETWEEN.join(map(said, by_reason))}" if by_reason else ""
