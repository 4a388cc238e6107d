"""Pairs of template sentences through a cross-encoder: against padding to 128, and against one pair at a time.

The network is that of minilm-l6 with a new head of three labels: what it answers means nothing here, and how fast it
does so is what any model of its size does.
"""

from itertools import product
from time import perf_counter

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.common import Result, best_of
from wordworth.catalog.models import locate_language_model
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.nli.cross_encoder import CrossEncoder, untrained_cross_encoder

PADDED, BATCH = 128, 32
"""The habit that is compared with: batches of 32, every pair filled up to 128 tokens."""
SAMPLE = 96
"""Pairs that the slow ways are timed on; their time is scaled to all."""
RESTS = ("ate a bagel", "sold a refrigerator", "can afford the wagon")
TOLERANCE = 1e-5


def _task() -> tuple[list[str], NDArray[np.int64]]:
    """Occupations × gendered words, in three sentences: 2,952 pairs."""
    occupations, gendered = load_word_set("dev-occupations").words, load_word_set("dev-gendered_words").words
    sentences: list[str] = []
    pairs = []
    for rest in RESTS:
        start = len(sentences)
        sentences += [f"The {subject} {rest}." for subject in (*occupations, *gendered)]
        many = range(start, start + len(occupations))
        pairs += list(product(many, range(start + len(occupations), len(sentences))))
    return sentences, np.array(pairs, dtype=np.int64)


def _plain(model: CrossEncoder, sentences: list[str], pairs: NDArray[np.int64], batch: int, **padding: object) -> float:
    """Seconds of the library's way over these pairs, and a check that it gives the same."""
    found = np.empty((len(pairs), 3))
    began = perf_counter()
    with torch.inference_mode():
        for start in range(0, len(pairs), batch):
            some = pairs[start : start + batch]
            texts = [[sentences[at] for at in column] for column in some.T.tolist()]
            given = model.tokenizer(*texts, return_tensors="pt", truncation=True, **padding)
            logits = model.network(**given).logits
            found[start : start + batch] = torch.softmax(logits.double(), -1)[:, list(model.columns)].numpy()
    spent = perf_counter() - began
    worst = float(np.abs(found - model.probabilities(sentences, pairs)).max())
    if worst > TOLERANCE:
        raise AssertionError(f"probabilities differ by {worst:.1e} from the library's own way")
    return spent


def cross_encoder() -> list[Result]:
    model = untrained_cross_encoder(locate_language_model("minilm-l6").place, device="cpu")
    sentences, pairs = _task()
    ours, _ = best_of(2, lambda: model.probabilities(sentences, pairs))
    sample = pairs[np.random.default_rng(0).choice(len(pairs), SAMPLE, replace=False)]
    scale = len(pairs) / SAMPLE
    padded = min(_plain(model, sentences, sample, BATCH, padding="max_length", max_length=PADDED) for _ in range(2))
    alone = min(_plain(model, sentences, sample, 1) for _ in range(2))
    note = f"{len(pairs):,} pairs, {len(pairs) / ours:,.0f} pairs/s; the plain way on {SAMPLE}"
    return [
        Result(f"cross-encoder, padded to {PADDED}", padded * scale, ours, 5, note=note),
        Result("cross-encoder, one pair at a time", alone * scale, ours, 2.5, note=note),
    ]
