"""The limit of whole-word prediction: the network and its head over the same windows, and nothing else."""

from collections import deque
from time import perf_counter
from typing import Any

import numpy as np
import torch

from wordworth.engine.batching import take
from wordworth.whole_words import PredictionRules
from wordworth.whole_words.chunks import chunks
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.reader import count_rows
from wordworth.whole_words.splitting import WordSplitter
from wordworth.whole_words.words import read_lines

Batches = list[tuple[torch.Tensor, torch.Tensor]]


def batches_of(model: WordModel, lines: list[str]) -> Batches:
    """Token numbers and the positions that count, on the device already; windows of like length together."""
    reader: Any = model.reader
    batches: Batches = []
    for chunk in chunks(model, read_lines(lines, None, WordSplitter()), PredictionRules()):
        texts = [ids.tolist() for ids in np.split(chunk.ids, chunk.ends[:-1])]
        lengths = [len(text) for text in texts]
        pending = deque(sorted(range(len(lengths)), key=lambda at, lengths=lengths: -lengths[at]))
        while pending:
            batch = [texts[at] for at in take(pending, lengths, reader.budget)]
            ids = [[*text, *[reader.base.pad] * (len(batch[0]) - len(text))] for text in batch]
            counted = [at * len(batch[0]) + place for at, text in enumerate(batch) for place in range(len(text))]
            batches.append((torch.tensor(ids, device=model.device), torch.tensor(counted, device=model.device)))
    return batches


def bare(model: WordModel, batches: Batches, *, head: bool = True) -> float:
    """Seconds of the network and its head over the batches; logits are made in slices and thrown away."""
    reader: Any = model.reader
    wait(model)
    began = perf_counter()
    with torch.inference_mode():
        for ids, counted in batches:
            rows = reader.base.network(input_ids=ids, use_cache=False)[0].flatten(0, 1)[counted]
            for some in rows.split(count_rows(reader.device, reader.width)) if head else ():
                reader.logits(some)
    wait(model)
    return perf_counter() - began


def wait(model: WordModel) -> None:
    """Until the device has done all it was given."""
    if model.device.type == "cuda":
        torch.cuda.synchronize()
