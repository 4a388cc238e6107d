"""Tiny random networks of several architectures, and a tokenizer of whole words for all of them."""

from collections.abc import Callable
from typing import Any

import transformers as hf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

WORDS = "he she man woman boy girl king queen doctor nurse career home This is a the It pleasant to think of words"
SIZES: dict[str, Any] = {"hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 40}
BESIDES: dict[str, Any] = {"max_position_embeddings": 32, "pad_token_id": 1, "bos_token_id": 2, "eos_token_id": 3}


def tokenizer() -> hf.PreTrainedTokenizerFast:
    """A piece a word, which takes the space before it."""
    named = ["<unk>", "<pad>", "<s>", "</s>", *(f"▁{word}" for word in WORDS.split()), *WORDS.split()]
    made = Tokenizer(models.WordLevel({piece: at for at, piece in enumerate(named)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    marks = {"unk_token": "<unk>", "pad_token": "<pad>"}
    return hf.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=32, **marks)


def networks(vocabulary: int) -> dict[str, Callable[[], Any]]:
    """Llama with biases and a tied head, GPT-2, BERT without and with a head, Gemma 3."""
    sizes = {"vocab_size": vocabulary, **SIZES, **BESIDES}
    key_values = {"num_key_value_heads": 1, "head_dim": 12}
    llama = {**sizes, **key_values, "attention_bias": True, "mlp_bias": True, "tie_word_embeddings": True}
    gpt2 = {"vocab_size": vocabulary, "n_embd": 24, "n_layer": 3, "n_head": 2, "n_positions": 32}
    gemma = {**sizes, **key_values, "layer_types": ["full_attention"] * 3}
    return {
        "llama": lambda: hf.LlamaForCausalLM(hf.LlamaConfig(**llama)),
        "gpt2": lambda: hf.GPT2LMHeadModel(hf.GPT2Config(**gpt2, eos_token_id=3, bos_token_id=2)),
        "neox": lambda: hf.GPTNeoXForCausalLM(hf.GPTNeoXConfig(**sizes)),
        "bert": lambda: hf.BertModel(hf.BertConfig(**sizes)),
        "bert with a head": lambda: hf.BertForMaskedLM(hf.BertConfig(**sizes)),
        "gemma": lambda: hf.Gemma3ForCausalLM(hf.Gemma3TextConfig(**gemma)),
    }


NAMES = ("llama", "gpt2", "neox", "bert", "bert with a head", "gemma")
