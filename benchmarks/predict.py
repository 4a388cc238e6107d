"""Whole-word prediction: against the plain loop, against the bare network with its head, and its memory."""

import tempfile
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

import polars as pl
import torch

from benchmarks.bare_words import bare as bare_words
from benchmarks.bare_words import batches_of
from benchmarks.common import Result, best_of, in_fresh_process, seconds
from wordworth.catalog.models import locate_language_model
from wordworth.catalog.read.corpora import load_corpus
from wordworth.encode.conversion import convert_gguf
from wordworth.errors import WordworthError
from wordworth.whole_words import PredictionRules, WordModel, load_word_model, predict_words

MODEL = "smollm2-135m"
LINES, EVERY = 60, 500
"""Paragraphs that are predicted, and of their words, which the plain loop is timed with."""
WORDS = 50_000
ALLOWED = 3 << 30


def text() -> list[str]:
    """WikiText-103's test where it is at hand, else the Wikipedia sample."""
    try:
        corpus = load_corpus("wikitext-103-test")
    except WordworthError:
        corpus = load_corpus("enwiki-sample")
    return [line for line in corpus if len(line.split()) >= 3]


def words() -> list[Result]:
    """The same hits out of all three."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return run(device, text()[:LINES])


def run(device: str, lines: list[str]) -> list[Result]:
    model = load_word_model(MODEL, device=device)
    _predicted(model, lines[:2], guesses=True)
    batches = batches_of(model, lines)
    bare = min(bare_words(model, batches) for _ in range(2))
    spare, hits = best_of(2, lambda: _predicted(model, lines, guesses=False))
    full, said = best_of(1, lambda: _predicted(model, lines, guesses=True))
    if not said.select("hit1", "hitk").equals(hits.select("hit1", "hitk")):
        raise SystemExit("decoding guesses to their end changed a hit")
    predicted = hits.filter(pl.col("left_out").is_null())
    plain, timed = _plain(lines, predicted)
    count = len(predicted)
    return [
        Result(
            what=f"whole words by {MODEL} on {device}: hits and probabilities, against a query of the network a step",
            plain=plain / timed * count,
            ours=spare,
            wanted=40,
            bare=bare,
            note=f"{count / spare:,.0f} words a second ({timed} words timed one at a time)",
        ),
        Result(
            what="the same, against the bare teacher-forced pass with its head on the same batches (the limit)",
            plain=bare,
            ours=spare,
            wanted=0.8,
            note=f"{count / bare:,.0f} words a second bare",
        ),
        Result(
            what="the same with every guess decoded to its end, against the plain loop",
            plain=plain / timed * count,
            ours=full,
            wanted=40,
            bare=bare,
            note=f"{count / full:,.0f} words a second",
        ),
    ]


def _predicted(model: WordModel, lines: list[str], *, guesses: bool) -> pl.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        return predict_words(model, lines, PredictionRules(guesses=guesses), kept=Path(folder))


def _plain(lines: list[str], predicted: pl.DataFrame) -> tuple[float, int]:
    """Seconds of the plain loop for every so many words, which must hit and miss the same; and how many words."""
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from truth.plain_words import Plain, byte_level, split_words, unit_texts

    folder = convert_gguf(Path(locate_language_model(MODEL).place))
    network: Any = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    plain = Plain(network, tokenizer, unit_texts(tokenizer, network.config.vocab_size, byte_level))
    some = predicted[EVERY // 2 :: EVERY]
    began = perf_counter()
    for line, at, hit1, hitk, logp in some.select("line", "at", "hit1", "hitk", "logp").rows():
        parts, glued = split_words(lines[line])
        texts = ["".join(one if joined else f" {one}" for one, joined in zip(parts[:end], glued, strict=False))[1:]
                 for end in (at, at + 1)]  # fmt: skip
        context, both = (plain.ids([text]) for text in texts)
        _, top1, topk, expected, _ = plain.word(context, both[len(context) :], parts[at - 1])
        if (hit1, hitk) != (top1, topk) or abs(logp - expected) > 1e-4:
            raise SystemExit(f"line {line}, word {at}: the plain way says otherwise")
    return perf_counter() - began, len(some)


def memory() -> Result:
    """Peak memory of a process that predicts a document of 50,000 words."""
    took, peak = in_fresh_process(partial(_document, WORDS))
    return Result(
        what=f"peak memory of {MODEL} on a document of {WORDS:,} words, against 3 GiB",
        plain=ALLOWED,
        ours=peak,
        wanted=1,
        note=f"took {seconds(took)}",
        bytes=True,
    )


def _document(count: int) -> float:
    """Seconds of predicting so many words as one text, in overlapping windows."""
    model = load_word_model(MODEL, device="cpu")
    document = list(islice((word for line in text() for word in line.split()), count))
    if len(document) < count:
        raise SystemExit(f"the text has {len(document):,} words, fewer than {count:,}")
    began = perf_counter()
    _predicted(model, [" ".join(document)], guesses=False)
    return perf_counter() - began
