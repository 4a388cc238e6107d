"""Tiny random models of every architecture, each with a tokenizer of its real kind trained on a few sentences."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import torch
import transformers as hf
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from made_models import train_bytes
from wordworth.encode import LanguageModel, wrap

# Written for these tests: enough letters and repetition for merges, with accents, apostrophes, hyphens and Chinese.
TEXT = [
    "This is a word, and this is another word; words are pleasant to think of.",
    "It is neither pleasant nor unpleasant to think of a garden, a river, a storm or a knife.",
    "It is very pleasant to think of love, laughter, friends, kindness, sunshine and happiness.",
    "It is very unpleasant to think of hatred, sickness, poison, sadness, darkness and murder.",
    "The old café was naïve, the well-known façade wasn't; don't think of the jalapeño.",
    "Łódź and Kraków, São Paulo and München: the cities of my friends' friends.",
    "想起來非常愉快的是朋友，想起來不愉快的是毒藥。這是北京。",
    "I think of (a garden) & more.",
    "happiness unhappiness happy unhappy friend friendly friendship unfriendly loveless lovely",
]
LINES = [
    "love laughter friend friends friendship kindness sunshine happiness happy unhappy unhappiness garden river storm",
    "knife hatred sickness poison sadness darkness murder word words pleasant unpleasant lovely loveless friendly old",
    "unfriendly cities well-known don't wasn't café naïve façade jalapeño Łódź Kraków München think",
]
WORDS = [word for line in LINES for word in line.split()]


def _byte_bpe(post: Any = None) -> Tokenizer:
    """GPT-2, GPT-Neo, GPT-J, RoBERTa, and most Llama-type models."""
    tokenizer = train_bytes(TEXT, 420)
    tokenizer.post_processor = post or tokenizer.post_processor
    return tokenizer


def _roberta() -> Tokenizer:
    return _byte_bpe(processors.RobertaProcessing(("</s>", 2), ("<s>", 0), True, False))


def _word_bpe() -> Tokenizer:
    """The first GPT: lower case, pieces that end a word are marked."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.BPEDecoder(suffix="</w>")
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], end_of_word_suffix="</w>", show_progress=False
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    return tokenizer


def _wordpiece(cls: str = "[CLS]", sep: str = "[SEP]") -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=260, special_tokens=[cls, "<pad>", sep, "<unk>"], show_progress=False
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{cls} $A {sep}", pair=f"{cls} $A {sep} $B:1 {sep}:1", special_tokens=[(cls, 0), (sep, 2)]
    )
    return tokenizer


def _unigram(single: str, *, lower: bool = False) -> Tokenizer:
    """Sentencepiece's: T5, mT5, XLNet, ALBERT, and Llama's first."""
    tokenizer = Tokenizer(models.Unigram())
    steps = [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()] if lower else [normalizers.NFKC()]
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=220, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(TEXT, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single=single, special_tokens=[("<s>", 0), ("</s>", 2)])
    return tokenizer


def _fast(tokenizer: Tokenizer, *, types: bool = False, unk: str | None = "<unk>") -> hf.PreTrainedTokenizerFast:
    names = ["input_ids", "token_type_ids", "attention_mask"] if types else ["input_ids", "attention_mask"]
    return hf.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", unk_token=unk, model_input_names=names, model_max_length=60
    )


GPT = {"n_embd": 16, "n_layer": 3, "n_head": 2, "n_positions": 64}
SIZES = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32}
BERT = SIZES | {"max_position_embeddings": 64, "pad_token_id": 1}
LLAMA = BERT | {"num_attention_heads": 4, "num_key_value_heads": 2}
T5 = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 3, "num_heads": 2}
NEO = {"attention_types": [[["global", "local"], 2]], "window_size": 4, "intermediate_size": 32}
DISTIL = {"dim": 16, "n_layers": 3, "n_heads": 2, "hidden_dim": 32, "max_position_embeddings": 64, "pad_token_id": 1}

KINDS: dict[str, tuple[Callable[[], Any], type, type, dict[str, Any]]] = {
    "gpt2": (lambda: _fast(_byte_bpe(), unk=None), hf.GPT2Config, hf.GPT2Model, GPT),
    "gpt": (lambda: _fast(_word_bpe()), hf.OpenAIGPTConfig, hf.OpenAIGPTModel, GPT),
    "gpt-neo": (
        lambda: _fast(_byte_bpe(), unk=None),
        hf.GPTNeoConfig,
        hf.GPTNeoModel,
        NEO | {"hidden_size": 16, "num_layers": 4, "num_heads": 2, "max_position_embeddings": 64},
    ),
    "gpt-j": (lambda: _fast(_byte_bpe(), unk=None), hf.GPTJConfig, hf.GPTJModel, GPT | {"rotary_dim": 4}),
    "llama-bpe": (lambda: _fast(_byte_bpe(), unk=None), hf.LlamaConfig, hf.LlamaModel, LLAMA),
    "llama-unigram": (lambda: _fast(_unigram("<s> $A")), hf.LlamaConfig, hf.LlamaModel, LLAMA),
    "xlnet": (
        lambda: _fast(_unigram("$A </s> <s>:2", lower=True), types=True),
        hf.XLNetConfig,
        hf.XLNetModel,
        {"d_model": 16, "n_layer": 3, "n_head": 2, "d_inner": 32},
    ),
    "bert": (lambda: _fast(_wordpiece(), types=True), hf.BertConfig, hf.BertModel, BERT),
    "roberta": (lambda: _fast(_roberta()), hf.RobertaConfig, hf.RobertaModel, BERT),
    "distilbert": (lambda: _fast(_wordpiece()), hf.DistilBertConfig, hf.DistilBertModel, DISTIL),
    "albert": (
        lambda: _fast(_unigram("<s> $A </s>", lower=True), types=True),
        hf.AlbertConfig,
        hf.AlbertModel,
        BERT | {"embedding_size": 8},
    ),
    "mpnet": (lambda: _fast(_wordpiece("<s>", "</s>")), hf.MPNetConfig, hf.MPNetModel, BERT),
    "t5": (lambda: _fast(_unigram("$A </s>")), hf.T5Config, hf.T5EncoderModel, T5),
    "mt5": (lambda: _fast(_unigram("$A </s>")), hf.MT5Config, hf.MT5EncoderModel, T5),
}


@cache
def tiny(kind: str) -> LanguageModel:
    """Weights larger than the usual start, so that context matters and a slip shows."""
    tokenizer, config, network, sizes = KINDS[kind]
    fast = tokenizer()
    torch.manual_seed(0)
    built = network(config(vocab_size=len(fast), **sizes))
    with torch.no_grad():
        for name, weight in built.named_parameters():
            if weight.dim() > 1 and "norm" not in name:
                weight.normal_(0, 0.25)
    return wrap(built, fast, name=f"tiny-{kind}")


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    """Tiny models gain nothing from threads, and lose much to them on a busy machine."""
    torch.set_num_threads(1)


@pytest.fixture(params=list(KINDS))
def model(request: pytest.FixtureRequest) -> LanguageModel:
    """One of every architecture."""
    return tiny(request.param)


@pytest.fixture
def tiny_model() -> Callable[[str], LanguageModel]:
    return tiny


@pytest.fixture
def words() -> list[str]:
    return WORDS
