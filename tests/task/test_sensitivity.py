"""Variants of a test: against a plain loop that runs each by itself, and cases whose flips are known."""

from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
import polars as pl
import pytest

from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import AssociationTest, load_test, load_word_set, polar_words
from wordworth.embedding import Embedding, Layers, Provenance, Slot
from wordworth.measure import sc_weat, valence, weat, weat_p
from wordworth.measure.sensitivity import conclusions, robustness
from wordworth.statistics.permutation import normal_p, permutation_test
from wordworth.task.association import score_association
from wordworth.task.sensitivity import (
    VARIANT_KINDS,
    make_vector_variants,
    make_word_variants,
    score_association_variants,
    score_valence_variants,
)
from wordworth.task.settings import Sensitive
from wordworth.task.words import select_poles

SEED = 3
RNG = np.random.default_rng(SEED)


def make_embedding(words: dict[str, np.ndarray], name: str = "made") -> Embedding:
    return Embedding(list(words), np.array(list(words.values()), dtype=np.float32), Provenance(name))


@pytest.fixture(scope="module")
def test_of_names() -> AssociationTest:
    return load_test("weat6")


@pytest.fixture(scope="module")
def vectors(test_of_names: AssociationTest) -> Embedding:
    """The words of WEAT 6 with a weak effect, so that some variants are significant and some are not."""
    found = {}
    for group, shift in zip(test_of_names.groups, (0.45, -0.45, 0.8, -0.8), strict=True):
        for word in group:
            found[word] = RNG.normal(size=20) + 0.3
            found[word][0] += shift
            found[word] *= RNG.uniform(0.5, 2)
    return make_embedding(found)


@dataclass
class Plain:
    """One variant, computed alone: vectors of the four sets, changed and cut as its columns say."""

    embedding: Embedding
    test: AssociationTest
    settings: Sensitive

    def sets(self, kind: str, name: str, draw: dict[str, list[str]]) -> list[list[str]]:
        groups = [sorted(group) for group in self.test.groups]
        out = name.split(", ") if kind.startswith("one") else []
        if kind.startswith("half"):
            return [[word for word in group if word in draw["kept"]] for group in groups]
        return [[word for word in group if word not in out] for group in groups]

    def vectors(self, words: list[str], version: str) -> np.ndarray:
        every = np.asarray(self.embedding.matrix, dtype=np.float64)
        mine = np.array([every[self.embedding.words.index(word)] for word in words])
        if version == "as they are":
            return mine
        centred, mine = every - every.mean(axis=0), mine - every.mean(axis=0)
        if version == "all but the top":
            top = np.linalg.svd(centred, full_matrices=False)[2][0]
            mine = mine - np.outer(mine @ top, top)
        return mine

    def d(self, sets: list[np.ndarray], way: str, ddof: int) -> tuple[float, list[float]]:
        X, Y, A, B = sets

        def cos(u: np.ndarray, v: np.ndarray) -> float:
            return float(u @ v / np.sqrt((u @ u) * (v @ v)))

        def near(w: np.ndarray, group: np.ndarray) -> float:
            if way == "mean cosine":
                return fmean(cos(w, a) for a in group)
            if way == "inner product":
                return fmean(float(w @ a) for a in group)
            return cos(w, np.mean([a / np.sqrt(a @ a) for a in group], axis=0))

        s = [near(w, A) - near(w, B) for w in (*X, *Y)]
        return (fmean(s[: len(X)]) - fmean(s[len(X) :])) / float(np.std(s, ddof=ddof)), s


def test_variants_are_those_of_a_plain_loop(test_of_names: AssociationTest, vectors: Embedding) -> None:
    """A fifteenth of the variants, each by itself in plain Python; p by `weat_p` where that has the association."""
    settings = Sensitive(draws=3, permutations=300, seed=SEED)
    layers = Layers.of(vectors)
    found = score_association_variants(layers, test_of_names, settings, make_vector_variants(layers))
    names = [sorted(group) for group in test_of_names.groups]
    words = make_word_variants(names[:2], names[2:], 3, SEED)
    flat = [word for group in names[:2] for word in group], [word for group in names[2:] for word in group]
    kept = {}
    for kind, name, *masks in zip(words.kinds, words.names, words.targets, words.attributes, strict=True):
        kept[kind, name] = [word for side, mask in zip(flat, masks, strict=True) for word in np.array(side)[mask]]
    plain = Plain(vectors, test_of_names, settings)
    items = found.items["variants"].collect()
    assert set(items["words"]) == set(VARIANT_KINDS)
    assert len(items) == len(words) * 3 * 3 * 2 * 2 * 2
    for row in items[::15].iter_rows(named=True):
        way, spread, method = row["association"], row["sigma"], row["p_test"]
        sets = plain.sets(row["words"], row["without"], {"kept": kept[row["words"], row["without"]]})
        cut = [plain.vectors(group, row["vectors"]) for group in sets]
        d, s = plain.d(cut, way, 1 if spread == "sample σ" else 0)
        assert row["value"] == pytest.approx(d, rel=1e-6), row  # float32 vectors
        how = {"sides": {"one-sided": "one", "two-sided": "two"}[row["sides"]], "permutations": 300, "seed": SEED}
        p = (normal_p if method == "normal p" else lambda *given, **how: permutation_test(*given, **how).p)(
            np.array(s), len(cut[0]), **how
        )
        assert row["p"] == pytest.approx(float(p), rel=1e-6), row
        if way == "mean cosine" and spread == "sample σ":
            assert row["value"] == pytest.approx(float(weat(*cut)), rel=1e-6)
            if method == "permutation p":
                assert row["p"] == pytest.approx(float(weat_p(*cut, **how).p), rel=1e-6)


def test_robustness_by_hand() -> None:
    values = np.array([1.0, 0.5, -0.2, -1.0, 2.0])
    p = np.array([0.01, 0.2, 0.6, 0.04, 0.001])
    assert conclusions(values, p).tolist() == [1, 0, 0, -1, 1]
    found = robustness(values, p)
    shares = [found[name]["value"] for name in ("significant", "same-sign", "flipped")]
    assert shares == pytest.approx([3 / 5, 3 / 5, 3 / 5])
    assert found["median"] == {"value": 0.5, "low": -1, "high": 2}


def test_two_sides_and_layers(test_of_names: AssociationTest, vectors: Embedding) -> None:
    """The first variant is the test as it is run; words that were encoded have a row a layer."""
    layers = Layers.of(vectors)
    settings = Sensitive(draws=2, sides="two", permutations=200)
    found = score_association_variants(layers, test_of_names, settings, make_vector_variants(layers))
    choices = (
        found.items["variants"].collect().select("vectors", "association", "sigma", "p_test", "sides", "correlation")
    )
    assert choices.row(0) == ("as they are", "mean cosine", "sample σ", "permutation p", "two-sided", None)
    selected = layers.select(vectors.words)
    slots = (Slot(0), Slot(1))
    encoded = replace(selected, slots=slots, read=lambda slot: vectors.matrix * (1 + slot.layer), context="bleached")
    found = score_association_variants(encoded, test_of_names, settings, make_vector_variants(encoded))
    assert found.scores["layer"].unique().to_list() == [0, 1]
    assert found.scores["context"].unique().to_list() == ["bleached"]
    assert "vectors: centred" in found.scores["subset"].to_list()


@pytest.fixture(scope="module")
def rated() -> Embedding:
    """Bellezza's first words and all polar words, laid along their rating with much noise."""
    lexicon, polar = load_lexicon("bellezza"), polar_words()
    ratings = dict(zip(lexicon.words[:60], lexicon.ratings["valence"][:60], strict=True))
    high, low = (
        {*polar.pleasant, *load_word_set("pleasant_2").words},
        {*polar.unpleasant, *load_word_set("unpleasant_2").words},
    )
    found = {}
    for word in dict.fromkeys([*ratings, *sorted(high), *sorted(low)]):
        found[word] = RNG.normal(size=10)
        found[word][0] += 3 * (word in high) - 3 * (word in low) + (ratings.get(word, 3) - 3) / 2
    return make_embedding(found)


def test_valence_under_other_choices(rated: Embedding) -> None:
    """Each variant with all vectors as they are and SC-WEAT, by `sc_weat` and `valence`; other poles by name."""
    lexicon, layers = load_lexicon("bellezza"), Layers.of(rated)
    settings = Sensitive(draws=2)
    poles = select_poles(layers, polar_words(), settings)
    others = tuple(layers.select(load_word_set(name).words) for name in ("pleasant_2", "unpleasant_2"))
    every = {"polar words": poles, "pleasant_2": others}
    found = score_valence_variants(layers, every, lexicon, settings, make_vector_variants(layers))
    ratings = dict(zip(lexicon.words, lexicon.ratings["valence"], strict=True))
    known = sorted(word for word in lexicon.words if word in rated.words)
    items = found.items["variants"].collect()
    chosen = items.filter(vectors="as they are", association="effect size")
    assert len(chosen) * 12 == len(items)
    for row in chosen.filter(~pl.col("without").str.starts_with("draw")).iter_rows(named=True):
        kind = row["words"]
        out = {*row["without"].split(", ")} if kind.startswith("one") else set()
        sides = others if kind == "other poles" else poles
        kept_poles = [[w for w in side.words if w not in out or kind == "one target out"] for side in sides]
        if kind == "one of each out":
            kept_poles = [[w for w in side.words if w != row["without"].split(", ")[1]] for side in sides]
            out = {row["without"].split(", ")[0]}
        words = known if kind == "one attribute out" else [word for word in known if word not in out]
        rows = [np.array([rated[word] for word in group], dtype=np.float64) for group in (words, *kept_poles)]
        ranked = row["correlation"] == "Spearman"
        people = np.array([ratings[word] for word in words])
        expected = valence(sc_weat(*rows), people, ranked=ranked, resamples=1).value
        assert row["value"] == pytest.approx(float(expected), rel=1e-6), row
    assert found.scores.filter(variant="median")["n"].item() == len(items)


def test_the_first_variant_is_the_score(test_of_names: AssociationTest, vectors: Embedding) -> None:
    layers, settings = Layers.of(vectors), Sensitive(draws=1, permutations=100)
    score = score_association(layers, test_of_names, settings).scores.row(0, named=True)
    found = score_association_variants(layers, test_of_names, settings, make_vector_variants(layers))
    first = found.items["variants"].collect().row(0, named=True)
    assert (first["value"], first["p"]) == pytest.approx((score["value"], score["p"]), rel=1e-12)
