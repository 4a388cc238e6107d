"""What is recorded of networks with several seeds."""

from pathlib import Path

import pytest
from experiments import nli_verdicts
from experiments.nli_verdicts import NO_VALUES, Row


def test_values_by_seed_are_kept_in_the_record() -> None:
    row = Row(0.3, 0.2, 0.4, (0.25, 0.35))
    assert Row.of_columns(row.columns()) == row
    assert Row.of_columns({"value": 0.3, "low": 0.2, "high": 0.4}).by_seed == ()


def test_a_table_shows_the_values_by_seed_or_that_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interval is computed by hand in tests/pages/test_verdicts.py."""
    record = tmp_path / "record.csv"
    monkeypatch.setattr(nli_verdicts, "RECORD", record)
    row = "glove,gender,as they are,gender,net-neutral,0.3,0.2,0.4"
    record.write_text(f"kind,probe,version,data,measure,value,low,high,by_seed\n{row},0.2 0.3 0.4\n")
    *_, line = nli_verdicts.by_seed("glove").splitlines()
    assert line == "| gender | as they are | net-neutral | 0.200 | 0.300 | 0.400 | 0.300 | [-0.197, 0.797] |"
    assert NO_VALUES not in nli_verdicts.by_version("glove")
    assert nli_verdicts.by_seed("dev2020") == "No networks were trained so far."
    record.write_text(f"kind,probe,version,data,measure,value,low,high\n{row}\n")
    assert nli_verdicts.by_version("glove").startswith(NO_VALUES)
