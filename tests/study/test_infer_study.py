"""The study `infer` on small probes: every number against one pair at a time, resumption, bad input."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
from numpy.typing import NDArray

from wordworth.embedding import Embedding, Provenance
from wordworth.errors import WordworthError
from wordworth.files import cache_dir
from wordworth.measure.neutrality import is_neutral
from wordworth.nli import pair_scores as scoring
from wordworth.nli.attention import Network, Shape
from wordworth.nli.nli import LABELS
from wordworth.nli.over_vectors import AttentionNli
from wordworth.nli.pair_scores import Largest
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import load_probe
from wordworth.nli.vocabulary import StaticVectors, draw_extra_vectors
from wordworth.study import study
from wordworth.study.infer.study import infer_tables
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
    """A small network of random weights, scaled up so that its answers differ."""
    torch.manual_seed(3)
    network = Network(Shape(dim=10, hidden=12, compare=9)).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter *= 2.5
    vectors = np.random.default_rng(4).normal(size=(len(WORDS), 10)).astype(np.float32)
    embedding = Embedding(WORDS, vectors, Provenance(name="tiny", source="", sha256="0" * 64))
    return AttentionNli("tiny-nli", network, StaticVectors(embedding, draw_extra_vectors(10, seed=0)))


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


def _value(scores: pl.DataFrame, measure: str, setting: str = "original", dataset: str = "small") -> float:
    found = scores.filter(
        pl.col("measure") == measure, pl.col("setting") == setting, pl.col("dataset") == dataset
    ).get_column("value")
    return float(found.item())


def _expected(probabilities: NDArray[np.float64]) -> dict[str, float]:
    neutral = probabilities[:, 1]
    return {
        "net-neutral": neutral.mean(),
        "fraction-neutral": is_neutral(probabilities).mean(),
        "threshold:0.5": (neutral > 0.5).mean(),
        "threshold:0.3": (neutral > 0.3).mean(),
        "entailment": probabilities[:, 0].mean(),
        "contradiction": probabilities[:, 2].mean(),
    }


def test_scores_are_those_of_one_pair_at_a_time(model: AttentionNli, probe: Path) -> None:
    findings = infer([model], probes=[probe], thresholds=(0.3, 0.5), random=2, **FEW)
    pairs, embedding = PairSet.of(load_probe(probe)), model.embedder.embedding
    direction = difference_direction(embedding, "he", "she")
    versions = {"original": model, "projection": model.with_vectors(remove(embedding, direction.basis, "he − she"))}
    for control in random_directions(10, count=2, seed=0):
        versions[control.name] = model.with_vectors(remove(embedding, control.basis, control.name))
    means = {}
    for setting, version in versions.items():
        probabilities = _one_by_one(version, pairs)
        for measure, value in _expected(probabilities).items():
            assert _value(findings.scores, measure, setting) == pytest.approx(value, abs=1e-6), (setting, measure)
        means[setting] = probabilities
    for measure, value in _expected(means["random:1"]).items():
        mean = (value + _expected(means["random:2"])[measure]) / 2
        assert _value(findings.scores, measure, "random") == pytest.approx(mean, abs=1e-6)
        change = _value(findings.scores, f"{measure}:change", "projection")
        before, after = (_expected(means[setting])[measure] for setting in ("original", "projection"))
        assert change == pytest.approx(after - before, abs=1e-6)
    assert len(np.unique(np.round(means["original"], 3), axis=0)) > 40  # the model tells pairs apart
    averaged = means["original"].reshape(7, 12, 3).mean(axis=0)
    assert _value(findings.scores, "fraction-neutral:by-pair") == pytest.approx(is_neutral(averaged).mean())
    row = findings.scores.filter(pl.col("measure") == "net-neutral").row(0, named=True)
    assert (row["experiment"], row["model"], row["n"]) == ("small", "tiny-nli", 84)
    assert row["low"] < row["value"] < row["high"]
    assert findings.notes[0] == "small: 84 pairs (7 × 4 × 3)."
    assert any("zyx" in note for note in findings.notes)
    assert findings.notes[-1] == "small: projection, tiny-nli: he − she, 1 of 10 dimensions."


def test_items(model: AttentionNli, probe: Path) -> None:
    findings = infer([model], probes=[probe], mitigate=(), random=0, farthest=5, **FEW)
    pairs = PairSet.of(load_probe(probe))
    probabilities = _one_by_one(model, pairs)
    items = findings.items
    subjects = items.filter(pl.col("group") == "subjects")
    assert subjects.get_column("item").to_list()[:4] == ["nurse → man", "nurse → woman", "nurse → zyx", "doctor → man"]
    averaged = probabilities.reshape(7, 12, 3).mean(axis=0)
    columns = [subjects.get_column(name).to_numpy() for name in ("entailment", "value", "contradiction")]
    assert np.stack(columns, axis=1) == pytest.approx(averaged, abs=1e-6)
    largest = items.filter(pl.col("group") == "largest entailment")
    order = np.argsort(-probabilities[:, 0], kind="stable")[:5]
    assert largest.get_column("place").to_list() == [str(at) for at in order]
    first = pairs.pair(int(order[0]))
    assert largest.item(0, "item") == f"{first.premise} ⇒ {first.hypothesis}"
    assert len(items.filter(pl.col("group") == "largest contradiction")) == 5


def test_slices(model: AttentionNli, probe: Path, tmp_path: Path) -> None:
    asked = "job=nurse|VIP,gendered=man,verb=drove"
    findings = infer([model], probes=[probe], slices=[asked], by=["kind", "job"], mitigate=(), random=0, **FEW)
    pairs = PairSet.of(load_probe(probe))
    probabilities = _one_by_one(model, pairs).reshape(7, 4, 3, 3)
    some = probabilities[4:, [0, 2], 0].reshape(-1, 3)
    assert _value(findings.scores, "entailment", dataset=f"small/{asked}") == pytest.approx(some[:, 0].mean(), abs=1e-6)
    for kind, where in (("eating", slice(0, 4)), ("driving", slice(4, 7))):
        expected = probabilities[where].reshape(-1, 3)[:, 1].mean()
        assert _value(findings.scores, "net-neutral", dataset=f"small/kind={kind}") == pytest.approx(expected, abs=1e-6)
    assert (
        len(findings.scores.filter(pl.col("dataset").str.starts_with("small/job="), pl.col("measure") == "entailment"))
        == 4 + 1
    )
    other = tmp_path / "other.toml"
    other.write_text(PROBE.replace('"small"', '"other"').replace('"job"', '"work"').replace("zyx", "xyz"))
    both = infer(
        [model],
        probes=[other, probe],
        slices=["job=nurse", "subject=zyx", "subject=xyz"],
        mitigate=(),
        random=0,
        **FEW,
    )
    named = both.scores.get_column("dataset").unique(maintain_order=True).to_list()
    assert named == ["other", "other/gendered=xyz", "small", "small/job=nurse", "small/gendered=zyx"]
    assert [table.title for table in infer_tables(both.scores, both.items.clear())][1::2] == [
        "other · tiny-nli · slices",
        "small · tiny-nli · slices",
    ]
    one = infer([model], probes=[probe], only="job=nurse,gendered=man,verb=ate,object=bun", mitigate=(), random=0)
    alone = one.scores.filter(pl.col("measure") == "net-neutral").row(0, named=True)
    assert (alone["n"], alone["low"]) == (1, None)
    assert alone["value"] == pytest.approx(probabilities[1, 0, 0, 1], abs=1e-6)


def test_a_killed_run_goes_on(model: AttentionNli, probe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "BLOCK", 24)  # two actions a block: four blocks
    options = {"probes": [probe], "mitigate": (), "random": 0, **FEW}
    dying = Counting(model, dies_after=2)
    with pytest.raises(KeyboardInterrupt):
        infer([dying], **options)
    again = Counting(model)
    findings = infer([again], **options)
    assert (dying.calls, again.calls) == ([24, 24], [24, 12])
    third = Counting(model)
    assert infer([third], **options).scores.equals(findings.scores)
    assert third.calls == []
    broken = next(cache_dir().glob("inferences/*/00001/*.safetensors"))
    broken.write_bytes(b"half a file")
    assert infer([third], **options).scores.equals(findings.scores)
    assert third.calls == [24]


def test_samples(model: AttentionNli, probe: Path) -> None:
    findings = infer([model], probes=[probe], sample=40, random=0, **FEW)
    gaps = pl.col("measure").str.contains("^(gap|lean):")
    assert set(findings.scores.filter(~gaps).get_column("n")) == {40}
    assert set(findings.scores.filter(gaps).get_column("n")) == {4}  # premises
    assert "40 pairs, one drawn at random" in findings.notes[1]
    pairs = PairSet.of(load_probe(probe))
    drawn_ = scoring.draw_evenly(84, 40, 0)
    expected = _one_by_one(model, pairs)[drawn_, 1].mean()
    assert _value(findings.scores, "net-neutral") == pytest.approx(expected, abs=1e-6)
    one = infer([model], probes=[probe], sample=1, slices=["job=nurse"], mitigate=(), random=0, **FEW)
    both = [one, infer([model], probes=[probe], sample=1, slices=["job=doctor"], mitigate=(), random=0, **FEW)]
    assert sum("has none of its pairs" in "".join(found.warnings) for found in both) >= 1


def test_against_a_retrained_network(model: AttentionNli, probe: Path) -> None:
    torch.manual_seed(8)
    other = AttentionNli("retrained", Network(Shape(dim=10, hidden=12, compare=9)).eval(), model.embedder)
    findings = infer([model], probes=[probe], mitigate=(), random=0, against=[other], **FEW)
    probabilities = _one_by_one(other, PairSet.of(load_probe(probe)))
    assert _value(findings.scores, "net-neutral", "retrained") == pytest.approx(probabilities[:, 1].mean(), abs=1e-6)
    assert not findings.scores.filter(pl.col("measure") == "net-neutral:change").is_empty()
    with pytest.raises(WordworthError, match="two models are called retrained"):
        infer([model], probes=[probe], mitigate=(), random=0, against=[other, other], **FEW)


def test_accuracy_before_and_after(model: AttentionNli, probe: Path, tmp_path: Path) -> None:
    """Against one pair at a time; words that only the labelled pairs hold (he, she, Extra) are projected too."""
    rows = [
        ("The nurse ate a bun.", "He ate."),
        ("She drove a van.", "The Extra drove."),
        ("A man paid.", "A man paid."),
    ]
    labels = ["neutral", "contradiction", "entailment"]
    lines = [f"{one}\t{other}\t{label}" for (one, other), label in zip(rows, labels, strict=True)]
    data = tmp_path / "few.tsv"
    data.write_text("\n".join(["sentence1\tsentence2\tgold_label", *lines]) + "\n")
    findings = infer([model], probes=[probe], random=1, accuracy=[data], **FEW)
    embedding = model.embedder.embedding
    changed = remove(embedding, difference_direction(embedding, "he", "she").basis, "he − she")
    scores = findings.scores.filter(pl.col("experiment") == "accuracy")
    assert scores.get_column("setting").to_list() == ["original", "projection:small"]
    for version, value in zip((model, model.with_vectors(changed)), scores.get_column("value"), strict=True):
        found = [LABELS[version.probabilities(list(row), np.array([[0, 1]]))[0].argmax()] for row in rows]
        assert value == pytest.approx(np.mean([one == label for one, label in zip(found, labels, strict=True)]))
    assert set(scores.get_column("n")) == {3}
    assert list(infer_tables(findings.scores, findings.items.clear()))[-1].rows[1][2] == "projection:small"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"mitigate": ("project",)}, "--mitigate is 'project'; did you mean projection"),
        ({"random": -1}, "--random is -1"),
        ({"farthest": -1}, "--farthest is -1"),
        ({"sample": 0}, "--sample is 0; it must be a whole number from 1 up"),
        ({"slices": ["job=plumber"]}, "no job 'plumber'"),
        ({"slices": ["job"]}, "is not KEY=WORD"),
        ({"slices": ["verb=ate,object=car"]}, "no pair of small has verb=ate,object=car"),
        ({"by": ["colour"]}, "cannot be sliced by 'colour'"),
        ({"thresholds": (2.0,)}, "--threshold is 2.0; it must be a number from 0 to 1"),
    ],
)
def test_bad_choices(model: AttentionNli, probe: Path, options: dict[str, object], told: str) -> None:
    with pytest.raises(WordworthError, match=told):
        infer([model], probes=[probe], **options)


def test_bad_models_and_probes(model: AttentionNli, probe: Path, tmp_path: Path) -> None:
    with pytest.raises(WordworthError, match="has no vectors that could be changed"):
        infer([Counting(model)], probes=[probe])
    plain = tmp_path / "plain.toml"
    plain.write_text(PROBE.replace('subspace = { pair = ["he", "she"] }', ""))
    with pytest.raises(WordworthError, match="names no subspace to take out"):
        infer([model], probes=[plain])
    plain.write_text(PROBE.replace('"she"', '"xoxo"'))
    with pytest.raises(WordworthError, match="has no word 'xoxo'"):
        infer([model], probes=[plain])
    with torch.no_grad():
        broken = Network(Shape(dim=10, hidden=12, compare=9)).eval()
        broken.output.bias.fill_(float("nan"))
    with pytest.raises(WordworthError, match=r"“The nurse ate an apple.” ⇒ “The man ate an apple.” the probabilities"):
        infer([AttentionNli("broken", broken, model.embedder)], probes=[probe], mitigate=(), random=0)


def test_the_largest_are_kept_in_any_order_of_blocks() -> None:
    """Against sorting everything, ties by index."""
    rng = np.random.default_rng(5)
    probabilities = np.round(rng.dirichlet([1, 1, 1], size=500), 1)
    kept = Largest(0, 7)
    for part in np.split(rng.permutation(500), [3, 4, 400]):
        kept.add(part.astype(np.int64), probabilities[part])
    assert kept.indices.tolist() == np.argsort(-probabilities[:, 0], kind="stable")[:7].tolist()
    nothing = Largest(0, 0)
    nothing.add(np.arange(3), probabilities[:3])
    assert len(nothing.indices) == 0
