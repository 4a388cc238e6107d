"""Aggregation over sentences: against the bare network on the same batches, against a loop that keeps dictionaries,
and its memory as the sentences grow."""

import os
import tempfile
from collections import deque
from functools import partial
from itertools import chain, islice, repeat
from pathlib import Path
from time import perf_counter

import numpy as np
import torch

from benchmarks.common import Result, best_of, in_fresh_process, seconds
from wordworth.catalog.models import locate_language_model
from wordworth.catalog.read.corpora import load_corpus
from wordworth.contexts import Context, Finder, Sample, draw_sentences
from wordworth.encode import CONTEXT, POOLINGS_OF_BOTH, SUBWORD, Aggregate, LanguageModel, aggregate, load_model
from wordworth.encode.aggregation import chunks
from wordworth.encode.passes import hidden_states
from wordworth.encode.spans import in_tokens, locate
from wordworth.encode.tokens import pad
from wordworth.engine.batching import budget_for, take
from wordworth.study.static.study import SIMILARITY, load_vocabulary

MODEL, CORPUS = "minilm-l6", "enwiki-sample"
SENTENCES, LOOP = 1_500, 1_000
SMALL, LARGE = 1_000, 20_000


def _ready(folder: str, count: int) -> tuple[LanguageModel, tuple[str, ...], Sample]:
    model = load_model(locate_language_model(MODEL).place, name=MODEL)
    words = tuple(load_vocabulary(SIMILARITY))
    sample = draw_sentences(load_corpus(CORPUS), Finder(words), Path(folder) / "sample", count=count)
    return model, words, sample


def against_the_bare_network() -> Result:
    """All f, g and layers of the similarity sets' 2,005 words, from the sample on disk to the vectors on disk."""
    with tempfile.TemporaryDirectory() as folder:
        model, words, sample = _ready(folder, SENTENCES)
        ours, bare = [], []
        _bare(model, words, sample)
        for round_ in range(3):  # in turn, so that both meet the same machine
            ours.append(best_of(1, partial(aggregated, model, words, sample, Path(folder) / str(round_)))[0])
            bare.append(_bare(model, words, sample))
    ran, limit = min(ours), min(bare)
    return Result(
        what=f"aggregation on {MODEL}, against the bare network on the same length-sorted batches (the limit)",
        plain=limit,
        ours=ran,
        wanted=0.85,
        note=f"{SENTENCES / ran:,.0f} sentences a second ({len(words):,} words, {len(POOLINGS_OF_BOTH)} poolings); "
        f"the bare network {SENTENCES / limit:,.0f}",
    )


def against_dictionaries() -> Result:
    """The same vectors one sentence at a time. What the bare network would gain over that loop bounds the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        model, words, sample = _ready(folder, LOOP)
        _bare(model, words, sample)
        bare = _bare(model, words, sample)
        ours, found = best_of(1, lambda: aggregated(model, words, sample, Path(folder) / "cache"))
        loop, expected = best_of(1, lambda: _with_dictionaries(model, sample))
        _same(found, expected)
    return Result(
        what=f"aggregation on {MODEL}, against one sentence at a time into dictionaries",
        plain=loop,
        ours=ours,
        wanted=4,
        bare=bare,
        note=f"the bare network alone would be {loop / bare:.1f}×; {LOOP:,} sentences, {LOOP / loop:,.0f} a second one "
        f"at a time and {LOOP / ours:,.0f} aggregated",
    )


def aggregated(model: LanguageModel, words: tuple[str, ...], sample: Sample, cache: Path) -> Aggregate:
    """In a cache of its own, so that nothing is there already."""
    before = os.environ.get("WORDWORTH_CACHE")
    os.environ["WORDWORTH_CACHE"] = str(cache)
    try:
        (found,) = aggregate(model, words, sample)
    finally:
        if before is None:
            del os.environ["WORDWORTH_CACHE"]
        else:
            os.environ["WORDWORTH_CACHE"] = before
    return found


def _bare(model: LanguageModel, words: tuple[str, ...], sample: Sample) -> float:
    """Seconds of the forward passes alone over the same batches, all hidden states asked for and thrown away."""
    batches = []
    for chunk in chunks(sample.read(), model.dim * (model.layers + 1)):
        contexts = [Context(words[at], found.text, start, end) for found in chunk for at, start, end in found.spans]
        tokens, _ = in_tokens(model.tokenizer, contexts, model.max_length)
        lengths = tokens.lengths.tolist()
        pending = deque(sorted(range(len(lengths)), key=lambda at, lengths=lengths: -lengths[at]))
        while pending:
            batch = take(pending, lengths, budget_for(model.device, None))
            width = lengths[batch[0]]
            ids = torch.from_numpy(pad(tokens.ids, tokens.starts[batch], tokens.lengths[batch], model.pad))
            mask = torch.tensor([[1] * lengths[at] + [0] * (width - lengths[at]) for at in batch])
            more = {"token_type_ids": torch.zeros_like(ids)} if model.takes_types else {}
            if not bool(mask.all()):
                more["attention_mask"] = mask
            batches.append((ids, more))
    began = perf_counter()
    with torch.inference_mode():
        for ids, more in batches:
            hidden_states(model.network, ids, **more)
    return perf_counter() - began


Tables = dict[int, dict[int, dict[str, dict[str, torch.Tensor]]]]
"""Word → layer → g → f → vector."""


def _with_dictionaries(model: LanguageModel, sample: Sample) -> Tables:
    """The way of published code: a sentence a pass, and every word, layer, g and f an entry that is replaced."""
    tables: Tables = {}
    met: dict[int, int] = {}
    for found in sample.read():
        tokens = model.tokenizer(found.text, return_offsets_mapping=True, return_special_tokens_mask=True)
        ids = tokens["input_ids"]
        with torch.no_grad():
            hidden = model.network(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states
        for word, start, end in found.spans:
            span = locate(
                model.tokenizer, found.text, start, end, ids, tokens["offset_mapping"], tokens["special_tokens_mask"]
            )
            if isinstance(span, str):
                continue
            met[word] = met.get(word, 0) + 1
            for layer, states in enumerate(hidden):
                pieces = states.squeeze(0)[span[0] : span[1]]
                vectors = {"min": pieces.min(0).values, "max": pieces.max(0).values}
                vectors |= {"mean": pieces.mean(0), "last": pieces[-1]}
                of = tables.setdefault(word, {}).setdefault(layer, {})
                if not of:
                    of.update({g: dict(vectors) for g in CONTEXT})
                    continue
                for f, vector in vectors.items():
                    of["min"][f] = torch.minimum(of["min"][f], vector)
                    of["max"][f] = torch.maximum(of["max"][f], vector)
                    of["mean"][f] = (of["mean"][f] * (met[word] - 1) + vector) / met[word]
    return tables


def _same(found: Aggregate, expected: Tables) -> None:
    worst = 0.0
    for f in SUBWORD:
        for g in CONTEXT:
            for layer in found.layers:
                matrix = found.vectors(layer, f"{f}/{g}")
                for word, table in expected.items():
                    vector = table[layer][g][f].numpy()
                    worst = max(worst, float(np.abs(matrix[word] - vector).max() / np.abs(vector).max()))
    if not worst <= 1e-4:
        raise SystemExit(f"the aggregated vectors differ by {worst:.1e} of their largest value, more than 1e-4")


def memory() -> Result:
    """Peak memory of a process at 1K and at 20K sentences, of eight words each: it follows the vocabulary."""
    (_, small), (took, large) = (in_fresh_process(partial(_short_sentences, count)) for count in (SMALL, LARGE))
    return Result(
        what=f"peak memory of aggregation on {MODEL}, {SMALL:,} against {LARGE:,} sentences",
        plain=small,
        ours=large,
        wanted=0.85,
        note=f"the longer took {seconds(took)}",
        bytes=True,
    )


def _short_sentences(count: int) -> float:
    """Seconds of aggregating the beginnings of so many lines, numbered to tell them apart."""
    model = load_model(locate_language_model(MODEL).place, name=MODEL)
    words = tuple(load_vocabulary(SIMILARITY))
    every = enumerate(chain.from_iterable(repeat(load_corpus(CORPUS))))
    lines = (f"{' '.join(line.split()[:8])} {number}" for number, line in islice(every, 4 * count))
    with tempfile.TemporaryDirectory() as folder:
        sample = draw_sentences(lines, Finder(words), Path(folder) / "sample", count=count)
        if sample.sentences < count:
            raise SystemExit(f"{CORPUS} gives {sample.sentences} sentences, fewer than {count}")
        began = perf_counter()
        aggregated(model, words, sample, Path(folder) / "cache")
        return perf_counter() - began
