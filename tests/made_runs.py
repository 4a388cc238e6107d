"""Runs made of random numbers, or of numbers given by hand, in the shape that the studies leave them.

What is random here says so in its name: no number of these runs was measured.
"""

import itertools
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from wordworth.results.schema import ITEMS, SCORES

SETTINGS = ("random", "bleached", "aligned", "misaligned")
PAPERS = {"weat": "caliskan2017", "vast": "wolfe2022", "infer": "dev2020", "predict": "dudy2020"}


class MadeRun:
    """Scores and items by hand, and the keys of a manifest."""

    def __init__(self, study: str, **manifest: Any) -> None:
        self._scores: list[dict[str, Any]] = []
        self._items: list[pl.DataFrame] = []
        self.manifest: dict[str, Any] = {
            "study": study,
            "command": ["wordworth", "run", study],
            "settings": {},
            "seed": 0,
            "models": [],
            "data": [],
            "left_out": {},
            "notes": [],
            "started": "2026-01-02T03:04:05+00:00",
            "seconds": 1.5,
            "versions": {"wordworth": "1"},
            "papers": [PAPERS[study]] if study in PAPERS else [],
            **manifest,
        }

    def model(self, name: str, **facts: Any) -> None:
        """A model that the manifest names."""
        self.manifest["models"].append({"name": name, **facts})

    def score(self, **row: Any) -> None:
        """One number, by the names of its columns."""
        self._scores.append({"study": self.manifest["study"], **row})

    def item(self, **columns: Any) -> None:
        """Many items at once: a column is a list, or one value for all."""
        lists = {name: column for name, column in columns.items() if isinstance(column, list)}
        values: dict[str, Any] = {"study": self.manifest["study"], **columns}
        frame = pl.DataFrame(lists, strict=False).select(
            (pl.col(name) if name in lists else pl.lit(values.get(name))).cast(kind).alias(name)
            for name, kind in ITEMS.items()
        )
        self._items.append(frame)
        left_out = Counter(frame.get_column("left_out").drop_nulls().to_list())
        self.manifest["left_out"] = dict(left_out + Counter(self.manifest["left_out"]))

    @property
    def scores(self) -> pl.DataFrame:
        return pl.DataFrame(self._scores, schema=SCORES)

    @property
    def items(self) -> pl.DataFrame:
        return pl.concat([pl.DataFrame(schema=ITEMS), *self._items])

    def write(self, folder: Path, **manifest: Any) -> Path:
        """The folder that a study would have left."""
        folder.mkdir(parents=True, exist_ok=True)
        self.scores.write_csv(folder / "scores.csv")
        self.items.write_parquet(folder / "items.parquet")
        (folder / "run.json").write_text(json.dumps(self.manifest | manifest), encoding="utf-8")
        return folder


def random_vast(
    models: Sequence[str], *, layers: int = 6, words: Sequence[str] = (), tests: int = 10, components: int = 12
) -> MadeRun:
    """All experiments of `vast` but the probes, with random numbers."""
    rng = np.random.default_rng(0)
    run = MadeRun("vast")
    words = list(words) or [f"word{number}" for number in range(40)]
    ratings = rng.uniform(1, 5, len(words)).tolist()
    every = range(layers + 1)
    for model in models:
        run.model(model, family="causal", layers=layers)
        where = {"model": model, "language": "english", "pooling": "last"}

        def score(measure: str, value: float, model_where: dict[str, str] = where, **more: object) -> None:
            interval = {"low": value - 0.05, "high": value + 0.05, "n": len(words)}
            run.score(**model_where, measure=measure, value=value, **{**interval, **more})

        for setting in SETTINGS:
            lexicon = {**where, "experiment": "contextualization", "dataset": "bellezza", "setting": setting}
            for layer in every:
                score("valence", rng.uniform(), lexicon, layer=layer)
                score("valence:spearman", rng.uniform(), lexicon, layer=layer)
                effects = rng.normal(0, 1, len(words)).clip(-2, 2).tolist()
                run.item(**lexicon, layer=layer, item=words, group="lexicon", reference=ratings, value=effects)
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
                run.item(**similar, layer=layer, item=joined, reference=cosines[::-1], value=cosines)
        for test in range(1, tests + 1):
            biased = {**where, "experiment": "bias", "dataset": f"weat{test}", "setting": "bleached"}
            for layer in every:
                chosen = (None, *range(components + 1)) if layer in (layers // 2, layers) else (None,)
                for pcs in chosen:
                    found = {"low": None, "high": None, "p": rng.uniform()}
                    score("weat", rng.normal(), biased, layer=layer, pcs=pcs, **found)
    return run


def random_predict(model: str, words: Sequence[str] = ("the", "cat", "sat", "axolotl")) -> MadeRun:
    """The experiments of `predict`, with random numbers."""
    rng = np.random.default_rng(1)
    run = MadeRun("predict")
    run.model(model, family="causal", layers=6)
    where = {"model": model, "language": "english", "dataset": "wikitext-103-test"}
    for measure in ("top-1", "top-10", "T1", "T10", "perplexity", "bits-per-byte"):
        run.score(experiment="prediction", **where, measure=measure, value=rng.uniform(), n=100)
    for band in ("high", "mid", "low"):
        for measure in ("top-1", "top-10", "T1", "T10"):
            run.score(experiment="coverage", **where, setting=band, measure=measure, value=rng.uniform() / 2, n=30)
    for band in ("high>high", "high>end", "low>high"):
        row = {"setting": band, "measure": "share", "value": rng.uniform(), "n": 10}
        run.score(experiment="confusion", **where, **row)
    for k in (1, 3, 10, 30, 100):
        for setting in ("glove-6b-50d", "stem"):
            score = {"setting": setting, "measure": f"soft-match@{k}", "value": 0.1 + rng.uniform() / 2, "n": 100}
            run.score(experiment="soft-match", **where, **score)
    for dataset in ("rare", "common"):
        for layer in range(7):
            row = {"dataset": dataset, "layer": layer, "measure": "hits", "value": rng.uniform(), "n": 50}
            run.score(experiment="paraphrase", **{**where, **row})
    run.item(
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
    return run


def random_infer(model: str, pair: str = "accountant → gentleman", sentences: str = "A ⇒ B") -> MadeRun:
    """The experiments of `infer`, with random numbers."""
    rng = np.random.default_rng(2)
    run = MadeRun("infer")
    run.model(model, family="nli")
    for setting in ("original", "projection", "random", "random:1"):
        where = {"model": model, "language": "english", "setting": setting}
        for probe in ("gender", "gender/occupation=doctor", "gender/occupation=nurse", "nationality"):
            for measure in ("net-neutral", "fraction-neutral", "threshold:0.5", "threshold:0.7"):
                row = {"dataset": probe, "measure": measure, "value": rng.uniform(), "n": 20}
                run.score(experiment=probe.partition("/")[0], **where, **row)
        run.score(experiment="accuracy", **where, dataset="snli-test", measure="accuracy", value=0.8, n=100)
        chances = {"value": [0.2, 0.01], "entailment": [0.7, 0.98], "contradiction": [0.1, 0.01]}
        run.item(experiment="gender", dataset="gender", **where, item=[pair, sentences], **chances)
    return run


def debiased(model: str, effects: dict[str, float], valences: dict[str, float]) -> MadeRun:
    """In the shape of `debias`: setting → d of weat6 and weat7, setting → valence."""
    run = MadeRun("debias")
    run.model(model, words=10)
    where = {"model": model, "language": "english"}
    for ordinal in ("2nd", "3rd"):
        row = {"dataset": "gendered", "measure": f"principal:{ordinal}", "value": 0.5}
        run.score(experiment="stability", **where, **row)
    for setting, effect in effects.items():
        for test, sign in (("weat1", 0.0), ("weat6", 1.0), ("weat7", -1.0)):
            row = {"dataset": test, "setting": setting, "measure": "weat", "value": sign * effect, "p": 0.01}
            run.score(experiment="weat", **where, **row)
    for setting, valence in valences.items():
        row = {"dataset": "bellezza", "setting": setting, "measure": "valence", "value": valence, "n": 399}
        run.score(experiment="valence", **where, **row)
    return run
