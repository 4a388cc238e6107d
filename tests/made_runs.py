"""Runs of random numbers, or of numbers given by hand, as the studies return them.

What is random says so in its name: no number of these runs was measured.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from wordworth.results.findings import Findings
from wordworth.results.run import Run

CONTEXTS = ("random", "bleached", "aligned", "misaligned")


class Record(Findings):
    """Findings whose scores may be given as dictionaries of any columns."""

    def score(self, **row: Any) -> None:
        """Record one number, by the names of its columns."""
        super().score(**row)


def record(study: str, models: str | Mapping[str, Mapping[str, Any]] = "") -> Record:
    """Return findings of a study on models: a name, or names with facts."""
    findings = Record(study)
    for name, facts in ({models: {}} if isinstance(models, str) else models).items():
        if name:
            findings.add_model(name, {"sha256": "ab12", **facts})
    return findings


def finish(findings: Findings, **about: Any) -> Run:
    """Return the run, as if it had been made by the command at a known time."""
    defaults = {"command": ["wordworth", "run", findings.study], "started": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)}
    return findings.to_run(**{**defaults, **about})


def random_vast(
    models: Sequence[str], *, layers: int = 6, words: Sequence[str] = (), tests: int = 10, components: int = 12
) -> Run:
    """Return all experiments of `vast` but the probes, with random numbers."""
    rng = np.random.default_rng(0)
    run = record("vast", {model: {"family": "causal", "layers": layers} for model in models})
    words = list(words) or [f"word{number}" for number in range(40)]
    ratings = rng.uniform(1, 5, len(words)).tolist()
    every, nullified = range(layers + 1), (None, *range(components + 1))
    for model in models:
        place: dict[str, Any] = {"model": model, "language": "english", "pooling": "last"}

        def score(measure: str, value: float, *, interval: bool = True, **columns: Any) -> None:
            ends = {"low": value - 0.05, "high": value + 0.05} if interval else {}
            run.score(measure=measure, value=value, n=len(words), **ends, **columns)

        for context in CONTEXTS:
            where = {**place, "dataset": "bellezza", "context": context}
            lexicon = {**where, "experiment": "contextualization"}
            for layer in every:
                score("valence", rng.uniform(), **lexicon, layer=layer)
                score("valence", rng.uniform(), **lexicon, layer=layer, variant="spearman")
                effects = rng.normal(0, 1, len(words)).clip(-2, 2).tolist()
                run.item("rated_words", **lexicon, layer=layer, word=words, rating=ratings, value=effects)
            for layer in (layers // 2, layers):
                for count in nullified:
                    for measure in ("valence", "anisotropy"):
                        slot = {"experiment": "isolation", "layer": layer, "components": count}
                        score(measure, rng.uniform(), **where, **slot)
        for subset in ("single", "multiple"):
            for pooling in ("first", "last", "mean", "max"):
                split = {**place, "experiment": "tokenization", "dataset": "bellezza", "subset": subset}
                for layer in every:
                    score("valence", rng.uniform(), **split | {"pooling": pooling}, context="random", layer=layer)
        for pairs in ("ws-353", "simlex-999"):
            similar = {**place, "experiment": "validation", "dataset": pairs, "context": "bleached"}
            for layer in (layers // 2, layers):
                for count in nullified:
                    score("similarity", rng.uniform(), **similar, layer=layer, components=count)
                cosines = rng.uniform(-1, 1, len(words) - 1).tolist()
                pair = {"first": words[:-1], "second": words[1:], "rating": cosines[::-1], "value": cosines}
                run.item("word_pairs", **similar, layer=layer, **pair)
        for test in range(1, tests + 1):
            biased = {**place, "experiment": "bias", "dataset": f"weat{test}", "context": "bleached"}
            for layer in every:
                for count in nullified if layer in (layers // 2, layers) else (None,):
                    p = {"p": rng.uniform(), "p_method": "exact", "sides": "one", "partitions": 12870}
                    score("weat", rng.normal(), interval=False, **biased, layer=layer, components=count, **p)
    return finish(run)


def random_predict(model: str, words: Sequence[str] = ("the", "cat", "sat", "axolotl")) -> Run:
    """Return the experiments of `predict`, with random numbers."""
    rng = np.random.default_rng(1)
    run = record("predict", {model: {"family": "causal", "layers": 6}})
    where = {"model": model, "language": "english", "dataset": "wikitext-103-test"}
    for measure, k in (("top", 1), ("top", 10), ("T", 1), ("T", 10), ("perplexity", None), ("bits-per-byte", None)):
        run.score(experiment="prediction", **where, measure=measure, k=k, value=rng.uniform(), n=100)
    for band in ("high", "mid", "low"):
        for measure, k in (("top", 1), ("top", 10), ("T", 1), ("T", 10)):
            row = {"subset": band, "measure": measure, "k": k, "value": rng.uniform() / 2, "n": 30}
            run.score(experiment="coverage", **where, **row)
    for band, guess in (("high", "high"), ("high", "end"), ("low", "high")):
        row = {"subset": band, "measure": "share", "variant": guess, "value": rng.uniform(), "n": 10}
        run.score(experiment="confusion", **where, **row)
    for k in (1, 3, 10, 30, 100):
        for near in ("glove-6b-50d", "stem"):
            row = {"measure": "soft-match", "k": k, "variant": near, "value": 0.1 + rng.uniform() / 2, "n": 100}
            run.score(experiment="soft-match", **where, **row)
    for dataset in ("rare", "common"):
        for layer in range(7):
            row = {"dataset": dataset, "layer": layer, "measure": "hits", "value": rng.uniform(), "n": 50}
            run.score(experiment="paraphrase", **{**where, **row})
    run.item(
        "predictions",
        experiment="prediction",
        **where,
        word=list(words) * 3,
        guess="a",
        band=["high", *["low"] * (len(words) - 1)] * 3,
        bits=rng.uniform(1, 12, 3 * len(words)).tolist(),
        # The first word is always guessed, the second at the third try, the others never.
        rank=[1, 10, *[None] * (len(words) - 2)] * 3,
        line=0,
        position=list(range(3 * len(words))),
    )
    return finish(run, settings={"top": 10})


def random_infer(model: str, subjects: tuple[str, str] = ("accountant", "gentleman")) -> Run:
    """Return the experiments of `infer`, with random numbers."""
    rng = np.random.default_rng(2)
    run = record("infer", {model: {"family": "nli"}})
    versions = (("original", None), ("projection", None), ("random", None), ("random", 1))
    for version, draw in versions:
        where = {"model": model, "language": "english", "version": version, "draw": draw}
        probes = (
            ("gender", None),
            ("gender", "occupation=doctor"),
            ("gender", "occupation=nurse"),
            ("nationality", None),
        )
        for probe, subset in probes:
            measures = (("net-neutral", None), ("fraction-neutral", None), ("threshold", 0.5), ("threshold", 0.7))
            for measure, threshold in measures:
                row = {"measure": measure, "threshold": threshold, "value": rng.uniform(), "n": 20}
                run.score(experiment=probe, dataset=probe, subset=subset, **where, **row)
        run.score(experiment="accuracy", **where, dataset="snli-test", measure="accuracy", value=0.8, n=100)
        place = {"experiment": "gender", "dataset": "gender", **where}
        chances = {"entailment": [0.7], "neutral": [0.2], "contradiction": [0.1]}
        run.item("subject_pairs", **place, premise=[subjects[0]], hypothesis=[subjects[1]], **chances)
        chances = {"entailment": [0.98], "neutral": [0.01], "contradiction": [0.01]}
        run.item("sentence_pairs", **place, premise=["A man ate."], hypothesis=["A nurse ate."], **chances)
    return finish(run)


def debiased(model: str, effects: Mapping[str, float], valences: Mapping[str, float]) -> Record:
    """Return findings of `debias`: version → d of weat6 and weat7, version → valence. A draw is `random 1`."""
    run = record("debias", {model: {"words": 10}})
    where = {"model": model, "language": "english"}
    for k in (2, 3):
        run.score(experiment="stability", **where, dataset="gendered", measure="principal", k=k, value=0.5)
    for version, effect in effects.items():
        for test, sign in (("weat1", 0.0), ("weat6", 1.0), ("weat7", -1.0)):
            row = {"dataset": test, "version": version, "measure": "weat", "value": sign * effect, "p": 0.01}
            run.score(experiment="weat", **where, **row)
    for version, valence in valences.items():
        row = {"dataset": "bellezza", "version": version, "measure": "valence", "value": valence, "n": 399}
        run.score(experiment="valence", **where, **row)
    return run


def layered(untrained: float, p: float) -> Record:
    """Return findings of `vast` for layers 0 to 3, best in 2; in the top .20 raw, .60 with a component nullified."""
    run = record("vast", {"lm": {"family": "causal", "layers": 3}})
    place = {"model": "lm", "language": "english", "dataset": "bellezza", "measure": "valence"}
    for context, values in {"bleached": (0.5, 0.7, 0.86, 0.2), "misaligned": (0.5, 0.6, 0.84, 0.05)}.items():
        for layer, value in enumerate(values):
            where = {**place, "experiment": "contextualization", "context": context, "layer": layer}
            run.score(**where, value=value, low=value - 0.03, high=value + 0.02, n=399)
    best = {**place, "context": "bleached", "layer": 2}
    run.score(**best, experiment="contextualization", variant="held-out", value=0.85, n=199)
    control = {**best, "experiment": "control", "control": "untrained", "n": 399}
    run.score(**control, value=untrained)
    run.score(**control, variant="above-control", value=0.86 - untrained, p=p)
    for layer, values in {2: (0.86, 0.86, 0.89, 0.885), 3: (0.20, 0.5, 0.6, 0.4)}.items():
        for count, value in zip((None, 0, 1, 2), values, strict=True):
            slot = {"experiment": "isolation", "layer": layer, "components": count}
            run.score(**best | slot, value=value, n=399)
    return run


def spread(column: Any) -> list[Any]:
    """Return the values of a column as a page holds it: repeated ones counted, texts as codes."""
    if isinstance(column, dict) and "runs" in column:
        runs = column["runs"]
        return [value for value, count in zip(runs[::2], runs[1::2], strict=True) for _ in range(count)]
    if isinstance(column, dict):
        return [column["values"][code] if code >= 0 else None for code in spread(column["codes"])]
    return list(column)
