"""Models that do not fit: read from disk a layer at a time, or spread; the same numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
import transformers as hf
from polars.testing import assert_frame_equal

from made_models import letters, llama_folder
from wordworth.contexts import in_template
from wordworth.encode import LanguageModel, encode, load_model, spread
from wordworth.encode.loading import load_files
from wordworth.encode.passes import layer_lists
from wordworth.encode.spread import device_map, measure_weights
from wordworth.engine import batching as memory
from wordworth.engine.batching import free_memory
from wordworth.engine.engines import notices
from wordworth.errors import WordworthError
from wordworth.whole_words import PredictionRules, load_word_model, predict_words

TEMPLATES = ("It is neither pleasant nor unpleasant to think of WORD", "The garden of WORD is old, and my friends too.")
LINES = ["the old garden of my friends is pleasant to think of", "This is a word, and that is another one."]


def lies(model: LanguageModel) -> list[str]:
    """The devices of the layers, in their order."""
    (path, *_) = layer_lists(model.network)
    layers: Any = model.network.get_submodule(path)
    return [next(layer.parameters()).device.type for layer in layers]


def run(model: LanguageModel, words: list[str], layers: tuple[int, ...] | None = None) -> Any:
    contexts = [in_template(template, word) for template in TEMPLATES for word in words]
    return encode(model, contexts, ["last", "mean"], layers)


def test_every_architecture_from_disk(model: LanguageModel, words: list[str], tmp_path: Path) -> None:
    model.network.save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    held, read = (load_model(tmp_path, device=device) for device in ("cpu", "disk"))
    assert read.device == torch.device("cpu")
    assert set(lies(held)) == {"cpu"}
    assert set(lies(read)) == {"meta"}
    assert (read.identity, read.left_only, read.reuses_kv_cache) == (
        held.identity,
        held.left_only,
        held.reuses_kv_cache,
    )
    for layers in (None, (0, 1)):
        expected, found = run(held, words, layers), run(read, words, layers)
        for pooling in ("last", "mean"):
            np.testing.assert_allclose(found.vectors[pooling], expected.vectors[pooling], rtol=1e-6, atol=1e-6)
        assert found.tally == expected.tally, "prefixes are shared as before"
    assert set(lies(read)) == {"meta"}, "nothing that was read is kept"


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_words_predicted_from_disk(tmp_path: Path, precision: str) -> None:
    folder = llama_folder(tmp_path / "llama", shard="20KB")
    assert len(list(folder.glob("*.safetensors"))) > 2
    held, read = (load_word_model(folder, device, precision) for device in ("cpu", "disk"))
    assert read.device == torch.device("cpu")
    assert read.dtype == precision
    tables = [predict_words(model, LINES, PredictionRules(k=20)) for model in (held, read)]
    assert_frame_equal(*tables, abs_tol=1e-6)


def test_vast_without_room_for_an_untrained_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control that needs a second network is left out and said; the others are there."""
    from wordworth.study import study

    folder = llama_folder(tmp_path / "llama")
    asked = {"lexica": ["bellezza"], "experiments": ["contextualization"], "contexts": ["bleached"], "resamples": 20}
    monkeypatch.setattr(spread, "free_memory", lambda _: 1000)
    found = study("vast")([folder], **asked, corpus="none", device="disk")
    (failed,) = [notice for notice in found.notices if notice.kind == "failed"]
    assert failed.control == "untrained"
    assert "the same network as llama with random weights takes 0.0 GB of memory on cpu" in failed.reason
    controls = found.scores.filter(pl.col("experiment") == "control").select("control", "context")
    assert set(controls.rows()) == {("shuffled", "bleached"), ("poles-out", "bleached")}


def test_experts_are_read_from_disk(tmp_path: Path) -> None:
    """The library joins the weights of experts as it loads them: these are written again, for this process alone."""
    fast = letters()
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}
    config = hf.MixtralConfig(vocab_size=len(fast), num_key_value_heads=2, num_local_experts=3, **sizes)
    torch.manual_seed(0)
    hf.MixtralModel(config).save_pretrained(tmp_path)
    fast.save_pretrained(tmp_path)
    held, read = (load_model(tmp_path, device=device) for device in ("cpu", "disk"))
    assert set(lies(read)) == {"meta"}
    words = ["word", "pleasant"]
    np.testing.assert_allclose(run(read, words).vectors["last"], run(held, words).vectors["last"], rtol=1e-5, atol=1e-5)


def test_auto_reads_from_disk_where_memory_is_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Free memory for the embedding, one layer beside, and one of two layers: the second is read, and it is said."""
    folder = llama_folder(tmp_path)
    network = load_model(folder, device="auto").network
    layer = 4 * sum(weight.numel() for weight in network.layers[0].parameters())
    rest = 4 * sum(weight.numel() for weight in network.parameters()) - 2 * layer
    monkeypatch.setattr(spread, "free_memory", lambda _: int((rest + 2 * layer) / spread.MEMORY_SHARE) + 1000)
    model = load_model(folder, device="auto")
    assert lies(model) == ["cpu", "meta"]
    assert notices()[-1].endswith("free on cpu: 0.0 GB of it layer by layer from disk.")
    np.testing.assert_array_equal(
        run(model, ["word"]).vectors["last"], run(load_model(folder, device="cpu"), ["word"]).vectors["last"]
    )
    assert lies(load_model(folder, device="cpu")) == ["cpu", "cpu"], "a device that is named is taken"


def test_the_order_of_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four layers of 100 bytes each, 160 a GPU free (0.8 of them for weights), on two GPUs, then memory, then disk."""
    config = hf.LlamaConfig(
        vocab_size=8, hidden_size=4, intermediate_size=4, num_hidden_layers=5, num_attention_heads=1
    )
    with torch.device("meta"):
        network = hf.LlamaModel(config)
    numbers = sum(weight.numel() for weight in network.parameters())
    layer = sum(weight.numel() for weight in network.layers[0].parameters())
    stays = numbers - 4 * layer  # what is no layer, and one more
    free = {"cuda:0": (stays + 1.5 * layer) / 0.8, "cuda:1": 1.5 * layer / 0.8, "cpu": 2.5 * layer / 0.8}
    monkeypatch.setattr(spread, "free_memory", lambda device: free[str(device)])
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    placed = device_map(hf.AutoModel, config, 1.0, torch.device("cuda:0"), from_disk=False)
    assert placed == {
        "embed_tokens": 0,
        "norm": 0,
        "rotary_emb": 0,
        "layers.0": 0,
        "layers.1": 1,
        "layers.2": "cpu",
        "layers.3": "cpu",
        "layers.4": "disk",
    }


def test_the_weights_are_measured_by_their_headers(tmp_path: Path) -> None:
    folder = llama_folder(tmp_path, shard="20KB")
    held = sum(weight.numel() for weight in hf.AutoModelForCausalLM.from_pretrained(folder).parameters())
    assert measure_weights(folder, torch.bfloat16) == (held, 2 * held)
    assert measure_weights(folder, "auto") == (held, pytest.approx(4 * held, rel=0.1))
    assert 0 < free_memory(torch.device("cpu")) < 1 << 50


def test_a_container_has_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("2000\n")
    monkeypatch.setattr(memory, "CGROUP", tmp_path)
    assert free_memory(torch.device("cpu")) == 3000


def test_a_spread_model_cannot_be_trained(tmp_path: Path) -> None:
    folder = llama_folder(tmp_path)
    network, _, _ = load_files(folder, lambda _: hf.AutoModel, device="disk")
    with pytest.raises(WordworthError, match="a model that is spread or read from disk cannot be trained"):
        network.train(True)(input_ids=torch.arange(4)[None])
