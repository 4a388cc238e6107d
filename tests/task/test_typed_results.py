"""What tasks record is typed: counts in notices, p and how it was computed in columns, and nothing in prose."""

import numpy as np
import polars as pl
import pytest

from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.pairs import Analogies, Section
from wordworth.catalog.read.word_sets import AssociationTest, polar_words
from wordworth.embedding import Embedding, Layers, Provenance
from wordworth.measure import valence as correlate
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import SHOWN_AT_ONCE, Caution
from wordworth.statistics.correlation import shuffled_pearson
from wordworth.task.association import score_association
from wordworth.task.settings import Permutations
from wordworth.task.similarity import record_neighbours, score_analogies
from wordworth.task.valence import RatedEffects, compute_effect_sizes, score_shuffled, score_valence
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


def test_a_count_is_a_fact_and_no_failure() -> None:
    """Headings that are no text, say, were not asked for: a reader need not be told when a study ends."""
    findings = Findings("predict")
    findings.notice("info", "headings of the text are not predicted", count=62, dataset="wikitext-103-test")
    run = findings.to_run(command=["python"])
    (notice,) = run.notices
    assert (notice.kind, notice.count, notice.dataset) == ("info", 62, "wikitext-103-test")
    assert notice.kind not in SHOWN_AT_ONCE
    assert str(notice).startswith("wikitext-103-test: 62 headings")


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


def test_words_of_a_lexicon_and_its_poles_are_in_two_tables(layers: Layers) -> None:
    findings = score_valence(layers, select_poles(layers, POLAR, SETTINGS), LEXICON, SETTINGS)
    by_variant = {row["variant"]: row for row in findings.scores.filter(measure="valence").iter_rows(named=True)}
    assert set(by_variant) == {None, "spearman", "p-against-d"}
    assert by_variant["p-against-d"]["p_method"] == "monte-carlo"
    assert by_variant["p-against-d"]["p"] is None
    assert by_variant[None]["coverage"] == 1
    words = findings.items["rated_words"].collect()
    assert (len(words), words["p"].null_count(), words["rating"].null_count()) == (25, 0, 0)
    lists = findings.items["word_lists"].collect()
    assert set(lists["list"]) == {"pleasant", "unpleasant"}


def test_analogies_and_neighbours_name_words(layers: Layers) -> None:
    questions = (("rose", "tulip", "ant", "wasp"), ("love", "war", "rose", "vex"))
    sections = (Section("family", "semantic", 0, 1), Section("plural", "syntactic", 1, 2))
    settings = type("Chosen", (), {"analogy_vocabulary": 0, "case": "exact"})
    findings = score_analogies(layers, Analogies("mine", questions, sections), settings)
    keys = findings.scores.filter(measure="analogy").select("variant", "subset", "n", "coverage").rows()
    assert keys == [(variant, subset, 1, 0.5) for variant in (None, "3cosmul") for subset in (None, "semantic")]
    items = findings.items["analogies"].collect().sort("section")
    assert items.select("a", "b", "c", "d", "section").row(0) == (*questions[0], "family")
    assert items["is_correct"].to_list()[1:] == [None]
    assert items["skipped"].null_count() == 1
    near = record_neighbours(layers, LEXICON, SETTINGS).items["neighbours"].collect()
    assert near["neighbours"].list.len().unique().to_list() == [10]
