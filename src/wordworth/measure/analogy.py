"""Analogies a : b :: c : ?, answered by 3CosAdd (Mikolov et al. 2013) or 3CosMul (Levy & Goldberg 2014).

Questions share words: 19,544 Google questions hold 905 words and 550 pairs (a, b). So the cosines of the distinct words
are computed once a vocabulary block, a and b are combined once a pair, and a question costs one operation a candidate.

That is done in float32, which only finds the blocks in which the answer can be, given the rounding error of float32.
The answer is then taken among the words of those blocks in float64: it depends neither on float32 nor on the blocks.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.cosine import Matrix, Vectors, norms
from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.statistics.threads import in_threads

Rule = Literal["3cosadd", "3cosmul"]

EPSILON = 0.001  # Levy & Goldberg's guard against division by zero
COSINES = 1 << 22  # cosines of distinct words with candidates held at a time (16 MB), but at least 1,024 a word
QUESTIONS = 4_096  # answered at a time
VOCABULARY = 8_192  # candidates in a block, fewer when many distinct words ask
EXACTLY = 128  # questions compared with a block in float64 at a time (8 MB)
TOGETHER = 16  # questions of one pair combined at a time: 16 × 8,192 float32 stay in the cache

ADD = "Share of questions a : b :: c : d with d = argmax cos(v, b) − cos(v, a) + cos(v, c) (3CosAdd)"
MULTIPLY = (
    "Share of questions a : b :: c : d with d = argmax cos'(v, b) cos'(v, c) / (cos'(v, a) + 0.001) "
    "and cos' = (1 + cos) / 2 (3CosMul)"
)
declare(
    "analogy",
    f"{ADD}.",
    "mikolov2013a",
    "higher",
    verdict="answers analogies better",
    noun="analogies",
    items="analogies",
    item_value="is_correct",
    paired_test="hits",
    is_main=True,
)
declare("analogy", f"{MULTIPLY}.", "levy2014", "higher", "3cosmul")


def analogies(
    vectors: Vectors,
    questions: NDArray[np.integer],
    *,
    rule: Rule = "3cosadd",
    restrict_vocab: int | None = None,
    block: int = VOCABULARY,
) -> NDArray[np.intp]:
    """The row that answers each question (a, b, c, d): argmax over all rows v but a, b and c.

    3cosadd: cos(v, b) − cos(v, a) + cos(v, c). 3cosmul: cos'(v, b) · cos'(v, c) / (cos'(v, a) + 0.001), with
    cos' = (1 + cos) / 2. Compare the answer with column d. `restrict_vocab` seeks it among the first rows only.
    """
    rows = np.asarray(questions)
    candidates = len(vectors) if restrict_vocab is None else min(restrict_vocab, len(vectors))
    _check(vectors, rows, candidates, rule)
    space = _Space(vectors, 1 / norms(vectors, "the vectors"), candidates)
    answers = np.empty(len(rows), dtype=np.intp)
    order = np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))  # questions of one pair (a, b) stand together
    for start in range(0, len(rows), QUESTIONS):
        part = order[start : start + QUESTIONS]
        answers[part] = _answer(space, rows[part, :3].astype(np.intp), rule, block)
    return answers


@dataclass(frozen=True)
class _Space:
    """Vectors and 1 / |v|: rows are brought to length one as they are needed, never all at once."""

    vectors: Vectors
    scales: Matrix
    candidates: int

    def units(self, rows: NDArray[np.intp] | slice) -> Matrix:
        return np.asarray(self.vectors[rows] * self.scales[rows, None], dtype=np.float64)


def _check(vectors: Vectors, questions: NDArray[np.integer], candidates: int, rule: str) -> None:
    if rule not in ("3cosadd", "3cosmul"):
        raise WordworthError(f"there is no analogy rule {rule!r}; use 3cosadd or 3cosmul")
    if vectors.ndim != 2:
        raise WordworthError(f"the vectors must be words × dimensions, not of shape {vectors.shape}")
    if questions.ndim != 2 or questions.shape[1] != 4 or not np.issubdtype(questions.dtype, np.integer):
        raise WordworthError(
            f"questions are rows of four integers (a, b, c, d), not {questions.dtype} {questions.shape}"
        )
    if candidates < 4:
        raise WordworthError(f"an analogy needs a vocabulary of at least 4 words, and there are {candidates}")
    outside = (questions < 0) | (questions >= len(vectors))
    if outside.any():
        question = int(np.argwhere(outside)[0, 0])
        raise WordworthError(f"question {question} names a row outside the {len(vectors)} vectors; drop it")


def _answer(space: _Space, questions: NDArray[np.intp], rule: Rule, block: int) -> NDArray[np.intp]:
    words, places = np.unique(questions, return_inverse=True)
    places = places.reshape(questions.shape)
    size = max(1, min(block, max(1_024, COSINES // len(words))))
    blocks = [slice(lo, min(lo + size, space.candidates)) for lo in range(0, space.candidates, size)]
    rows = space.units(words).astype(np.float32)

    by_block = in_threads(lambda part: _block_best(space, rows, words, places, part, rule), blocks)
    bests = np.stack([best for best, _ in by_block], axis=1)
    best = bests.max(axis=1)
    lowest = np.min([low for _, low in by_block], axis=0)[places[:, 0]]
    near = bests >= (best - _rounding(best, lowest, rows.shape[1], rule))[:, None]
    return _exact_best(space, questions, blocks, near, rule)


def _block_best(
    space: _Space, rows: NDArray[np.float32], words: NDArray[np.intp], places: NDArray[np.intp], part: slice, rule: Rule
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Each question's best score in one block, and each word's least cosine there, in float32."""
    cosine = rows @ space.units(part).astype(np.float32).T
    lowest = cosine.min(axis=1)
    excluded = np.float32(-8)  # below any sum of three cosines, whatever is added to it
    if rule == "3cosmul":
        cosine += 1
        cosine *= 0.5
        excluded = np.float32(0)  # no score is below it, and it stays so when multiplied
    inside = np.flatnonzero((words >= part.start) & (words < part.stop))
    own = np.full(len(words), -1)
    own[inside] = words[inside] - part.start
    cosine[inside, own[inside]] = excluded  # b and c are no answers

    bests = np.empty(len(places), dtype=np.float32)
    pair = np.empty(cosine.shape[1], dtype=np.float32)
    scores = np.empty((TOGETHER, cosine.shape[1]), dtype=np.float32)
    a, b, c = places.T
    starts = np.flatnonzero(np.r_[True, (a[1:] != a[:-1]) | (b[1:] != b[:-1])]).tolist()
    combine = np.add if rule == "3cosadd" else np.multiply
    for start, stop in zip(starts, [*starts[1:], len(places)], strict=True):
        minus, plus = a[start], b[start]
        if rule == "3cosadd":
            np.subtract(cosine[plus], cosine[minus], out=pair)
        else:
            np.add(cosine[minus], np.float32(EPSILON), out=pair)
            np.divide(cosine[plus], pair, out=pair)
        if own[minus] >= 0:
            pair[own[minus]] = excluded  # nor is a
        for at in range(start, stop, TOGETHER):
            end = min(at + TOGETHER, stop)
            group = scores[: end - at]
            np.take(cosine, c[at:end], axis=0, out=group, mode="clip")  # "clip" writes straight into `out`
            combine(group, pair, out=group)
            group.max(axis=1, out=bests[at:end])
    return bests, lowest


def _rounding(best: NDArray[np.float32], lowest: NDArray[np.float32], dim: int, rule: Rule) -> Matrix:
    """How far apart two scores that are equal can be in float32: twice the bound on the error of one.

    A cosine of unit vectors is off by at most δ = (dim + 4) 2⁻²⁴. 3CosAdd sums three of them. In 3CosMul, with
    cos' off by δ/2, the score s is off by at most (δ/2)(2 + s) / (least cos'(v, a) + ε).
    """
    delta = (dim + 4) * 2.0**-24
    if rule == "3cosadd":
        return np.full(len(best), 6 * delta)
    divisor = np.maximum((1.0 + lowest) / 2, 0) + EPSILON / 2
    return np.asarray(1.1 * delta * (2 + best) / divisor, dtype=np.float64)


def _exact_best(
    space: _Space, questions: NDArray[np.intp], blocks: list[slice], near: NDArray[np.bool_], rule: Rule
) -> NDArray[np.intp]:
    """The best word in float64 among the blocks in which it can be; of equals the first row."""

    def search(job: tuple[slice, NDArray[np.intp]]) -> tuple[NDArray[np.intp], Matrix]:
        part, some = job
        scores = _scores(space, questions[some], space.units(part), rule)
        question, word = np.nonzero((questions[some] >= part.start) & (questions[some] < part.stop))
        scores[question, questions[some][question, word] - part.start] = -np.inf
        return scores.argmax(axis=1) + part.start, scores.max(axis=1)

    jobs = [(part, some) for number, part in enumerate(blocks) for some in _pieces(np.flatnonzero(near[:, number]))]
    best, answers = np.full(len(questions), -np.inf), np.full(len(questions), -1, dtype=np.intp)
    for (_, some), (answer, score) in zip(jobs, in_threads(search, jobs), strict=True):
        better = score > best[some]
        best[some[better]], answers[some[better]] = score[better], answer[better]
    return answers


def _pieces(questions: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    return [questions[start : start + EXACTLY] for start in range(0, len(questions), EXACTLY)]


def _scores(space: _Space, questions: NDArray[np.intp], units: Matrix, rule: Rule) -> Matrix:
    a, b, c = (space.units(rows) for rows in questions.T)
    if rule == "3cosadd":
        return np.asarray((b - a + c) @ units.T, dtype=np.float64)
    shifted = [(1 + rows @ units.T) / 2 for rows in (a, b, c)]
    return np.asarray(shifted[1] * shifted[2] / (shifted[0] + EPSILON), dtype=np.float64)
