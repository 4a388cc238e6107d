"""What tasks record is typed: counts in notices, p and how it was computed in columns, and nothing in prose."""

import numpy as np
import polars as pl
import pytest

from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.word_sets import AssociationTest, polar_words
from wordworth.embedding import Embedding, Layers, Provenance
from wordworth.measure import valence as correlate
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import Caution
from wordworth.statistics.correlation import shuffled_pearson
from wordworth.task.association import score_association
from wordworth.task.settings import Permutations
from wordworth.task.valence import RatedEffects, compute_effect_sizes, score_shuffled
from wordworth.task.words import select_poles

SETTINGS = Permutations(resamples=40, permutations=100, sides="two")
POLAR = polar_words("english")
SETS = {"X": ("rose", "tulip", "daisy"), "Y": ("ant", "wasp", "moth", "gnat", "bee", "fly", "bug")}
TEST = AssociationTest(
    "mine", "Mine", **SETS, A=("love", "peace", "joy"), B=("war", "filth", "vex"), labels=("x", "y", "a", "b")
)
LEXICON = Lexicon("few", tuple(POLAR.pleasant[:30]), {"valence": np.linspace(1, 9, 25)}, (1.0, 9.0))


@pytest.fixture(scope="module")
def layers() -> Layers:
    words = dict.fromkeys([*POLAR.pleasant, *POLAR.unpleasant, *(word for group in TEST.groups for word in group)])
    known = [word for word in words if word != "vex"]
    matrix = np.random.default_rng(0).normal(size=(len(known), 12))
    return Layers.of(Embedding(known, matrix, Provenance("made")))


def test_p_of_a_test_is_in_columns(layers: Layers) -> None:
    findings = score_association(layers, TEST, SETTINGS)
    (score,) = findings.scores.iter_rows(named=True)
    assert (score["p_method"], score["sides"], score["partitions"]) == ("exact", "two", 120)  # 10 over 3
    assert 0 < score["p"] <= 1
    assert score["coverage"] == pytest.approx(2 / 3)
    assert set(score["cautions"]) == {Caution.FEW_ITEMS, Caution.LOW_COVERAGE, Caution.UNBALANCED_SETS}
    assert not [notice for notice in findings.notices if "partitions" in notice.reason]
    items = findings.items["association_words"].collect()
    assert items.filter(pl.col("value").is_not_null())["role"].unique().sort().to_list() == ["X", "Y"]
    assert items.drop_nulls("skipped").select("role", "set", "word").rows() == [("B", "b", "vex")]


def test_a_control_has_columns_of_its_own(layers: Layers) -> None:
    """ρ of shuffled ratings and ρ above it, against the functions of the statistics."""
    words = layers.select(LEXICON.words)
    rated = RatedEffects(words, LEXICON, compute_effect_sizes(words, select_poles(layers, POLAR, SETTINGS)))
    findings = Findings()
    score_shuffled(findings, rated, SETTINGS)
    chance, above = findings.scores.iter_rows(named=True)
    rho = correlate(rated.effects, rated.people, resamples=1).value.item()
    expected, p = shuffled_pearson(rated.effects, rated.people, shuffles=40, seed=0)
    assert (chance["experiment"], chance["control"], chance["variant"]) == ("control", "shuffled", None)
    assert chance["value"] == pytest.approx(expected.value.item())
    assert (above["control"], above["variant"], above["p"]) == ("shuffled", "above-control", p.item())
    assert above["value"] == pytest.approx(rho - expected.value.item())
    assert (above["p_method"], above["sides"], above["partitions"]) == ("monte-carlo", "two", 40)
