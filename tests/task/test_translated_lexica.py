"""Bellezza's words in other languages: an English word counts once, by the mean over its translations."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import polar_words
from wordworth.embedding import Embedding, Layers, Provenance
from wordworth.measure import sc_weat
from wordworth.results.findings import Findings
from wordworth.task.settings import Permutations
from wordworth.task.valence import (
    RatedEffects,
    average_by_english,
    compute_effect_sizes,
    score_valence,
    score_without_poles,
)
from wordworth.task.words import select_poles

FEW = Permutations(resamples=20, permutations=50, p_method="monte-carlo")


def vectors_for(*words: str) -> Layers:
    distinct = list(dict.fromkeys(words))
    matrix = np.random.default_rng(0).normal(size=(len(distinct), 20))
    return Layers.of(Embedding(distinct, matrix, Provenance("random", language="polish")))


def test_an_english_word_counts_once_in_polish(data: Path) -> None:
    """394 Polish words translate 348 of Bellezza's; ρ against a plain loop over the English words."""
    lexicon, polar = load_lexicon("bellezza-polish"), polar_words("polish")
    layers = vectors_for(*lexicon.words, *polar.pleasant, *polar.unpleasant)
    poles = select_poles(layers, polar, FEW)
    findings = score_valence(layers, poles, lexicon, FEW)
    effects = sc_weat(layers.select(lexicon.words).vectors()[0], *(pole.vectors()[0] for pole in poles))
    rated, translated = average_by_english(lexicon), {}
    for english, effect in zip(lexicon.english, effects, strict=True):
        translated.setdefault(english[0], []).append(effect)
    expected = np.corrcoef([rated[word] for word in translated], [np.mean(some) for some in translated.values()])[0, 1]
    (score,) = findings.scores.filter(pl.col("variant").is_null(), measure="valence").iter_rows(named=True)
    assert (score["n"], score["value"]) == (348, pytest.approx(expected, abs=1e-12))
    items = findings.items["rated_words"].filter(pl.col("skipped").is_null()).collect()
    assert len(items) == 348  # what `compare` pairs is what the score is over
    assert np.corrcoef(items["value"], items["rating"])[0, 1] == pytest.approx(expected, abs=1e-12)


def test_an_item_with_a_pole_among_its_words_is_taken_out(data: Path) -> None:
    lexicon, polar = load_lexicon("bellezza-polish"), polar_words("polish")
    layers = vectors_for(*lexicon.words, *polar.pleasant, *polar.unpleasant)
    words = layers.select(lexicon.words)
    findings = Findings()
    rated = RatedEffects(words, lexicon, compute_effect_sizes(words, select_poles(layers, polar, FEW)))
    score_without_poles(findings, rated, {*polar.pleasant, *polar.unpleasant}, FEW)
    meanings = dict(zip(lexicon.words, lexicon.english, strict=True))
    poles = {meanings[word] for word in (*polar.pleasant, *polar.unpleasant) if word in meanings}
    assert poles
    (score,) = findings.scores.iter_rows(named=True)
    assert (score["measure"], score["control"], score["n"]) == ("valence", "poles-out", 348 - len(poles))
    (notice,) = findings.notices
    assert (notice.kind, notice.count, notice.total) == ("info", len(poles), 348)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("bellezza-in-anew", 381),
        ("bellezza-in-anew-german", 370),
        ("bellezza-in-anew-portuguese", 381),
        ("bellezza-in-anew-spanish", 381),
    ],
)
def test_the_papers_word_counts(data: Path, name: str, count: int) -> None:
    """N of Table 5 of ValNorm, where it can be rebuilt: Bellezza's words that ANEW has too."""
    lexicon = load_lexicon(name)
    assert len(lexicon) == count
    assert {word for english in lexicon.english for word in english} <= {*load_lexicon("anew").words}
