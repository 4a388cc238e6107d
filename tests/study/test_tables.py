"""A number that is to be read with care is marked on the screen, and the reasons stand under the table."""

import polars as pl
import pytest

from wordworth.cli import display
from wordworth.results import SCORES
from wordworth.study.tables import score_tables

FIRM = {
    "study": "weat",
    "experiment": "weat",
    "model": "a",
    "dataset": "weat1",
    "measure": "weat",
    "value": 1.5,
    "n": 50,
}
FEW = FIRM | {"dataset": "weat9", "value": 0.25, "low": -1.0, "high": -0.32, "n": 8, "flags": "n=8; 32 : 9"}


def scores(*rows: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=SCORES)


def test_the_reasons_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    (table,) = score_tables(scores(FIRM, FEW), pl.DataFrame())
    display.table(*table)
    assert "† to be read with care: n=8 (weat weat9)" in capsys.readouterr().out
