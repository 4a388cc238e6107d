"""Makes the tables of docs/scale.md: how cost grows with words, layers, sentences and pairs, measured on this machine.

A few minutes on two cores, with the embedded models. Nothing in the tables is typed by hand.
"""

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from benchmarks.scale import SHARDS, nothing
from tools.pages import DOCS, markdown, put

from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.contexts import in_template, load_templates
from wordworth.contexts.sampling import Draw, draw
from wordworth.encode import Aggregating, aggregate, encode_to_store, load_named
from wordworth.engine.engines import Engine, using
from wordworth.nli.loading import load as load_nli
from wordworth.nli.pairs import PairSet, PairTask, score_pairs
from wordworth.nli.probe import load_probe
from wordworth.whole_words import PredictionRules, load_word_model, predict_words

H200 = {
    "words predicted by an 8B model (bfloat16, no guesses)": (17_909, 120),
    "words predicted by SmolLM2-135M, with guesses": (15_508, 120),
    "words in a template, 8B, all layers": (11_181, 410_000),
    "words in a template, 8B, `--layers 16`": (11_181, 12_600),
}
"""Results a second of one H200 as the device benchmarks gave them, and bytes of a result."""
PAGE = DOCS / "scale.md"
MODEL = "smollm2-135m"


@dataclass(frozen=True)
class Curve:
    """Seconds for growing amounts of one thing."""

    what: str
    unit: str
    amounts: Sequence[int]
    seconds: Sequence[float]

    def row(self) -> list[str]:
        """The measured points, and the straight line through them: a start, and the cost of one more."""
        each, start = np.polyfit(self.amounts, self.seconds, 1)
        line = f"{max(start, 0):.1f} s + {1e3 * each:.3g} ms × {self.unit}"
        off = max(abs(start + each * n - s) / s for n, s in zip(self.amounts, self.seconds, strict=True))
        points = ", ".join(f"{n:,}: {s:.2f} s" for n, s in zip(self.amounts, self.seconds, strict=True))
        return [self.what, points, line, f"{off:.0%}"]


def measured(what: str, unit: str, amounts: Sequence[int], run: Callable[[int], object]) -> Curve:
    """Each amount once, with an empty cache; the first is run before, for what is set up at the first call."""
    _seconds(run, amounts[0])
    return Curve(what, unit, amounts, [_seconds(run, amount) for amount in amounts])


def _seconds(run: Callable[[int], object], amount: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WORDWORTH_NO_CACHE"] = folder
        began = perf_counter()
        run(amount)
        return perf_counter() - began


def main() -> None:
    """Measures and writes."""
    model = load_named(MODEL, device="cpu")
    words = load_lexicon("warriner").words
    template = load_templates().aligned[0]
    contexts = [in_template(template, word) for word in words]
    few = contexts[:250]
    corpus = load_corpus("enwiki-sample", language="english")
    vocabulary = load_lexicon("bellezza").words
    sample = draw([corpus], vocabulary, Draw(200, None, "english", 0, False))

    def aggregated(sentences: int) -> object:
        part = draw([corpus], vocabulary, Draw(sentences, None, "english", 0, False))
        return aggregate(model, vocabulary, part, Aggregating(("mean/mean",)))

    word_model = load_word_model(MODEL, device="cpu")
    lines = _lines(sample.read(0), 40)
    nli, probe = load_nli("nli-glove"), PairSet.of(load_probe("gender"))
    curves = [
        measured(
            "words in a template, all layers",
            "words",
            (250, 500, 1_000),
            lambda n: encode_to_store(model, contexts[:n]),
        ),
        measured(
            "250 words, up to a layer",
            "layers",
            (10, 20, 30),
            lambda n: encode_to_store(model, few, list(range(n + 1))),
        ),
        measured("sentences of `static`", "sentences", (50, 100, 200), aggregated),
        measured(
            "lines of `predict`, with guesses",
            "lines",
            (10, 20, 40),
            lambda n: predict_words(word_model, lines[:n], PredictionRules()),
        ),
        measured(
            "pairs of `infer` (nli-glove)",
            "pairs",
            (50_000, 100_000, 200_000),
            lambda n: list(score_pairs(nli, PairTask(probe, n))),
        ),
    ]
    table, intake = engines()
    put(PAGE, "engines", table)
    put(PAGE, "gpus", expected(intake))
    put(
        PAGE,
        "curves",
        markdown(
            ("what grows", "seconds", "line through them", "largest distance from it"), [one.row() for one in curves]
        ),
    )


def engines() -> tuple[str, float]:
    """What a shard costs on each engine, and the bytes a second that the last one brought in."""
    rows, intake = [], 0.0
    for called in ("ray",):
        began = perf_counter()
        with using(called) as engine:
            list(engine.map(nothing, 1 << 10, range(2 * engine.count), "warming up"))
            begun = perf_counter() - began
            small, large = (min(_mapped(engine, size) for _ in range(3)) for size in (1 << 10, 1 << 20))
        intake = (1 << 20) / large
        rows.append([f"`{called}`", f"{begun:.1f} s", f"{1e3 * small:.2f} ms", f"{intake / 1e6:,.0f} MB"])
    return markdown(("engine", "to begin", "a shard with nothing in it", "results taken in, a second"), rows), intake


def _mapped(engine: Engine, size: int) -> float:
    """Seconds a shard."""
    began = perf_counter()
    count = sum(1 for _ in engine.map(nothing, size, range(SHARDS), "doing nothing"))
    return (perf_counter() - began) / count


def expected(intake: float) -> str:
    """min(n r, I / s) for 1, 8 and 64 GPUs."""
    rows = []
    for what, (rate, size) in H200.items():
        rates = [min(count * rate, intake / size) for count in (1, 8, 64)]
        rows.append([what, f"{size:,} B", *(f"{one:,.0f}" for one in rates), f"{intake / size / rate:,.0f}"])
    return markdown(("results", "*s*", "1 GPU", "8", "64 (a second)", "GPUs until it is full"), rows)


def _lines(found: object, count: int) -> list[str]:
    return [sentence.text for sentence, _ in zip(found, range(count), strict=False)]  # type: ignore[call-overload]


if __name__ == "__main__":
    main()
