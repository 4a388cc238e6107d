"""Words that resolve to one vector count once: in the sets of a test, in a lexicon, among pairs, in a subspace.

Expected numbers are those of the same data without the repeats, which never meet the code under test, and a d that is
computed here from the formula of Caliskan et al.
"""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.pairs import Pairs
from wordworth.catalog.read.word_sets import AssociationTest, polar_words
from wordworth.embedding import Embedding, Layers, Provenance
from wordworth.errors import WordworthError
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import Caution
from wordworth.task.association import score_association
from wordworth.task.settings import Permutations
from wordworth.task.similarity import score_similarity
from wordworth.task.valence import RatedEffects, compute_effect_sizes, score_valence, score_without_poles
from wordworth.task.words import choose_spellings, match_rated_words, select_poles
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
SETTINGS = Permutations(resamples=50, permutations=100)


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


def make_lexicon(words: tuple[str, ...], ratings: NDArray[np.float64] = RATINGS) -> Lexicon:
    return Lexicon("mine", words, {"valence": ratings}, (1.0, 9.0), sha256=str(len(words)))


def valence(vectors: Embedding, lexicon: Lexicon) -> Findings:
    layers = Layers.of(vectors)
    return score_valence(layers, select_poles(layers, POLAR, SETTINGS), lexicon, SETTINGS)


def numbers(findings: Findings) -> list[tuple[object, ...]]:
    return findings.scores.select("measure", "variant", "value", "low", "high", "p", "n").rows()


def test_words_of_a_set_with_one_vector_count_once(vectors: Embedding) -> None:
    plain = score_association(Layers.of(vectors), FLOWERS, Permutations())
    repeated = replace(FLOWERS, X=("rose", "Rose", *SETS["X"][1:], "ROSE"), A=(*SETS["A"], "Love"))
    found = score_association(Layers.of(vectors), repeated, Permutations())
    assert found.scores.row(0, named=True)["value"] == pytest.approx(effect_size(vectors), abs=1e-12)
    assert numbers(found) == numbers(plain)
    assert found.scores.item(0, "n") == 8
    assert found.scores.item(0, "coverage") == 1
    skipped = found.items["association_words"].drop_nulls("skipped").collect()
    assert skipped.select("role", "set", "word").rows() == [
        ("X", "flowers", "Rose"),
        ("X", "flowers", "ROSE"),
        ("A", "pleasant", "Love"),
    ]
    assert list(found.skipped().values()) == [3]
    merged = {notice.count: notice for notice in found.notices if "merged" in notice.reason}
    assert merged[2].kind == "info"
    assert "Rose, ROSE" in merged[2].reason


def test_a_vector_in_both_sets_is_refused(vectors: Embedding) -> None:
    for sets in ({"Y": ("Rose", *SETS["Y"])}, {"B": ("LOVE", *SETS["B"])}):
        with pytest.raises(WordworthError, match=r"(Rose|LOVE).*one vector"):
            score_association(Layers.of(vectors), replace(FLOWERS, **sets), Permutations())


def test_different_words_of_one_vector_are_a_caution(vectors: Embedding) -> None:
    """A daisy with the vector of a flea, as pruning leaves it; a word that is in two sets has its own vector."""
    plain = score_association(Layers.of(vectors), replace(FLOWERS, A=(*SETS["A"], "rose")), Permutations())
    assert Caution.SHARED_VECTORS not in plain.scores.item(0, "cautions")
    matrix = np.array(vectors.matrix)
    matrix[WORDS.index("daisy")] = matrix[WORDS.index("flea")]
    pruned = score_association(Layers.of(vectors.with_matrix(matrix, "pruned")), FLOWERS, Permutations())
    assert Caution.SHARED_VECTORS in pruned.scores.item(0, "cautions")
    assert pruned.scores.item(0, "n") == 8


def test_lines_of_a_lexicon_with_one_vector_are_averaged(vectors: Embedding) -> None:
    """Capitals are rated .25 above and lower case .25 below the ratings of the plain lexicon."""
    capitals = tuple(word.upper() for word in WORDS)
    plain = valence(vectors, make_lexicon(WORDS))
    found = valence(vectors, make_lexicon((*WORDS, *capitals), np.concatenate([RATINGS - 0.25, RATINGS + 0.25])))
    for one, other in zip(numbers(found), numbers(plain), strict=True):
        assert one[:2] == other[:2]
        assert one[2:] == pytest.approx(other[2:], abs=1e-9)
    (notice,) = found.notices
    assert (notice.kind, notice.count, notice.total, notice.dataset) == ("info", len(WORDS), 2 * len(WORDS), "mine")
    skipped = found.items["rated_words"].drop_nulls("skipped").collect()
    assert skipped.get_column("word").to_list() == list(capitals)


def test_poles_are_removed_however_they_are_spelled(vectors: Embedding) -> None:
    layers = Layers.of(vectors)
    polar = layers.select([*POLAR.pleasant, *POLAR.unpleasant], choose_spellings("english", SETTINGS)).matched_words
    rows = []
    for words in (WORDS, tuple(word.upper() for word in WORDS)):
        findings = Findings()
        matched, lexicon = match_rated_words(findings, layers, make_lexicon(words), SETTINGS)
        effects = compute_effect_sizes(matched, select_poles(layers, POLAR, SETTINGS))
        score_without_poles(findings, RatedEffects(matched, lexicon, effects), polar, SETTINGS)
        rows.append(findings.scores.row(0, named=True))
    one, other = rows
    assert one["n"] == other["n"] == len(WORDS) - 50
    assert one["value"] == pytest.approx(other["value"], abs=1e-9)


def test_pairs_of_the_same_vectors_are_averaged_unless_spelled_alike(vectors: Embedding) -> None:
    first, second = ("rose", "ant", "love", "war"), ("tulip", "wasp", "peace", "grief")
    plain = score_similarity(Layers.of(vectors), Pairs("p", first, second, np.array([5.0, 6.0, 7.0, 8.0])), SETTINGS)
    pairs = Pairs("p", (*first, "ROSE"), (*second, "Tulip"), np.array([4.0, 6.0, 7.0, 8.0, 6.0]))
    found = score_similarity(Layers.of(vectors), pairs, SETTINGS)
    assert numbers(found) == numbers(plain)
    (notice,) = found.notices
    assert (notice.kind, notice.count, notice.total, notice.dataset) == ("info", 1, 5, "p")
    published = Pairs("p", (*first, "rose"), (*second, "tulip"), np.array([4.0, 6.0, 7.0, 8.0, 6.0]))
    assert score_similarity(Layers.of(vectors), published, SETTINGS).scores.item(0, "n") == 5


def test_subspaces_count_a_vector_once(vectors: Embedding) -> None:
    flowers, insects = SETS["X"], SETS["Y"]
    repeated = ("ROSE", *flowers, "Rose")
    assert set_components(vectors, repeated).basis == pytest.approx(set_components(vectors, flowers).basis)
    classes = {"flowers": repeated, "insects": insects}
    assert class_means(vectors, classes).basis == pytest.approx(
        class_means(vectors, {**classes, "flowers": flowers}).basis
    )
