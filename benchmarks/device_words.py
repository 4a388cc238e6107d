"""Whole words on a device, against the bare network and head over the same windows:

    python -m benchmarks.device_words TOKENIZER_FOLDER TEXT_FILE [WEIGHTS_FOLDER]

Networks are Llama's in real shapes with random weights made on the device, and SmolLM2's own weights where a folder
of them is given. Random weights end no word, so their guesses cost more than any real ones."""

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

import benchmarks.without_scipy  # noqa: F401 - before what imports it
from benchmarks.bare_words import bare, batches_of, wait
from wordworth.whole_words import PredictionRules, WordModel, load_word_model, predict_words, wrap_word_model
from wordworth.whole_words.chunks import chunks
from wordworth.whole_words.splitting import WordSplitter
from wordworth.whole_words.unit_scores import PendingScores, UnitQuery
from wordworth.whole_words.words import read_lines

Shape = dict[str, Any]
LLAMA_135M: Shape = {
    "hidden_size": 576,
    "intermediate_size": 1536,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "vocab_size": 49152,
    "tie_word_embeddings": True,
}
LLAMA_8B: Shape = {
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "tie_word_embeddings": False,
}
SHAPES: tuple[tuple[str, Shape, str], ...] = (
    ("135M", LLAMA_135M, "float32"),
    ("135M", LLAMA_135M, "bfloat16"),
    ("8B", LLAMA_8B, "bfloat16"),
)
WORDS, GUESSED = 20_000, 2_000
"""Words that are predicted; and of random weights, with their guesses."""


@dataclass(frozen=True)
class Timing:
    """Seconds for one network over a text of so many words."""

    name: str
    words: int
    bare: float
    ours: float
    guessed: int
    bare_guessed: float
    with_guesses: float
    parts: dict[str, float]

    def row(self) -> list[str]:
        shares = self.bare / self.ours, self.bare_guessed / self.with_guesses
        rates = self.words / self.bare, self.words / self.ours, self.guessed / self.with_guesses
        bare_rate, rate, guess_rate = (f"{one:,.0f}" for one in rates)
        parts = ", ".join(f"{name} {1e6 * took / self.words:.1f}" for name, took in self.parts.items())
        return [self.name, bare_rate, rate, f"{shares[0]:.0%}", guess_rate, f"{shares[1]:.0%}", parts]


def words_on_device(
    tokenizer: Path,
    text: Path,
    weights: Path | None = None,
    *,
    device: str = "cuda",
    words: int = WORDS,
    guessed: int = GUESSED,
    shapes: tuple[tuple[str, Shape, str], ...] = SHAPES,
) -> list[Timing]:
    """Times every network, and prints the table."""
    lines = list(_cut(text, words))
    few = list(_cut(text, guessed))
    timings = []
    if weights is not None:
        for dtype in ("float32", "bfloat16"):
            model = load_word_model(weights, device=device, dtype=dtype)
            timings.append(_timed(f"{weights.name} {dtype}, own weights", model, lines, lines))
            del model
    for name, shape, dtype in shapes:
        model = _random(name, shape, dtype, tokenizer, device)
        timings.append(_timed(f"Llama {name} {dtype}, random weights", model, lines, few))
        del model
        if device == "cuda":
            torch.cuda.empty_cache()
    _print(timings)
    return timings


def _cut(text: Path, words: int) -> Iterator[str]:
    """Lines of the text, until they have so many words."""
    with text.open(encoding="utf-8") as file:
        for line in file:
            if words <= 0:
                return
            if len(split := line.split()) >= 3:
                yield " ".join(split[:words])
                words -= len(split)


def _random(name: str, shape: Shape, dtype: str, tokenizer: Path, device: str) -> WordModel:
    config = LlamaConfig(max_position_embeddings=8192, dtype=dtype, **shape)
    torch.manual_seed(0)
    untyped: Any = LlamaForCausalLM
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, dtype))
    try:
        with torch.device(device):
            network = untyped(config)
    finally:
        torch.set_default_dtype(before)
    fast = AutoTokenizer.from_pretrained(tokenizer)
    return wrap_word_model(network, fast, name=f"llama-{name}")


def _timed(name: str, model: WordModel, lines: list[str], few: list[str]) -> Timing:
    _predict(model, lines[:50], guesses=True)
    batches = batches_of(model, lines)
    took_bare = min(bare(model, batches) for _ in range(2))
    parts = _parts(model, lines, batches)
    ours = min(_predict(model, lines, guesses=False) for _ in range(2))
    some = batches if few is lines else batches_of(model, few)
    bare_few = took_bare if few is lines else min(bare(model, some) for _ in range(2))
    with_guesses = _predict(model, few, guesses=True)
    counted, guessed = (sum(len(line.split()) for line in text) for text in (lines, few))
    return Timing(name, counted, took_bare, ours, guessed, bare_few, with_guesses, parts)


def _predict(model: WordModel, lines: list[str], *, guesses: bool) -> float:
    """Seconds of all of it: from lines to tables on disk."""
    with tempfile.TemporaryDirectory() as folder:
        wait(model)
        began = perf_counter()
        predict_words(model, lines, PredictionRules(guesses=guesses), kept=Path(folder))
        wait(model)
        return perf_counter() - began


def _parts(model: WordModel, lines: list[str], batches: list[tuple[torch.Tensor, torch.Tensor]]) -> dict[str, float]:
    """Seconds by part, each alone: what overlaps in the whole does not here."""
    began = perf_counter()
    list(chunks(model, read_lines(lines, None, WordSplitter()), PredictionRules()))
    parts = {"text": perf_counter() - began, "network": bare(model, batches, head=False)}
    dim = model.reader.base.dim
    began = perf_counter()
    with torch.inference_mode():
        for _, counted in batches:
            rows = torch.randn(len(counted), dim, device=model.device).to(model.reader.base.network.dtype)
            at = np.arange(len(rows), dtype=np.int64)
            asked = UnitQuery(at, at % 1000, at % 2 == 0)
            begins = model.units.adapt("apart").begin_mask.to(model.device)
            PendingScores(model.reader, rows, 10, begins, asked, 0 * at, at % 1000).result()
    parts["head and scores"] = perf_counter() - began
    return parts


def _print(timings: list[Timing]) -> None:
    table = Table("network")
    headings = ("bare, words/s", "no guesses, words/s", "of bare", "with guesses, words/s", "of bare")
    for heading in headings:
        table.add_column(heading, justify="right")
    table.add_column("by part, µs a word")
    for timing in timings:
        table.add_row(*timing.row())
    Console(width=180).print(table)


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 4:
        sys.exit("python -m benchmarks.device_words TOKENIZER_FOLDER TEXT_FILE [WEIGHTS_FOLDER]")
    given = [Path(one) for one in islice(sys.argv, 1, None)]
    words_on_device(*given, device="cuda" if torch.cuda.is_available() else "cpu")
