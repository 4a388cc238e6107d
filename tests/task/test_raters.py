"""People's ratings of the same words: the 381-word reliability of ValNorm, and its Table 3."""

import csv
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.results import Findings
from wordworth.study import study

valnorm = study("valnorm")
TABLE = (files("wordworth.pages") / "data" / "published.csv").read_text(encoding="utf-8")
PUBLISHED = {row["dataset"]: row for row in csv.DictReader(TABLE.splitlines()) if row["measure"] == "raters"}


@pytest.fixture(scope="module")
def found(data: Path) -> Findings:
    return valnorm(experiments=["raters"], resamples=50)


def test_reliability_over_the_381_words(found: Findings) -> None:
    """“0.97 or higher” over the words that the three lexica share."""
    scores = {row["dataset"]: row for row in found.scores.to_dicts()}
    rated = {name: _rated(load_lexicon(name)) for name in ("bellezza", "anew", "warriner")}
    shared = sorted(set.intersection(*map(set, rated.values())))
    assert len(shared) == 381
    for name in ("bellezza~anew", "bellezza~warriner", "anew~warriner"):
        one, other = ([rated[part][word] for word in shared] for part in name.split("~"))
        assert scores[name]["value"] == pytest.approx(np.corrcoef(one, other)[0, 1], abs=1e-12)
        assert scores[name]["value"] > 0.97
        assert scores[name]["n"] == 381


def test_table_3(found: Findings) -> None:
    """All 21 pairs of languages. What differs by more than rounding has Turkish or Chinese in it."""
    scores = {row["dataset"]: row["value"] for row in found.scores.to_dicts()}
    assert len(PUBLISHED) == 24
    assert scores.keys() == PUBLISHED.keys()
    for name, row in PUBLISHED.items():
        if row["value"]:
            hard = "turkish" in name or "chinese" in name
            assert scores[name] == pytest.approx(float(row["value"]), abs=0.035 if hard else 0.006), name


def _rated(lexicon: Lexicon) -> dict[str, float]:
    return dict(zip(lexicon.words, lexicon.valence.tolist(), strict=True))
