"""The study `debias`: the rows it leaves against the transforms and measures by themselves; the command; bad input."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import paired_cosine_distances

from typed_runs import one, reasons, value, values_by
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.read.word_sets import load_test, load_word_set, polar_words
from wordworth.embedding import Embedding, Provenance, load, save
from wordworth.errors import WordworthError
from wordworth.measure import sc_weat, similarity, valence
from wordworth.results.run import Run, read_run
from wordworth.study import study
from wordworth.study.debias import DEBIAS_METHODS, DEBIAS_PARTS
from wordworth.transform import Moments, class_means, difference_direction, erase, fit_leace, random_directions, remove

debias = study("debias")
SETS = ("bommasani-male", "bommasani-female", "bommasani-professions")
QUICK = {"resamples": 20, "permutations": 50}
LIGHT = {"without": ("bias", "nli"), "pairs": ("rg-65",), "tests": ("weat6", "weat8"), "random": 3, **QUICK}


@pytest.fixture(scope="module")
def words() -> Embedding:
    """Bellezza, RG-65, gendered words along one direction, demonyms; adherents are not there."""
    polar, pairs = polar_words(), load_pairs("rg-65")
    held = [*load_lexicon("bellezza").words, *polar.pleasant, *polar.unpleasant, *pairs.first, *pairs.second]
    held += ["he", "she", *load_word_set("ea_name_male").words, *load_word_set("ea_name_female").words]
    held += [*load_word_set("dev-gendered_pairs").words]
    held += [word for name in SETS for word in load_word_set(name).words]
    held += [word for name in ("weat6", "weat8") for word in _test_words(name)]
    held += [*load_word_set("dev-demonyms_train").words, *load_word_set("dev-demonyms_test").words]
    unique = list(dict.fromkeys(held))
    matrix = np.random.default_rng(0).normal(size=(len(unique), 16)).astype(np.float32)
    for first, second in (("he", "she"), *load_word_set("dev-gendered_pairs").pairs):
        matrix[unique.index(first), 0] += 3
        matrix[unique.index(second), 0] -= 3
    return Embedding(unique, matrix, Provenance("made"))


def _test_words(name: str) -> list[str]:
    return [word for group in load_test(name).groups for word in group]


def versions(run: Run) -> list[str]:
    return run.scores["version"].drop_nulls().unique(maintain_order=True).to_list()


def test_before_after_and_control_are_the_measures_of_each_version(words):
    run = debias(words, **LIGHT)
    subspace = difference_direction(words, "he", "she")
    after = remove(words, subspace.basis, subspace.name)
    np.testing.assert_array_equal(run.product.matrix, after.matrix)
    assert run.product.provenance.steps == after.provenance.steps

    polar, lexicon, pairs = polar_words(), load_lexicon("bellezza"), load_pairs("rg-65")
    controls = [remove(words, one.basis, one.name) for one in random_directions(16, count=3)]

    def valence_of(version: Embedding) -> float:
        rows = [version[word] for word in lexicon.words]
        poles = [np.array([version[word] for word in pole]) for pole in (polar.pleasant, polar.unpleasant)]
        return valence(sc_weat(np.array(rows), *poles), lexicon.valence, resamples=1, seed=0).value

    def similarity_of(version: Embedding) -> float:
        sides = [np.array([version[word] for word in side]) for side in (pairs.first, pairs.second)]
        return similarity(1 - paired_cosine_distances(*sides), pairs.scores, resamples=1, seed=0).value

    for measure, plain in (("valence", valence_of), ("similarity", similarity_of)):
        assert value(run, measure=measure, version="original") == pytest.approx(plain(words))
        assert value(run, measure=measure, version="projection") == pytest.approx(plain(after))
        alone = [plain(control) for control in controls]
        assert value(run, measure=measure, version="random", draw=2) == pytest.approx(alone[1])
        assert value(run, measure=measure, version="random") == pytest.approx(np.mean(alone))
    assert abs(value(run, measure="weat", dataset="weat8", version="projection")) < 2
    before = one(run.scores, version="original", measure="valence")
    assert before["low"] < before["value"] < before["high"]
    assert run.scores.filter(version="random")["low"].is_null().all()


def test_stability_where_the_words_are(words):
    run = debias(words, without=DEBIAS_PARTS[1:], **QUICK)
    second, cosine = (
        values_by(run, "dataset", measure=measure, k=k) for measure, k in (("principal", 2), ("cosine", None))
    )
    assert list(cosine) == ["gendered", "names", "demonyms"]
    assert second["gendered"] < 0.5  # one direction tells the pairs apart
    assert cosine["gendered"] > 0.5
    assert second["demonyms"] > 0.7  # no direction does: they are random
    assert [notice.dataset for notice in run.notices if notice.kind == "failed"] == ["adherents"]


def test_another_language_is_debiased_and_not_measured(words):
    german = Embedding(words.words, words.matrix, Provenance("made", language="german"))
    run = debias(german, **LIGHT)
    assert run.scores["measure"].to_list() == ["dimensions"]
    assert any("german" in reason for reason in reasons(run, "skipped"))


@pytest.mark.parametrize("method", ["hard-debias", "inlp"])
def test_other_methods(words, method):
    run = debias(words, mitigate=method, **LIGHT)
    assert set(versions(run)) == {"original", method, "random"}
    direction = difference_direction(words, "he", "she").basis[0]
    unit = run.product["accountant"] / np.linalg.norm(run.product["accountant"])
    if method == "hard-debias":
        assert abs(unit @ direction) < 1e-6
        assert abs(run.product["he"] @ direction) > 0.1
        assert any("neutralized" in reason for reason in reasons(run, "info"))
    else:
        accuracy = values_by(run, "variant", measure="inlp", version="inlp")
        assert accuracy["before"] > 0.8
        assert accuracy["after"] < accuracy["before"]
        assert value(run, measure="dimensions", version="inlp") >= 1


@pytest.mark.parametrize("method", DEBIAS_METHODS)
@pytest.mark.parametrize("form", ["vectors.npz", "vectors.txt"])
def test_debiased_twice_is_debiased_once(words, method, form, tmp_path):
    once = debias(words, mitigate=method, without=DEBIAS_PARTS).product
    save(once, tmp_path / form)
    again = debias(load(tmp_path / form), mitigate=method, without=DEBIAS_PARTS)
    lengths = np.linalg.norm(once.matrix, axis=1, keepdims=True)
    assert np.abs((again.product.matrix - once.matrix) / lengths).max() < 2e-6
    assert bool(reasons(again, "skipped")) == (method != "hard-debias")


@pytest.mark.parametrize("method", ["projection", "inlp", "leace"])
def test_a_concept_of_two_classes(words, method):
    """After LEACE the means of the classes are one; after the others, what was between them is out of all words."""
    plan = {"concept": (("bommasani-male", "bommasani-female"),), "without": DEBIAS_PARTS, "mitigate": method}
    run = debias(words, **plan)
    assert value(run, measure="dimensions", n=40) == 1
    means = [np.mean([run.product[word] for word in load_word_set(name).words], axis=0) for name in SETS[:2]]
    unit = class_means(words, {name: load_word_set(name).words for name in SETS[:2]}).basis[0]
    if method == "leace":
        np.testing.assert_allclose(*means, atol=2e-6)
        assert run.product.provenance.steps[-1].startswith("leace: bommasani-male / bommasani-female (1; ")
        again = debias(run.product, **plan)
        assert again.product is run.product
        assert any("have one mean in made" in reason for reason in reasons(again, "skipped"))
    else:
        assert abs(run.product["accountant"] @ unit) < 1e-5


def test_leace_of_three_classes_and_its_control(words):
    three = (("bommasani-male", "bommasani-female", "dev-demonyms_train"),)
    run = debias(words, mitigate="leace", concept=three, **LIGHT)
    assert value(run, measure="dimensions") == 2
    assert set(versions(run)) == {"original", "leace", "random"}
    means = [np.mean([run.product[word] for word in load_word_set(name).words], axis=0) for name in three[0]]
    np.testing.assert_allclose(means[1:], [means[0]] * 2, atol=2e-6)
    moments = Moments.of(words.matrix)
    (control, *_) = random_directions(16, count=3, k=2)
    other = erase(words, fit_leace(control, moments))
    polar, lexicon = polar_words(), load_lexicon("bellezza")
    poles = [np.array([other[word] for word in pole]) for pole in (polar.pleasant, polar.unpleasant)]
    rows = np.array([other[word] for word in lexicon.words])
    alone = valence(sc_weat(rows, *poles), lexicon.valence, resamples=1, seed=0).value
    assert value(run, measure="valence", version="random", draw=1) == pytest.approx(alone)


def test_several_subspaces_are_taken_out_together(words, tmp_path):
    (tmp_path / "mine.txt").write_text("father mother\nson, daughter\n\n")
    run = debias(
        words,
        without=DEBIAS_PARTS,
        directions=(("he", "she"),),
        bias_pairs=(str(tmp_path / "mine.txt"),),
        bias_words=("dev-demonyms_train",),
        concept=(("bommasani-male", "bommasani-female"),),
    )
    assert value(run, measure="dimensions") == 4
    he_she = difference_direction(words, "he", "she").basis[0]
    assert np.abs(run.product.matrix @ he_she).max() < 1e-5
    assert "he − she and mine and dev-demonyms_train and bommasani-male / " in run.product.provenance.steps[0]


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        ({"bias_words": ("dev-adherents_train",), "bias_components": 2}, "has 0 of the 8 words of dev-adherents_train"),
        ({"bias_pairs": ("dev-demonyms_train",)}, "is a set of words, not of pairs"),
        ({"concept": (("bommasani-male",),)}, "concept is bommasani-male: a concept has two or more classes"),
        ({"concept": (("bommasani-male", "dev-adherents_train"),)}, "made has none of the 8 words of dev-adherents_tr"),
        ({"specific": "x"}, "need mitigate hard-debias"),
        ({"bias_words": ("dev-demonyms_train",), "mitigate": "hard-debias"}, "give --specific and --equalize"),
        ({"bias_words": ("dev-demonyms_train",), "bias_components": 2, "mitigate": "inlp"}, "name a single direction"),
    ],
)
def test_bad_plans(words, plan, sentence):
    with pytest.raises(WordworthError, match=sentence):
        debias(words, without=DEBIAS_PARTS, **plan)


def test_the_command(words, tmp_path, command):
    save(words, tmp_path / "mine.npz")
    target, folder = tmp_path / "out.vec", tmp_path / "report"
    given = ["debias", tmp_path / "mine.npz", "-o", target, "--run-output", folder, "--direction", "he,she"]
    small = ["--without", "bias", "--without", "nli", "--pairs", "rg-65", "--test", "weat8"]
    answer = command(*given, *small, "--random", 2, "--resamples", 10)
    assert answer.code == 0, answer.err
    assert "mine: before and after" in answer.out
    assert answer.out.strip().endswith("out.vec")
    again = load(target)
    np.testing.assert_allclose(again.matrix @ difference_direction(words, "he", "she").basis[0], 0, atol=1e-5)
    assert read_run(folder).settings["directions"] == [["he", "she"]]
    refused = command(*given, *small)  # nothing is replaced unasked
    assert (refused.code, "exists already" in refused.err) == (2, True)
    assert command(*given, "--without", "all", "--overwrite").code == 0
