"""A repaired network saved: plain `transformers` loads it, and it computes what the network in memory did."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers as hf

from repair_models import NAMES, networks, tokenizer
from wordworth.encode.model import trial_ids
from wordworth.errors import WordworthError
from wordworth.repair.checkpoint import RepairJob, compute_states, load_whole, refuse_unlike, repair_network
from wordworth.repair.subwords import embed_subwords, subword_matrix
from wordworth.transform import Moments, class_means, erase, fit_leace

CLASSES = {"one": ["he", "man", "boy"], "other": ["she", "woman", "girl"]}
LABELLED = [word for words in CLASSES.values() for word in words]


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model, made once."""
    made: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in made:
            fast = tokenizer()
            torch.manual_seed(0)
            network = networks(len(fast))[name]()
            with torch.no_grad():  # gains and biases that are not one and zero, as after training
                for weight in network.parameters():
                    weight += 0.1 * torch.randn_like(weight)
            made[name] = tmp_path_factory.mktemp("models") / name.replace(" ", "-")
            network.save_pretrained(made[name])
            fast.save_pretrained(made[name])
        return made[name]

    return folder


def in_subwords(folder):
    headed = load_whole(folder, device="cpu")
    pieces = embed_subwords(headed, LABELLED)
    subspace = class_means(pieces, CLASSES, unit=False)
    after = erase(pieces, fit_leace(subspace, Moments.of(pieces.matrix)))
    return RepairJob(headed, after.matrix, "leace", "subwords", subspace)


@pytest.mark.parametrize("name", NAMES)
def test_leace_of_subwords_in_any_architecture(folder_of, name, tmp_path):
    repaired = in_subwords(folder_of(name))
    network, ids = repaired.model.network, trial_ids(repaired.model.tokenizer)
    plain, head = compute_states(network, ids), network.get_output_embeddings()
    repaired.save(tmp_path / "saved")
    auto = hf.AutoModel.from_pretrained(tmp_path / "saved")
    with torch.inference_mode():
        found = auto(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states
    expected = compute_states(repair_network(network, repaired.matrix), ids)
    for one, other in zip(expected, found, strict=False):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)
    assert not torch.allclose(plain[0], found[0])
    for one, other in zip(plain, compute_states(network, ids), strict=True):
        assert torch.equal(one, other)  # the network in memory is as it was
    pieces = embed_subwords(load_whole(tmp_path / "saved", device="cpu"), LABELLED)
    means = [np.mean([pieces[word] for word in words], axis=0) for words in CLASSES.values()]
    np.testing.assert_allclose(*means, atol=1e-6)
    if head is not None:  # which was tied, or not: it stays as it was
        saved = load_whole(tmp_path / "saved", device="cpu").network
        assert torch.equal(saved.get_output_embeddings().weight, head.weight)
        assert not torch.equal(subword_matrix(saved), saved.get_output_embeddings().weight)
    assert "boy" in (tmp_path / "saved" / "README.md").read_text()
    record = json.loads((tmp_path / "saved" / "projection.json").read_text())
    assert record["taken_out"]["words"] == LABELLED
    hf.AutoTokenizer.from_pretrained(tmp_path / "saved")


def test_a_network_that_differs_is_not_saved(folder_of):
    repaired = in_subwords(folder_of("gpt2"))
    network, ids = repaired.model.network, trial_ids(repaired.model.tokenizer)
    with pytest.raises(WordworthError, match="computes something else"):
        refuse_unlike([one + 1 for one in compute_states(network, ids)], folder_of("gpt2"), network, ids)
    refuse_unlike(compute_states(network, ids), folder_of("gpt2"), network, ids)


def test_a_pooler_that_the_files_lack_is_not_made_up(folder_of, tmp_path):
    bert = hf.BertModel.from_pretrained(folder_of("bert"), add_pooling_layer=False)
    bert.save_pretrained(tmp_path / "bare")
    hf.AutoTokenizer.from_pretrained(folder_of("bert")).save_pretrained(tmp_path / "bare")
    in_subwords(tmp_path / "bare").save(tmp_path / "saved")
    assert load_whole(tmp_path / "saved", device="cpu").network.pooler is None
