"""Every measure that a run can hold is declared once, with formula, paper and direction."""

import pytest

from wordworth.catalog.registry import references
from wordworth.errors import WordworthError
from wordworth.measure import MEASURES, find_measure, label
from wordworth.results.columns import ITEM_TABLES, PLACE


@pytest.mark.parametrize(
    ("name", "variant"), [("T", "top"), ("weat", "change"), ("valence", "pearson"), ("precision", None)]
)
def test_undeclared_names_are_refused(name: str, variant: str | None) -> None:
    with pytest.raises(WordworthError, match=variant or name):
        find_measure(name, variant)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=[label(*key) for key in MEASURES])
def test_declarations_are_whole(measure) -> None:
    assert measure.formula.endswith(".")
    assert measure.paper in {"", *references()}
    if measure.items:
        assert measure.item_value in ITEM_TABLES[measure.items].keys() - PLACE.keys()
    assert bool(measure.items) or not measure.paired_test


def test_labels() -> None:
    assert label("top", k=10) == "top-10"
    assert label("T", "code", k=1) == "T1 (code)"
    assert label("threshold", threshold=0.5) == "threshold .5"
