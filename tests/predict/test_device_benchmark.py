"""The benchmark that runs on a device, here in tiny shapes: so that it does not fail there."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wordworth.predict import WordModel

sys.path.append(str(Path(__file__).parents[2]))
from benchmarks.device_words import words_on_device

TEXT = "the old café was naïve and the river is pleasant to think of when friends are happy"


def test_it_times_every_network(
    tiny_word_model: Callable[[str], tuple[WordModel, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, plain = tiny_word_model("llama-bpe")
    model.tokenizer.save_pretrained(tmp_path / "tiny")
    plain.network.save_pretrained(tmp_path / "tiny")
    text = tmp_path / "text.txt"
    text.write_text("\n".join([TEXT, "", "two words"] * 12), encoding="utf-8")
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    sizes |= {"num_key_value_heads": 1, "vocab_size": model.reader.width + 70}  # wider than the tokenizer, as 8B is
    timings = words_on_device(
        tmp_path / "tiny",
        text,
        tmp_path / "tiny",
        device="cpu",
        words=150,
        guessed=40,
        shapes=(("tiny", sizes, "float32"), ("tiny", sizes, "bfloat16")),
    )
    assert [timing.words for timing in timings] == [150] * 4
    assert [timing.guessed for timing in timings] == [150, 150, 40, 40]
    assert all(min(one.bare, one.ours, one.with_guesses, *one.parts.values()) > 0 for one in timings)
    shown = capsys.readouterr().out
    assert len(re.findall(r"\d+%", shown)) == 8
    assert "tiny bfloat16, own weights" in shown
