"""Analogies a : b :: c : ?, answered by 3CosAdd (Mikolov et al. 2013) or 3CosMul (Levy & Goldberg 2014).

Questions share words and pairs: 19,544 Google questions hold 905 words and 550 pairs a : b. So the cosines of the
distinct words, and what each pair a : b makes of them, are computed once per block of the vocabulary.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding.core import Matrix, Vectors, norms
from wordworth.errors import WordworthError
from wordworth.measure.declaration import declare
from wordworth.statistics.bootstrap import in_threads

Rule = Literal["3cosadd", "3cosmul"]

COSMUL_EPSILON = 0.001  # Levy & Goldberg's guard against division by zero
BLOCK_WORDS = 2_048  # candidates whose cosines with all distinct words are held at a time
MAX_COSINES = 1 << 22  # numbers of words and pairs in a block; of many pairs the blocks are smaller
BATCH_QUESTIONS = 16  # questions combined at a time: 16 × 2,048 float64 stay in the cache

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
    block: int = BLOCK_WORDS,
) -> NDArray[np.intp]:
    """Return the row that answers each question (a, b, c, d): argmax over all rows v but a, b and c.

    3cosadd: cos(v, b) − cos(v, a) + cos(v, c). 3cosmul: cos'(v, b) · cos'(v, c) / (cos'(v, a) + 0.001), with
    cos' = (1 + cos) / 2. Of equals it is the first row. Compare the answer with column d. `restrict_vocab` seeks it
    among the first rows only.
    """
    rows = np.asarray(questions)
    candidates = len(vectors) if restrict_vocab is None else min(restrict_vocab, len(vectors))
    _check(vectors, rows, candidates)
    scales = 1 / norms(vectors, "the vectors")
    given_rows = rows[:, :3].astype(np.intp)
    words, places = np.unique(given_rows, return_inverse=True)
    pairs, pair_of = np.unique(places.reshape(given_rows.shape)[:, :2], axis=0, return_inverse=True)
    pair_of, third = pair_of.reshape(-1), places.reshape(given_rows.shape)[:, 2]
    units = _units(vectors, scales, words)
    step = max(1, min(block, MAX_COSINES // (len(words) + len(pairs))))

    def search(start: int) -> tuple[Matrix, NDArray[np.intp]]:
        """Return the best score of each question in one block, and its row."""
        stop = min(start + step, candidates)
        cosine = units @ _units(vectors, scales, slice(start, stop)).T
        if rule == "3cosmul":
            cosine = (1 + cosine) / 2
        a, b = (cosine[side] for side in pairs.T)
        by_pair = b - a if rule == "3cosadd" else b / (a + COSMUL_EPSILON)
        best, answers = np.empty(len(given_rows)), np.empty(len(given_rows), dtype=np.intp)
        for at in range(0, len(given_rows), BATCH_QUESTIONS):
            batch = slice(at, at + BATCH_QUESTIONS)
            scores = cosine[third[batch]]
            (np.add if rule == "3cosadd" else np.multiply)(scores, by_pair[pair_of[batch]], out=scores)
            question, word = np.nonzero((given_rows[batch] >= start) & (given_rows[batch] < stop))
            scores[question, given_rows[batch][question, word] - start] = -np.inf
            highest = scores.argmax(axis=1)
            best[batch], answers[batch] = scores[np.arange(len(scores)), highest], highest + start
        return best, answers

    best, answers = np.full(len(given_rows), -np.inf), np.full(len(given_rows), -1, dtype=np.intp)
    for score, answer in in_threads(search, range(0, candidates, step)):
        better = score > best
        best[better], answers[better] = score[better], answer[better]
    return answers


def _units(vectors: Vectors, scales: Matrix, rows: NDArray[np.intp] | slice) -> Matrix:
    """Return rows at length one: they are brought to it as they are needed, never all at once."""
    return np.asarray(vectors[rows] * scales[rows, None], dtype=np.float64)


def _check(vectors: Vectors, questions: NDArray[np.integer], candidates: int) -> None:
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
