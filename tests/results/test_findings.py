"""What a study records: scores with cautions, items in memory and on disk, notices, checkpoints."""

from pathlib import Path

import polars as pl
import pytest

from wordworth.errors import WordworthError
from wordworth.results.columns import describe_score
from wordworth.results.findings import Findings
from wordworth.results.run import read_run
from wordworth.results.vocabulary import Caution, Notice, balance_cautions, coverage_cautions, size_cautions

FEW, LOW, UNBALANCED = Caution.FEW_ITEMS, Caution.LOW_COVERAGE, Caution.UNBALANCED_SETS
ROWS = {"word": ["a", "b", "c"], "bits": [1.0, None, 3.0], "skipped": [None, "gone", None]}
WHERE = {"experiment": "prediction", "model": "m"}


@pytest.mark.parametrize(("n", "is_caution"), [(8, True), (19, True), (20, False), (None, False)])
def test_few_items(n: int | None, is_caution: bool) -> None:
    assert size_cautions(n) == [FEW] * is_caution


@pytest.mark.parametrize(("n", "is_caution"), [(16, False), (12, False), (11, True)])
def test_few_words_of_an_association_test(n: int, is_caution: bool) -> None:
    """WEAT 6 has 8 and 8 target words, WEAT 9 has 6 and 6 (Caliskan et al. 2017): that is usual."""
    assert size_cautions(n, "weat") == [FEW] * is_caution


@pytest.mark.parametrize(("coverage", "is_caution"), [(0.46, True), (0.8, False), (None, False)])
def test_low_coverage(coverage: float | None, is_caution: bool) -> None:
    assert coverage_cautions(coverage) == [LOW] * is_caution


@pytest.mark.parametrize(("one", "other", "is_caution"), [(32, 9, True), (9, 32, True), (16, 8, False), (17, 8, True)])
def test_unbalanced_sets(one: int, other: int, is_caution: bool) -> None:
    assert balance_cautions(one, other) == [UNBALANCED] * is_caution


def test_a_score_has_each_caution_once() -> None:
    part, whole = Findings(), Findings("weat")
    part.score(model="a", dataset="weat6", measure="weat", value=1.0, n=11, cautions=[UNBALANCED])
    part.score(model="a", dataset="weat1", measure="weat", value=1.0, n=50)
    part.set_coverage(0.46)
    whole.add(part, experiment="weat")  # recorded again, with no second caution
    assert whole.scores["cautions"].to_list() == [[UNBALANCED, FEW, LOW], [LOW]]
    assert whole.scores["coverage"].to_list() == [0.46, 0.46]


@pytest.mark.parametrize(
    "row",
    [
        {"measure": "valence", "setting": "bleached"},
        {"measure": "valence", "experiment": "valnce"},
        {"measure": "valence", "control": "shuffle"},
    ],
)
def test_an_undeclared_name_cannot_be_recorded(row: dict[str, str]) -> None:
    with pytest.raises(TypeError, match=r"no column|is declared"):
        Findings().score(**row, value=1.0)
    with pytest.raises(WordworthError, match="did you mean"):
        Findings().score(measure="valnce", value=1.0)


def both(folder: Path) -> tuple[Findings, Findings]:
    """Return the same items in memory, and scanned from disk."""
    pl.DataFrame(ROWS).write_parquet(folder / "rows.parquet")
    held, scanned = Findings("predict"), Findings("predict")
    held.item("predictions", **WHERE, **ROWS)
    scanned.scanned_items("predictions", pl.scan_parquet(folder / "rows.parquet"), **WHERE)
    return held, scanned


def items(findings: Findings) -> pl.DataFrame:
    return findings.items["predictions"].collect()


def test_items_on_disk_are_those_in_memory(tmp_path: Path) -> None:
    held, scanned = both(tmp_path)
    assert items(scanned).equals(items(held))
    assert scanned.skipped() == held.skipped() == {"gone": 1}
    for name, findings in (("held", held), ("scanned", scanned)):
        run = findings.to_run(command=["python"]).save(tmp_path / name)
        assert run.item_table("predictions").collect().equals(items(held))
        assert read_run(tmp_path / name).item_table("predictions").collect().equals(items(held))


def test_items_are_added_with_columns_and_selected(tmp_path: Path) -> None:
    whole = Findings("audit")
    for one in both(tmp_path):
        whole.add(one, context=None, language="dutch")
    assert items(whole)["language"].to_list() == ["dutch"] * 6
    assert whole.skipped() == {"gone": 2}
    some = whole.select(lambda row: True, pl.col("word") == "b")
    assert items(some)["word"].to_list() == ["b", "b"]


def test_a_failing_part_is_a_notice_unless_requested() -> None:
    findings = Findings("weat")
    with findings.part(model="a", dataset="weat3"):
        raise WordworthError("no word is there.")
    notice = Notice(kind="failed", reason="no word is there", model="a", dataset="weat3")
    assert findings.notices == [notice]
    assert str(notice) == "a, weat3: no word is there."
    with pytest.raises(WordworthError), findings.part(is_requested=True, model="a"):
        raise WordworthError("no word is there")


def test_a_checkpoint_has_its_step_in_its_own_column() -> None:
    findings = Findings("vast", checkpoints={"m@step500": ("m", 500)})
    findings.add_model("m@step500", {"layers": 2})
    findings.score(model="m@step500", measure="valence", value=0.5)
    run = findings.to_run(command=["python"])
    assert run.scores.select("model", "step").rows() == [("m", 500)]
    assert (run.models[0].name, run.models[0].step) == ("m", 500)
    assert describe_score(run.scores.row(0, named=True)) == "m@step500 valence"
