"""Tiny random models with a head, of several architectures, each with the plain implementation beside it."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import torch
import transformers as hf
from truth import plain_words

from encode.conftest import BERT, GPT, LLAMA, NEO
from encode.conftest import KINDS as ENCODERS
from wordworth.whole_words import WordModel, wrap_word_model

NEO_SIZES = NEO | {"hidden_size": 16, "num_layers": 4, "num_heads": 2, "max_position_embeddings": 64}
KINDS: dict[str, tuple[str, type, type, dict[str, Any], Callable[[str], bytes]]] = {
    "gpt2": ("gpt2", hf.GPT2Config, hf.GPT2LMHeadModel, GPT, plain_words.byte_level),
    "gpt": ("gpt", hf.OpenAIGPTConfig, hf.OpenAIGPTLMHeadModel, GPT, plain_words.word_bpe),
    "gpt-neo": ("gpt-neo", hf.GPTNeoConfig, hf.GPTNeoForCausalLM, NEO_SIZES, plain_words.byte_level),
    "gpt-j": ("gpt-j", hf.GPTJConfig, hf.GPTJForCausalLM, GPT | {"rotary_dim": 4}, plain_words.byte_level),
    "llama-bpe": ("llama-bpe", hf.LlamaConfig, hf.LlamaForCausalLM, LLAMA, plain_words.byte_level),
    "llama-unigram": ("llama-unigram", hf.LlamaConfig, hf.LlamaForCausalLM, LLAMA, plain_words.metaspace),
    "bert": ("bert", hf.BertConfig, hf.BertForMaskedLM, BERT, plain_words.wordpiece),
    "roberta": ("roberta", hf.RobertaConfig, hf.RobertaForMaskedLM, BERT, plain_words.byte_level),
    "albert": ("albert", hf.AlbertConfig, hf.AlbertForMaskedLM, BERT | {"embedding_size": 8}, plain_words.metaspace),
}
MASKED = ("bert", "roberta", "albert")


@cache
def tiny_words(kind: str) -> tuple[WordModel, Any]:
    """The model as the package sees it, and the plain way over the same network."""
    like, config, network, sizes, spell = KINDS[kind]
    tokenizer = ENCODERS[like][0]()
    if kind in MASKED:
        tokenizer.add_special_tokens({"mask_token": "<mask>"})
    torch.manual_seed(0)
    built = network(config(vocab_size=len(tokenizer), **sizes)).eval()
    with torch.no_grad():
        for name, weight in built.named_parameters():
            if weight.dim() > 1 and "norm" not in name:
                weight.normal_(0, 0.25)
    model = wrap_word_model(built, tokenizer, name=f"tiny-{kind}")
    full, bare = (tokenizer("a word", add_special_tokens=added)["input_ids"] for added in (True, False))
    first = next(at for at in range(len(full)) if full[at : at + len(bare)] == bare)
    plain = plain_words.Plain(
        built,
        tokenizer,
        plain_words.unit_texts(tokenizer, len(tokenizer), spell),
        before=tuple(full[:first]),
        behind=(tokenizer.mask_token_id, *full[first + len(bare) :]) if kind in MASKED else (),
        trailing=kind == "gpt",
    )
    return model, plain


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(params=list(KINDS))
def tiny_pair(request: pytest.FixtureRequest) -> tuple[WordModel, Any]:
    return tiny_words(request.param)


@pytest.fixture
def tiny_word_model() -> Callable[[str], tuple[WordModel, Any]]:
    return tiny_words
