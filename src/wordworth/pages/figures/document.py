"""Draw a figure for the page, a document or a notebook: in a width, and in the page's colours or in light ones."""

import json
import re
from copy import deepcopy
from functools import cache
from importlib.resources import files
from math import ceil
from typing import TYPE_CHECKING, Any

from wordworth.errors import WordworthError, visible
from wordworth.pages.figures import figures_of
from wordworth.pages.figures.figure import CONFIG, Figure
from wordworth.results.run import Run
from wordworth.results.runs import read_runs

if TYPE_CHECKING:
    import altair as alt

WIDTH, NARROW = 760, 520
"""Pixels of a figure in a document; narrower figures have fewer panels side by side and shorter labels."""
LETTER, BOLD, TITLE, LINE = 6.6, 7.6, 6.2, 13.0
"""Pixels of a letter of a label, of a heading and of an axis title, and of a line of labels."""
GAP = 22
"""Pixels between panels."""
_NOISE = re.compile(
    r'<path class="(?:background|foreground)"[^>]*/>| (?:pointer-events|aria-hidden|aria-roledescription|role|'
    r'font-family|opacity|xmlns:xlink|version)="(?:none|true|1|1\.1|[^"]*[a-z]{3}[^"]*)"'
)
_SHAPE = re.compile(r' (?:d|transform|x|y|x1|x2|y1|y2|width|height)="[^"]*"')
_LONG_NUMBER = re.compile(r"-?\d+\.\d{2,}")


def plot(run: Run, figure: str = "") -> "alt.TopLevelMixin":
    """Return an altair chart: the first figure of a run's page, or the one with these words in its title."""
    import altair as alt

    runs = read_runs([run])
    figures = [match for chapter in figures_of(runs.scores, runs).values() for match in chapter]
    words = figure.lower().split()
    matches = [match for match in figures if all(word in f"{match.id} {match.title}".lower() for word in words)]
    if not matches:
        titles = ", ".join(f"{match.title!r}" for match in figures)
        raise WordworthError(f"the run has no figure {figure!r}; its figures are 'profile', {titles}")
    chart: alt.TopLevelMixin = alt.Chart.from_dict(draw_in_light(matches[0]))
    return chart


def draw_in_light(figure: Figure) -> dict[str, Any]:
    """Return a figure with its data as Vega-Lite, in light colours on white."""
    spec = _with_data(figure, WIDTH, {**CONFIG, "background": "white"})
    text = json.dumps(spec, ensure_ascii=False)
    light_spec: dict[str, Any] = json.loads(re.sub(r"var\(--(\w+)\)", lambda name: light_colours()[name[1]], text))
    return light_spec


@cache
def light_colours() -> dict[str, str]:
    """Return the names and the values of the style sheet's light colours, which come first in it."""
    style = (files("wordworth.pages") / "assets" / "report.css").read_text(encoding="utf-8")
    return dict(re.findall(r"--(\w+): (#\w+);", style.partition("}")[0]))


def draw_svg(figure: Figure, width: int) -> str:
    """Return a figure as SVG in the colours of the page that holds it; each point has its number in words."""
    import vl_convert

    spec = _with_data(figure, width, {**CONFIG, "aria": True})
    svg: str = vl_convert.vegalite_to_svg(json.dumps(spec, ensure_ascii=False))
    svg = _SHAPE.sub(_shorten_numbers, _NOISE.sub("", svg))
    svg = re.sub(r'<path aria-label="([^"]*)"([^>]*)/>', r"<path\2><title>\1</title></path>", svg)
    # Labels of the points stay; those of axes, legends and titles repeat what is written there.
    svg = re.sub(r'(<g class="[^"]*"(?: transform="[^"]*")?) aria-label="[^"]*"', r"\1", svg)
    return re.sub(r"\bclip(\d+)", rf"{figure.id}-clip\1", svg)  # two drawings of a page may count alike


def _shorten_numbers(shape: re.Match[str]) -> str:
    """Return an attribute of a shape with a tenth of a pixel; numbers that are read keep their decimals."""
    return _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.1f}", shape[0])


def _with_data(figure: Figure, width: int, config: dict[str, Any]) -> dict[str, Any]:
    values = [{key: value for key, value in row.items() if value is not None} for row in figure.plot.data.to_dicts()]
    spec = {**fit_to_width(figure.spec, width), "data": {"values": values}, "config": config}
    visible_spec: dict[str, Any] = make_visible(spec)
    return visible_spec


def make_visible(value: Any) -> Any:
    """Spell out characters that a page or an SVG cannot hold, in all texts of a JSON value."""
    if isinstance(value, dict):
        return {make_visible(key): make_visible(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [make_visible(item) for item in value]
    return visible(value, lines=True) if isinstance(value, str) else value


def fit_to_width(spec: dict[str, Any], width: int) -> dict[str, Any]:
    """Return the specification in a width: as many panels side by side as fit, and no label cut."""
    fitted = deepcopy(spec)
    view: dict[str, Any] = fitted.get("spec", fitted)
    sorts = (layer["encoding"].get("y", {}).get("sort") for layer in view["layer"])
    tasks: list[str] = next((tasks for tasks in sorts if isinstance(tasks, list)), [])
    has_own_y = fitted.get("resolve", {}).get("scale", {}).get("y") == "independent"
    across = _count_across(fitted, width)
    axis = 28 if width < NARROW else 40
    if has_own_y and across > 1:
        axis = min(axis, int(width / across / 2 / LETTER))
    margin = int(min(max(map(len, tasks), default=0), axis) * LETTER) + 30 if tasks else 58
    if across:
        view["width"] = max(80, int((width - margin * (across if has_own_y else 1)) / across) - GAP)
        fitted["columns"] = across
        fitted["bounds"] = "flush"
        below = 34 if fitted.get("resolve", {}).get("scale", {}).get("x") == "independent" else 0
        headings = max(ceil(len(name) / (view["width"] / BOLD)) for name in fitted["facet"]["sort"])
        fitted["spacing"] = {"row": int(LINE * headings) + 24 + below, "column": margin + GAP if has_own_y else GAP}
    else:
        view["width"] = width
        fitted["autosize"] = {"type": "fit-x", "contains": "padding"}
    inside = view["width"] if across else width - margin - 20
    legend = min(36, int((width - margin - 50) / LETTER))
    letters = {"axis": axis, "panel": int(inside / BOLD), "legend": legend}
    for parameter in fitted.get("params", ()):
        if parameter["name"].endswith("_letters"):
            parameter["value"] = letters[parameter["name"].removesuffix("_letters")]
    if "title" in fitted:
        fitted["title"]["text"] = break_lines(fitted["title"]["text"], int((width - 20) / BOLD))
    if "usermeta" in fitted:  # room for labels of several lines
        lines = max(len(break_lines(task, axis)) for task in tasks)
        view["height"] = fitted["usermeta"]["tasks"] * max(fitted["usermeta"]["step"], int(LINE * lines) + 5)
    room = int(min(max(map(len, tasks), default=0), axis) * LETTER)
    for layer in view["layer"]:
        if tasks and layer["encoding"].get("y", {}).get("axis"):
            layer["encoding"]["y"]["axis"]["minExtent"] = room  # a browser's letters may be wider than those measured
        _fit_guides(layer["encoding"], (inside, view["height"]), width - margin - 20, legend)
    return fitted


def _count_across(spec: dict[str, Any], width: int) -> int:
    """Return how many panels are side by side; 0 for a figure without panels."""
    if "spec" not in spec:
        return 0
    min_width = 210 if spec["columns"] > 3 or width < NARROW else 270
    return max(1, min(int(spec["columns"]), width // min_width))


def _fit_guides(encoding: dict[str, Any], inside: tuple[float, float], legend_width: float, letters: int) -> None:
    """Break the titles of axes, and let a legend have as many columns as fit."""
    for channel, room in zip(("x", "y"), inside, strict=True):
        title = encoding.get(channel, {}).get("title")
        if isinstance(title, str):
            encoding[channel]["title"] = break_lines(title, int(room / TITLE))
    for channel in ("color", "strokeDash", "shape"):
        if legend := encoding.get(channel, {}).get("legend"):
            longest = max(len(str(label)) for label in encoding[channel]["scale"]["domain"])
            legend["columns"] = max(1, int(legend_width / (min(longest, letters) * LETTER + 45)))


def break_lines(text: str, letters: int) -> list[str]:
    """Break a text behind a space, a slash or a dash, as Vega breaks labels."""
    run = f".{{1,{max(letters, 8)}}}"
    return [line.strip(" ") for line in re.findall(f"{run}$|{run}[ /_:-]|{run}", text)] or [text]
