"""HTML whose every text and attribute is escaped, since it can be made in no other way."""

from collections.abc import Iterable
from html import escape

from wordworth.visible import visible

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
        return escape(visible(child, lines=True))
    return "".join(inner(one) for one in child)


def tag(name: str, /, *children: Child, **attributes: str | bool | None) -> Markup:
    """An element. `class_` is class, `aria_label` is aria-label; True is a bare attribute, None and False are none."""
    parts = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        written = key.rstrip("_").replace("_", "-")
        parts.append(written if value is True else f'{written}="{escape(visible(str(value), lines=True), quote=True)}"')
    opening = f"<{' '.join(parts)}>"
    return Markup(opening if name in VOID else f"{opening}{inner(children)}</{name}>")


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
