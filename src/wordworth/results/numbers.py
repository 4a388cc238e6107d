"""Numbers as tables, pages and sentences show them: the only place that formats a score, an interval or a p."""

from collections.abc import Callable

SMALL_P = 1e-4
"""Below it, p is written with a power of ten."""


def format_number(value: float | None, decimals: int = 2, *, signed: bool = False, missing: str = "–") -> str:
    """Return a number as papers set it: .87, −1.02, 34.8.

    `decimals` holds below 1; from 1 upward there are at most two, from 10 upward one less than given.
    `missing` stands for None and NaN.
    """
    if value is None or value != value:
        return missing
    places = decimals if abs(value) < 1 else min(decimals, 2) if abs(value) < 10 else decimals - 1
    return format_fixed(value, places, signed=signed)


def format_precise(value: float) -> str:
    """Return two decimals, and three where the number is small: .57, −.042, 12.34."""
    return format_fixed(value, 2 if abs(value) >= 0.095 or value == 0 else 3)


def format_fixed(value: float, decimals: int, *, signed: bool = False) -> str:
    """Return exactly so many decimals, without the zero before the point and with a true minus; never −.00."""
    if not signed and round(value, decimals) == 0:
        value = 0.0
    text = f"{value:+.{decimals}f}" if signed else f"{value:.{decimals}f}"
    return (text.replace("0.", ".", 1) if abs(value) < 1 else text).replace("-", "−")


def format_interval(low: float, high: float, decimals: int = 2) -> str:
    """Return an interval in brackets: [.12, .34]."""
    return f"[{format_number(low, decimals)}, {format_number(high, decimals)}]"


def format_p(p: float, smallest: float | None = None) -> str:
    """Return p with two significant digits: 0.0031, 8e-05.

    With a `smallest` one it has as many decimals as that, without the zero: .003, or < .001.
    """
    if smallest is None:
        return f"{p:.2g}"
    decimals = len(f"{smallest:g}".partition(".")[2])
    return f"< {format_fixed(smallest, decimals)}" if p < smallest else format_fixed(p, decimals)


def state_p(p: float, smallest: float = 0.001) -> str:
    """Return what p is, in a clause: p = .023, or p < .001."""
    text = format_p(p, smallest)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def format_exact_p(p: float, partitions: int | None, power: Callable[[str, int], str]) -> str:
    """Return .0011, < 1/10,000 where none of the partitions was counted, or 7.8 and a power of ten; never 0.

    `power` writes mantissa × 10^exponent.
    """
    if p == 0:
        return f"< 1/{partitions:,}" if partitions else f"< {power('', -300)}"
    if p >= SMALL_P:
        return f"{p:#.2g}".removeprefix("0")
    mantissa, exponent = f"{p:.1e}".split("e")
    return power(mantissa, int(exponent))


def format_percent(share: float | None) -> str:
    """Return a share in percent, with a decimal below ten and close to all."""
    if share is None or share != share:
        return "–"
    if 0.99 < share < 1:  # not all, and not to be rounded to it
        return f"{min(100 * share, 99.9):.1f} %"
    return f"{100 * share:.1f} %" if abs(share) < 0.1 else f"{100 * share:.0f} %"


def format_list(names: list[str], most: int = 6) -> str:
    """Return “a, b and c”; what is beyond `most` is counted."""
    shown, rest = names[:most], len(names) - most
    if rest > 0:
        return f"{', '.join(shown)} and {rest:,} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""
