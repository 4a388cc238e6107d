"""Fine-tuning: it learns, with the subspace out all the while; from a seed it comes out the same; NaN stops it."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from stopped_training import stop_after
from wordworth.cli import app
from wordworth.errors import WordworthError
from wordworth.nli import finetune_nli as module
from wordworth.nli.cross_encoder import load_cross_encoder, untrained_cross_encoder
from wordworth.nli.finetune_nli import FinetuneRecipe, _batches, _schedule_rate, finetune_nli
from wordworth.nli.nli import accuracy
from wordworth.repair.subwords import embed_words
from wordworth.transform import difference_direction

SUBJECTS = ("doctor", "man", "woman", "nurse", "bishop", "person")
DATA = [
    (f"The {subject} ate an apple.", hypothesis, label)
    for subject in SUBJECTS
    for hypothesis, label in (
        (f"The {subject} ate.", "entailment"),
        ("The old bus crashed.", "neutral"),
        ("Never, no, never.", "contradiction"),
    )
]
QUICK = FinetuneRecipe(epochs=4, rate=5e-3, batch=4)


def fresh(make_folder):
    return untrained_cross_encoder(make_folder("bert"), seed=3)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_it_learns_with_the_direction_out(make_folder, tmp_path, kind):
    model = untrained_cross_encoder(make_folder(kind), seed=3, dropout=0)  # so few dimensions can spare none
    subspace = difference_direction(embed_words(model.head_model, ["he", "she"]), "he", "she")
    before = accuracy(model, DATA)
    trained, history = finetune_nli(
        model, DATA * 6, tmp_path / "out", projection=subspace, recipe=replace(QUICK, epochs=10)
    )
    assert accuracy(trained, DATA) > max(before, 0.9)
    assert history[-1]["loss"] < history[0]["loss"] / 2
    left = trained.network.get_input_embeddings().weight.detach().numpy() @ subspace.basis.T
    assert np.abs(left).max() < 1e-6
    record = json.loads((tmp_path / "out" / "projection.json").read_text())
    assert record["taken_out"]["subspace"] == "he − she"
    assert record["training"]["epochs"] == 10
    assert record["training"]["kept"] == 10
    assert record["training"]["pairs"] == 6 * len(DATA)
    assert trained.columns == (0, 1, 2)
    sentences, pairs = ["The man ate.", "No man slept.", "She sold a car."], np.array([[0, 1], [1, 0], [2, 1]])
    on = model.without(subspace).probabilities(sentences, pairs)
    np.testing.assert_allclose(trained.probabilities(sentences, pairs), on, atol=1e-5)


@pytest.mark.parametrize("kind", ["bert", "bart"])  # bart looks its subwords up in two places over one matrix
def test_a_stopped_training_goes_on_to_the_same_network(make_folder, tmp_path, kind):
    place = make_folder(kind)

    def go(name: str) -> list[dict[str, float]]:
        model = untrained_cross_encoder(place, seed=3)
        subspace = difference_direction(embed_words(model.head_model, ["he", "she"]), "he", "she")
        lines = lines_by_name.setdefault(name, [])
        more = {"dev": DATA[:6], "projection": subspace, "recipe": QUICK, "say": lines.append}
        return finetune_nli(model, DATA, tmp_path / name, **more)[1]

    lines_by_name: dict[str, list[str]] = {}
    whole = go("whole")
    for steps in (2, 8, 7):  # 18 pairs in batches of 4: in the first epoch, the second, and the third
        with stop_after(steps):
            go("stopped")
        assert module.is_unfinished(tmp_path / "stopped") is (steps > 5)
    assert go("stopped") == whole
    resumed = [line for line in lines_by_name["stopped"] if "goes on" in line]
    assert resumed == [f"goes on after epoch {at}" for at in (1, 2)]
    one, two = (sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("whole", "stopped"))
    assert one == two
    for name in ("model.safetensors", "projection.json"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "stopped" / name).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stopped", "whole"]


def test_a_training_is_discarded_on_request(make_folder, tmp_path):
    out = tmp_path / "out"
    with stop_after(6):
        finetune_nli(fresh(make_folder), DATA, out, recipe=QUICK)
    with pytest.raises(WordworthError, match=r"training with other data.*--overwrite"):
        finetune_nli(fresh(make_folder), DATA[:-1], out, recipe=QUICK)
    load_cross_encoder(out)  # the epoch that had ended
    module.discard_training(out)
    assert not module.is_unfinished(out)
    (tmp_path / "mine").mkdir()
    with pytest.raises(WordworthError, match="mine has no fine-tuned model"):
        module.discard_training(tmp_path / "mine")


def test_halved_products_leave_the_weights_float32(make_folder, tmp_path):
    place = make_folder("bert")
    for precision in ("float32", "bfloat16"):
        recipe = replace(QUICK, precision=precision)
        finetune_nli(untrained_cross_encoder(place, seed=3), DATA, tmp_path / precision, recipe=recipe)
    full, halved = (load_file(tmp_path / name / "model.safetensors") for name in ("float32", "bfloat16"))
    assert {tensor.dtype for tensor in halved.values()} == {torch.float32}
    assert any(not torch.equal(full[name], halved[name]) for name in full)


def test_the_best_epoch_on_dev_is_kept(make_folder, tmp_path, monkeypatch):
    accuracies = iter([0.3, 0.9, 0.9, 0.5])
    monkeypatch.setattr(module, "accuracy", lambda *_: next(accuracies))
    _, history = finetune_nli(fresh(make_folder), DATA, tmp_path / "out", dev=DATA[:3], recipe=QUICK)
    assert [epoch["accuracy"] for epoch in history] == [0.3, 0.9, 0.9, 0.5]
    saved = json.loads((tmp_path / "out" / "projection.json").read_text())
    assert saved["training"]["kept"] == 2


def test_dropout_is_the_papers(make_folder):
    model = untrained_cross_encoder(make_folder("bert"), dropout=0.25)
    inside = set(model.network.base_model.modules())
    rates = {(module in inside, module.p) for module in model.network.modules() if isinstance(module, torch.nn.Dropout)}
    assert rates == {(True, 0.25), (False, 0.0)}
    with pytest.raises(WordworthError, match="dropout is 1"):
        untrained_cross_encoder(make_folder("bert"), dropout=1)


def test_batches_hold_every_pair_once_and_the_rate_rises_and_falls():
    batches = list(_batches(list(range(50)), 8, np.random.default_rng(0)))
    assert sorted(at for batch in batches for at in batch) == list(range(50))
    assert max(map(len, batches)) == 8
    heights = [_schedule_rate(step, 100, 0.1) for step in range(100)]
    assert heights[0] == pytest.approx(0.1)
    assert max(heights) == 1.0
    assert heights[-1] == pytest.approx(1 / 90)


def test_the_command_trains_and_its_model_is_probed(make_folder, tmp_path):
    rows = ["premise\thypothesis\tlabel", *("\t".join(row) for row in DATA)]
    (tmp_path / "nli.tsv").write_text("\n".join(rows) + "\n")
    folder = tmp_path / "nogender"
    asked = ["finetune-nli", str(make_folder("bert")), "--data", str(tmp_path / "nli.tsv"), "--direction", "he,she"]
    asked += ["--epochs", "1", "--hold-out", "0.3", "-o", str(folder)]
    made = CliRunner().invoke(app, [*asked, "--json"], catch_exceptions=False)
    assert made.exit_code == 0
    assert json.loads(made.stdout)["kept"] == 1
    assert json.loads((folder / "projection.json").read_text())["taken_out"]["subspace"] == "he − she"
    again = CliRunner().invoke(app, [*asked, "--overwrite", "--json"], catch_exceptions=False)
    assert again.stdout == made.stdout
    with pytest.raises(WordworthError, match="exists already"):
        CliRunner().invoke(app, asked, catch_exceptions=False)
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {str(at): f"LABEL_{at}" for at in range(3)}
    (folder / "config.json").write_text(json.dumps(config))
    probed = ["run", "infer", f"mine={folder}", "--probe", "gender", "--sample", "20", "--random", "0"]
    probed += ["--mitigate", "none", "--resamples", "20"]
    with pytest.raises(WordworthError, match="such as --labels"):
        CliRunner().invoke(app, [*probed, "-o", str(tmp_path / "run")], catch_exceptions=False)
    probed += ["--labels", "entailment,neutral,contradiction", "-o", str(tmp_path / "run")]
    assert CliRunner().invoke(app, probed, catch_exceptions=False).exit_code == 0
    assert "net-neutral" in (tmp_path / "run" / "scores.csv").read_text()
