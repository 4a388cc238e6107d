"""Words in templates: against one text at a time, against batches without sharing, against the bare network."""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
import torch

from benchmarks.common import Result, best_of
from wordworth.catalog.models import locate_language_model
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.contexts import Context, in_template, load_templates
from wordworth.encode import LanguageModel, encode, encode_shards, load_model
from wordworth.encode.passes import hidden_states

SHAPES = ((16, 16), (32, 16), (64, 8), (64, 16), (128, 8), (256, 4), (512, 1))
"""Batches that the bare network is tried with: texts × tokens."""
TOLERANCE = 1e-4


def smollm2() -> list[Result]:
    """The embedded model on this machine's processor, or on its accelerator where it has one."""
    place = locate_language_model("smollm2-135m").place
    results = run(place)
    return results + (run(place, "cuda") if torch.cuda.is_available() else [])


def run(model_path: str | Path, device: str = "cpu") -> list[Result]:
    """Every layer of the model for Bellezza's words, each in all five aligned templates of VAST."""
    model = load_model(model_path, device=device)
    words = load_lexicon("bellezza").words
    templates = load_templates().aligned
    contexts = [in_template(template, word) for template in templates for word in words]
    neutral = [in_template(templates[2], word) for word in words]
    bare = max(_bare_rate(model, *shape) for shape in SHAPES)
    list(encode_shards(model, [neutral[:50]]))
    ours, (shard,) = best_of(3, lambda: list(encode_shards(model, [contexts])))
    one, sample = _one_at_a_time(model, contexts[:: len(contexts) // 40])
    found = encode(model, sample, ["last"]).vectors["last"]
    _same(found, one[1])
    unshared, plain = best_of(2, lambda: encode(model, neutral, ["last"], share_prefixes=False))
    shared, tree = best_of(3, lambda: encode(model, neutral, ["last"]))
    _same(tree.vectors["last"], plain.vectors["last"])
    return [
        Result(
            what="words in five templates, all layers, against one text at a time",
            plain=one[0] / len(sample) * len(contexts),
            ours=ours,
            wanted=25,
            bare=shard.tally.tokens / bare,
            note=f"{len(contexts) / ours:,.0f} words a second ({len(sample)} texts timed one at a time); "
            f"{shard.tally.tokens / ours:,.0f} tokens a second of the bare network's {bare:,.0f}",
        ),
        Result(
            what="words in the nine-token template, against sorted batches without a shared prefix",
            plain=unshared,
            ours=shared,
            wanted=4,
            bare=tree.tally.tokens / bare,
            note=f"{plain.tally.tokens:,} tokens without sharing, {tree.tally.tokens:,} with it",
        ),
    ]


def _bare_rate(model: LanguageModel, texts: int, tokens: int) -> float:
    """Tokens a second of the network alone, hidden states asked for and thrown away."""
    ids = torch.randint(10, len(model.tokenizer) - 10, (texts, tokens), device=model.device)

    def forward() -> None:
        with torch.inference_mode():
            hidden_states(model.network, ids)
        if model.device.type == "cuda":
            torch.cuda.synchronize()

    forward()
    return texts * tokens / best_of(3, forward)[0]


def _one_at_a_time(
    model: LanguageModel, contexts: Sequence[Context]
) -> tuple[tuple[float, list[np.ndarray[tuple[int, int], np.dtype[np.float32]]]], list[Context]]:
    """The plain script: one text a pass, the last token's states of every layer (the word stands last)."""
    vectors = []
    start = perf_counter()
    for context in contexts:
        inputs = model.tokenizer(context.text, return_tensors="pt").to(model.device)
        with torch.no_grad():
            hidden = model.network(**inputs, output_hidden_states=True).hidden_states
        vectors.append(np.stack([layer[0, -1].float().cpu().numpy() for layer in hidden]))
    return (perf_counter() - start, vectors), list(contexts)


def _same(found: Sequence[object], expected: Sequence[object]) -> None:
    one, other = np.asarray(found), np.asarray(expected)
    difference = float((np.abs(one - other).max(-1) / np.abs(other).max(-1)).max())
    if not difference <= TOLERANCE:
        raise SystemExit(f"the vectors differ by {difference:.1e} of their largest value, more than {TOLERANCE:g}")
