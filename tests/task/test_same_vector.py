"""Words that resolve to one vector count once: in the sets of a test, in a lexicon, among pairs, in a subspace.

Expected numbers are those of the same data without the repeats, which never meet the code under test, and a d that is
computed here from the formula of Caliskan et al.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from wordworth.catalog.read.association_tests import AssociationTest
from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.pairs import Pairs
from wordworth.catalog.read.word_sets import polar_words
from wordworth.embedding import Embedding, Layers, Provenance
from wordworth.errors import WordworthError
from wordworth.results import Findings
from wordworth.study import study
from wordworth.study.valnorm import ValnormSettings
from wordworth.study.weat import WeatSettings
from wordworth.task.association import association
from wordworth.task.similarity import similarity
from wordworth.transform.subspace import class_means, set_components

SETS = {
    "X": ("rose", "tulip", "daisy", "orchid"),
    "Y": ("ant", "wasp", "moth", "flea"),
    "A": ("love", "peace", "joy"),
    "B": ("war", "filth", "grief"),
}
POLAR = polar_words("english")
WORDS = tuple(dict.fromkeys([*POLAR.pleasant, *POLAR.unpleasant, *(word for words in SETS.values() for word in words)]))
FLOWERS = AssociationTest("flowers", "Flowers", **SETS, labels=("flowers", "insects", "pleasant", "unpleasant"))
RATINGS = np.random.default_rng(1).uniform(1, 9, len(WORDS))
VALNORM = ValnormSettings(resamples=50, permutations=100, experiments=("valence",))


@pytest.fixture(scope="module")
def vectors() -> Embedding:
    """Lower-case words with random vectors."""
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 12))
    return Embedding(WORDS, matrix.astype(np.float32), Provenance("made"))


def effect_size(vectors: Embedding) -> float:
    def unit(words: tuple[str, ...]) -> NDArray[np.float64]:
        rows = np.array([vectors[word] for word in words])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    A, B = unit(SETS["A"]), unit(SETS["B"])
    x, y = ((unit(SETS[side]) @ A.T).mean(axis=1) - (unit(SETS[side]) @ B.T).mean(axis=1) for side in "XY")
    return float((x.mean() - y.mean()) / np.concatenate([x, y]).std(ddof=1))


def lexicon(words: tuple[str, ...], ratings: NDArray[np.float64]) -> Lexicon:
    return Lexicon("mine", words, {"valence": ratings}, (1.0, 9.0), sha256=str(len(words)))


def written(folder: Path, words: tuple[str, ...], ratings: NDArray[np.float64]) -> Path:
    folder.mkdir()
    rows = "".join(f"{word},{rating}\n" for word, rating in zip(words, ratings.tolist(), strict=True))
    (folder / "mine.csv").write_text(f"word,valence\n{rows}", encoding="utf-8")
    return folder / "mine.csv"


def valnorm(vectors: Embedding, path: Path) -> Findings:
    return study("valnorm").run([vectors], replace(VALNORM, lexica=(path,)))


def numbers(findings: Findings) -> list[tuple[object, ...]]:
    return findings.scores.select("measure", "setting", "value", "low", "high", "p", "n").rows()


def test_words_of_a_set_with_one_vector_count_once(vectors: Embedding) -> None:
    plain = association(Layers.of(vectors), FLOWERS, WeatSettings())
    repeated = replace(FLOWERS, X=("rose", "Rose", *SETS["X"][1:], "ROSE"), A=(*SETS["A"], "Love"))
    found = association(Layers.of(vectors), repeated, WeatSettings())
    assert found.scores.row(0, named=True)["value"] == pytest.approx(effect_size(vectors), abs=1e-12)
    assert numbers(found) == numbers(plain)
    assert found.scores.item(0, "n") == 8
    assert not found.scores.item(0, "flags") or "cover" not in found.scores.item(0, "flags")
    left_out = found.items.drop_nulls("left_out")
    assert left_out.get_column("item").to_list() == ["Rose", "ROSE", "Love"]
    assert sum(found.left_out.values()) == 3
    assert any("Rose, ROSE" in note for note in found.notes)


def test_a_vector_in_both_sets_is_refused(vectors: Embedding) -> None:
    for sets in ({"Y": ("Rose", *SETS["Y"])}, {"B": ("LOVE", *SETS["B"])}):
        with pytest.raises(WordworthError, match=r"(Rose|LOVE).*one vector"):
            association(Layers.of(vectors), replace(FLOWERS, **sets), WeatSettings())


def test_lines_of_a_lexicon_with_one_vector_are_averaged(vectors: Embedding, tmp_path: Path) -> None:
    """Capitals are rated .25 above and lower case .25 below the ratings of the plain lexicon."""
    plain = valnorm(vectors, written(tmp_path / "plain", WORDS, RATINGS))
    capitals = tuple(word.upper() for word in WORDS)
    both = written(tmp_path / "both", (*WORDS, *capitals), np.concatenate([RATINGS - 0.25, RATINGS + 0.25]))
    found = valnorm(vectors, both)
    for one, other in zip(numbers(found), numbers(plain), strict=True):
        assert one[:2] == other[:2]
        assert one[2:] == pytest.approx(other[2:], abs=1e-9)
    assert any(f"{len(WORDS)} words of mine" in note and "averaged" in note for note in found.notes)
    rows = found.items.filter(group="lexicon rows").get_column("item").to_list()
    assert rows == list(capitals)


def test_poles_out_removes_polar_words_however_they_are_spelled(vectors: Embedding, tmp_path: Path) -> None:
    capitals = tuple(word.upper() for word in WORDS)
    plain, found = (
        valnorm(vectors, written(tmp_path / name, words, RATINGS))
        for name, words in (("plain", WORDS), ("capitals", capitals))
    )
    one, other = (run.scores.filter(setting="poles-out").row(0, named=True) for run in (found, plain))
    assert one["n"] == other["n"] == len(WORDS) - 50
    assert one["value"] == pytest.approx(other["value"], abs=1e-9)


def test_pairs_of_the_same_vectors_are_averaged_unless_spelled_alike(vectors: Embedding) -> None:
    first, second = ("rose", "ant", "love", "war"), ("tulip", "wasp", "peace", "grief")
    plain = similarity(Layers.of(vectors), Pairs("p", first, second, np.array([5.0, 6.0, 7.0, 8.0])), VALNORM)
    pairs = Pairs("p", (*first, "ROSE"), (*second, "Tulip"), np.array([4.0, 6.0, 7.0, 8.0, 6.0]))
    found = similarity(Layers.of(vectors), pairs, VALNORM)
    assert numbers(found) == numbers(plain)
    assert any("1 pairs of p" in note for note in found.notes)
    published = Pairs("p", (*first, "rose"), (*second, "tulip"), np.array([4.0, 6.0, 7.0, 8.0, 6.0]))
    assert similarity(Layers.of(vectors), published, VALNORM).scores.item(0, "n") == 5


def test_subspaces_count_a_vector_once(vectors: Embedding) -> None:
    flowers, insects = SETS["X"], SETS["Y"]
    repeated = ("ROSE", *flowers, "Rose")
    assert set_components(vectors, repeated).basis == pytest.approx(set_components(vectors, flowers).basis)
    classes = {"flowers": repeated, "insects": insects}
    assert class_means(vectors, classes).basis == pytest.approx(
        class_means(vectors, {**classes, "flowers": flowers}).basis
    )
