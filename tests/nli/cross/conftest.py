"""Tiny random NLI models of five architectures, each with a tokenizer of its real kind, saved and loaded."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from made_models import train_bytes
from wordworth.nli.cross_encoder import CrossEncoder, load_cross_encoder

# Written for these tests.
TEXT = [
    "The doctor ate an apple. The man bought a book. The woman sold a car. He slept and she slept.",
    "A nurse spoke to the crew, and he and she and they can afford the wagon; yes, no, never.",
    "The rude person visited the bishop. The kind person crashed an old bus. So he said, so she said.",
    "two of the books, doctors, nurses, women, men, bishops, apples, cars, persons, wagons",
]
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<sep>", "<cls>"]
SIZES: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
IDS: dict[str, Any] = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}


def _wordpiece() -> Tokenizer:
    made = Tokenizer(models.WordPiece(unk_token="<unk>"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.train_from_iterator(TEXT, trainers.WordPieceTrainer(vocab_size=200, special_tokens=SPECIAL))
    made.post_processor = processors.TemplateProcessing(
        single="<cls> $A <sep>", pair="<cls> $A <sep> $B:1 <sep>:1", special_tokens=[("<cls>", 5), ("<sep>", 4)]
    )
    return made


def _bytes(roberta: bool) -> Tokenizer:
    made = train_bytes(TEXT, 360, SPECIAL)
    if roberta:
        made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return made


def _unigram() -> Tokenizer:
    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.train_from_iterator(
        TEXT, trainers.UnigramTrainer(vocab_size=140, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False)
    )
    made.post_processor = processors.TemplateProcessing(
        single="$A <sep> <cls>:2", pair="$A <sep> $B:1 <sep>:1 <cls>:2", special_tokens=[("<cls>", 5), ("<sep>", 4)]
    )
    return made


def _fast(made: Tokenizer, **more: Any) -> hf.PreTrainedTokenizerFast:
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if more.pop("types", False) else [])]
    named = {"unk_token": "<unk>", "eos_token": "</s>"} | more
    return hf.PreTrainedTokenizerFast(tokenizer_object=made, model_input_names=names, model_max_length=48, **named)


def _bert(vocab: int) -> hf.PreTrainedConfig:
    return hf.BertConfig(vocab_size=vocab, max_position_embeddings=48, **SIZES, **IDS)


def _roberta(vocab: int) -> hf.PreTrainedConfig:
    return hf.RobertaConfig(vocab_size=vocab, max_position_embeddings=50, **SIZES, **IDS)


def _gpt2(vocab: int) -> hf.PreTrainedConfig:
    return hf.GPT2Config(vocab_size=vocab, n_positions=48, n_embd=16, n_layer=2, n_head=2, eos_token_id=2)


def _xlnet(vocab: int) -> hf.PreTrainedConfig:
    return hf.XLNetConfig(vocab_size=vocab, d_model=16, n_layer=2, n_head=2, d_inner=24, **IDS)


def _bart(vocab: int) -> hf.PreTrainedConfig:
    layers = {"encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24, "d_model": 16}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "decoder_start_token_id": 2}
    return hf.BartConfig(vocab_size=vocab, max_position_embeddings=48, **layers, **heads, **IDS)


KINDS: dict[str, tuple[Callable[[], hf.PreTrainedTokenizerFast], Callable[[int], Any]]] = {
    "bert": (lambda: _fast(_wordpiece(), pad_token="<pad>", types=True), _bert),
    "roberta": (lambda: _fast(_bytes(True), pad_token="<pad>"), _roberta),
    "gpt2": (lambda: _fast(_bytes(False)), _gpt2),
    "xlnet": (lambda: _fast(_unigram(), pad_token="<pad>", types=True, padding_side="left"), _xlnet),
    "bart": (lambda: _fast(_bytes(True), pad_token="<pad>"), _bart),
}

NAMES = ("CONTRADICTION", "entailment", "Neutral")
"""In a foreign order, and each in another case."""

Made = Callable[..., Path]


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def make_folder(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Saves a tiny model: an NLI model, or with another `auto` class any other."""

    def make(kind: str, names: tuple[str, ...] = NAMES, auto: Any = hf.AutoModelForSequenceClassification) -> Path:
        folder = tmp_path_factory.mktemp(kind) / "model"
        tokenizer, config = KINDS[kind][0](), KINDS[kind][1]
        settings = config(len(tokenizer))
        settings.id2label = dict(enumerate(names))
        settings.label2id = {name: at for at, name in enumerate(names)}
        torch.manual_seed(0)
        network = auto.from_config(settings)
        for parameter in network.parameters():  # larger than a model begins with, so that answers differ
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=0.4)
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder

    return make


@pytest.fixture(scope="session")
def bert(make_folder: Made) -> CrossEncoder:
    return load_cross_encoder(make_folder("bert"))


@pytest.fixture(scope="session", params=list(KINDS))
def model(request: pytest.FixtureRequest, make_folder: Made) -> CrossEncoder:
    return load_cross_encoder(make_folder(request.param))
