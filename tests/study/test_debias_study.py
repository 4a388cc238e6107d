"""The study `debias`: the rows it leaves against the transforms and measures by themselves; the command; bad input."""

import json
import sys

import numpy as np
import polars as pl
import pytest

from wordworth.catalog.read.association_tests import load_test
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.read.word_sets import load_word_set, polar_words
from wordworth.cli import main
from wordworth.embedding import Embedding, Provenance, load, save
from wordworth.errors import WordworthError
from wordworth.measure import cosines, sc_weat, similarity, valence
from wordworth.results import Findings
from wordworth.study import study
from wordworth.study.debias import METHODS, PARTS
from wordworth.study.debias.study import add_controls, changed, cost_rows, versions
from wordworth.study.tables import stability_rows
from wordworth.transform import Moments, class_means, difference_direction, erased, leace_of, random_directions, remove

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


def value(scores: pl.DataFrame, **where: str | int) -> float:
    (found,) = scores.filter(pl.col(key) == wanted for key, wanted in where.items()).get_column("value")
    return found


def test_before_after_and_control_are_the_measures_of_each_version(words):
    made = debias(words, **LIGHT)
    subspace = difference_direction(words, "he", "she")
    after = remove(words, subspace.basis, subspace.name)
    np.testing.assert_array_equal(made.embedding.matrix, after.matrix)
    assert made.embedding.provenance.steps == after.provenance.steps

    polar, lexicon, pairs = polar_words(), load_lexicon("bellezza"), load_pairs("rg-65")
    controls = [remove(words, one.basis, one.name) for one in random_directions(16, count=3)]

    def valence_of(version: Embedding) -> float:
        rows = [version[word] for word in lexicon.words]
        poles = [np.array([version[word] for word in pole]) for pole in (polar.pleasant, polar.unpleasant)]
        return valence(sc_weat(np.array(rows), *poles), lexicon.valence, resamples=1, seed=0).value

    def similarity_of(version: Embedding) -> float:
        sides = [np.array([version[word] for word in side]) for side in (pairs.first, pairs.second)]
        return similarity(cosines(*sides), pairs.scores, resamples=1, seed=0).value

    scores = made.scores
    for measure, plain in (("valence", valence_of), ("similarity", similarity_of)):
        assert value(scores, measure=measure, setting="original") == pytest.approx(plain(words))
        assert value(scores, measure=measure, setting="projection") == pytest.approx(plain(after))
        alone = [plain(one) for one in controls]
        assert value(scores, measure=measure, setting="random:2") == pytest.approx(alone[1])
        assert value(scores, measure=measure, setting="random") == pytest.approx(np.mean(alone))
    assert abs(value(scores, measure="weat", dataset="weat8", setting="projection")) < 2
    kept = scores.filter(pl.col("setting") == "original", pl.col("measure") == "valence")
    assert kept["low"][0] < kept["value"][0] < kept["high"][0]
    assert scores.filter(pl.col("setting").str.starts_with("random"))["low"].is_null().all()
    assert set(scores["study"]) == {"debias"}


def test_items_of_both_versions_and_missing_words_once(words):
    found = debias(words, **LIGHT)
    items = found.items
    assert set(items["setting"].drop_nulls()) == {"original", "projection"}
    rated = items.filter(pl.col("group") == "lexicon").group_by("setting").len()
    assert dict(rated.iter_rows()) == {"original": 399, "projection": 399}
    one = items.filter(pl.col("experiment") == "similarity", pl.col("setting") == "projection").row(0, named=True)
    first, second = one["item"].split()
    after = remove(words, difference_direction(words, "he", "she").basis, "")
    assert one["value"] == pytest.approx(cosines(after[first][None], after[second][None])[0], abs=1e-6)


def test_stability_where_the_words_are(words):
    found = debias(words, without=PARTS[1:], **QUICK)
    rows = dict(stability_rows(found.scores))
    assert list(rows) == ["gendered", "names", "demonyms"]
    assert rows["gendered"]["2nd"] < 0.5  # one direction tells the pairs apart
    assert rows["gendered"]["cosine"] > 0.5
    assert rows["demonyms"]["2nd"] > 0.7  # no direction does: they are random
    assert any("stability of adherents was not measured" in sentence for sentence in found.warnings)


def test_another_language_is_debiased_and_not_measured(words):
    german = Embedding(words.words, words.matrix, Provenance("made", language="german"))
    made = debias(german, **LIGHT)
    assert made.scores["measure"].to_list() == ["dimensions"]
    assert any("has german words" in sentence for sentence in made.warnings)


@pytest.mark.parametrize("method", ["hard-debias", "inlp"])
def test_other_methods(words, method):
    made = debias(words, mitigate=method, **LIGHT)
    assert versions(made.scores) == ["original", method, "random"]
    direction = difference_direction(words, "he", "she").basis[0]
    unit = made.embedding["accountant"] / np.linalg.norm(made.embedding["accountant"])
    if method == "hard-debias":
        assert abs(unit @ direction) < 1e-6
        assert abs(made.embedding["he"] @ direction) > 0.1
        assert any("words neutralized" in note for note in made.notes)
    else:
        kept = made.scores.filter(pl.col("setting") == "inlp", pl.col("experiment") == "subspace")
        told = dict(zip(kept["measure"], kept["value"], strict=True))
        assert told["inlp:before"] > 0.8
        assert told["inlp:after"] < told["inlp:before"]
        assert told["dimensions"] >= 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("form", ["vectors.npz", "vectors.txt"])
def test_debiased_twice_is_debiased_once(words, method, form, tmp_path):
    once = debias(words, mitigate=method, without=PARTS).embedding
    save(once, tmp_path / form)
    again = debias(load(tmp_path / form), mitigate=method, without=PARTS)
    lengths = np.linalg.norm(once.matrix, axis=1, keepdims=True)
    assert np.abs((again.embedding.matrix - once.matrix) / lengths).max() < 2e-6
    assert any("left as they are" in said for said in again.warnings) == (method != "hard-debias")


@pytest.mark.parametrize("method", ["projection", "inlp", "leace"])
def test_a_concept_of_two_classes(words, method):
    """After LEACE the means of the classes are one; after the others, what was between them is out of all words."""
    plan = {"concept": (("bommasani-male", "bommasani-female"),), "without": PARTS, "mitigate": method}
    made = debias(words, **plan)
    assert value(made.scores, measure="dimensions", n=40) == 1
    means = [np.mean([made.embedding[word] for word in load_word_set(name).words], axis=0) for name in SETS[:2]]
    unit = class_means(words, {name: load_word_set(name).words for name in SETS[:2]}).basis[0]
    if method == "leace":
        np.testing.assert_allclose(*means, atol=2e-6)
        assert made.embedding.provenance.steps[-1].startswith("leace: bommasani-male / bommasani-female (1; ")
        again = debias(made.embedding, **plan)
        assert again.embedding is made.embedding
        assert any("have one mean in made" in said for said in again.warnings)
    else:
        assert abs(made.embedding["accountant"] @ unit) < 1e-5


def test_leace_of_three_classes_and_its_control(words):
    three = (("bommasani-male", "bommasani-female", "dev-demonyms_train"),)
    made = debias(words, mitigate="leace", concept=three, **LIGHT)
    assert value(made.scores, measure="dimensions") == 2
    assert versions(made.scores) == ["original", "leace", "random"]
    means = [np.mean([made.embedding[word] for word in load_word_set(name).words], axis=0) for name in three[0]]
    np.testing.assert_allclose(means[1:], [means[0]] * 2, atol=2e-6)
    moments = Moments.of(words.matrix)
    (control, *_) = random_directions(16, count=3, k=2)
    other = erased(words, leace_of(control, moments))
    polar, lexicon = polar_words(), load_lexicon("bellezza")
    poles = [np.array([other[word] for word in pole]) for pole in (polar.pleasant, polar.unpleasant)]
    rows = np.array([other[word] for word in lexicon.words])
    alone = valence(sc_weat(rows, *poles), lexicon.valence, resamples=1, seed=0).value
    assert value(made.scores, measure="valence", setting="random:1") == pytest.approx(alone)


def test_several_subspaces_are_taken_out_together(words, tmp_path):
    (tmp_path / "mine.txt").write_text("father mother\nson, daughter\n\n")
    made = debias(
        words,
        without=PARTS,
        directions=(("he", "she"),),
        bias_pairs=(str(tmp_path / "mine.txt"),),
        bias_words=("dev-demonyms_train",),
        concept=(("bommasani-male", "bommasani-female"),),
    )
    assert value(made.scores, measure="dimensions") == 4
    he_she = difference_direction(words, "he", "she").basis[0]
    assert np.abs(made.embedding.matrix @ he_she).max() < 1e-5
    assert "he − she and mine and dev-demonyms_train and bommasani-male / " in made.embedding.provenance.steps[0]


def test_controls_are_averaged():
    drawn = []
    for number in (1.0, 2.0, 6.0):
        found = Findings("debias")
        found.score(experiment="weat", model="m", dataset="weat1", measure="weat", value=number, p=0.5, n=9)
        drawn.append(found)
    findings = Findings("debias")
    add_controls(findings, drawn)
    assert findings.scores["setting"].to_list() == ["random:1", "random:2", "random:3", "random"]
    assert findings.scores["value"].to_list() == [1, 2, 6, 3]
    assert findings.scores["p"].is_null().all()


def test_the_table():
    findings = Findings("debias")
    for setting, number in (("original", 0.4), ("projection", 0.5), ("random:1", 0.3), ("random", 0.35)):
        where = {"experiment": "gender", "dataset": "gender", "setting": setting}
        findings.score(**where, measure="net-neutral", value=number, n=7)
        findings.score(**where, measure="net-neutral:by-pair", value=number, n=7)
    (row,) = cost_rows(findings.scores)
    assert row == ("gender: net-neutral", {"original": 0.4, "projection": 0.5, "random": 0.35}, 7)
    assert changed(row[0], 0.5, 0.4) == "+25.0%"
    assert changed("weat: weat6", -0.5, 1.0) == "-1.500"
    assert changed("weat: weat6", None, 1.0) == ""


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        ({"directions": (("he", "nowhere"),)}, "made has no word 'nowhere'"),
        ({"bias_words": ("dev-adherents_train",), "bias_components": 2}, "has 0 of the 8 words of dev-adherents_train"),
        ({"bias_pairs": ("dev-demonyms_train",)}, "is a set of words, not of pairs"),
        ({"bias_words": ("dev-demonym_train",)}, "did you mean dev-demonyms_train"),
        ({"mitigate": "projecton"}, "--mitigate is 'projecton'; did you mean projection"),
        ({"bias_components": 0}, "--bias-components is 0"),
        ({"concept": (("bommasani-male",),)}, "--concept is bommasani-male: a concept has two or more classes"),
        ({"concept": (("bommasani-male", "bommasani-femal"),)}, "did you mean bommasani-female"),
        ({"concept": (("bommasani-male", "dev-adherents_train"),)}, "made has none of the 8 words of dev-adherents_tr"),
        ({"specific": "x"}, "are for --mitigate hard-debias"),
        ({"bias_words": ("dev-demonyms_train",), "mitigate": "hard-debias"}, "give --specific and --equalize"),
        ({"bias_words": ("dev-demonyms_train",), "bias_components": 2, "mitigate": "inlp"}, "name a single direction"),
    ],
)
def test_bad_plans(words, plan, sentence):
    with pytest.raises(WordworthError, match=sentence):
        debias(words, without=PARTS, **plan)


def test_the_command(words, tmp_path, monkeypatch, capsys):
    save(words, tmp_path / "mine.npz")
    target, folder = tmp_path / "out.vec", tmp_path / "report"

    def run(*more: str) -> int:
        given = ["debias", str(tmp_path / "mine.npz"), "-o", str(target), "--run-output", str(folder), *more]
        monkeypatch.setattr(sys, "argv", ["wordworth", *given])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0)

    small = ["--without", "bias", "--without", "nli", "--pairs", "rg-65", "--test", "weat8"]
    small += ["--random", "2", "--resamples", "10"]
    assert run("--direction", "he,she", *small) == 0
    shown = capsys.readouterr().out
    assert "similarity: rg-65" in shown
    assert "projection" in shown
    assert shown.strip().endswith("out.vec")
    again = load(target)
    np.testing.assert_allclose(again.matrix @ difference_direction(words, "he", "she").basis[0], 0, atol=1e-5)
    told = json.loads((folder / "run.json").read_text())
    assert told["study"] == "debias"
    assert told["settings"]["directions"] == [["he", "she"]]
    assert (folder / "scores.csv").exists()
    assert run("--direction", "he,she", *small) == 2  # nothing is replaced unasked
    assert "is there already" in capsys.readouterr().err
    assert run("--without", "all", "--overwrite", "--json") == 0
    assert json.loads(capsys.readouterr().out)["scores"][0]["measure"] == "dimensions"
    assert run("--direction", "he", "--overwrite") == 2
    assert "'he' is not two names with a comma between" in capsys.readouterr().err
