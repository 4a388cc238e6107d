"""Runs made of random numbers, or of numbers given by hand, in the shape that the studies leave them.

What is random here says so in its name: no number of these runs was measured.
"""

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wordworth.run import Manifest, surroundings, write_run
from wordworth.study.findings import Findings

SETTINGS = ("random", "bleached", "aligned", "misaligned")


def leave(folder: Path, findings: Findings, references: dict[str, str] | None = None) -> Path:
    """Writes findings as a run's folder."""
    versions, hardware = surroundings()
    manifest = Manifest(
        study=findings.study,
        command=["wordworth", "run", findings.study, *findings.models],
        options={},
        seed=0,
        models=list(findings.models.values()),
        data=list(findings.data.values()),
        left_out=findings.left_out_by_kind(),
        notes=findings.notes,
        started="2026-01-02T03:04:05+00:00",
        seconds=1.5,
        versions=versions,
        hardware=hardware,
        references=references or {},
    )
    write_run(folder, manifest, findings.scores, findings.items)
    return folder


def random_vast(
    models: Sequence[str], *, layers: int = 6, words: Sequence[str] = (), tests: int = 10, components: int = 12
) -> Findings:
    """All experiments of `vast` but the probes, with random numbers."""
    rng = np.random.default_rng(0)
    findings = Findings("vast")
    words = list(words) or [f"word{number}" for number in range(40)]
    ratings = rng.uniform(1, 5, len(words)).tolist()
    every = range(layers + 1)
    for model in models:
        findings.used_language_model(model, "random numbers", "none", {"family": "causal", "layers": layers})
        where = {"model": model, "language": "english", "pooling": "last"}

        def score(measure: str, value: float, model_where: dict[str, str] = where, **more: object) -> None:
            interval = {"low": value - 0.05, "high": value + 0.05, "n": len(words)}
            findings.score(**model_where, measure=measure, value=value, **{**interval, **more})

        for setting in SETTINGS:
            lexicon = {**where, "experiment": "contextualization", "dataset": "bellezza", "setting": setting}
            for layer in every:
                score("valence", rng.uniform(), lexicon, layer=layer)
                score("valence:spearman", rng.uniform(), lexicon, layer=layer)
                effects = rng.normal(0, 1, len(words)).clip(-2, 2).tolist()
                findings.item(**lexicon, layer=layer, item=words, group="lexicon", reference=ratings, value=effects)
            for layer in (layers // 2, layers):
                for pcs in (None, *range(components + 1)):
                    isolated = {**lexicon, "experiment": "isolation"}
                    score("valence", rng.uniform(), isolated, layer=layer, pcs=pcs)
                    score("anisotropy", rng.uniform(), isolated, layer=layer, pcs=pcs)
        for kind in ("single", "multiple"):
            for pooling in ("first", "last", "mean", "max"):
                split = {**where, "experiment": "tokenization", "dataset": f"bellezza:{kind}", "setting": "random"}
                for layer in every:
                    score("valence", rng.uniform(), {**split, "pooling": pooling}, layer=layer)
        for pairs in ("ws-353", "simlex-999"):
            similar = {**where, "experiment": "validation", "dataset": pairs, "setting": "bleached"}
            for layer in (layers // 2, layers):
                for pcs in (None, *range(components + 1)):
                    score("similarity", rng.uniform(), similar, layer=layer, pcs=pcs)
                joined = [f"{one} {other}" for one, other in itertools.pairwise(words)]
                cosines = rng.uniform(-1, 1, len(joined)).tolist()
                findings.item(**similar, layer=layer, item=joined, reference=cosines[::-1], value=cosines)
        for test in range(1, tests + 1):
            biased = {**where, "experiment": "bias", "dataset": f"weat{test}", "setting": "bleached"}
            for layer in every:
                chosen = (None, *range(components + 1)) if layer in (layers // 2, layers) else (None,)
                for pcs in chosen:
                    found = {"low": None, "high": None, "p": rng.uniform()}
                    score("weat", rng.normal(), biased, layer=layer, pcs=pcs, **found)
    return findings


def random_predict(model: str, words: Sequence[str] = ("the", "cat", "sat", "axolotl")) -> Findings:
    """The experiments of `predict`, with random numbers."""
    rng = np.random.default_rng(1)
    findings = Findings("predict")
    findings.used_language_model(model, "random numbers", "none", {"family": "causal", "layers": 6})
    where = {"model": model, "language": "english", "dataset": "wikitext-103-test"}
    for measure in ("top-1", "top-10", "T1", "T10", "perplexity", "bits-per-byte"):
        findings.score(experiment="prediction", **where, measure=measure, value=rng.uniform(), n=100)
    for band in ("high", "mid", "low"):
        for measure in ("top-1", "top-10", "T1", "T10"):
            findings.score(experiment="coverage", **where, setting=band, measure=measure, value=rng.uniform() / 2, n=30)
    for band in ("high>high", "high>end", "low>high"):
        told = {"setting": band, "measure": "share", "value": rng.uniform(), "n": 10}
        findings.score(experiment="confusion", **where, **told)
    for k in (1, 3, 10, 30, 100):
        for setting in ("glove-6b-50d", "stem"):
            score = {"setting": setting, "measure": f"soft-match@{k}", "value": 0.1 + rng.uniform() / 2, "n": 100}
            findings.score(experiment="soft-match", **where, **score)
    for dataset in ("rare", "common"):
        for layer in range(7):
            told = {"dataset": dataset, "layer": layer, "measure": "hits", "value": rng.uniform(), "n": 50}
            findings.score(experiment="paraphrase", **{**where, **told})
    findings.item(
        experiment="prediction",
        **where,
        item=list(words) * 3,
        found_as=["a"] * (3 * len(words)),
        group=["high", *["low"] * (len(words) - 1)] * 3,
        subwords=[1] * (3 * len(words)),
        value=rng.uniform(1, 12, 3 * len(words)).tolist(),
        # The first word is always guessed, the second at the third try, the others never.
        rank=[1, 10, *[None] * (len(words) - 2)] * 3,
        place=[f"0:{at}" for at in range(3 * len(words))],
    )
    return findings


def random_infer(model: str, pair: str = "accountant → gentleman", sentences: str = "A ⇒ B") -> Findings:
    """The experiments of `infer`, with random numbers."""
    rng = np.random.default_rng(2)
    findings = Findings("infer")
    findings.used_language_model(model, "random numbers", "none", {"family": "nli"})
    for setting in ("original", "projection", "random", "random:1"):
        where = {"model": model, "language": "english", "setting": setting}
        for probe in ("gender", "gender/occupation=doctor", "gender/occupation=nurse", "nationality"):
            for measure in ("net-neutral", "fraction-neutral", "threshold:0.5", "threshold:0.7"):
                told = {"dataset": probe, "measure": measure, "value": rng.uniform(), "n": 20}
                findings.score(experiment=probe.partition("/")[0], **where, **told)
        findings.score(experiment="accuracy", **where, dataset="snli-test", measure="accuracy", value=0.8, n=100)
        chances = {"value": [0.2, 0.01], "entailment": [0.7, 0.98], "contradiction": [0.1, 0.01]}
        findings.item(experiment="gender", dataset="gender", **where, item=[pair, sentences], **chances)
    return findings


def debiased(model: str, effects: dict[str, float], valences: dict[str, float]) -> Findings:
    """In the shape of `debias`: setting → d of weat6 and weat7, setting → valence."""
    findings = Findings("debias")
    findings.models[model] = {"name": model, "words": 10}
    where = {"model": model, "language": "english"}
    for ordinal in ("2nd", "3rd"):
        told = {"dataset": "gendered", "measure": f"principal:{ordinal}", "value": 0.5}
        findings.score(experiment="stability", **where, **told)
    for setting, effect in effects.items():
        for test, sign in (("weat1", 0.0), ("weat6", 1.0), ("weat7", -1.0)):
            told = {"dataset": test, "setting": setting, "measure": "weat", "value": sign * effect, "p": 0.01}
            findings.score(experiment="weat", **where, **told)
    for setting, valence in valences.items():
        told = {"dataset": "bellezza", "setting": setting, "measure": "valence", "value": valence, "n": 399}
        findings.score(experiment="valence", **where, **told)
    return findings
