"""The measures against the way published code computes them: one word, one partition or one question at a time."""

import tempfile
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import Result, best_of, in_fresh_process
from wordworth.measure import analogies, association, sc_weat, sc_weat_p, weat_p
from wordworth.statistics.permutation import PermutationTest, random_partitions

WORDS, LAYERS, DIM, POLAR = 13_915, 13, 768, 25  # Warriner's lexicon in every layer of a base-size model


def random_vectors(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def plain_effect_size(w: NDArray[np.float64], A: NDArray[np.float64], B: NDArray[np.float64]) -> float:
    """One word as the VAST authors' code has it: one cosine at a time, the polar vectors' lengths anew each time."""
    length = np.sqrt(np.dot(w, w))
    to_A = [np.dot(w, a) / (length * np.sqrt(np.dot(a, a))) for a in A]
    to_B = [np.dot(w, b) / (length * np.sqrt(np.dot(b, b))) for b in B]
    return float((np.mean(to_A) - np.mean(to_B)) / np.std(to_A + to_B, ddof=1))


def fairer_effect_size(w: NDArray[np.float64], A: NDArray[np.float64], B: NDArray[np.float64]) -> float:
    """One word as their later code has it: the polar vectors are still normalised for every word, but all at once."""
    w_unit = w / np.linalg.norm(w)
    A_units = A / np.linalg.norm(A, axis=-1, keepdims=True)
    B_units = B / np.linalg.norm(B, axis=-1, keepdims=True)
    to_A, to_B = w_unit @ A_units.T, w_unit @ B_units.T
    return float((np.mean(to_A) - np.mean(to_B)) / np.std(np.concatenate((to_A, to_B)), ddof=1))


def valence_effect_sizes(sample: int = 1_000) -> Result:
    """Effect sizes of all words in all layers; the loop is timed on a sample of words in one layer."""
    targets = random_vectors(LAYERS, WORDS, DIM)
    A, B = random_vectors(LAYERS, POLAR, DIM, seed=1), random_vectors(LAYERS, POLAR, DIM, seed=2)
    ours, d = best_of(5, lambda: sc_weat(targets, A, B))
    some, A_0, B_0 = (part[0].astype(np.float64) for part in (targets[:, :sample], A, B))
    plain, loop = best_of(2, lambda: [plain_effect_size(w, A_0, B_0) for w in some])
    np.testing.assert_allclose(d[0, :sample], loop, rtol=1e-9)
    fairer, loop = best_of(2, lambda: [fairer_effect_size(w, A_0, B_0) for w in some])
    np.testing.assert_allclose(d[0, :sample], loop, rtol=1e-9)

    layer, polar = targets[0].astype(np.float64), np.concatenate((A[0], B[0])).astype(np.float64)
    bare, _ = best_of(3, lambda: layer @ polar.T)
    scale = WORDS * LAYERS / sample
    return Result(
        f"effect sizes, {WORDS:,} words × {LAYERS} layers × {DIM}",
        plain * scale,
        ours,
        60,
        bare * LAYERS,
        f"loop over words timed on {sample:,} of {WORDS * LAYERS:,}; {fairer * scale / ours:.0f}× a loop over words "
        "that takes all polar words at once",
    )


def plain_p(cosines: NDArray[np.float64], permutations: int, rng: np.random.Generator) -> float:
    """One word as published code has it: its cosines shuffled anew, permutation by permutation."""
    size = len(cosines) // 2
    given = cosines[:size].mean() - cosines[size:].mean()
    shuffled = np.array([rng.permutation(cosines) for _ in range(permutations)])
    statistics = shuffled[:, :size].mean(axis=1) - shuffled[:, size:].mean(axis=1)
    return float((np.count_nonzero(statistics > given) + 1) / (permutations + 1))


def p_task() -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    return random_vectors(WORDS, 300), random_vectors(POLAR, 300, seed=1), random_vectors(POLAR, 300, seed=2)


def timed_p_values() -> tuple[float, PermutationTest]:
    targets, A, B = p_task()
    return best_of(3, lambda: sc_weat_p(targets, A, B))


def permutation_p_values(sample: int = 30) -> Result:
    """10,000-permutation p of all words, in a process of its own to see its memory."""
    (ours, test), peak = in_fresh_process(timed_p_values)
    targets, A, B = (part.astype(np.float64) for part in p_task())
    polar = np.concatenate((A, B))
    polar /= np.linalg.norm(polar, axis=1, keepdims=True)
    cosines = (targets / np.linalg.norm(targets, axis=1, keepdims=True)) @ polar.T
    rng = np.random.default_rng(0)
    plain, loop = best_of(1, lambda: [plain_p(row, test.partitions, rng) for row in cosines[:sample]])

    # The same numbers: partition by partition over the draws that wordworth used; and the loop's own draws come near.
    drawn = np.concatenate(list(random_partitions(2 * POLAR, POLAR, test.partitions, 0, 2_500)), axis=1).T == 1
    for row, p in zip(cosines[:3], test.p, strict=False):
        given = row[:POLAR].mean() - row[POLAR:].mean()
        greater = sum(row[members].mean() - row[~members].mean() > given + 1e-12 for members in drawn)
        assert p == (greater + 1) / (test.partitions + 1)
    np.testing.assert_allclose(test.p[:sample], loop, atol=5 * np.sqrt(0.5 / test.partitions))
    assert peak < 2e9, f"peak memory {peak / 1e6:,.0f} MB"

    partitions = drawn.T.astype(np.float64)
    bare, _ = best_of(2, lambda: [cosines[i : i + 512] @ partitions for i in range(0, WORDS, 512)])
    return Result(
        f"p of {WORDS:,} words, {test.partitions:,} permutations",
        plain * WORDS / sample,
        ours,
        300,
        bare,
        f"loop over words timed on {sample}; peak memory {peak / 1e6:,.0f} MB of 2,000",
    )


def plain_exact_p(s: Sequence[float], size: int) -> float:
    """Every partition by itertools, the statistic as the formula has it: the sum over X_i less the sum over Y_i."""
    given = sum(s[:size]) - sum(s[size:])
    greater = count = 0
    for members in combinations(range(len(s)), size):
        x = sum(s[i] for i in members)
        y = sum(s[i] for i in range(len(s)) if i not in members)
        greater += x - y > given + 1e-12
        count += 1
    return greater / count


def exact_weat_p() -> Result:
    """Exact p of 8 against 8: ours from the vectors, the plain way from associations that are already there."""
    X, Y, A, B = (random_vectors(8, 300, seed=seed) for seed in range(4))
    first, _ = best_of(1, lambda: weat_p(X, Y, A, B))
    ours, test = best_of(20, lambda: weat_p(X, Y, A, B))
    s = np.concatenate((association(X, A, B), association(Y, A, B))).tolist()
    plain, p = best_of(2, lambda: plain_exact_p(s, 8))
    assert test.p == p
    assert test.method == "exact"
    assert test.partitions == 12_870
    twenty, _ = best_of(2, lambda: weat_p(*(random_vectors(20, 300, seed=seed) for seed in range(4))))
    return Result(
        "exact WEAT p, 8 v 8 (12,870 partitions)",
        plain,
        ours,
        20,
        None,
        f"first call {1e3 * first:.2g} ms; 20 v 20 (1.4 × 10¹¹ partitions) exactly in {twenty:.2g} s",
    )


def analogy_answers(
    matrix: NDArray[np.floating], words: Sequence[str], questions: Sequence[Sequence[str]], sample: int = 200
) -> Result:
    """3CosAdd over a whole vocabulary against gensim; questions are (a, b, c, d), all in the vocabulary.

    gensim is timed on a spread sample, its set-up for a call (one question) subtracted before scaling.
    """
    from gensim.models import KeyedVectors

    index = {word: row for row, word in enumerate(words)}
    asked = np.array([[index[word] for word in question] for question in questions])
    ours, answers = best_of(2, lambda: analogies(matrix, asked))

    vectors = KeyedVectors(matrix.shape[1])
    vectors.add_vectors(list(words), np.asarray(matrix, dtype=np.float32))
    vectors.fill_norms()
    spread = np.linspace(0, len(asked) - 1, sample, dtype=int)
    with tempfile.TemporaryDirectory() as folder:
        setup, _ = _gensim(vectors, [questions[0]], Path(folder) / "one.txt")
        whole, right = _gensim(vectors, [questions[i] for i in spread], Path(folder) / "sample.txt")
    plain = (whole - setup) * len(asked) / (sample - 1)
    assert right == {tuple(questions[i]) for i in spread if answers[i] == asked[i, 3]}

    units = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)
    some, piece = units[asked[:2_000, 1]], units[:16_384]
    bare, _ = best_of(2, lambda: some @ piece.T)
    return Result(
        f"{len(asked):,} analogies over {matrix.shape[0]:,} × {matrix.shape[1]}",
        plain,
        ours,
        10,
        bare * (len(asked) / len(some)) * (len(units) / len(piece)),
        f"gensim evaluate_word_analogies timed on {sample}, same questions right; accuracy of all "
        f"{np.mean(answers == asked[:, 3]):.1%}; the bare product is questions × vocabulary in float32",
    )


def _gensim(vectors: object, questions: Sequence[Sequence[str]], path: Path) -> tuple[float, set[tuple[str, ...]]]:
    """Seconds, and the questions answered rightly."""
    path.write_text(": all\n" + "\n".join(" ".join(question) for question in questions) + "\n", encoding="utf-8")
    start = perf_counter()
    _, sections = vectors.evaluate_word_analogies(str(path), restrict_vocab=None, case_insensitive=False)
    taken = perf_counter() - start
    return taken, {tuple(question) for question in sections[0]["correct"]}
