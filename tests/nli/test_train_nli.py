"""The trainer: it learns, is the same each time, goes on after a kill, and stops at a loss that is no number."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from stopped_training import diverge_after, stop_after
from wordworth.catalog.read.nli import NliData
from wordworth.cli import app
from wordworth.embedding import Embedding, save
from wordworth.embedding.core import Provenance
from wordworth.errors import WordworthError
from wordworth.nli.loading import load_attention_nli, vectors_to_train_on
from wordworth.nli.nli import accuracy
from wordworth.nli.train_nli import (
    RECIPES,
    RESULTS,
    TrainingRecipe,
    TrainingSets,
    _average,
    discard_training,
    train_nli,
)
from wordworth.transform import difference_direction, remove

THINGS = [f"thing{number}" for number in range(12)]
WORDS = ["a", "no", "sees", ".", *THINGS]


def vectors(seed: int = 0) -> Embedding:
    matrix = np.random.default_rng(seed).normal(0, 1, (len(WORDS), 8)).astype(np.float32)
    return Embedding(WORDS, matrix, Provenance(name="things", sha256="1" * 64))


def make_pairs(rng: np.random.Generator, count: int, name: str) -> NliData:
    """A rule to be learnt: the same thing is entailed, with `no` contradicted, another thing is neutral."""
    premises, hypotheses, labels = [], [], []
    for _ in range(count):
        one, other, third = rng.choice(THINGS, 3, replace=False)
        label = str(rng.choice(["entailment", "neutral", "contradiction"]))
        premises.append(f"a {one} sees a {other} .")
        hypotheses.append(
            {"entailment": f"a {one} .", "neutral": f"a {third} .", "contradiction": f"no {one} ."}[label]
        )
        labels.append(label)
    return NliData(name, tuple(premises), tuple(hypotheses), tuple(labels))


@pytest.fixture(scope="module")
def sets() -> TrainingSets:
    rng = np.random.default_rng(4)
    return TrainingSets((make_pairs(rng, 200, "train"),), (make_pairs(rng, 60, "dev"),), (make_pairs(rng, 60, "test"),))


def go(sets: TrainingSets, folder: Path, epochs: int = 3, **more) -> dict:
    recipe = TrainingRecipe(epochs=epochs, rate=3e-3, average=0.9, hidden=16, beside=True, **{"patience": 99, **more})
    return train_nli(vectors(), sets, folder, recipe=recipe)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def test_it_learns_a_rule_and_reports_accuracy(sets, tmp_path):
    many = TrainingSets((make_pairs(np.random.default_rng(5), 1000, "train"),), sets.dev, sets.tests)
    made = go(many, tmp_path, epochs=14)
    assert made["test"][0]["accuracy"] > 0.85
    assert made["dev"][0]["accuracy"] == max(one["dev"] for one in made["history"])
    assert made == json.loads((tmp_path / RESULTS).read_text())
    model = load_attention_nli(tmp_path, vectors=vectors())
    assert accuracy(model, sets.tests[0].examples()) == made["test"][0]["accuracy"]


def test_a_stopped_training_goes_on_to_the_same_network(sets, tmp_path, monkeypatch):
    whole = go(sets, tmp_path / "whole", epochs=4)
    with stop_after(24):  # in the middle of an epoch
        go(sets, tmp_path / "stopped", epochs=4)
    assert go(sets, tmp_path / "stopped", epochs=4)["history"] == whole["history"]
    for name in ("", "checkpoints/checkpoint-28/"):
        assert same(weights(tmp_path / "stopped" / name), weights(tmp_path / "whole" / name))
    longer = go(sets, tmp_path / "stopped", epochs=5)  # more epochs go on with what there is
    assert longer["history"][:4] == whole["history"]
    assert longer["history"] == go(sets, tmp_path / "long", epochs=5)["history"]


def test_the_authors_training(sets, tmp_path):
    """It never stops early, keeps the weights of the best epoch, and the folder says what network it is."""
    wrong = NliData("dev", sets.dev[0].premises, sets.dev[0].hypotheses, ("neutral",) * 60)
    recipe = replace(RECIPES["dev2020"], epochs=8, hidden=16)
    made = train_nli(vectors(), TrainingSets(sets.training, (wrong,), sets.tests), tmp_path, recipe=recipe)
    assert made["epochs"] == 8
    assert made["recipe"]["network"] == made["shape"]["network"] == "dev2020"
    kept, last = weights(tmp_path), weights(max(tmp_path.glob("checkpoints/*"), key=lambda place: len(place.name)))
    assert made["best_epoch"] < 8
    assert not torch.equal(kept["output.weight"], last["network.output.weight"])
    model = load_attention_nli(tmp_path, vectors=vectors())
    assert accuracy(model, sets.tests[0].examples()) == made["test"][0]["accuracy"]


def test_averages_by_hand():
    """The authors' average starts behind the first step and has one decay; ours adds to the start, early steps more."""
    for name, expected in (("dev2020", 3.0), ("dev2020-average", 2.0 + 0.001), ("default", None)):
        weight = torch.nn.Parameter(torch.tensor([1.0]))
        module = torch.nn.Module()
        module.register_parameter("weight", weight)
        average = _average(module, RECIPES[name])
        for step in (2.0, 3.0):
            weight.data.fill_(step)
            average.update_parameters(module)
        if expected is None:  # 2/11 of the start is kept, then 3/12 of that
            expected = 0.25 * (2 / 11 * 1 + 9 / 11 * 2) + 0.75 * 3
        assert float(average.module.weight) == pytest.approx(expected, abs=1e-5)


def test_it_ends_when_dev_no_longer_gains(sets, tmp_path):
    wrong = NliData("dev", sets.dev[0].premises, sets.dev[0].hypotheses, ("neutral",) * 60)
    made = go(TrainingSets(sets.training, (wrong,), ()), tmp_path, epochs=30, patience=2)
    assert made["epochs"] == made["best_epoch"] + 2 < 30


def test_a_loss_that_is_no_number_stops_it_and_the_last_good_epoch_stays(sets, tmp_path, monkeypatch):
    go(sets, tmp_path, epochs=2)
    good = weights(tmp_path)
    with diverge_after(2), pytest.raises(WordworthError, match="epoch 3, batch 3"):
        go(sets, tmp_path, epochs=4)
    assert same(weights(tmp_path), good)
    assert go(sets, tmp_path, epochs=3)["epochs"] == 3  # and it can go on from there


def test_only_whole_checkpoints_of_the_same_training_are_gone_on_with(sets, tmp_path):
    whole = go(sets, tmp_path, epochs=3)
    with pytest.raises(WordworthError, match="training with other data, vectors or options"):
        go(sets, tmp_path, epochs=4, seed=5)
    newest = max((tmp_path / "checkpoints").iterdir(), key=lambda place: int(place.name.split("-")[1]))
    state = newest / "optimizer.pt"
    content = bytearray(state.read_bytes())
    content[len(content) // 2] ^= 4
    state.write_bytes(content)  # so the one before is taken
    assert go(sets, tmp_path, epochs=3)["history"] == whole["history"]
    discard_training(tmp_path)
    assert not list(tmp_path.iterdir())


def test_models_that_cannot_be_loaded(sets, tmp_path):
    with pytest.raises(WordworthError, match=r"has no NLI model \(config.json is missing\)"):
        load_attention_nli(tmp_path / "nothing")
    go(sets, tmp_path, epochs=1)
    config = json.loads((tmp_path / "config.json").read_text())
    for change, message in (
        ({"labels": ["entailment", "not_entailment"]}, "labels are entailment, not_entailment; they must be"),
        ({"hidden": 18}, "does not fit its config.json"),
    ):
        (tmp_path / "config.json").write_text(json.dumps({**config, "shape": {**config["shape"], **change}}))
        with pytest.raises(WordworthError, match=message):
            load_attention_nli(tmp_path, vectors=vectors())


def write(data: NliData, path: Path) -> str:
    rows = zip(data.premises, data.hypotheses, data.labels, strict=True)
    path.write_text("\n".join(["premise\thypothesis\tlabel", *map("\t".join, rows)]) + "\n")
    return str(path)


def test_the_command(sets, tmp_path):
    train = write(sets.training[0], tmp_path / "train.tsv")
    test = write(sets.tests[0], tmp_path / "test.tsv")
    rows = (" ".join([word, *(f"{x:.6f}" for x in row)]) for word, row in zip(WORDS, vectors().matrix, strict=True))
    (tmp_path / "small.txt").write_text("\n".join(rows) + "\n")
    folder = tmp_path / "model"
    asked = ["train-nli", "--vectors", str(tmp_path / "small.txt"), "--data", train, "--accuracy", test]
    asked += ["--hold-out", "0.2", "--epochs", "2", "--hidden", "16", "-o", str(folder)]
    first = CliRunner().invoke(app, [*asked, "--json"], catch_exceptions=False)
    assert first.exit_code == 0
    made = json.loads(first.stdout)
    assert made["epochs"] == 2
    overlap = {word for one in made["training"] for word in one["left_out"]}
    assert overlap == {"pairs held out to stop by", "pairs whose premise is in test"}
    again = CliRunner().invoke(app, asked, catch_exceptions=False)
    assert "goes on after epoch 2" in again.stderr
    assert f"{100 * made['test'][0]['accuracy']:.2f}" in again.stdout
    authors = [*asked[:-1], str(tmp_path / "authors"), "--network", "dev2020", "--json"]
    theirs = json.loads(CliRunner().invoke(app, authors, catch_exceptions=False).stdout)
    assert theirs["recipe"]["patience"] is None
    assert made["recipe"]["patience"] == 5
    # The folder names the vectors' file, and is loaded without being told.
    assert load_attention_nli(folder).probabilities(["a thing1 .", "no thing2 ."], np.array([[0, 1]])).shape == (1, 3)


def test_a_network_trained_without_a_subspace_records_it(sets, tmp_path):
    save(vectors(), tmp_path / "things.npz")
    subspace = difference_direction(vectors(), "thing0", "thing1")
    read = vectors_to_train_on(tmp_path / "things.npz", 0).without(subspace)
    made = train_nli(read, sets, tmp_path / "model", recipe=TrainingRecipe(epochs=1, hidden=16))
    assert made["vectors"]["projection"] == "thing0 − thing1"
    model = load_attention_nli(tmp_path / "model")  # by itself, without a word of what was taken out
    assert accuracy(model, sets.tests[0].examples()) == made["test"][0]["accuracy"]
    assert np.abs(model.embedder.embedding.matrix @ subspace.basis[0]).max() < 1e-6
    changed = load_attention_nli(tmp_path / "model", vectors=remove(vectors(), subspace.basis, "by hand"))
    pair = np.array([[0, 1]])
    sentences = ["a thing0 sees a thing2 .", "a thing1 ."]
    np.testing.assert_allclose(model.probabilities(sentences, pair), changed.probabilities(sentences, pair), atol=1e-6)
    train_nli(read, sets, tmp_path / "model", recipe=TrainingRecipe(epochs=2, hidden=16))  # and it goes on
