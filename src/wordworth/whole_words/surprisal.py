"""Compute the surprisal of words: from the left context, or in masked models by pseudo-log-likelihood.

Nothing is cached, so the numbers are those of the model at present.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import log
from typing import Literal, get_args

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.encode.passes import inference
from wordworth.engine.batching import by_length
from wordworth.engine.engines import current
from wordworth.errors import WordworthError
from wordworth.progress import progress
from wordworth.whole_words.chunks import Chunk, chunks
from wordworth.whole_words.model import WordModel, frame
from wordworth.whole_words.pipeline import make_table, predict_chunks
from wordworth.whole_words.rules import PredictionRules
from wordworth.whole_words.splitting import Punctuation, WordSplitter
from wordworth.whole_words.unit_scores import to_double
from wordworth.whole_words.words import Target, read_lines

Pll = Literal["within_word_l2r", "original"]


def surprisal(
    model: WordModel,
    texts: str | Sequence[str],
    *,
    bos: bool = False,
    punctuation: Punctuation = "apart",
    pll: Pll = "within_word_l2r",
) -> pl.DataFrame:
    """Return −log2 P of every word of some texts, in bits: a row per word, with `text` as the number of its text.

    `place` counts the words of the text from 0; `units` counts the tokenizer's units of the word. If `surprisal` is
    null, `skipped` has the reason. Words are those of `predict_words`: a punctuation mark is a word of its own, unless
    punctuation is `attached`. A text may have any number of words.

    A causal model predicts a word from the words before it. The word's end is included (Pimentel & Meister 2024; Oh &
    Schuler 2024). With `bos`, a text follows the model's BOS token (its end-of-text token if it has no BOS), and its
    first word has a surprisal; otherwise nothing precedes that word, and its surprisal is null.

    A masked model predicts a word from all other words, without its end. `within_word_l2r` masks each unit and the
    later units of the word (Kauf & Ivanova 2023). `original` masks only the unit (Salazar et al. 2020), which makes
    words of several units too easy. `bos` has no effect.
    """
    if pll not in get_args(Pll):
        raise WordworthError(f"there is no pll {pll!r}; choose {' or '.join(get_args(Pll))}")
    text_list = check_texts(texts)
    is_masked = model.family == "masked"
    if bos and not is_masked:
        model = begin_with_bos(model)
    rules = PredictionRules(k=0, punctuation=punctuation, first_word=bos or is_masked, min_words=1)
    lines: list[int] = []

    def list_chunks() -> Iterator[Chunk]:
        for chunk in chunks(model, read_lines(text_list, None, WordSplitter(punctuation)), rules):
            lines.append(chunk.lines)
            yield chunk

    stream = partial(_score_masked, pll=pll) if is_masked else partial(predict_chunks, rules=rules)
    activity = f"scoring words with {model.name}"
    columns = {
        "text": pl.col("line"),
        "place": pl.col("at"),
        "word": pl.col("word").cast(pl.String),
        "surprisal": -pl.col("logp") / log(2),
        "units": pl.col("units"),
        "skipped": pl.col("left_out").cast(pl.String),
    }
    tables = [pl.DataFrame(schema=dict.fromkeys(columns, pl.Null))]
    with progress(activity, len(text_list)) as advance:
        for table in current().map(stream, model, list_chunks(), activity):
            tables.append(table.select(**columns))
            advance(lines.pop(0))
    return pl.concat(tables, how="vertical_relaxed")


def check_texts(texts: str | Sequence[str]) -> list[str]:
    """Return a text or several as a list."""
    text_list = [texts] if isinstance(texts, str) else list(texts)
    item = next((text for text in text_list if not isinstance(text, str)), None)
    if item is not None:
        raise WordworthError(f"a text is a str, but this is a {type(item).__name__}; give a text or a list of texts")
    return text_list


def begin_with_bos(model: WordModel) -> WordModel:
    """Return the model with BOS before a text, even if its tokenizer puts none there."""
    if model.before:
        return model
    tokenizer = model.tokenizer
    tokens = [token for token in (tokenizer.bos_token_id, tokenizer.eos_token_id) if token is not None]
    if not tokens:
        raise WordworthError(f"{model.name} has neither a BOS nor an end-of-text token; leave out bos")
    return replace(model, before=(int(tokens[0]),), around=model.around + 1)


def _score_masked(model: WordModel, chunks_of_texts: Iterable[Chunk], pll: Pll) -> Iterator[pl.DataFrame]:
    """Yield the table of each chunk with ln of the words' pseudo-likelihoods."""
    for chunk in chunks_of_texts:
        lengths = [len(target.ids) if isinstance(target, Target) else 0 for target in chunk.targets]
        units = np.array(lengths, dtype=np.int64)[chunk.places["entry"]]
        logp = _score_units(model, chunk, units, rest_is_masked=pll == "within_word_l2r")
        sums = np.add.reduceat(logp, np.cumsum(units) - units) if len(units) else logp
        yield make_table(chunk, chunk.places, {"logp": sums, "units": units})


def _score_units(
    model: WordModel, chunk: Chunk, units: NDArray[np.int64], *, rest_is_masked: bool
) -> NDArray[np.float64]:
    """Return ln p of each unit from all other words, and from the rest of its own word unless `rest_is_masked`."""
    suffix, mask = frame(model.tokenizer)[1], int(model.tokenizer.mask_token_id or 0)
    begins = np.append(0, chunk.ends[:-1])
    windows = chunk.places["window"]
    word_of = np.repeat(np.arange(len(units)), units)
    starts = chunk.places["start"][word_of].astype(np.int64)
    ends = starts + units[word_of]
    positions = starts + np.arange(len(word_of)) - np.repeat(np.cumsum(units) - units, units)
    texts = [[*chunk.ids[begin:end].tolist(), *suffix] for begin, end in zip(begins, chunk.ends, strict=True)]
    logp = np.zeros(len(word_of))

    def run(batch: list[int]) -> Tensor:
        rows = [texts[windows[word_of[number]]] for number in batch]
        width, pad = max(map(len, rows)), model.reader.base.pad
        ids = torch.tensor([row + [pad] * (width - len(row)) for row in rows])
        unit_ids = ids[torch.arange(len(batch)), positions[batch]]
        for row, number in zip(ids, batch, strict=True):
            row[positions[number] : ends[number] if rest_is_masked else positions[number] + 1] = mask
        attention_mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        states = model.reader.logits.read(ids.to(model.device), attention_mask=attention_mask.to(model.device))
        rows_of_units = states[torch.arange(len(batch)), positions[batch]]
        scores: Tensor = to_double(model.reader.logits(rows_of_units)).log_softmax(1).cpu()
        return scores[torch.arange(len(batch)), unit_ids]

    with inference():
        for batch, scores in by_length(run, [len(texts[windows[word]]) for word in word_of], model.reader.budget):
            logp[batch] = scores.numpy()
    return logp
