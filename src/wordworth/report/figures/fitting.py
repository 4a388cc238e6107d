"""A figure's specification for a width: panels side by side as they fit, and no label cut.

`fitted` in assets/report.js does the same in the browser, where the width is known only then.
"""

import re
from copy import deepcopy
from math import ceil

from wordworth.report.figures.figure import Spec

LETTER, TITLE, BOLD, LINE, GAP = 6.6, 6.2, 7.6, 13.0, 22
"""Pixels of a letter in a label, in an axis’s title and in a heading, of a line of labels, and between panels."""
NARROW = 520


def fitted(spec: Spec, width: int) -> Spec:
    """The specification as it is drawn in so many pixels."""
    made = deepcopy(spec)
    view: Spec = made.get("spec", made)
    layers: list[Spec] = view.get("layer", [view])
    across, narrow = _panels(made, width), width < NARROW
    tasks: list[str] = next((one["encoding"]["y"]["sort"] for one in layers if _named(one)), [])
    own = made.get("resolve", {}).get("scale", {}).get("y") == "independent"
    letters = {"axis": 18 if narrow else 40}
    if own and across > 1:
        letters["axis"] = min(letters["axis"], int(width / across / 2 / LETTER))
    longest = max(map(len, tasks), default=0)
    margin = min(longest, letters["axis"]) * LETTER + 30 if tasks else 58
    if across:
        # Where they share an axis, only the first panel of a line has one.
        view["width"] = max(80, int((width - margin * (across if own else 1)) / across) - GAP)
        made["columns"] = across
    else:
        view["width"] = width
        made["autosize"] = {"type": "fit-x", "contains": "padding"}
    inside = view["width"] if across else width - margin - 20
    beside = width - margin - 20  # a legend stands over the panels, not over their names
    letters |= {"panel": int(inside / BOLD), "legend": min(36, int((beside - 30) / LETTER))}
    if across:
        # Panels on a grid, whatever stands around them.
        headings = max(len(in_lines(name, letters["panel"])) for name in made["facet"]["sort"])
        below = 34 if made.get("resolve", {}).get("scale", {}).get("x") == "independent" else 0
        made["bounds"] = "flush"
        made["spacing"] = {"row": ceil(LINE * headings) + 24 + below, "column": int(margin) + GAP if own else GAP}
    for one in made["params"]:
        if one["name"].endswith("_letters"):
            one["value"] = letters[one["name"].removesuffix("_letters")]
    if "title" in made:
        made["title"]["text"] = in_lines(made["title"]["text"], int((width - 20) / BOLD))
    if "usermeta" in made:  # room for labels of several lines
        lines = max(len(in_lines(task, letters["axis"])) for task in tasks)
        view["height"] = made["usermeta"]["tasks"] * max(made["usermeta"]["step"], ceil(LINE * lines) + 4)
    for one in layers:
        _fit_guides(one["encoding"], (inside, view["height"]), beside, letters["legend"])
    return made


def height_of(spec: Spec, width: int) -> int:
    """About how many pixels high the panels of a figure are in so many of width."""
    made = fitted(spec, width)
    if "spec" not in made:
        return int(made["height"])
    lines = ceil(len(made["facet"]["sort"]) / made["columns"])
    return int(lines * (made["spec"]["height"] + made["spacing"]["row"]))


def _panels(spec: Spec, width: int) -> int:
    """How many panels stand side by side; 0 where there is one view."""
    if "spec" not in spec:
        return 0
    least = (150 if width < NARROW else 210) if spec["columns"] > 3 else 270
    columns: int = max(1, min(spec["columns"], width // least))
    return columns


def _named(layer: Spec) -> bool:
    return isinstance(layer["encoding"].get("y", {}).get("sort"), list)


def _fit_guides(encoding: Spec, inside: tuple[float, float], beside: float, letters: int) -> None:
    for channel, room in zip("xy", inside, strict=True):
        title = encoding.get(channel, {}).get("title")
        if isinstance(title, str):
            encoding[channel]["title"] = in_lines(title, int(room / TITLE))
    for channel in ("color", "strokeDash", "shape"):
        legend = encoding.get(channel, {}).get("legend")
        if legend:
            longest = max(len(str(one)) for one in encoding[channel]["scale"]["domain"])
            legend["columns"] = max(1, int(beside / (min(longest, letters) * LETTER + 45)))


def in_lines(text: str, letters: int) -> list[str]:
    """A text in lines of so many letters, broken behind a space or a sign where there is one."""
    some = f".{{1,{max(letters, 8)}}}"
    return [line.strip(" ") for line in re.findall(rf"{some}$|{some}[ /_:-]|{some}", text)] or [text]
