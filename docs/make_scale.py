"""Makes the tables of docs/scale.md: how cost grows with words, layers, sentences and pairs, measured on this machine.

A few minutes on two cores, with the embedded models. Nothing in the tables is typed by hand.
"""

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from pages import markdown, put

from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.contexts import Draw, draw, in_template, load_templates
from wordworth.encode import Aggregating, aggregate, encode_to_store, load_named
from wordworth.infer.model import load as load_nli
from wordworth.infer.probe.pairs import PairSet
from wordworth.infer.probe.probe import load_probe
from wordworth.infer.scoring.pair_scores import PairTask, scored
from wordworth.predict import PredictionRules, load_word_model, predict_words

PAGE = Path(__file__).parent / "scale.md"
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
    """Each amount twice, with an empty cache; the faster counts."""
    run(amounts[0])
    return Curve(what, unit, amounts, [min(_seconds(run, amount) for _ in range(2)) for amount in amounts])


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
    few = contexts[:500]
    corpus = load_corpus("enwiki-sample", language="english")
    vocabulary = load_lexicon("bellezza").words
    sample = draw([corpus], vocabulary, Draw(800, None, "english", 0, False))

    def aggregated(sentences: int) -> object:
        part = draw([corpus], vocabulary, Draw(sentences, None, "english", 0, False))
        return aggregate(model, vocabulary, part, Aggregating(("mean/mean",)))

    word_model = load_word_model(MODEL, device="cpu")
    lines = [text for text in _lines(sample.read(0), 400)]
    nli, probe = load_nli("nli-glove"), PairSet.of(load_probe("gender"))
    curves = [
        measured(
            "words in a template, all layers",
            "words",
            (500, 1_000, 2_000, 4_000),
            lambda n: encode_to_store(model, contexts[:n]),
        ),
        measured(
            "500 words, up to a layer",
            "layers",
            (5, 10, 20, 30),
            lambda n: encode_to_store(model, few, list(range(n + 1))),
        ),
        measured("sentences of `static`", "sentences", (100, 200, 400, 800), aggregated),
        measured(
            "lines of `predict`, with guesses",
            "lines",
            (25, 50, 100, 200),
            lambda n: predict_words(word_model, lines[:n], PredictionRules()),
        ),
        measured(
            "pairs of `infer` (nli-glove)",
            "pairs",
            (50_000, 100_000, 200_000, 400_000),
            lambda n: list(scored(nli, PairTask(probe, n))),
        ),
    ]
    put(
        PAGE,
        "curves",
        markdown(
            ("what grows", "seconds", "line through them", "largest distance from it"), [one.row() for one in curves]
        ),
    )


def _lines(found: object, count: int) -> list[str]:
    return [sentence.text for sentence, _ in zip(found, range(count), strict=False)]  # type: ignore[call-overload]


if __name__ == "__main__":
    main()
