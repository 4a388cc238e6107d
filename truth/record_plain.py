"""Records what the plain way says of real text: `python -m truth.record_plain CORPUS [WORDS]`.

Writes tests/whole_words/plain_CORPUS.json: which lines of the corpus were taken, and for every word its place, its hits
and its log probabilities; none of the text. It takes a second or more a word, which is why it is recorded. A line
whose log probabilities float32 itself does not give to 5e-5 (a pass in float64 tells) is recorded in float64.
"""

import copy
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from truth.plain_words import Plain, byte_level, unit_texts
from wordworth.catalog.models import locate_language_model
from wordworth.catalog.read.corpora import load_corpus
from wordworth.encode.conversion import convert_gguf

MODEL = "smollm2-135m"
ROUNDING = 5e-5
SHORTEST, LONGEST = 3, 40
"""Words of the lines that are taken, so that the plain way comes to an end."""


def plain_model() -> Plain:
    folder = convert_gguf(Path(locate_language_model(MODEL).place))
    network: Any = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    units = unit_texts(tokenizer, network.config.vocab_size, byte_level)
    return Plain(network, tokenizer, units, given=False, apart=False)  # as the paper has it


def double(plain: Plain) -> Plain:
    return replace(plain, network=copy.deepcopy(plain.network).double())


def is_rounded(plain: Plain, exact: Plain, line: str) -> bool:
    """Whether float32 moves a log probability of the line's units, or of a word's end, by more than 5e-5."""
    ids = torch.tensor([plain.ids(line.split())])
    begins = torch.tensor([plain.begins(unit) for unit in range(len(plain.units))])
    with torch.no_grad():
        single, double = (way.network(input_ids=ids).logits[0].double().log_softmax(-1) for way in (plain, exact))
    units = (single - double)[:-1].gather(1, ids[0, 1:, None]).abs().max()
    ends = (single[:, begins].logsumexp(1) - double[:, begins].logsumexp(1)).abs().max()
    return bool(max(units, ends) > ROUNDING)


def choose_lines(corpus: str) -> Iterator[tuple[int, str]]:
    """Lines of the corpus by their number."""
    for number, line in enumerate(load_corpus(corpus)):
        if SHORTEST <= len(line.split()) <= LONGEST:
            yield number, line


def record_line(plain: Plain, number: int, line: str) -> list[list[Any]]:
    return [
        [number, at, hit1, hitk, round(logp, 6), round(naive, 6)]
        for at, (_, hit1, hitk, logp, naive) in enumerate(plain.line(line), start=1)
    ]


def record(corpus: str, words: int) -> None:
    plain = plain_model()
    exact = double(plain)
    rows: list[list[Any]] = []
    for number, line in choose_lines(corpus):
        if len(rows) >= words:
            break
        rows += record_line(exact if is_rounded(plain, exact, line) else plain, number, line)
        print(len(rows), "words", file=sys.stderr, flush=True)
    told = {"model": MODEL, "corpus": corpus, "columns": ["line", "at", "hit1", "hitk", "logp", "logp_naive"]}
    body = ",\n".join(json.dumps(row) for row in rows)
    text = json.dumps(told)[:-1] + ',\n"rows": [\n' + body + "\n]}\n"
    folder = Path(__file__).parents[1] / "tests" / "whole_words"
    (folder / f"plain_{corpus}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    corpus_name, *wanted = islice(sys.argv[1:], 2)
    record(corpus_name, int(wanted[0]) if wanted else 520)
