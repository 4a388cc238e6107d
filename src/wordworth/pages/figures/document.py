"""Draw a figure without the page: for documents and notebooks. On the page its script draws it (assets/report.js)."""

import json
import re
from copy import deepcopy
from math import ceil
from typing import Any

from wordworth.pages.figures.figure import CONFIG, Figure
from wordworth.pages.page import make_visible

LIGHT = {
    "ink": "#1d1d1b", "muted": "#55534e", "faint": "#c9c6bd", "c1": "#0067a5", "c2": "#c2500a", "c3": "#00795a",
    "c4": "#a3457f", "c5": "#8a6a00", "c6": "#4a6fdc", "c7": "#7a4a2b", "c8": "#5c5c5c",
}  # fmt: skip
"""The page's colours on paper (assets/report.css has them too; a test compares both)."""
WIDTH, LETTER, LINE, MAX_AXIS_LETTERS = 760, 6.6, 13.0, 40
"""Pixels of a figure, of a letter and of a line of labels; letters in a line of an axis."""


def draw_in_light(figure: Figure) -> dict[str, Any]:
    """Return a figure with its data as Vega-Lite, in light colours on white."""
    values = [{key: one for key, one in row.items() if one is not None} for row in figure.plot.data.to_dicts()]
    spec = {**fit_to_document(figure.spec), "data": {"values": values}, "config": {**CONFIG, "background": "white"}}
    text = json.dumps(make_visible(spec), ensure_ascii=False)
    drawn: dict[str, Any] = json.loads(re.sub(r"var\(--(\w+)\)", lambda name: LIGHT.get(name[1], name[0]), text))
    return drawn


def fit_to_document(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the specification in the width of a document: at most three panels side by side."""
    made = deepcopy(spec)
    view: dict[str, Any] = made.get("spec", made)
    sorts = (layer["encoding"].get("y", {}).get("sort") for layer in view["layer"])
    tasks: list[str] = next((tasks for tasks in sorts if isinstance(tasks, list)), [])
    letters = min(max(map(len, tasks), default=0), MAX_AXIS_LETTERS)
    margin = letters * LETTER + 30 if tasks else 58
    if "spec" in made:
        made["columns"] = min(made["columns"], 3)
        view["width"] = max(80, int(WIDTH / made["columns"] - margin))
    else:
        view["width"] = WIDTH
        made["autosize"] = {"type": "fit-x", "contains": "padding"}
    if "usermeta" in made:  # room for labels of several lines
        lines = max(ceil(len(task) / MAX_AXIS_LETTERS) for task in tasks)
        view["height"] = made["usermeta"]["tasks"] * max(made["usermeta"]["step"], ceil(LINE * lines) + 4)
    for layer in view["layer"]:
        for channel in ("color", "strokeDash", "shape"):
            if legend := layer["encoding"].get(channel, {}).get("legend"):
                longest = max(len(str(one)) for one in layer["encoding"][channel]["scale"]["domain"])
                legend["columns"] = max(1, int(WIDTH / (longest * LETTER + 45)))
    return made
