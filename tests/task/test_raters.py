"""People's ratings of the same words: the 381-word reliability of ValNorm, and its Table 3."""

import csv
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.task.settings import Intervals
from wordworth.task.valence import find_common_words, score_raters

TABLE = (files("wordworth") / "papers" / "data" / "published.csv").read_text(encoding="utf-8")
RATERS = [row for row in csv.DictReader(TABLE.splitlines()) if row["measure"] == "raters"]
PUBLISHED = {(row["dataset"], row["subset"]): row for row in RATERS}


LANGUAGES = ("chinese", "german", "polish", "portuguese", "spanish", "turkish")
SETTINGS = Intervals(resamples=50)
Row = dict[str, object]


def score(lexica: list[Lexicon], among: frozenset[str]) -> dict[tuple[str, str], Row]:
    scores = score_raters(lexica, among, SETTINGS).scores
    return {(row["dataset"], row["subset"]): row for row in scores.iter_rows(named=True)}


@pytest.fixture(scope="module")
def english(data: Path) -> list[Lexicon]:
    return [load_lexicon(name) for name in ("bellezza", "anew", "warriner")]


def test_reliability_over_the_381_words(english: list[Lexicon]) -> None:
    """“0.97 or higher” over the words that the three lexica share."""
    scores = score(english, find_common_words(english))
    rated = {lexicon.name: _map_ratings(lexicon) for lexicon in english}
    shared = sorted(set.intersection(*map(set, rated.values())))
    assert len(shared) == 381
    for one, other in combinations(rated, 2):
        columns = [[rated[name][word] for word in shared] for name in (one, other)]
        row = scores[one, other]
        assert row["value"] == pytest.approx(np.corrcoef(*columns)[0, 1], abs=1e-12)
        assert row["value"] > 0.97
        assert row["n"] == 381


def test_table_3(english: list[Lexicon]) -> None:
    """All 21 pairs of languages. What differs by more than rounding has Turkish or Chinese in it."""
    bellezza, anew, _ = english
    translations = [load_lexicon(f"bellezza-{language}") for language in LANGUAGES]
    published = {name: row for name, row in PUBLISHED.items() if "-" in name[1]}
    scores = score([bellezza, *translations], find_common_words([bellezza, anew]))
    assert len(published) == 21
    assert scores.keys() == published.keys()
    for name, row in published.items():
        if row["value"]:
            hard = any(language in one for one in name for language in ("turkish", "chinese"))
            assert scores[name]["value"] == pytest.approx(float(row["value"]), abs=0.035 if hard else 0.006), name


def _map_ratings(lexicon: Lexicon) -> dict[str, float]:
    return dict(zip(lexicon.words, lexicon.valence.tolist(), strict=True))
