"""Variants of a test: against a plain loop that runs each by itself, and cases whose flips are known."""

from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np
import polars as pl
import pytest

from wordworth.catalog.read.association_tests import AssociationTest, load_test
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import load_word_set, polar_words
from wordworth.embedding import Embedding, Layers, Provenance, Slot
from wordworth.measure import sc_weat, valence, weat, weat_p
from wordworth.measure.sensitivity import conclusions, robustness
from wordworth.statistics.permutation import normal_p, permutation_test
from wordworth.study import study
from wordworth.study.weat import WeatSettings
from wordworth.task.sensitivity import association_sensitivity, valence_sensitivity
from wordworth.task.variants import AND, KINDS, vector_versions, word_variants
from wordworth.task.words import poles_in

SEED = 3
RNG = np.random.default_rng(SEED)


def made(words: dict[str, np.ndarray], name: str = "made") -> Embedding:
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
    return made(found)


@dataclass
class Plain:
    """One variant, computed alone: vectors of the four sets, changed and cut as its columns say."""

    embedding: Embedding
    test: AssociationTest
    settings: WeatSettings

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
    settings = WeatSettings(draws=3, permutations=300, seed=SEED)
    layers = Layers.of(vectors)
    found = association_sensitivity(layers, test_of_names, settings, vector_versions(layers))
    names = [sorted(group) for group in test_of_names.groups]
    words = word_variants(names[:2], names[2:], 3, SEED)
    flat = [word for group in names[:2] for word in group], [word for group in names[2:] for word in group]
    kept = {}
    for kind, name, *masks in zip(words.kinds, words.names, words.targets, words.attributes, strict=True):
        kept[kind, name] = [word for side, mask in zip(flat, masks, strict=True) for word in np.array(side)[mask]]
    plain = Plain(vectors, test_of_names, settings)
    assert set(found.items["group"]) == set(KINDS)
    assert len(found.items) == len(words) * 3 * 3 * 2 * 2 * 2
    for row in found.items[::15].iter_rows(named=True):
        version, way, spread, method, sides = row["place"].split(AND)
        sets = plain.sets(row["group"], row["item"], {"kept": kept[row["group"], row["item"]]})
        cut = [plain.vectors(group, version) for group in sets]
        d, s = plain.d(cut, way, 1 if spread == "sample σ" else 0)
        assert row["value"] == pytest.approx(d, rel=1e-6), row  # float32 vectors
        how = {"sides": sides.partition("-")[0], "permutations": 300, "seed": SEED}
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
    shares = [found[f"sensitivity:{name}"]["value"] for name in ("significant", "same-sign", "flipped")]
    assert shares == pytest.approx([3 / 5, 3 / 5, 3 / 5])
    assert found["sensitivity:median"] == {"value": 0.5, "low": -1, "high": 2}


def pulled(test: AssociationTest, pull: float) -> Embedding:
    """Targets far apart along one axis and attributes at its ends."""
    found = {}
    for group, end in zip(test.groups, (pull, -pull, 1.0, -1.0), strict=True):
        for number, word in enumerate(sorted(group)):
            found[word] = np.array([end, 1.0, 0.02 * number, 0.0])
    rng = np.random.default_rng(0)  # words that make the mean and the first component no matter of the test
    rest = {f"other{at}": rng.normal(size=4) * [0, 0, 0, 9] for at in range(200)}
    rest |= {f"back{at}": -vector for at, vector in enumerate(found.values())}
    return made(found | rest)


def test_a_clear_effect_never_flips(test_of_names: AssociationTest) -> None:
    layers = Layers.of(pulled(test_of_names, 1.0))
    settings = WeatSettings(draws=5)
    scores = association_sensitivity(layers, test_of_names, settings, vector_versions(layers)).scores
    shares = scores.filter(pl.col("measure") != "sensitivity:median")
    expected = {"sensitivity:significant": 1.0, "sensitivity:same-sign": 1.0, "sensitivity:flipped": 0.0}
    assert all(row["value"] == expected[row["measure"]] for row in shares.iter_rows(named=True))
    assert {row["setting"].partition(": ")[0] for row in shares.iter_rows(named=True) if row["setting"]} == {
        *("words", "vectors", "association", "σ", "p", "sides")
    }


def test_an_effect_that_lengths_alone_make_flips_with_them(test_of_names: AssociationTest) -> None:
    """Lengths alone tell X from Y: nothing by cosines, all by inner products."""
    found = {}
    rng = np.random.default_rng(1)
    for group, axis, length in zip(test_of_names.groups, (0, 0, 0, 1), (9.0, 1.0, 1.0, 1.0), strict=True):
        for word in group:
            vector = np.array([1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, *rng.normal(scale=0.05, size=4)])
            found[word] = vector * length
    mirror = {f"back{at}": -vector for at, vector in enumerate(found.values())}  # so that the mean is nought
    layers = Layers.of(made(found | mirror))
    settings = WeatSettings(draws=2, permutations=200)
    scores = association_sensitivity(layers, test_of_names, settings, vector_versions(layers)).scores
    flipped = dict(scores.filter(measure="sensitivity:flipped").select("setting", "value").iter_rows())
    assert flipped["association: inner product"] > 0.6
    assert flipped["association: mean cosine"] < 0.3
    assert flipped["σ: sample σ"] == flipped["σ: population σ"]


def test_two_sides_and_layers(test_of_names: AssociationTest, vectors: Embedding) -> None:
    """The first variant is the test as it is run; words that were encoded have a row a layer."""
    layers = Layers.of(vectors)
    settings = WeatSettings(draws=2, sides="two", permutations=200)
    first = association_sensitivity(layers, test_of_names, settings, vector_versions(layers)).items.row(0, named=True)
    assert first["place"] == "as they are · mean cosine · sample σ · permutation p · two-sided"
    selected = layers.select(vectors.words)
    slots = (Slot(0), Slot(1))
    encoded = replace(selected, slots=slots, read=lambda slot: vectors.matrix * (1 + slot.layer), setting="bleached")
    found = association_sensitivity(encoded, test_of_names, settings, vector_versions(encoded))
    assert found.scores["layer"].unique().to_list() == [0, 1]
    assert "vectors: centred:bleached" in found.scores["setting"].to_list()


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
    return made(found)


def test_valence_under_other_choices(rated: Embedding) -> None:
    """Each variant with all vectors as they are and SC-WEAT, by `sc_weat` and `valence`; other poles by name."""
    lexicon, layers = load_lexicon("bellezza"), Layers.of(rated)
    settings = WeatSettings(draws=2)
    poles = poles_in(layers, polar_words(), settings)
    others = tuple(layers.select(load_word_set(name).words) for name in ("pleasant_2", "unpleasant_2"))
    every = {"polar words": poles, "pleasant_2": others}
    found = valence_sensitivity(layers, every, lexicon, settings, vector_versions(layers))
    ratings = dict(zip(lexicon.words, lexicon.ratings["valence"], strict=True))
    known = sorted(word for word in lexicon.words if word in rated.words)
    chosen = found.items.filter(pl.col("place").str.starts_with("as they are · effect size"))
    assert len(chosen) * 12 == len(found.items)
    for row in chosen.filter(~pl.col("item").str.starts_with("draw")).iter_rows(named=True):
        out = {*row["item"].split(", ")} if row["group"].startswith("one") else set()
        sides = others if row["group"] == "other poles" else poles
        kept_poles = [[w for w in side.words if w not in out or row["group"] == "one target out"] for side in sides]
        if row["group"] == "one of each out":
            kept_poles = [[w for w in side.words if w != row["item"].split(", ")[1]] for side in sides]
            out = {row["item"].split(", ")[0]}
        words = known if row["group"] == "one attribute out" else [word for word in known if word not in out]
        rows = [np.array([rated[word] for word in group], dtype=np.float64) for group in (words, *kept_poles)]
        ranked = not row["place"].endswith("Pearson")
        people = np.array([ratings[word] for word in words])
        expected = valence(sc_weat(*rows), people, ranked=ranked, resamples=1).value
        assert row["value"] == pytest.approx(float(expected), rel=1e-6), row
    assert found.scores.filter(measure="sensitivity:median")["n"].item() == len(found.items)


def test_the_first_variant_is_the_score(vectors: Embedding) -> None:
    found = study("weat")([vectors], tests=["weat6"], sensitivity=True, draws=1, permutations=100)
    weat6 = found.scores.filter(measure="weat").row(0, named=True)
    base = found.items.filter(experiment="sensitivity").row(0, named=True)
    assert (base["value"], base["p"]) == pytest.approx((weat6["value"], weat6["p"]), rel=1e-12)
    assert "Simonsohn" in found.about.method
    (_, table) = study("weat").tables(found.scores, found.items)
    assert table.rows[0][:2] == ["weat6", "made"]
    plain = study("weat")([vectors], tests=["weat6"], draws=1, permutations=100)
    assert "sensitivity" not in plain.scores["experiment"].to_list()
    assert "Simonsohn" not in plain.about.method
