"""A figure drawn without a browser, for documents."""

import re
from typing import Any

from wordworth.report.figures.figure import Figure, Spec

LIGHT = {
    "ink": "#1d1d1b", "muted": "#55534e", "faint": "#c9c6bd", "c1": "#0067a5", "c2": "#c2500a", "c3": "#00795a",
    "c4": "#a3457f", "c5": "#8a6a00", "c6": "#4a6fdc", "c7": "#7a4a2b", "c8": "#5c5c5c",
}  # fmt: skip
"""The page's colours on paper (assets/report.css has them too; a test holds both together)."""

_VARIABLE = re.compile(r"var\(--(\w+)\)")
WIDTH, PANEL = 460, 230


def draw_svg(figure: Figure) -> str:
    """The figure as SVG, in light colours on white."""
    import vl_convert

    spec: dict[str, Any] = {**figure.spec, "data": {"values": figure.rows.to_dicts()}}
    if "facet" in spec:
        spec["spec"] = {**spec["spec"], "width": PANEL}
    else:
        spec["width"] = WIDTH
    drawn: str = vl_convert.vegalite_to_svg(_coloured({**spec, "config": {**CONFIG, "background": "white"}}))
    return drawn


def _coloured(spec: Spec) -> Spec:
    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(one) for key, one in value.items()}
        if isinstance(value, list):
            return [plain(one) for one in value]
        return _VARIABLE.sub(lambda found: LIGHT[found[1]], value) if isinstance(value, str) else value

    done: Spec = plain(spec)
    return done


_AXIS = {"labelColor": "var(--muted)", "titleColor": "var(--muted)", "domainColor": "var(--faint)"}
CONFIG: Spec = {
    "background": "transparent",
    "aria": False,
    "font": "Helvetica, Arial, sans-serif",
    "view": {"stroke": "transparent"},
    "axis": {
        **_AXIS, "tickColor": "var(--faint)", "gridColor": "var(--faint)", "gridOpacity": 0.5, "titleFontWeight": 500,
        "labelFontSize": 11, "titleFontSize": 11.5,
    },
    "legend": {
        "labelColor": "var(--ink)", "titleColor": "var(--muted)", "labelFontSize": 11.5, "titleFontWeight": 500,
        "symbolStrokeWidth": 2, "labelLimit": 240,
    },
    "header": {"labelColor": "var(--ink)", "labelFontSize": 12, "labelFontWeight": 600, "labelAnchor": "start"},
}  # fmt: skip
"""How charts look, on the page too."""
