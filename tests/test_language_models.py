"""Models around networks at hand, asked by single texts and by lists; they are measured as they are at each call."""

from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf

from made_models import llama
from wordworth.api.models import LanguageModel, NliModel, wrap_objects
from wordworth.errors import WordworthError

SENTENCES = ["This is a pleasant word", "That is an unpleasant one, and this is a word"]


def classifier() -> tuple[Any, Any]:
    network, tokenizer = llama()
    labels = {0: "contradiction", 1: "neutral", 2: "entailment"}
    torch.manual_seed(0)
    return hf.LlamaForSequenceClassification(
        hf.LlamaConfig(**network.config.to_dict() | {"id2label": labels})
    ), tokenizer


@pytest.fixture
def lm() -> LanguageModel:
    model = wrap_objects(*llama(), name="mine")
    assert isinstance(model, LanguageModel)
    return model


def test_the_class_fits_the_model() -> None:
    assert [type(wrap_objects(*made())) for made in (llama, classifier)] == [LanguageModel, NliModel]
    assert repr(wrap_objects(*llama(), name="mine")) == "<causal model mine>"
    network, tokenizer = llama()
    assert wrap_objects(network, tokenizer).name == "LlamaForCausalLM"
    encoder = wrap_objects(network.model, tokenizer)
    assert encoder.vectors("word", SENTENCES[0]).shape == (3, 16)
    with pytest.raises(WordworthError, match="predicts no words"):
        encoder.surprisal(SENTENCES)


def test_a_network_stays_its_users() -> None:
    network, tokenizer = llama()
    network.train()
    network.lm_head.weight.requires_grad_(False)
    model = wrap_objects(network, tokenizer)
    model.surprisal(SENTENCES)
    trainable = [name for name, weight in network.named_parameters() if weight.requires_grad]
    assert len(trainable) == len(list(network.parameters())) - 1
    network.train()
    model.complete("This is", 1)
    assert not network.training


def test_lists_are_the_single_answers(lm: LanguageModel) -> None:
    frame = lm.complete(["This is", "That is an"], k=3)
    assert frame.columns == ["text", "rank", "word", "probability"]
    for number, text in enumerate(("This is", "That is an")):
        own, listed = lm.complete(text, k=3), frame.filter(text=number)
        assert listed["rank"].to_list() == [1, 2, 3]
        assert listed["word"].to_list() == [word for word, _ in own]
        assert listed["probability"].to_list() == pytest.approx([one.probability for one in own], rel=1e-5)
    assert lm.surprisal(SENTENCES)["text"].unique().to_list() == [0, 1]
    singles = np.stack([lm.vectors("word", sentence) for sentence in SENTENCES])
    assert np.allclose(lm.vectors("word", SENTENCES), singles, atol=1e-6)
    assert np.allclose(lm.vectors(["word", "This"], [SENTENCES[0]] * 2, layer=1)[0], singles[0, 1], atol=1e-6)
    assert lm.vectors(["pleasant", "word"], SENTENCES[0]).shape == (2, 3, 16)
    with pytest.raises(WordworthError, match="2 and 3 words and sentences"):
        lm.vectors(["a", "b"], ["a", "b", "c"])
    assert lm.layers("word").words == ("word",)


def test_inferences_of_lists() -> None:
    model = wrap_objects(*classifier())
    pairs = [("This is a word", "That is one"), ("This is one", "This is a pleasant word")]
    frame = model.infer(*map(list, zip(*pairs, strict=True)))
    assert frame.columns == ["premise", "hypothesis", "entailment", "neutral", "contradiction"]
    for row, pair in zip(frame.iter_rows(), pairs, strict=True):
        assert row[:2] == pair
        assert row[2:] == pytest.approx(model.infer(*pair), abs=1e-6)
    both = model.infer("This is a word", ["That is one", "This is one"])
    assert both["premise"].to_list() == ["This is a word"] * 2


def test_a_change_in_place_gives_fresh_numbers() -> None:
    """The numbers after a change are those of another model that never was the first."""

    def change(network: Any) -> None:
        network.model.layers[1].self_attn.v_proj.weight.data.add_(0.5)

    (network, tokenizer), (fresh_network, _) = llama(), llama()
    lm = wrap_objects(network, tokenizer, name="v1")
    before, layers = lm.surprisal(SENTENCES), lm.layers(["word", "one"]).at(2).matrix
    change(network)
    change(fresh_network)
    fresh = wrap_objects(fresh_network, tokenizer, name="another")
    after = lm.surprisal(SENTENCES)["surprisal"]
    assert not after.equals(before["surprisal"])
    assert after.drop_nulls().to_list() == pytest.approx(fresh.surprisal(SENTENCES)["surprisal"].drop_nulls().to_list())
    changed = lm.layers(["word", "one"]).at(2).matrix
    assert np.allclose(changed, fresh.layers(["word", "one"]).at(2).matrix, atol=1e-6)
    assert not np.allclose(changed, layers, atol=1e-4)


def test_adapters_of_peft_are_read_inside_their_network() -> None:
    network, tokenizer = llama()

    class PeftModelForCausalLM:  # as much of it as is asked for
        peft_config: dict[str, Any] = {"default": type("LoraConfig", (), {"is_prompt_learning": False})}  # noqa: RUF012

        def get_base_model(self) -> Any:
            return network

    assert (
        wrap_objects(PeftModelForCausalLM(), tokenizer)
        .surprisal("This is a word")
        .equals(wrap_objects(network, tokenizer).surprisal("This is a word"))
    )
    PeftModelForCausalLM.peft_config["default"].is_prompt_learning = True
    with pytest.raises(WordworthError, match="learned prompt"):
        wrap_objects(PeftModelForCausalLM(), tokenizer)
