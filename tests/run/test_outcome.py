"""What an audit could not do is read back, or refused in a sentence."""

from pathlib import Path

import pytest

from wordworth.errors import WordworthError
from wordworth.run import FailedStudy, Outcome, PlannedStudy, read_outcome, write_outcome


def test_what_is_written_is_read(tmp_path: Path) -> None:
    failed: FailedStudy = {"study": "weat", "models": ["a", "b"], "reason": "the words are gone"}
    planned: PlannedStudy = {"study": "vast", "models": ["a"]}
    outcome = Outcome((failed,), ("static was not run on c: it is Chinese.",), ("static reads less.",), (planned,))
    write_outcome(tmp_path / "audit", outcome)
    assert read_outcome(tmp_path / "audit") == outcome
    write_outcome(tmp_path / "audit", Outcome())
    assert not (tmp_path / "audit" / "audit.json").exists()
    assert read_outcome(tmp_path / "audit") == Outcome()


def test_one_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    (tmp_path / "audit.json").write_text('{"failed": [], "left_out": ["a"]}', encoding="utf-8")
    assert read_outcome(tmp_path) == Outcome((), ("a",))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"failed": []}', '{"failed": [{"study": 1}], "left_out": []}', '{"failed": "\\ud800"}']
)
def test_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "audit.json").write_text(text, encoding="utf-8")
    with pytest.raises(WordworthError, match=r"audit\.json is not as an audit writes it; delete it, or audit again"):
        read_outcome(tmp_path)
