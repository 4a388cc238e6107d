"""The study `infer` on small probes: every number against one pair at a time, resumption, bad input."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from made_nli import make_nli
from typed_runs import items_of, one, reasons, rows, value
from wordworth.errors import WordworthError
from wordworth.files import cache_dir
from wordworth.measure.neutrality import is_neutral
from wordworth.nli import pairs as scoring
from wordworth.nli.attention import AttentionNli, Network, Shape
from wordworth.nli.nli import LABELS, TrainedWithout
from wordworth.nli.pairs import LargestPairs, PairSet
from wordworth.nli.probe import load_probe
from wordworth.results.run import Run
from wordworth.study import study
from wordworth.transform import difference_direction, random_directions, remove

infer = study("infer")
FEW = {"resamples": 50}
PROBE = """
[probe]
name = "small"
premise = "The SUBJECT VERB a/an OBJECT."
hypothesis = "The SUBJECT VERB a/an OBJECT."
labels = { premise = "job", hypothesis = "gendered" }
slots = { premise = { words = ["nurse", "doctor", "VIP", "in-law"] }, hypothesis = { words = ["man", "woman", "zyx"] } }
verbs = [
  { kind = "eating", verbs = { words = ["ate", "paid for"] }, objects = { words = ["apple", "bun"] } },
  { kind = "driving", verbs = { words = ["drove"] }, objects = { words = ["car", "SUV", "van"] } },
]
subspace = { pair = ["he", "she"] }
"""
WORDS = "the nurse doctor vip in law man woman ate paid for apple bun drove car suv van a an . he she Extra".split()  # noqa: SIM905


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(PROBE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model() -> AttentionNli:
    return make_nli(WORDS)


@dataclass
class Counting:
    """A model that counts the pairs it is asked for, and dies when it has answered enough calls."""

    inner: AttentionNli
    dies_after: int = 10**9
    calls: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        return self.inner.identity

    def probabilities(self, sentences: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        if len(self.calls) == self.dies_after:
            raise KeyboardInterrupt
        self.calls.append(len(pairs))
        return self.inner.probabilities(sentences, pairs)


def _one_by_one(model: AttentionNli, pairs: PairSet) -> NDArray[np.float64]:
    rows = []
    for index in range(len(pairs)):
        pair = pairs.pair(index)
        rows.append(model.probabilities([pair.premise, pair.hypothesis], np.array([[0, 1]]))[0])
    return np.array(rows)


NEUTRALITY = {
    "net-neutral": {"measure": "net-neutral"},
    "fraction-neutral": {"measure": "fraction-neutral"},
    "threshold .5": {"measure": "threshold", "threshold": 0.5},
    "threshold .3": {"measure": "threshold", "threshold": 0.3},
    "entailment": {"measure": "entailment"},
    "contradiction": {"measure": "contradiction"},
}


def _compute_expected(probabilities: NDArray[np.float64]) -> dict[str, float]:
    neutral = probabilities[:, 1]
    measured = (neutral, is_neutral(probabilities), neutral > 0.5, neutral > 0.3, *probabilities[:, [0, 2]].T)
    return dict(zip(NEUTRALITY, (float(column.mean()) for column in measured), strict=True))


def test_scores_are_those_of_one_pair_at_a_time(model: AttentionNli, probe: Path) -> None:
    run = infer([model], probes=[probe], thresholds=(0.3, 0.5), random=2, **FEW)
    pairs, embedding = PairSet.of(load_probe(probe)), model.embedder.embedding
    direction = difference_direction(embedding, "he", "she")
    draws = [remove(embedding, control.basis, "") for control in random_directions(10, count=2, seed=0)]
    original = _one_by_one(model, pairs)
    projection, first, second = (
        _compute_expected(_one_by_one(model.with_vectors(vectors), pairs))
        for vectors in (remove(embedding, direction.basis, "he − she"), *draws)
    )
    for name, columns in NEUTRALITY.items():
        before = _compute_expected(original)[name]
        mean = (first[name] + second[name]) / 2
        assert value(run, version="original", **columns) == pytest.approx(before, abs=1e-6)
        assert value(run, version="projection", **columns) == pytest.approx(projection[name], abs=1e-6)
        assert value(run, version="random", draw=1, **columns) == pytest.approx(first[name], abs=1e-6)
        assert value(run, version="random", **columns) == pytest.approx(mean, abs=1e-6)
        change = value(run, version="projection", variant="change", **columns)
        assert change == pytest.approx(projection[name] - before, abs=1e-6)
    assert len(np.unique(np.round(original, 3), axis=0)) > 40  # the model tells pairs apart
    averaged = original.reshape(7, 12, 3).mean(axis=0)
    by_pair = value(run, version="original", measure="fraction-neutral", variant="by-pair")
    assert by_pair == pytest.approx(is_neutral(averaged).mean())
    row = one(run.scores, version="original", measure="net-neutral")
    assert (row["experiment"], row["dataset"], row["model"], row["n"]) == ("small", "small", "tiny-nli", 84)
    assert row["low"] < row["value"] < row["high"]
    assert "small: 84 pairs (7 × 4 × 3)." in reasons(run, "info")
    assert any("projection removes he − she, 1 of 10 dimensions" in reason for reason in reasons(run, "info"))
    (unknown,) = [notice for notice in run.notices if notice.kind == "substituted"]
    assert "zyx" in unknown.reason


def test_items(model: AttentionNli, probe: Path) -> None:
    run = infer([model], probes=[probe], mitigate=(), random=0, farthest=5, **FEW)
    pairs = PairSet.of(load_probe(probe))
    probabilities = _one_by_one(model, pairs)
    subjects = items_of(run, "subject_pairs")
    first_rows = [("nurse", "man"), ("nurse", "woman"), ("nurse", "zyx"), ("doctor", "man")]
    assert subjects.select("premise", "hypothesis").rows()[:4] == first_rows
    averaged = probabilities.reshape(7, 12, 3).mean(axis=0)
    assert subjects.select(*LABELS).to_numpy() == pytest.approx(averaged, abs=1e-6)
    largest = items_of(run, "sentence_pairs", extreme="entailment")
    order = np.argsort(-probabilities[:, 0], kind="stable")[:5]
    assert largest["pair"].to_list() == order.tolist()
    first = pairs.pair(int(order[0]))
    assert largest.select("premise", "hypothesis").row(0) == (first.premise, first.hypothesis)
    assert len(items_of(run, "sentence_pairs", extreme="contradiction")) == 5


def test_slices(model: AttentionNli, probe: Path, tmp_path: Path) -> None:
    asked = "job=nurse|VIP,gendered=man,verb=drove"
    run = infer([model], probes=[probe], slices=[asked], by=["kind", "job"], mitigate=(), random=0, **FEW)
    probabilities = _one_by_one(model, PairSet.of(load_probe(probe))).reshape(7, 4, 3, 3)
    sliced = probabilities[4:, [0, 2], 0].reshape(-1, 3)
    assert value(run, measure="entailment", subset=asked) == pytest.approx(sliced[:, 0].mean(), abs=1e-6)
    for kind, where in (("eating", slice(0, 4)), ("driving", slice(4, 7))):
        expected = probabilities[where].reshape(-1, 3)[:, 1].mean()
        assert value(run, measure="net-neutral", subset=f"kind={kind}") == pytest.approx(expected, abs=1e-6)
    jobs = [f"job={job}" for job in ("nurse", "doctor", "VIP", "in-law")]
    subsets = rows(run.scores, "subset", measure="entailment")["subset"].to_list()
    assert subsets == [None, asked, "kind=eating", "kind=driving", *jobs]
    alone = infer([model], probes=[probe], only="job=nurse,gendered=man,verb=ate,object=bun", mitigate=(), random=0)
    row = alone.scores.filter(measure="net-neutral").row(0, named=True)
    assert (row["n"], row["low"]) == (1, None)
    assert row["value"] == pytest.approx(probabilities[1, 0, 0, 1], abs=1e-6)


def test_slices_go_to_the_probes_that_have_them(model: AttentionNli, probe: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(PROBE.replace('"small"', '"other"').replace('"job"', '"work"').replace("zyx", "xyz"))
    slices = ["job=nurse", "subject=zyx", "subject=xyz"]
    run = infer([model], probes=[other, probe], slices=slices, mitigate=(), random=0, **FEW)
    assert run.scores.select("dataset", "subset").unique(maintain_order=True).rows() == [
        *(("other", None), ("other", "gendered=xyz")),
        *(("small", None), ("small", "job=nurse"), ("small", "gendered=zyx")),
    ]


def test_a_killed_run_goes_on(model: AttentionNli, probe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "BLOCK_PAIRS", 24)  # two actions a block: four blocks
    options = {"probes": [probe], "mitigate": (), "random": 0, **FEW}
    dying = Counting(model, dies_after=2)
    with pytest.raises(KeyboardInterrupt):
        infer([dying], **options)
    again = Counting(model)
    run = infer([again], **options)
    assert (dying.calls, again.calls) == ([24, 24], [24, 12])
    third = Counting(model)
    assert infer([third], **options).scores.equals(run.scores)
    assert third.calls == []
    broken = next(cache_dir().glob("inferences/*/00001/*.safetensors"))
    broken.write_bytes(b"half a file")
    assert infer([third], **options).scores.equals(run.scores)
    assert third.calls == [24]


def test_samples(model: AttentionNli, probe: Path) -> None:
    run = infer([model], probes=[probe], sample=40, random=0, **FEW)
    over_premises = run.scores["measure"].is_in(["gap-entailment", "gap-contradiction"])
    assert set(run.scores.filter(~over_premises)["n"]) == {40}
    assert set(run.scores.filter(over_premises)["n"]) == {4}
    (sampled,) = [notice for notice in run.notices if notice.kind == "reduced"]
    assert (sampled.count, sampled.total) == (40, 84)
    expected = _one_by_one(model, PairSet.of(load_probe(probe)))[scoring.draw_evenly(84, 40, 0), 1].mean()
    assert value(run, version="original", measure="net-neutral") == pytest.approx(expected, abs=1e-6)

    def sample_one(job: str) -> Run:
        return infer([model], probes=[probe], sample=1, slices=[f"job={job}"], mitigate=(), random=0, **FEW)

    assert any(reasons(sample_one(job), "skipped") for job in ("nurse", "doctor"))


def test_networks_trained_without_random_subspaces_are_averaged(model: AttentionNli, probe: Path) -> None:
    """The mean by hand over one pair at a time; a network without another size, or without a bias, is none of them."""
    pairs, embedding = PairSet.of(load_probe(probe)), model.embedder.embedding
    others, values = [], []
    for number, (subspace, size) in enumerate([("random:1", 1), ("random:1", 1), ("random:1", 2), ("he − she", 1)]):
        control = random_directions(10, count=1, k=size, seed=number)[0]
        changed = model.with_vectors(remove(embedding, control.basis, ""))
        others.append(replace(changed, name=f"net-{number}", trained_without=TrainedWithout(subspace, size)))
        values.append(_compute_expected(_one_by_one(changed, pairs)))
    run = infer([model], probes=[probe], mitigate=(), random=0, against=others, thresholds=(0.3, 0.5), **FEW)
    original = _compute_expected(_one_by_one(model, pairs))
    for name, columns in NEUTRALITY.items():
        mean = (values[0][name] + values[1][name]) / 2
        assert value(run, version="random-retrained", **columns) == pytest.approx(mean, abs=1e-6)
        change = value(run, version="random-retrained", variant="change", **columns)
        assert change == pytest.approx(mean - original[name], abs=1e-6)
    row = one(run.scores, version="random-retrained", measure="net-neutral")
    assert row["low"] < row["value"] < row["high"]
    assert any("averaged as random-retrained" in reason for reason in reasons(run, "info"))
    single = infer([model], probes=[probe], mitigate=(), random=0, against=others[1:], **FEW)
    assert "random-retrained" not in single.scores.get_column("version").to_list()


def test_against_a_retrained_network(model: AttentionNli, probe: Path) -> None:
    torch.manual_seed(8)
    other = AttentionNli("retrained", Network(Shape(dim=10, hidden=12, compare=9)).eval(), model.embedder)
    run = infer([model], probes=[probe], mitigate=(), random=0, against=[other], **FEW)
    probabilities = _one_by_one(other, PairSet.of(load_probe(probe)))
    after = one(run.scores, measure="net-neutral", version="retrained")
    assert (after["model"], after["value"]) == ("tiny-nli", pytest.approx(probabilities[:, 1].mean(), abs=1e-6))
    change = value(run, measure="net-neutral", version="retrained", variant="change")
    assert change == pytest.approx(after["value"] - value(run, measure="net-neutral", version="original"))
    with pytest.raises(WordworthError, match="two models are called retrained"):
        infer([model], probes=[probe], mitigate=(), random=0, against=[other, other], **FEW)


def test_accuracy_before_and_after(model: AttentionNli, probe: Path, tmp_path: Path) -> None:
    """Against one pair at a time; words that only the labelled pairs hold (he, she, Extra) are projected too."""
    pairs = [
        ("The nurse ate a bun.", "He ate."),
        ("She drove a van.", "The Extra drove."),
        ("A man paid.", "A man paid."),
    ]
    labels = ["neutral", "contradiction", "entailment"]
    lines = [f"{first}\t{other}\t{label}" for (first, other), label in zip(pairs, labels, strict=True)]
    data = tmp_path / "few.tsv"
    data.write_text("\n".join(["sentence1\tsentence2\tgold_label", *lines]) + "\n")
    run = infer([model], probes=[probe], random=1, accuracy=[data], **FEW)
    embedding = model.embedder.embedding
    changed = remove(embedding, difference_direction(embedding, "he", "she").basis, "he − she")
    scores = run.scores.filter(experiment="accuracy")
    assert scores.select("version", "variant", "n").rows() == [("original", None, 3), ("projection", "small", 3)]
    for version, share in zip((model, model.with_vectors(changed)), scores["value"], strict=True):
        found = [LABELS[version.probabilities(list(pair), np.array([[0, 1]]))[0].argmax()] for pair in pairs]
        assert share == pytest.approx(np.mean([first == label for first, label in zip(found, labels, strict=True)]))


def test_bad_models_and_probes(model: AttentionNli, probe: Path, tmp_path: Path) -> None:
    with pytest.raises(WordworthError, match="has no vectors to change"):
        infer([Counting(model)], probes=[probe])
    plain = tmp_path / "plain.toml"
    plain.write_text(PROBE.replace('subspace = { pair = ["he", "she"] }', ""))
    with pytest.raises(WordworthError, match="names no subspace"):
        infer([model], probes=[plain])
    plain.write_text(PROBE.replace('"she"', '"xoxo"'))
    with pytest.raises(WordworthError, match="has no word 'xoxo'"):
        infer([model], probes=[plain])
    with torch.no_grad():
        broken = Network(Shape(dim=10, hidden=12, compare=9)).eval()
        broken.output.bias.fill_(float("nan"))
    with pytest.raises(WordworthError, match=r"“The nurse ate an apple.” ⇒ “The man ate an apple.” the probabilities"):
        infer([AttentionNli("broken", broken, model.embedder)], probes=[probe], mitigate=(), random=0)


def test_the_largest_pairs_do_not_depend_on_blocks() -> None:
    """Against sorting everything, ties by index."""
    rng = np.random.default_rng(5)
    probabilities = np.round(rng.dirichlet([1, 1, 1], size=500), 1)
    kept = LargestPairs(0, 7)
    for part in np.split(rng.permutation(500), [3, 4, 400]):
        kept.add(part.astype(np.int64), probabilities[part])
    assert kept.indices.tolist() == np.argsort(-probabilities[:, 0], kind="stable")[:7].tolist()
    nothing = LargestPairs(0, 0)
    nothing.add(np.arange(3), probabilities[:3])
    assert len(nothing.indices) == 0
