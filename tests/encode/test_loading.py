"""Models from folders and GGUF files; what is refused."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from gguf import GGUFWriter
from safetensors.torch import load_file, save_file

from wordworth.contexts import in_template
from wordworth.encode import LanguageModel, encode, load_model
from wordworth.errors import WordworthError
from wordworth.files import cache_dir, sha256_of

Tiny = Callable[[str], LanguageModel]


@pytest.fixture
def folder(tiny_model: Tiny, tmp_path: Path) -> Callable[[str], Path]:
    def saved(kind: str) -> Path:
        model = tiny_model(kind)
        model.network.save_pretrained(tmp_path / kind)
        model.tokenizer.save_pretrained(tmp_path / kind)
        return tmp_path / kind

    return saved


@pytest.mark.parametrize("kind", ["gpt2", "bert", "t5", "albert"])
def test_from_a_folder(tiny_model: Tiny, folder: Callable[[str], Path], kind: str) -> None:
    built, loaded = tiny_model(kind), load_model(folder(kind), device="cpu")
    assert (loaded.name, loaded.family, loaded.layers, loaded.dim) == (kind, built.family, built.layers, built.dim)
    assert (loaded.left_only, loaded.reuses_kv_cache) == (built.left_only, built.reuses_kv_cache)
    contexts = [in_template("This is WORD", word) for word in ("love", "unhappiness")]
    expected = encode(built, contexts).vectors["last"]
    np.testing.assert_allclose(encode(loaded, contexts).vectors["last"], expected, rtol=1e-5, atol=1e-5)


def test_family_and_limit(tiny_model: Tiny) -> None:
    families = {kind: tiny_model(kind).family for kind in ("gpt2", "xlnet", "bert", "mpnet", "t5", "mt5")}
    assert families == {
        "gpt2": "causal",
        "xlnet": "causal",
        "bert": "masked",
        "mpnet": "masked",
        "t5": "encoder-decoder",
        "mt5": "encoder-decoder",
    }
    assert not tiny_model("xlnet").left_only, "without a permutation XLNet sees both sides"
    # RoBERTa has 64 positions and counts them from 2 on; the tokenizer's own limit here is 60.
    roberta = tiny_model("roberta")
    roberta.tokenizer.model_max_length = 1000
    try:
        from wordworth.encode.model import max_length_of

        assert max_length_of(roberta.network, roberta.tokenizer) == 62
    finally:
        roberta.tokenizer.model_max_length = 60


def test_other_weights_have_another_identity(folder: Callable[[str], Path]) -> None:
    path = folder("gpt2")
    before = load_model(path).weights
    tensors = load_file(path / "model.safetensors")
    tensors["wte.weight"][0, 0] += 1
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
    assert load_model(path).weights != before


def test_missing_weights_are_not_made_up(folder: Callable[[str], Path]) -> None:
    path = folder("gpt2")
    tensors = load_file(path / "model.safetensors")
    del tensors["h.1.attn.c_attn.weight"]
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(WordworthError, match=r"lacks the weights h\.1\.attn\.c_attn\.weight \(1 in all\)"):
        load_model(path)


def test_pickles_are_refused(folder: Callable[[str], Path]) -> None:
    path = folder("gpt2")
    torch.save(load_file(path / "model.safetensors"), path / "pytorch_model.bin")
    (path / "model.safetensors").unlink()
    with pytest.raises(WordworthError, match="holds neither safetensors nor GGUF weights; pickled weights are not"):
        load_model(path)


def test_remote_code_is_refused(folder: Callable[[str], Path]) -> None:
    path = folder("gpt2")
    config = json.loads((path / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Config", "AutoModel": "own.Model"}}
    (path / "config.json").write_text(json.dumps(config))
    (path / "own.py").write_text("raise SystemExit('ran')")
    with pytest.raises(WordworthError, match=r"the configuration of .* cannot be read"):
        load_model(path)


def test_wrong_names(tmp_path: Path) -> None:
    with pytest.raises(WordworthError, match=r"there is no model at .*/nowhere; give the path"):
        load_model(tmp_path / "nowhere")
    (tmp_path / "text.txt").write_text("no model")
    with pytest.raises(WordworthError, match=r"text\.txt is not a model; give a \.gguf file"):
        load_model(tmp_path / "text.txt")
    (tmp_path / "bad.gguf").write_bytes(b"no model")
    with pytest.raises(WordworthError, match=r"bad\.gguf is not a GGUF file; fetch it again"):
        load_model(tmp_path / "bad.gguf")
    with pytest.raises(WordworthError, match="there is no precision 'int8'; choose from float32, bfloat16, float16"):
        load_model(tmp_path, dtype="int8")
    with pytest.raises(WordworthError, match="the configuration of no-such-model cannot be read"):
        load_model("no-such-model")


def gguf_of(model: LanguageModel, path: Path, *, bos: bool) -> Path:
    """A Llama as GGUF, in full precision; rotary rows are permuted as llama.cpp has them."""
    config, weights = model.network.config, model.network.state_dict()
    writer = GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(config.vocab_size)
    tokenizer = json.loads(model.tokenizer.backend_tokenizer.to_str())["model"]
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(sorted(tokenizer["vocab"], key=tokenizer["vocab"].get))
    writer.add_token_merges([" ".join(pair) for pair in tokenizer["merges"]])
    writer.add_token_types([3] * 4 + [1] * (config.vocab_size - 4))
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(bos)

    def rotated(rows: torch.Tensor, heads: int) -> torch.Tensor:
        return rows.reshape(heads, 2, -1, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)

    names = {
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
    }
    writer.add_tensor("token_embd.weight", weights["embed_tokens.weight"].numpy())
    writer.add_tensor("output_norm.weight", weights["norm.weight"].numpy())
    for layer in range(config.num_hidden_layers):
        own = f"layers.{layer}."
        for theirs, ours in names.items():
            writer.add_tensor(f"blk.{layer}.{ours}.weight", weights[f"{own}{theirs}.weight"].numpy())
        for which, heads in (("q", config.num_attention_heads), ("k", config.num_key_value_heads)):
            rows = rotated(weights[f"{own}self_attn.{which}_proj.weight"], heads)
            writer.add_tensor(f"blk.{layer}.attn_{which}.weight", rows.contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.mark.parametrize("bos", [False, True])
def test_from_gguf(tiny_model: Tiny, tmp_path: Path, bos: bool) -> None:
    """The same vectors as the model it was written from, and BOS exactly when the file says so."""
    built = tiny_model("llama-bpe")
    path = gguf_of(built, tmp_path / "tiny.gguf", bos=bos)
    loaded = load_model(path)
    ids = loaded.tokenizer("This is love").input_ids
    assert (ids[0] == 0) == bos
    assert ids[bos:] == built.tokenizer("This is love").input_ids
    assert loaded.weights == f"gguf:{sha256_of(path)}"
    contexts = [in_template("This is WORD", word) for word in ("love", "unhappiness", "café")]
    before = "<s>" if bos else ""
    expected = encode(built, [in_template(f"{before}This is WORD", context.word) for context in contexts])
    found = encode(loaded, contexts)
    assert found.subwords.tolist() == expected.subwords.tolist()
    np.testing.assert_allclose(found.vectors["last"], expected.vectors["last"], rtol=1e-4, atol=1e-4)


def test_gguf_is_converted_once(tiny_model: Tiny, tmp_path: Path) -> None:
    path = gguf_of(tiny_model("llama-bpe"), tmp_path / "tiny.gguf", bos=False)
    load_model(path)
    (made,) = (cache_dir() / "conversions").glob("[!.]*")
    written = (made / "model.safetensors").stat().st_mtime_ns
    load_model(tmp_path)
    assert (made / "model.safetensors").stat().st_mtime_ns == written
    shutil.copy(path, tmp_path / "other.gguf")
    with pytest.raises(WordworthError, match="holds 2 GGUF files; give the path of one of them"):
        load_model(tmp_path)
