"""A subspace taken out of subword embeddings: the same as editing the matrix by hand, and gone without a trace."""

import copy
import json
from dataclasses import replace

import numpy as np
import pytest
import torch
import transformers as hf

from wordworth.encode.heads import load_with_head
from wordworth.errors import WordworthError
from wordworth.nli.cross_encoder import load_cross_encoder
from wordworth.repair.checkpoint import save_projected
from wordworth.repair.subwords import embed_words, project_subwords
from wordworth.transform import difference_direction, random_directions

SENTENCES = ["The doctor ate an apple.", "He slept.", "She sold the old car.", "The rude person visited the bishop."]
PAIRS = np.array([(one, other) for one in range(4) for other in range(4)])


@pytest.fixture
def subspace(model):
    return random_directions(model.network.get_input_embeddings().weight.shape[1], count=1, k=2)[0]


def by_hand(model, subspace):
    """A copy of the model whose matrix is edited, one direction after the other."""
    network = copy.deepcopy(model.network)
    weight = network.get_input_embeddings().weight
    with torch.no_grad():
        x = weight.double()
        for direction in torch.from_numpy(subspace.basis):
            x = x - (x @ direction)[:, None] * direction
        weight.copy_(x)
    return replace(model, head_model=replace(model.head_model, network=network))


def test_equals_editing_the_matrix_by_hand(model, subspace):
    plain = model.probabilities(SENTENCES, PAIRS)
    found = model.without(subspace).probabilities(SENTENCES, PAIRS)
    np.testing.assert_allclose(found, by_hand(model, subspace).probabilities(SENTENCES, PAIRS), atol=1e-6)
    assert np.abs(found - plain).max() > 1e-3


def test_taking_it_off_restores_bit_for_bit(model, subspace):
    before = {name: weight.clone() for name, weight in model.network.state_dict().items()}
    plain = model.probabilities(SENTENCES, PAIRS)
    on = model.without(subspace)
    on.probabilities(SENTENCES, PAIRS)
    np.testing.assert_array_equal(replace(on, projection=None).probabilities(SENTENCES, PAIRS), plain)
    np.testing.assert_array_equal(model.probabilities(SENTENCES, PAIRS), plain)
    for name, weight in model.network.state_dict().items():
        assert torch.equal(weight, before[name])
    assert not any(module._forward_hooks for module in model.network.modules())
    assert on.identity != model.identity
    assert replace(on, projection=None).identity == model.identity


def test_a_saved_projection_is_a_plain_model_with_a_record(model, subspace, tmp_path):
    on = model.without(subspace)
    save_projected(on.head_model, on.projection, tmp_path / "saved")
    again = load_cross_encoder(tmp_path / "saved")
    np.testing.assert_allclose(again.probabilities(SENTENCES, PAIRS), on.probabilities(SENTENCES, PAIRS), atol=1e-6)
    record = json.loads((tmp_path / "saved" / "projection.json").read_text())
    assert record["taken_out"]["subspace"] == "random:1"
    assert record["weights"] == model.head_model.weights
    left = again.network.get_input_embeddings().weight.detach().numpy() @ subspace.basis.T
    assert np.abs(left).max() < 1e-6
    assert list((tmp_path / "saved").glob("*.safetensors"))
    assert not list((tmp_path / "saved").glob("*.bin"))
    save_projected(on.head_model, None, tmp_path / "saved")  # replaced as a whole
    plain = load_cross_encoder(tmp_path / "saved")
    np.testing.assert_allclose(plain.probabilities(SENTENCES, PAIRS), model.probabilities(SENTENCES, PAIRS), atol=1e-6)


def test_a_tied_head_keeps_the_matrix_it_was_trained_with(make_folder, tmp_path):
    """A masked model whose head is the matrix: only the look-up is projected, in memory and when saved."""
    headed = load_with_head(hf.AutoModelForMaskedLM, make_folder("bert", auto=hf.AutoModelForMaskedLM))
    network = headed.network
    assert network.get_output_embeddings().weight is network.get_input_embeddings().weight
    (subspace,) = random_directions(16, count=1)
    given = headed.tokenizer(SENTENCES[0], return_tensors="pt")

    untied = copy.deepcopy(network)
    matrix = untied.get_input_embeddings().weight.detach()
    untied.get_output_embeddings().weight = torch.nn.Parameter(matrix.clone())
    v = torch.from_numpy(subspace.basis).float()
    with torch.no_grad():
        untied.get_input_embeddings().weight.copy_(matrix - matrix @ v.T @ v)
        expected = untied(**given).logits
        with project_subwords(network, subspace.basis):
            torch.testing.assert_close(network(**given).logits, expected, atol=1e-5, rtol=0)
        save_projected(headed, subspace, tmp_path / "saved")
        assert network.config.tie_word_embeddings
        assert network.get_output_embeddings().weight is network.get_input_embeddings().weight
        again = load_with_head(hf.AutoModelForMaskedLM, tmp_path / "saved").network
        torch.testing.assert_close(again(**given).logits, expected, atol=1e-5, rtol=0)


def test_words_are_the_pieces_that_begin_them(model):
    words = embed_words(model.head_model, ["he", "she", "he", "wagons of gold", "wardrobe", "ß"])
    assert list(words.words)[:2] == ["he", "she"]
    assert "wardrobe" not in words
    weight = model.network.get_input_embeddings().weight.detach().numpy()
    pieces = model.tokenizer.convert_ids_to_tokens(range(len(weight)))
    for word in ("he", "she"):
        (row,) = [at for at, piece in enumerate(pieces) if piece in (f"Ġ{word}", f"▁{word}")] or [pieces.index(word)]
        np.testing.assert_array_equal(words.matrix[words.index[word]], weight[row])
    he, she = (words[word] / np.linalg.norm(words[word]) for word in ("he", "she"))
    found = difference_direction(words, "he", "she").basis[0]  # the authors': unit(unit(he) − unit(she))
    np.testing.assert_allclose(found, (he - she) / np.linalg.norm(he - she))


def test_bad_input(bert):
    with pytest.raises(WordworthError, match="subword embeddings of 16 dimensions"):
        bert.without(random_directions(5)[0]).probabilities(SENTENCES, PAIRS)
