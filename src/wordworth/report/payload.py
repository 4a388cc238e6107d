"""Data inside the page: compact, and unable to end the script that holds it."""

import base64
import json
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wordworth.report.markup import Markup
from wordworth.visible import visible

STEP = 0.001
"""Effect sizes are kept to three decimals."""
MISSING = -32768


def script(name: str, value: Any) -> Markup:
    """A JSON value in a script element. No `<` is left in it, so that no text can close it or open another."""
    text = _json(value)
    if "\\u" in text or visible(text, lines=True) != text:  # rare, and looking into every text takes its time
        text = _json(_shown(value))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(f'<script type="application/json" id="{name}">{text}</script>')


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _shown(value: Any) -> Any:
    """The value with every text as the rest of the page shows it."""
    if isinstance(value, dict):
        return {_shown(key): _shown(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_shown(one) for one in value]
    return visible(value, lines=True) if isinstance(value, str) else value


def columnar(table: pl.DataFrame) -> dict[str, Any]:
    """A table by columns: texts once each with a code a row, numbers to four decimals (small ones to three digits)."""
    columns: dict[str, Any] = {}
    for name in table.columns:
        column = table.get_column(name)
        if column.dtype == pl.String:
            values = column.drop_nulls().unique(maintain_order=True).to_list()
            codes = {value: code for code, value in enumerate(values)}
            columns[name] = {"values": values, "codes": [codes.get(value, -1) for value in column.to_list()]}
        elif column.null_count() == len(column):
            columns[name] = None
        elif column.dtype.is_float():
            columns[name] = [_short(value) for value in column.to_list()]
        else:
            columns[name] = column.to_list()
    return {"length": len(table), "columns": columns}


def _short(value: float | None) -> float | int | None:
    if value is None or value != value or value in (float("inf"), float("-inf")):
        return None
    rounded = round(value, 4) if abs(value) >= 0.001 else float(f"{value:.3g}")
    return int(rounded) if rounded.is_integer() else rounded


def packed(values: NDArray[np.float64]) -> str:
    """Effect sizes as little-endian 16-bit steps of `STEP`, in base64; NaN is `MISSING`."""
    steps = np.where(np.isnan(values), MISSING, np.clip(np.round(values / STEP), MISSING + 1, -MISSING - 1))
    return base64.b64encode(steps.astype("<i2").tobytes()).decode("ascii")
