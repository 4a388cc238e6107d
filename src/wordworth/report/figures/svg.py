"""A figure drawn without a browser: for documents, and for the page before its script runs."""

import re
import sys
from functools import cache
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from wordworth.report.figures.charts import POINTS
from wordworth.report.figures.figure import Figure, Spec
from wordworth.report.figures.fitting import fitted
from wordworth.visible import visible

LIGHT = {
    "ink": "#1d1d1b", "muted": "#55534e", "faint": "#c9c6bd", "c1": "#0067a5", "c2": "#c2500a", "c3": "#00795a",
    "c4": "#a3457f", "c5": "#8a6a00", "c6": "#4a6fdc", "c7": "#7a4a2b", "c8": "#5c5c5c",
}  # fmt: skip
"""The page's colours on paper (assets/report.css has them too; a test holds both together)."""

_VARIABLE = re.compile(r"var\(--(\w+)\)")
WIDTH = 760
STILL = 880
"""Pixels of a figure in a document, and on the page before it is fitted to the window."""
ROOM = 1.16
"""How much wider the letters of a reader's font may be than those that a still picture is drawn with."""
ADDRESSES = 64 << 30
"""Bytes of addresses that V8, which draws, reserves at its start: half as many, with all else."""
FEW = 400
"""Lines of so many numbers have a point at each where nothing can be hovered over."""


def draw_svg(figure: Figure) -> str:
    """The figure as SVG, in light colours on white."""
    spec = fitted(figure.spec, WIDTH)
    return _VARIABLE.sub(lambda found: LIGHT.get(found[1], found[0]), _drawn(spec, figure, background="white"))


def _drawn(spec: Spec, figure: Figure, **config: Any) -> str:
    import vl_convert

    drawn = figure.rows if figure.own is None else figure.own
    data = {"values": [{key: one for key, one in row.items() if one is not None} for row in drawn.to_dicts()]}
    svg: str = vl_convert.vegalite_to_svg(_spelled({**spec, "data": data, "config": {**CONFIG, **config}}))
    return svg


def _spelled(value: Any) -> Any:
    """A specification without characters that no SVG can hold: at the first of them, what draws ends the process."""
    if isinstance(value, dict):
        return {_spelled(key): _spelled(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_spelled(one) for one in value]
    return visible(value, lines=True) if isinstance(value, str) else value


@cache
def can_draw() -> bool:
    """Starts what draws, once; False where the process may not take the addresses that it asks for (not memory)."""
    if sys.platform == "linux":
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most != resource.RLIM_INFINITY and most < ADDRESSES:
            return False
    import vl_convert

    vl_convert.vegalite_to_svg({"mark": "point", "data": {"values": []}})
    return True


def still(figure: Figure, name: str, width: int = STILL) -> Markup:
    """The figure as an element of the page, in the page's colours; `name` tells its ids from those of other figures.

    Empty where `can_draw` is not so: the page's script draws it then.
    """
    if not can_draw():
        return Markup()
    spec = _enlarged(fitted(_unmoved(figure), width))
    picture = ElementTree.fromstring(_drawn(spec, figure, **_enlarged(CONFIG)))
    _slim(picture, name)
    return Markup(ElementTree.tostring(picture, encoding="unicode", short_empty_elements=False))


def _enlarged(value: Any) -> Any:
    """A specification with larger letters. `_slim` makes them small again: a reader's wider font has room then."""
    if isinstance(value, list):
        return [_enlarged(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: round(one * ROOM, 2) if key.lower().endswith("fontsize") else _enlarged(one) for key, one in value.items()
    }


def _unmoved(figure: Figure) -> Spec:
    """The specification without what needs a hand: nothing to hover over, to pick, or to zoom."""
    view = figure.spec.get("spec", figure.spec)
    if "layer" not in view:
        return figure.spec
    layers = [
        {key: value for key, value in one.items() if key != "params"} | {"encoding": _told(one["encoding"])}
        for one in view["layer"]
        if one.get("name") != POINTS or len(figure.rows) <= FEW
    ]
    return {**figure.spec, "spec": {**view, "layer": layers}} if "spec" in figure.spec else {**view, "layer": layers}


def _told(encoding: Spec) -> Spec:
    """An encoding whose opacity does not ask what was picked."""
    kept = {key: value for key, value in encoding.items() if key != "tooltip"}
    opacity = kept.get("opacity", {})
    return {**kept, "opacity": {"value": opacity["condition"]["value"]}} if "condition" in opacity else kept


_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_KEPT = (
    *("d", "transform", "fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity"),
    *("stroke-opacity", "text-anchor", "font-size", "font-weight", "clip-path", "id", "x", "y", "dy"),
    *("x1", "y1", "x2", "y2", "width", "height", "viewBox"),
)


def _slim(picture: ElementTree.Element, name: str) -> None:
    """Keep the attributes of an SVG's elements that can be seen, to a tenth of a pixel."""
    for node in picture.iter():
        node.tag = node.tag.rpartition("}")[2]
        node.attrib = {key: _short(value, name) for key, value in node.attrib.items() if key in _KEPT}
        if "font-size" in node.attrib:
            node.attrib["font-size"] = f"{float(node.attrib['font-size'].removesuffix('px')) / ROOM:.3g}px"


def _short(value: str, name: str) -> str:
    short = _NUMBER.sub(lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), value)
    return re.sub(r"^(url\(#)?(?=clip|gradient)", rf"\g<1>{name}-", short)


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
