"""`run infer` and `train-nli` over ELMo, with the layers chosen: small random weights, slow versions by hand."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from commands import Command
from made_elmo import write_elmo
from made_nli import PROBE
from typed_runs import reasons, values_by
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.nli.contextual import ElmoVectors, average_occurrences, draw_occurrences
from wordworth.nli.loading import load_attention_nli
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import load_probe
from wordworth.results.run import read_run
from wordworth.task.geometry import list_stability_words, load_bias_kinds
from wordworth.transform import difference_direction

GENDERED = "dev-gendered_pairs"
TEXT = [
    "Then he left , and he came back .",
    "He said that she saw him .",
    "And she , too , left .",
    *(f"The {word} came with the others ." for word in list_stability_words()),
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """ELMo, pairs, a text and a probe in the working directory."""
    monkeypatch.chdir(tmp_path)
    write_elmo(tmp_path / "elmo")
    rows = [("a man sleeps", "he rests", "entailment"), ("a dog runs", "no dog", "contradiction")] * 2
    lines = ["premise\thypothesis\tlabel", *("\t".join(row) for row in rows)]
    (tmp_path / "pairs.tsv").write_text("\n".join(lines) + "\n")
    (tmp_path / "dev.tsv").write_text("\n".join(lines).replace("a man", "one man").replace("a dog", "one dog") + "\n")
    (tmp_path / "text.txt").write_text("\n".join(TEXT) + "\n")
    (tmp_path / "small.toml").write_text(PROBE)
    return tmp_path


TRAIN = ("train-nli", "--vectors", "elmo", "--data", "pairs.tsv", "--dev", "dev.tsv", "--epochs", 1, "--hidden", 8)
INFER = ("run", "infer", "nli", "--probe", "small.toml", "--random", 1, "--resamples", 20, "-o", "run")


def _by_hand(layers: tuple[int, ...]) -> ElmoVectors:
    """he − she of the means of each layer, taken out of it."""
    read = load_attention_nli("nli").embedder
    assert isinstance(read, ElmoVectors)
    if not layers:  # layer 1 by itself, before the layers above read it
        return read.without(difference_direction(read.context_free(["he", "she"]), "he", "she"))
    means = average_occurrences(read, ["he", "she"], draw_occurrences(TEXT, ["he", "she"], 1000), "text")
    bases = {}
    for layer in layers:
        he, she = (means[layer - 1][word] / np.linalg.norm(means[layer - 1][word]) for word in ("he", "she"))
        bases[layer - 1] = (he - she) / np.linalg.norm(he - she)

    class ByHand(ElmoVectors):
        def vectors(self, ids: np.ndarray) -> Tensor:
            made = super().vectors(ids).double().numpy().copy()
            for at, v in bases.items():
                made[:, :, at] -= (made[:, :, at] @ v)[..., None] * v
            return torch.from_numpy(made).float()

    return ByHand(read.elmo)


@pytest.mark.parametrize("layers", [(), (1, 2, 3), (2,)])
def test_every_chosen_layer_is_projected_at_test(command: Command, place: Path, layers: tuple[int, ...]) -> None:
    assert command(*TRAIN, "-o", "nli").code == 0
    chosen = ("--elmo-layers", ",".join(map(str, layers)), "--corpus", "text.txt") if layers else ()
    answer = command(*INFER, *chosen)
    assert answer.code == 0, answer.err
    run = read_run("run")
    net = values_by(run, "version", measure="net-neutral")
    model = load_attention_nli("nli")
    pairs = PairSet.of(load_probe(place / "small.toml"))
    both = [list(pairs.pair(index)[:2]) for index in range(4)]
    for name, version in (("original", model), ("projection", model.over(_by_hand(layers)))):
        slow = np.mean([version.probabilities(sentences, np.array([[0, 1]]))[0, 1] for sentences in both])
        assert net[name] == pytest.approx(slow, abs=1e-6)
    assert net["random"] not in (net["original"], net["projection"])
    if layers:
        where = "layer 2" if layers == (2,) else "each of layers 1, 2, 3"
        assert any(f"he − she, 1 of 12 dimensions, in {where}" in reason for reason in reasons(run, "info"))
        assert any("occurrences in 5 sentences of text.txt" in reason for reason in reasons(run, "info"))


def test_layers_in_training_are_recorded(command: Command, place: Path) -> None:
    taken = ("--direction", "he,she", "--elmo-layers", "1,2,3", "--corpus", "text.txt")
    assert command(*TRAIN, "-o", "nli").code == 0
    assert command(*TRAIN, *taken, "-o", "nli-all").code == 0
    assert command(*TRAIN, "--random-directions", 1, "--elmo-layers", "1,2,3", "-o", "nli-random").code == 0
    assert command(*TRAIN, "--direction", "he,she", "-o", "nli-first").code == 0
    without, by_hand = load_attention_nli("nli-all").embedder, _by_hand((1, 2, 3))
    found, slow = (one.vectors(np.array([one.ids("she saw nobody")])) for one in (without, by_hand))
    np.testing.assert_allclose(found, slow, atol=1e-5)
    against = [word for name in ("nli-all", "nli-random", "nli-first") for word in ("--against", name)]
    answer = command(*INFER, *against, "--mitigate", "none", "--random", 0)
    assert answer.code == 0, answer.err
    trained = {model.name: getattr(model, "trained_without", None) for model in read_run("run").models}
    assert trained == {
        "nli": None,
        "nli-all": {"subspace": "he − she", "dimensions": 1, "layers": [1, 2, 3]},
        "nli-random": {"subspace": "random:1", "dimensions": 1, "layers": [1, 2, 3]},
        "nli-first": {"subspace": "he − she", "dimensions": 1, "layers": []},
    }


def test_stability_of_layer_one_and_of_means(command: Command, place: Path) -> None:
    """Dev et al., Table 12: of every layer, each figure once more by the singular values of its words."""
    assert command(*TRAIN, "-o", "nli").code == 0
    read = load_attention_nli("nli").embedder
    assert isinstance(read, ElmoVectors)
    means = average_occurrences(
        read, list_stability_words(), draw_occurrences(TEXT, list_stability_words(), 1000), "text"
    )
    for chosen, layers in (((), [1]), (("--elmo-layers", "1,2,3", "--corpus", "text.txt"), [1, 2, 3])):
        answer = command(*INFER, "--stability", "--mitigate", "none", "--random", 0, *chosen, "--overwrite")
        assert answer.code == 0, answer.err
        assert "cosine" in answer.out
        run = read_run("run")
        for layer in layers:
            second = values_by(run, "dataset", experiment="stability", measure="principal", k=2, layer=layer)
            cosine = values_by(run, "dataset", experiment="stability", measure="cosine", layer=layer)
            rows = zip(means[0].words, means[layer - 1].matrix, strict=True)
            vectors = {word: row / np.linalg.norm(row) for word, row in rows}
            assert set(vectors) == set(list_stability_words())
            pairs = [(vectors[first] - vectors[other]) / 2 for first, other in load_word_set(GENDERED).pairs]
            _, values, directions = np.linalg.svd(np.array(pairs), full_matrices=False)
            assert second["gendered"] == pytest.approx(values[1] / values[0], rel=1e-4)
            he = vectors["he"] - vectors["she"]
            assert cosine["gendered"] == pytest.approx(abs(directions[0] @ he) / np.linalg.norm(he), rel=1e-4)
            assert set(cosine) == set(load_bias_kinds())
