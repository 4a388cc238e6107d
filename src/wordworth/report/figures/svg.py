"""Draw a figure without a browser: for documents, and for the page before its script runs.

`fit_to_width` puts panels side by side as they fit, and cuts no label; `fitted` in assets/report.js does the same in
the browser, where the width is known only then.
"""

import re
import sys
from copy import deepcopy
from functools import cache
from math import ceil
from typing import Any

from markupsafe import Markup

from wordworth.report.figures.figure import Figure, Spec
from wordworth.visible import visible

LIGHT = {
    "ink": "#1d1d1b", "muted": "#55534e", "faint": "#c9c6bd", "c1": "#0067a5", "c2": "#c2500a", "c3": "#00795a",
    "c4": "#a3457f", "c5": "#8a6a00", "c6": "#4a6fdc", "c7": "#7a4a2b", "c8": "#5c5c5c",
}  # fmt: skip
"""The page's colours on paper (assets/report.css has them too; a test holds both together)."""
DOCUMENT_WIDTH, PAGE_WIDTH = 760, 880
"""Pixels of a figure in a document, and on the page before it is fitted to the window."""
FONT_ROOM = 1.16
"""How much wider the letters of a reader's font may be than those that a still picture is drawn with."""
MIN_ADDRESS_BYTES = 64 << 30
"""Bytes of addresses that V8, which draws, reserves at its start: half as many, with all else."""
LETTER, TITLE, BOLD, LINE, GAP = 6.6, 6.2, 7.6, 13.0, 22
"""Pixels of a letter in a label, in an axis’s title and in a heading, of a line of labels, and between panels."""
NARROW = 520

_AXIS = {"labelColor": "var(--muted)", "titleColor": "var(--muted)", "domainColor": "var(--faint)"}
CONFIG: Spec = {
    "background": "transparent",
    "aria": False,
    "font": "Helvetica, Arial, Noto Sans, Noto Sans CJK SC, PingFang SC, Microsoft YaHei, sans-serif",
    "view": {"stroke": "transparent"},
    "title": {"color": "var(--ink)", "fontSize": 12, "fontWeight": 600, "anchor": "start", "offset": 8},
    "axis": {
        **_AXIS, "tickColor": "var(--faint)", "gridColor": "var(--faint)", "gridOpacity": 0.5, "titleFontWeight": 500,
        "labelFontSize": 11, "titleFontSize": 11.5, "labelSeparation": 4,
    },
    "axisQuantitative": {"labelFlush": False},
    "legend": {
        "labelColor": "var(--ink)", "titleColor": "var(--muted)", "labelFontSize": 11.5, "titleFontWeight": 500,
        "symbolStrokeWidth": 2,
    },
    "header": {"labelColor": "var(--ink)", "labelFontSize": 12, "labelFontWeight": 600, "labelAnchor": "start"},
}  # fmt: skip
"""How charts look, on the page too."""


def draw_svg(figure: Figure) -> str:
    """Draw the figure as SVG, in light colours on white."""
    drawn = _draw(fit_to_width(figure.spec, DOCUMENT_WIDTH), figure, {**CONFIG, "background": "white"})
    return re.sub(r"var\(--(\w+)\)", lambda found: LIGHT.get(found[1], found[0]), drawn)


def still(figure: Figure, name: str, width: int = PAGE_WIDTH) -> Markup:
    """Draw the figure as an element of the page, in the page's colours; `name` tells its ids from others'.

    The result is empty where `can_draw` is not so: the page's script draws it then. Letters are drawn larger and made
    small again, so that a reader's wider font has room.
    """
    if not can_draw():
        return Markup()
    svg = _draw(_enlarge(fit_to_width(figure.spec, width)), figure, _enlarge(CONFIG))
    return Markup(re.sub(r"<\w[^>]*>", lambda found: _slim_tag(found[0], name), svg))


def _slim_tag(tag: str, name: str) -> str:
    """Drop what cannot be seen, round to a tenth of a pixel, and give ids the figure's name."""
    tag = re.sub(r' (xmlns[:\w]*|font-family|class|aria-\w+|role|pointer-events|stroke-miterlimit)="[^"]*"', "", tag)
    tag = re.sub(r"-?\d+\.\d{2,}", lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), tag)
    tag = re.sub(r'(?<=font-size=")[\d.]+', lambda found: f"{float(found[0]) / FONT_ROOM:.3g}", tag)
    return re.sub(r'(?<= id=")|(?<=url\(#)', f"{name}-", tag)


def _draw(spec: Spec, figure: Figure, config: Spec) -> str:
    import vl_convert

    values = [{key: one for key, one in row.items() if one is not None} for row in figure.own.to_dicts()]
    svg: str = vl_convert.vegalite_to_svg(_make_visible({**spec, "data": {"values": values}, "config": config}))
    return svg


def _make_visible(value: Any) -> Any:
    """Spell out characters that no SVG can hold: at the first of them, what draws ends the process."""
    if isinstance(value, dict):
        return {_make_visible(key): _make_visible(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_make_visible(one) for one in value]
    return visible(value, lines=True) if isinstance(value, str) else value


@cache
def can_draw() -> bool:
    """Start what draws, once; False where the process may not take the addresses that it asks for (not memory)."""
    if sys.platform == "linux":
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most != resource.RLIM_INFINITY and most < MIN_ADDRESS_BYTES:
            return False
    import vl_convert

    vl_convert.vegalite_to_svg({"mark": "point", "data": {"values": []}})
    return True


def _enlarge(value: Any) -> Any:
    """Return a specification with larger letters."""
    if isinstance(value, list):
        return [_enlarge(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: round(one * FONT_ROOM, 2) if key.lower().endswith("fontsize") else _enlarge(one)
        for key, one in value.items()
    }


def fit_to_width(spec: Spec, width: int) -> Spec:
    """Return the specification as it is drawn in so many pixels."""
    made = deepcopy(spec)
    view: Spec = made.get("spec", made)
    across, narrow = _count_panels(made, width), width < NARROW
    sorted_tasks = (layer["encoding"].get("y", {}).get("sort") for layer in view["layer"])
    tasks: list[str] = next((tasks for tasks in sorted_tasks if isinstance(tasks, list)), [])
    has_own_axes = made.get("resolve", {}).get("scale", {}).get("y") == "independent"
    letters = {"axis": 18 if narrow else 40}
    if has_own_axes and across > 1:
        letters["axis"] = min(letters["axis"], int(width / across / 2 / LETTER))
    longest = max(map(len, tasks), default=0)
    margin = min(longest, letters["axis"]) * LETTER + 30 if tasks else 58
    if across:
        # Where they share an axis, only the first panel of a line has one.
        view["width"] = max(80, int((width - margin * (across if has_own_axes else 1)) / across) - GAP)
        made["columns"] = across
    else:
        view["width"] = width
        made["autosize"] = {"type": "fit-x", "contains": "padding"}
    inside = view["width"] if across else width - margin - 20
    beside = width - margin - 20  # a legend is over the panels, not over their names
    letters |= {"panel": int(inside / BOLD), "legend": min(36, int((beside - 30) / LETTER))}
    if across:
        # Panels on a grid, whatever is around them.
        headings = max(len(break_lines(name, letters["panel"])) for name in made["facet"]["sort"])
        below = 34 if made.get("resolve", {}).get("scale", {}).get("x") == "independent" else 0
        made["bounds"] = "flush"
        made["spacing"] = {
            "row": ceil(LINE * headings) + 24 + below,
            "column": int(margin) + GAP if has_own_axes else GAP,
        }
    for one in made["params"]:
        if one["name"].endswith("_letters"):
            one["value"] = letters[one["name"].removesuffix("_letters")]
    if "title" in made:
        made["title"]["text"] = break_lines(made["title"]["text"], int((width - 20) / BOLD))
    if "usermeta" in made:  # room for labels of several lines
        lines = max(len(break_lines(task, letters["axis"])) for task in tasks)
        view["height"] = made["usermeta"]["tasks"] * max(made["usermeta"]["step"], ceil(LINE * lines) + 4)
    for one in view["layer"]:
        _fit_guides(one["encoding"], (inside, view["height"]), beside, letters["legend"])
    return made


def height_of(spec: Spec, width: int) -> int:
    """Estimate how many pixels high the panels of a figure are in so many of width."""
    made = fit_to_width(spec, width)
    if "spec" not in made:
        return int(made["height"])
    lines = ceil(len(made["facet"]["sort"]) / made["columns"])
    return int(lines * (made["spec"]["height"] + made["spacing"]["row"]))


def _count_panels(spec: Spec, width: int) -> int:
    """Count the panels that fit side by side; 0 where there is one view."""
    if "spec" not in spec:
        return 0
    least = (150 if width < NARROW else 210) if spec["columns"] > 3 else 270
    columns: int = max(1, min(spec["columns"], width // least))
    return columns


def _fit_guides(encoding: Spec, inside: tuple[float, float], beside: float, letters: int) -> None:
    for channel, room in zip("xy", inside, strict=True):
        title = encoding.get(channel, {}).get("title")
        if isinstance(title, str):
            encoding[channel]["title"] = break_lines(title, int(room / TITLE))
    for channel in ("color", "strokeDash", "shape"):
        legend = encoding.get(channel, {}).get("legend")
        if legend:
            longest = max(len(str(one)) for one in encoding[channel]["scale"]["domain"])
            legend["columns"] = max(1, int(beside / (min(longest, letters) * LETTER + 45)))


def break_lines(text: str, letters: int) -> list[str]:
    """Break a text into lines of so many letters, behind a space or a sign where there is one."""
    some = f".{{1,{max(letters, 8)}}}"
    return [line.strip(" ") for line in re.findall(rf"{some}$|{some}[ /_:-]|{some}", text)] or [text]
