"""Every weight in a file is used, or the model is refused: none is dropped, and no code is taken for a weight."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers as hf
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

from made_models import LLAMA, SIZES, gguf_of, letters, llama_folder
from wordworth.encode import load_model
from wordworth.errors import WordworthError
from wordworth.whole_words import load_word_model


def test_an_unknown_quantization_is_refused(tmp_path: Path) -> None:
    folder = llama_folder(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    config["quantization_config"] = {"quant_method": "modelopt", "quant_algo": "FP8"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(WordworthError, match="quantized by 'modelopt'"):
        load_model(folder)


@pytest.mark.parametrize("load", [load_model, load_word_model])
@pytest.mark.parametrize(
    "key",
    [
        "model.layers.0.self_attn.q_proj.weight_scale",  # how FP8 is kept by files that do not say so elsewhere
        "model.layers.0.self_attn.q_proj.bias",
        "model.layers.2.self_attn.q_proj.weight",  # the configuration says two layers
    ],
)
def test_weights_without_a_place_are_refused(load, key: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = llama_folder(tmp_path) / "model.safetensors"
    save_file(load_file(path) | {key: torch.ones(16)}, path, metadata={"format": "pt"})
    with pytest.raises(WordworthError, match=key):
        load(tmp_path)


def test_other_heads_and_old_buffers_are_no_missing_place(tmp_path: Path) -> None:
    fast = letters()
    fast.add_special_tokens({"mask_token": "<mask>"})
    hf.BertForPreTraining(hf.BertConfig(vocab_size=len(fast), **SIZES)).save_pretrained(tmp_path)
    fast.save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    more = {"bert.embeddings.position_ids": torch.arange(512)[None], "qa_outputs.weight": torch.ones(2, 16)}
    save_file(load_file(path) | more, path, metadata={"format": "pt"})
    assert load_model(tmp_path).layers == 2
    assert load_word_model(tmp_path).family == "masked"


FACTOR, LOW, HIGH, ORIGINAL = 8.0, 1.0, 4.0, 8192


def rope_factors(half: int, theta: float) -> NDArray[np.float32]:
    """How much slower each pair of dimensions turns, as Llama 3.1's report describes it and llama.cpp writes it."""
    factors = []
    for at in range(half):
        wavelength = 2 * math.pi * theta ** (at / half)
        smooth = min(1.0, max(0.0, (ORIGINAL / wavelength - LOW) / (HIGH - LOW)))
        factors.append(1 / ((1 - smooth) / FACTOR + smooth))
    return np.array(factors, dtype=np.float32)


def scaled_llama() -> tuple[hf.LlamaModel, hf.PreTrainedTokenizerFast]:
    fast = letters()
    torch.manual_seed(0)
    rope = {"rope_type": "llama3", "rope_theta": 10000.0, "factor": FACTOR, "low_freq_factor": LOW}
    rope |= {"high_freq_factor": HIGH, "original_max_position_embeddings": ORIGINAL}
    sizes = LLAMA | {"hidden_size": 64, "num_attention_heads": 2}
    network = hf.LlamaModel(hf.LlamaConfig(vocab_size=len(fast), rope_parameters=rope, **sizes)).eval()
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if "proj" in name:
                weight.normal_(0, 0.5)
    return network, fast


def test_the_rope_factors_of_a_gguf_are_followed(tmp_path: Path) -> None:
    """Against the library's own network with the scaling that the factors were computed from."""
    network, fast = scaled_llama()
    path = gguf_of(network, fast, tmp_path / "a.gguf", more={"rope_freqs.weight": rope_factors(16, 10000.0)})
    loaded = load_model(path)
    ids = torch.randint(4, len(fast), (1, 60), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        expected, states = network(ids)[0], loaded.network(ids)[0]
    torch.testing.assert_close(states, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "tensor"),
    [
        ("rope_freqs.weight", np.linspace(1, 8, 16, dtype=np.float32)),
        ("blk.0.attn_q.bias", np.ones(64, dtype=np.float32)),
        ("rope_factors_long.weight", np.ones(16, dtype=np.float32)),
    ],
)
def test_unread_tensors_of_a_gguf_are_refused(name: str, tensor: NDArray[np.float32], tmp_path: Path) -> None:
    network, fast = scaled_llama()
    with pytest.raises(WordworthError, match=r"rope_freqs|place for"):
        load_model(gguf_of(network, fast, tmp_path / "a.gguf", more={name: tensor}))


def test_stretched_positions_of_a_gguf_are_refused(tmp_path: Path) -> None:
    network, fast = scaled_llama()
    with pytest.raises(WordworthError, match="linear, by 4"):
        load_model(gguf_of(network, fast, tmp_path / "a.gguf", stretch=4.0))
