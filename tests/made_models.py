"""Tiny random models in files, for tests that load them as users do."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers as hf
from gguf import GGUFWriter, RopeScalingType
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}
LLAMA = SIZES | {"num_key_value_heads": 2, "max_position_embeddings": 64, "pad_token_id": 1}


SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")


def train_bytes(texts: Iterable[str], size: int, special: Sequence[str] = SPECIAL) -> Tokenizer:
    """Train a byte-level tokenizer, as GPT-2's, on some texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=alphabet, special_tokens=list(special), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def letters() -> Any:
    """A tokenizer of bytes and a few words: it takes every text."""
    tokenizer = train_bytes(["This is a pleasant word, and that is an unpleasant one."], 300)
    return hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", model_max_length=60)


def llama(seed: int = 0) -> tuple[Any, Any]:
    """A tiny Llama and its tokenizer."""
    fast = letters()
    torch.manual_seed(seed)
    return hf.LlamaForCausalLM(hf.LlamaConfig(vocab_size=len(fast), **LLAMA)), fast


def llama_folder(folder: Path, seed: int = 0, shard: str = "1GB") -> Path:
    """A tiny Llama as safetensors, in shards of at most that size."""
    network, fast = llama(seed)
    network.save_pretrained(folder, max_shard_size=shard)
    fast.save_pretrained(folder)
    return folder


def gguf_of(
    network: Any, fast: Any, path: Path, *, bos: bool = False, more: dict[str, Any] | None = None, stretch: float = 1.0
) -> Path:
    """A Llama as GGUF, in full precision; rotary rows are permuted as llama.cpp has them. `more` tensors go with it,
    and positions are stretched by a factor."""
    config, weights = network.config, network.state_dict()
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
    if stretch != 1:
        writer.add_rope_scaling_type(RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(stretch)
    writer.add_vocab_size(config.vocab_size)
    tokenizer = json.loads(fast.backend_tokenizer.to_str())["model"]
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
    for name, tensor in (more or {}).items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
