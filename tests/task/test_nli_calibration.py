"""Calibration of NLI models: a made one whose answers are a known function of its input, and a network by hand."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import permutation_test

pytest.importorskip("torch")

from made_nli import make_nli
from wordworth.embedding import Embedding
from wordworth.embedding.core import Provenance
from wordworth.errors import WordworthError
from wordworth.nli.nli import infer
from wordworth.nli.probe import load_probe
from wordworth.results.run import Run
from wordworth.study import study
from wordworth.task.calibration import DOSES
from wordworth.task.nli_calibration import WordInferences, make_test
from wordworth.transform import Subspace

JOBS = tuple(f"job{letter}" for letter in "abcdefghijklmnopqrst")
MEN, WOMEN = ("man", "guy"), ("woman", "girl")
PROBE = """
[probe]
name = "made"
premise = "The SUBJECT saw a/an OBJECT."
hypothesis = "The SUBJECT saw a/an OBJECT."
slots = { premise = { words = [JOBS] }, hypothesis = { words = ["man", "guy", "woman", "girl"] } }
verbs = [{ objects = { words = ["car", "bun", "jobb"] } }]
groups = { men = ["man", "guy"], women = ["woman", "girl"] }
"""
SLOPE = 0.02


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("probe") / "made.toml"
    path.write_text(PROBE.replace("JOBS", ", ".join(map(json.dumps, JOBS))), encoding="utf-8")
    return path


@dataclass(frozen=True)
class LinearNli:
    """P(entailment) is .4 ± `SLOPE` · the first number of the subject's vector: + for men, − for women; neutral .2."""

    word_vectors: Embedding
    name: str = "linear"
    source: str = ""
    identity: tuple[str, ...] = ("linear",)

    def missing(self, sentences: Sequence[str]) -> tuple[str, ...]:
        return ()

    def vectors_of(self, words: Sequence[str]) -> Embedding:
        return self.word_vectors

    def without(self, subspace: Subspace) -> "LinearNli":
        raise NotImplementedError

    def with_vectors(self, embedding: Embedding) -> "LinearNli":
        return replace(self, word_vectors=embedding)

    def probabilities(self, sentences: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        rows = []
        for premise, hypothesis in pairs.tolist():
            subject, other = (sentences[at].split()[1] for at in (premise, hypothesis))
            lean = SLOPE * self.word_vectors[subject][0] * (1 if other in MEN else -1)
            rows.append([0.4 + lean, 0.2, 0.4 - lean])
        return np.array(rows)


@pytest.fixture(scope="module")
def vectors() -> Embedding:
    """Men are at +1 of the first dimension and women at −1, so that it is the direction that a bias is injected in."""
    rng = np.random.default_rng(1)
    words = [*JOBS, *MEN, *WOMEN, "the", "saw", "a", "car", "bun", "."]
    matrix = rng.normal(size=(len(words), 6))
    matrix[len(JOBS) : len(JOBS) + 4] = np.outer([1, 1, -1, -1], np.eye(6)[0])
    return Embedding(words, matrix, Provenance("made"))


@pytest.fixture(scope="module")
def run(vectors: Embedding, probe: Path) -> Run:
    return study("calibrate")([LinearNli(vectors)], probes=(probe,), lists=400, permutations=199, sizes=(4,))


def test_the_answers_of_moved_words_are_by_hand(vectors: Embedding, probe: Path) -> None:
    """Lean is 2 · SLOPE · x, the gap its absolute value for both labels, and neutral stays .2."""
    inferences = WordInferences.of(LinearNli(vectors), load_probe(probe), sentences=10, seed=0)
    assert {one.object for one in inferences.probe.actions} == {"car", "bun"}  # jobb is a subject too
    moved = np.array([[3.0, 0, 0, 0, 0, 0], [-5.0, 1, 0, 0, 0, 0]])
    measures = inferences(["joba", "jobc"], moved)
    np.testing.assert_allclose(measures["lean-entailment"], [0.12, -0.2], atol=1e-6)
    for label in ("entailment", "contradiction"):
        np.testing.assert_allclose(measures[f"gap-{label}"], [0.12, 0.2], atol=1e-6)
    np.testing.assert_allclose(measures["net-neutral"], [0.2, 0.2], atol=1e-6)


def subtract_means(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    return float(x.mean() - y.mean())


def powers_of(run: Run, name: str) -> list[float]:
    return run.scores.filter(variant=name, k=4, measure="power")["value"].to_list()


def test_gaps_of_a_linear_model_have_the_power_of_ripa(run: Run) -> None:
    """Both are the mean absolute value of the first number, up to a factor."""
    gaps = [powers_of(run, f"gap-{label}") for label in ("entailment", "contradiction")]
    np.testing.assert_allclose(gaps, [powers_of(run, "ripa")] * 2, atol=0.005)
    assert powers_of(run, "net-neutral") == [0.0] * (len(DOSES) - 1)  # ties are no bias


def test_power_of_the_lean_by_a_slow_simulation(run: Run, vectors: Embedding) -> None:
    """Lists of 4 words are drawn of other random numbers; SciPy counts all 70 partitions of their first numbers."""
    numbers = vectors.matrix[: len(JOBS), 0].copy()
    halves = numbers[::2], numbers[1::2]
    spread = np.sqrt(sum(((half - half.mean()) ** 2).sum() for half in halves) / (len(JOBS) - 2))
    for half in halves:
        half += numbers.mean() - half.mean()
    rng, hits = np.random.default_rng(5), 0
    for _ in range(200):
        x, y = rng.choice(numbers, 4) + spread, rng.choice(numbers, 4) - spread  # a dose of 2
        hits += permutation_test((x, y), subtract_means, alternative="greater", n_resamples=np.inf).pvalue <= 0.05
    ours = powers_of(run, "lean-entailment")[DOSES.index(2.0) - 1]
    assert abs(ours - hits / 200) < 4 * np.sqrt(0.25 * (1 / 200 + 1 / 400))


def test_a_network_reads_the_moved_vectors(probe: Path) -> None:
    """The measures equal those of one pair at a time, in a network whose file of vectors was changed by hand."""
    words = [*JOBS, *MEN, *WOMEN, "the", "saw", "a", "car", "bun", "."]
    model = make_nli(words)
    inferences = WordInferences.of(model, load_probe(probe), sentences=10, seed=0)
    matrix = np.array(model.word_vectors.matrix)
    moved = np.stack([matrix[1] * 2, matrix[4] - 1])
    measures = inferences([words[1], words[4]], moved)
    matrix[[1, 4]] = moved
    changed = model.with_vectors(model.word_vectors.with_matrix(matrix, "by hand"))
    for at, job in enumerate((words[1], words[4])):
        means = {
            other: np.mean(
                [
                    infer(changed, f"The {job} saw a {thing}.", f"The {other} saw a {thing}.")
                    for thing in ("car", "bun")
                ],
                axis=0,
            )
            for other in (*MEN, *WOMEN)
        }
        men, women = (np.mean([means[word] for word in group], axis=0) for group in (MEN, WOMEN))
        assert measures["lean-entailment"][at] == pytest.approx(men[0] - women[0], abs=1e-5)
        assert measures["gap-contradiction"][at] == pytest.approx(abs(men[2] - women[2]), abs=1e-5)
        assert measures["net-neutral"][at] == pytest.approx(np.mean([one[1] for one in means.values()]), abs=1e-5)


def test_probes_and_models_that_cannot_be_calibrated(vectors: Embedding, probe: Path) -> None:
    with pytest.raises(WordworthError, match="0 groups"):
        make_test(replace(load_probe(probe), groups={}))
    with pytest.raises(WordworthError, match="no file of word vectors"):
        WordInferences.of(LinearNli(None), load_probe(probe), sentences=1, seed=0)  # type: ignore[arg-type]
