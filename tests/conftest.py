"""Every test has a cache of its own; only those marked `index` share the user's, so that a model is fetched once."""

import os
import re
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from base_install import hide_extras
from commands import Answer, Command
from made_runs import random_infer, random_predict, random_vast

# Ray gives its workers a low priority, so that next to other work they would hardly run at all.
os.environ.setdefault("RAY_worker_niceness", "0")
if os.environ.get("WORDWORTH_TESTS") == "base":
    hide_extras()
NEEDS_TORCH = re.compile(
    r"^(from|import) (torch|transformers|gguf|tokenizers|made_(elmo|models|nli)|repair_models"
    r"|wordworth\.(encode|nli|repair|trainer|whole_words))",
    re.MULTILINE,
)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without torch, leave out the files that import language models, and the rooms whose conftest does."""
    file = collection_path / "conftest.py" if collection_path.is_dir() else collection_path
    if find_spec("torch") or not file.is_file() or file == Path(__file__):
        return None
    return bool(NEEDS_TORCH.search(file.read_text(encoding="utf-8"))) or None


@pytest.fixture(autouse=True)
def _own_cache(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "index" not in request.keywords:
        monkeypatch.setenv("WORDWORTH_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("WORDWORTH_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def work_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, without the papers' data."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)
    return folder


@pytest.fixture(scope="session")
def data() -> Path:
    """The papers' data sets, where they are at hand."""
    folder = os.environ.get("WORDWORTH_DATA")
    if not folder:
        pytest.skip("WORDWORTH_DATA is not set")
    return Path(folder)


SPECIAL = ["[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"]
SAYS = ["the", "cat", "sat", "on", "a", "mat", "and", "dog", "ran", "off", "with", "hat", "The", "cats", "##s"]


def _word_model_folder(folder: Path, family: str = "causal") -> Path:
    """A tiny language model with its head, random, saved in a folder: GPT-2's or BERT's kind, with few words."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    torch.manual_seed(0)
    words = [*SPECIAL, *SAYS]
    if family == "causal":
        words = [*SPECIAL, *("s" if word == "##s" else f"▁{word}" for word in SAYS)]
    pieces = {word: at for at, word in enumerate(words)}
    if family == "causal":
        tokenizer = Tokenizer(models.WordLevel(pieces, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        network = GPT2LMHeadModel(GPT2Config(vocab_size=len(words), n_embd=32, n_layer=2, n_head=2, n_positions=64))
    else:
        tokenizer = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        ends = [("[CLS]", 0), ("[SEP]", 1)]
        tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
        sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
        sizes |= {"vocab_size": len(words), "max_position_embeddings": 64, "pad_token_id": 2}
        network = BertForMaskedLM(BertConfig(**sizes))
    marks = {"unk_token": "[UNK]", "pad_token": "[PAD]", "mask_token": "[MASK]", "model_max_length": 60}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **marks)
    network.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def word_model_folder() -> Callable[..., Path]:
    """Makes a tiny language model in a folder: `word_model_folder(path, "causal" or "masked")`."""
    return _word_model_folder


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs `wordworth` with these arguments, as a shell would."""
    from wordworth.cli import main

    def run(*arguments: object) -> Answer:
        monkeypatch.setattr(sys, "argv", ["wordworth", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        assert isinstance(code, int)
        return Answer(code, *capsys.readouterr())

    return run


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    """Return a folder as an audit leaves it."""
    folder = tmp_path / "audit"
    random_vast(["tiny"]).save(folder / "vast")
    random_predict("tiny").save(folder / "predict")
    random_infer("nli").save(folder / "infer")
    return folder
