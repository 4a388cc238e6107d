"""The word lists and estimators of the study static, without a language model: tuples, warnings, curves, Table 3."""

from typing import Any

import numpy as np
import pytest
from wordworth.study.findings import Findings
from wordworth.study.options import Options
from wordworth.study.static.agreement import Draws, curves, draw
from wordworth.study.static.bias import beside, definitions
from wordworth.study.static.lists import Lists, Space, load_lists, restricted, space_of_embedding

from wordworth.catalog.embeddings import load_embeddings
from wordworth.embedding import Embedding, Provenance
from wordworth.measure import direct_bias, garg_cosine, garg_euclidean, manzini, pair_direction
from wordworth.study.static import static

OPTIONS = Options(resamples=20)


@pytest.fixture(scope="module")
def lists() -> Lists:
    return load_lists(Findings("static"))


@pytest.fixture(scope="module")
def space(lists: Lists) -> Space:
    """Random vectors of all the words in five layers."""
    vectors = np.random.default_rng(0).normal(size=(5, len(lists.words), 12)) + 0.3
    return Space("random", tuple(range(5)), vectors, {word: row for row, word in enumerate(lists.words)})


def test_the_paper_s_3542_tuples(space: Space, lists: Lists) -> None:
    """22 a layer; over the nine models' 159 layers and two static embeddings that is the paper's number."""
    found = [
        (attribute, measure, name)
        for name, words in lists.targets.items()
        for attribute, measure, _ in definitions(space, lists, words)
    ]
    assert len(set(found)) == len(found) == 22
    assert len(found) * (13 + 25 + 13 + 25 + 13 + 25 + 13 + 25 + 7 + 2) == 3542


def test_a_weak_first_component_is_warned_of(lists: Lists) -> None:
    matrix = np.random.default_rng(1).normal(size=(len(lists.words), 50))
    noise = Embedding(list(lists.words), matrix, Provenance("noise"))
    findings = static([noise], experiments=["bias"], options=OPTIONS)
    assert any("explains less than 35% of the gender pairs' differences here" in one for one in findings.warnings)


def test_an_embedding_that_lacks_a_class(lists: Lists, space: Space) -> None:
    kept = {word: row for word, row in space.row_of.items() if word not in lists.classes["race"]["asian"]}
    lacking = Space("lacking", space.layers, space.vectors, kept)
    findings = Findings("static")
    usable = restricted(findings, lacking, lists)
    assert set(usable.classes) == {"gender", "religion"}
    assert findings.warnings == ["lacking has none of the words of asian; race is left out."]


def test_resampled_curves_are_the_measures_on_repeated_words(space: Space, lists: Lists) -> None:
    """Each column of counts against the measures run on word lists with the words repeated so often."""
    words = lists.targets["professions"][:30]
    options = Options(resamples=3, seed=4)
    (draws,) = draw(lists, words, options)
    found = curves(space, lists, words, draws)

    def repeated(words: tuple[Any, ...], counts: np.ndarray) -> list[Any]:
        return [word for word, count in zip(words, counts.astype(int).tolist(), strict=True) for _ in range(count)]

    for r in range(4):
        targets = space.of(repeated(words, draws.targets[:, r]))
        male, female = space.pairs(repeated(lists.pairs, draws.classes["gender-pairs"][:, r]))
        sides = {
            attribute: [space.of(repeated(sets[name], draws.classes[name][:, r])) for name in sets]
            for attribute, sets in lists.classes.items()
        }
        expected = {
            ("gender", "direct-bias@pairs"): direct_bias(targets, pair_direction(male, female).vector),
            ("gender", "garg-euclidean@pairs"): garg_euclidean(targets, male, female),
            ("gender", "garg-cosine@pairs"): garg_cosine(targets, male, female),
            ("gender", "manzini@pairs"): manzini(targets, [male, female]),
            ("gender", "garg-euclidean"): garg_euclidean(targets, *sides["gender"]),
            ("gender", "garg-cosine"): garg_cosine(targets, *sides["gender"]),
            ("gender", "manzini"): manzini(targets, sides["gender"]),
            ("race", "manzini"): manzini(targets, sides["race"]),
            ("religion", "garg-euclidean"): garg_euclidean(targets, *sides["religion"]),
            ("religion", "garg-cosine"): garg_cosine(targets, *sides["religion"]),
            ("religion", "manzini"): manzini(targets, sides["religion"]),
        }
        assert {(attribute, label) for attribute in found for label in found[attribute]} == set(expected)
        for (attribute, label), values in expected.items():
            np.testing.assert_allclose(found[attribute][label][:, r], values.mean(axis=1), rtol=1e-9)
    assert isinstance(draws, Draws)


@pytest.mark.index
def test_table_3_of_the_paper() -> None:
    """Google News word2vec, professions. These vectors have length one, and the paper's do not: hence the margins."""
    (embedding,) = load_embeddings("word2vec-news-26k")
    findings = Findings("static")
    lists = load_lists(findings)
    space = space_of_embedding(findings, embedding, lists)
    usable = restricted(findings, space, lists)
    words = usable.targets["professions"]
    found = {
        (attribute, measure): float(values.mean())
        for part in (definitions, beside)
        for attribute, measure, values in part(space, usable, words)
    }
    assert found["gender-pairs", "garg-cosine"] == pytest.approx(0.075, abs=0.001)
    assert found["gender", "garg-cosine"] == pytest.approx(0.0677, abs=0.004)
    assert found["gender-pairs", "manzini:centroid"] == pytest.approx(0.2403, abs=0.004)
    assert found["gender", "manzini:centroid"] == pytest.approx(0.2163, abs=0.004)


# Bad input.
