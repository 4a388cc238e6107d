"""HTML whose every text and attribute is escaped, since it can be made in no other way."""

import re
from collections.abc import Iterable
from html import escape
from typing import TypeGuard

from wordworth.visible import visible

PLAIN = ("option", "style", "text", "title", "tspan")
"""Elements that hold text alone, on a page or in a figure."""
_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
_RIGHT_TO_LEFT = re.compile(f"{_LETTER}+(?:[ ,.'’-]+{_LETTER}+)*")
"""Words of Hebrew, Arabic and their kin: apart, they do not turn round what stands beside them."""
VOID = ("br", "hr", "img", "input", "link", "meta")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | Markup | None | Iterable["Child"]


def inner(child: Child) -> str:
    """Text escaped, markup as it is, many of them joined."""
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return _RIGHT_TO_LEFT.sub(r"<bdi>\g<0></bdi>", plain(child))
    return "".join(inner(one) for one in child)


def plain(text: str) -> str:
    """Text escaped, and nothing around it."""
    return escape(visible(text, lines=True))


def tag(name: str, /, *children: Child, **attributes: str | bool | None) -> Markup:
    """An element. `class_` is class, `aria_label` is aria-label; True is a bare attribute, None and False are none."""
    parts = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        written = key.rstrip("_").replace("_", "-")
        parts.append(written if value is True else f'{written}="{escape(visible(str(value), lines=True), quote=True)}"')
    opening = f"<{' '.join(parts)}>"
    if name in VOID:
        return Markup(opening)
    held = "".join(plain(one) if name in PLAIN and _is_text(one) else inner(one) for one in children)
    return Markup(f"{opening}{held}</{name}>")


def _is_text(child: Child) -> TypeGuard[str]:
    return isinstance(child, str) and not isinstance(child, Markup)


def joined(*children: Child) -> Markup:
    """Children without an element around them."""
    return Markup(inner(children))


def table(header: list[str], rows: list[list[Child]], right: Iterable[int] = (), caption: str = "") -> Markup:
    """A table that scrolls inside itself; `right` are the columns of numbers."""
    numeric = set(right)

    def cell(kind: str, at: int, child: Child) -> Markup:
        scope = "col" if kind == "th" else None
        return tag(kind, child, class_="number" if at in numeric else None, scope=scope)

    head = tag("thead", tag("tr", (cell("th", at, name) for at, name in enumerate(header))))
    body = tag("tbody", (tag("tr", (cell("td", at, child) for at, child in enumerate(row))) for row in rows))
    title = tag("caption", caption) if caption else None
    return tag(
        "div", tag("table", title, head, body), class_="scroll", tabindex="0", role="region",
        aria_label=caption or "table",
    )  # fmt: skip
