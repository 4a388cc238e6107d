"""`python -m benchmarks.device`: words in templates on this machine's GPU, against the bare network on the same tokens.

Llama shapes with random weights, made on the device: no weights are read, and nothing is fetched but a tokenizer.
"""

import argparse
import os
import tempfile
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from transformers import AutoModel, AutoTokenizer, LlamaConfig, PreTrainedTokenizerFast

from wordworth.contexts import Context, in_template, load_templates
from wordworth.encode import LanguageModel, encode_shards, encode_to_store, wrap
from wordworth.encode import store as store_module
from wordworth.encode import units as units_module
from wordworth.encode.encoding import shards, unique, values_of
from wordworth.encode.passes import ROUNDING_TOLERANCE, hidden_states
from wordworth.encode.spans import in_tokens
from wordworth.encode.tokens import pad
from wordworth.encode.units import work_for
from wordworth.engine.batching import PassTally, take


@dataclass(frozen=True)
class Shape:
    """The sizes of a Llama."""

    name: str
    dim: int
    layers: int
    heads: int
    keys: int
    inner: int
    dtype: torch.dtype


SHAPES = (
    Shape("135M float32", 576, 30, 9, 3, 1536, torch.float32),
    Shape("135M bfloat16", 576, 30, 9, 3, 1536, torch.bfloat16),
    Shape("8B bfloat16", 4096, 32, 32, 8, 14336, torch.bfloat16),
)
TINY = Shape("tiny float32", 32, 2, 4, 2, 64, torch.float32)
WORDS = 30_000
PARTS = ("tokenize", "launch", "write")


@dataclass
class Timed:
    """Seconds of one way through, in all and by part (those of writing, summed over threads)."""

    seconds: float = 0.0
    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    tally: PassTally = field(default_factory=PassTally)


def encode_on_device(
    tokenizer: PreTrainedTokenizerFast, places: Sequence[Shape] = SHAPES, words: int = WORDS, device: str = "cuda"
) -> None:
    """One table: the bare network, states in memory, states in the store."""
    table = Table("model", title=f"{words:,} words in templates, all layers, {_name(device)}", title_justify="left")
    headings = (
        "bare",
        "in memory",
        "share",
        "in the store",
        "share",
        "words/s",
        *PARTS,
        "passes",
        "tokens run",
        "waits",
    )
    for heading in headings:
        table.add_column(heading, justify="right")
    for shape in places:
        model = _made(shape, tokenizer, device)
        contexts = _contexts(tokenizer, words)
        list(encode_shards(model, [contexts[:: max(1, words // 500)]]))
        _same(model, contexts[:: max(1, words // 12)])
        bare, tokens = _bare(model, contexts)
        memory = min((_in_memory(model, contexts) for _ in range(2)), key=lambda one: one.seconds)
        kept = min((_in_store(model, contexts) for _ in range(2)), key=lambda one: one.seconds)
        table.add_row(
            f"{shape.name}, {tokens:,} tokens",
            f"{bare:.2f} s",
            f"{memory.seconds:.2f} s",
            f"{bare / memory.seconds:.1%}",
            f"{kept.seconds:.2f} s",
            f"{bare / kept.seconds:.1%}",
            f"{words / memory.seconds:,.0f}",
            *(f"{(kept if part == 'write' else memory).parts[part]:.2f} s" for part in PARTS),
            str(memory.tally.passes),
            f"{memory.tally.tokens:,}",
            str(_waits(model, contexts[:2000])),
        )
        del model
        if device == "cuda":
            torch.cuda.empty_cache()
    Console(width=200).print(table)


def _name(device: str) -> str:
    return torch.cuda.get_device_name() if device == "cuda" else device


def _made(shape: Shape, tokenizer: PreTrainedTokenizerFast, device: str) -> LanguageModel:
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=shape.dim,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.keys,
        intermediate_size=shape.inner,
        max_position_embeddings=2048,
    )
    torch.manual_seed(0)
    with torch.device(device):
        network = AutoModel.from_config(config, dtype=shape.dtype)
    return wrap(network, tokenizer, name=shape.name)


def _contexts(tokenizer: PreTrainedTokenizerFast, count: int) -> list[Context]:
    """Words of the vocabulary, then pairs of them run together, each in one of five templates."""
    pieces = (tokenizer.decode([token]).strip() for token in range(len(tokenizer)))
    single = list(dict.fromkeys(piece.lower() for piece in pieces if piece.isascii() and piece.isalpha()))
    pairs = (first + second for step in range(1, 50) for first, second in zip(single, single[step:], strict=False))
    words = dict.fromkeys(single[: count * 2 // 3])
    for pair in pairs:
        if len(words) >= count:
            break
        words[pair] = None
    templates = load_templates().aligned
    return [in_template(templates[at % len(templates)], word) for at, word in enumerate(words)][:count]


def _same(model: LanguageModel, contexts: Sequence[Context]) -> None:
    """Ours against a text at a time: a fast way to other numbers would be none."""
    (shard,) = encode_shards(model, [contexts])
    row = 0
    for context, count in zip(contexts, shard.subwords, strict=True):
        ids = torch.tensor([model.tokenizer(context.text)["input_ids"]], device=model.device)
        with torch.inference_mode():
            expected = torch.stack(hidden_states(model.network, ids))[:, 0, -count:].float().cpu()
        found = shard.states[:, row : row + count].float()
        # By the length of the difference: the largest of millions of half-precision roundings says little.
        apart = float(((found - expected).norm(dim=-1) / expected.norm(dim=-1)).max())
        if not apart <= ROUNDING_TOLERANCE[model.network.dtype]:
            raise SystemExit(f"{model.name}: {context.word} differs by {apart:.1e} of its length")
        row += count


def _synchronized(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def _bare(model: LanguageModel, contexts: Sequence[Context]) -> tuple[float, int]:
    """Seconds of the plain forward passes over every sentence, and their tokens: sorted by length, in full batches."""
    tokens, _ = in_tokens(model.tokenizer, contexts, model.max_length)
    lengths: list[int] = tokens.lengths.tolist()
    budget, seconds = work_for(model).budget, []
    for size in sorted({budget.tokens, 16384}):
        budget.tokens = size
        pending = deque(sorted(range(len(lengths)), key=lambda at: -lengths[at]))
        batches = []
        while pending:
            texts = np.array(take(pending, lengths, budget))
            ids = pad(tokens.ids, tokens.starts[texts], tokens.lengths[texts], model.pad)
            batches.append(torch.from_numpy(ids).to(model.device))
        for _ in range(2):
            began = _synchronized(model.device)
            with torch.inference_mode():
                for ids in batches:
                    hidden_states(model.network, ids)
            seconds.append(_synchronized(model.device) - began)
    return min(seconds), sum(lengths)


@contextmanager
def _timed(timed: Timed) -> Iterator[None]:
    """Adds the time of the functions that are the parts."""

    def measured(part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            began = time.perf_counter()
            try:
                return function(*given, **named)
            finally:
                timed.parts[part] += time.perf_counter() - began

        return call

    places = (
        ("tokenize", units_module, "in_tokens"),
        ("launch", units_module, "run_sentences"),
        ("write", store_module, "_write"),
    )
    with ExitStack() as patched:
        for part, module, name in places:
            patched.enter_context(patch.object(module, name, measured(part, getattr(module, name))))
        began = time.perf_counter()
        yield
        timed.seconds = time.perf_counter() - began


def _in_memory(model: LanguageModel, contexts: Sequence[Context]) -> Timed:
    timed = Timed()
    with _timed(timed):
        distinct, _ = unique(contexts)
        for shard in encode_shards(model, shards(distinct, values_of(model))):
            timed.tally.add(shard.tally)
    return timed


def _in_store(model: LanguageModel, contexts: Sequence[Context]) -> Timed:
    timed = Timed()
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"WORDWORTH_CACHE": folder}), _timed(timed):
        encode_to_store(model, contexts)
    return timed


def _waits(model: LanguageModel, contexts: Sequence[Context]) -> int:
    """How often Python waits for the GPU on the way of some words, as the library counts it."""
    if model.device.type != "cuda":
        return 0
    torch.cuda.set_sync_debug_mode("warn")
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            list(encode_shards(model, [contexts]))
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return len(told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tokenizer", help="a folder with tokenizer.json; SmolLM2's from the catalog, if none is given"
    )
    parser.add_argument("--words", type=int, default=WORDS)
    parser.add_argument(
        "--shapes", nargs="*", help="the names of the shapes that are run, or tiny; all, if none is given"
    )
    parser.add_argument("--device", default="cuda")
    given = parser.parse_args()
    chosen = [TINY] if given.shapes == ["tiny"] else [one for one in SHAPES if one.name in (given.shapes or [one.name])]
    encode_on_device(_tokenizer(given.tokenizer), chosen, given.words, given.device)


def _tokenizer(folder: str | None) -> PreTrainedTokenizerFast:
    if folder is None:
        from wordworth.catalog.models import locate_language_model
        from wordworth.encode.conversion import convert_gguf

        folder = str(convert_gguf(Path(locate_language_model("smollm2-135m").place)))
    tokenizer: PreTrainedTokenizerFast = AutoTokenizer.from_pretrained(folder)
    return tokenizer


if __name__ == "__main__":
    main()
