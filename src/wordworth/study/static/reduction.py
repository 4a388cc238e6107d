"""A language model reduced to static vectors of a vocabulary: aggregated over sentences, or of the words alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.kinds import kind_of
from wordworth.catalog.language_models import locate_language_model
from wordworth.contexts import Sample, decontextualized
from wordworth.encode import (
    POOLINGS_OF_BOTH,
    Aggregate,
    LanguageModel,
    Weighting,
    WordVectors,
    aggregate,
    encode,
    load_model,
    split_pooling,
)
from wordworth.errors import WordworthError
from wordworth.progress import progress
from wordworth.study.findings import Findings

NEVER_MET = "never met: the decontextualized vector stands for it"
NO_VECTOR = "it has no vector, alone or in a sentence"


@dataclass(eq=False)
class Reduction:
    """The vocabulary in one model. Row i of a matrix belongs to `words[i]`; NaN where a word has no vector at all."""

    model: LanguageModel
    words: tuple[str, ...]
    aggregates: list[Aggregate]
    """By rising number of sentences; the last is over the whole sample."""
    alone: WordVectors

    @property
    def layers(self) -> tuple[int, ...]:
        return self.alone.layers

    @cached_property
    def never_met(self) -> tuple[str, ...]:
        """Words without a context in the whole sample."""
        return tuple(self.words[at] for at in np.flatnonzero(self.aggregates[-1].contexts == 0).tolist())

    def decontextualized(self, layer: int, f: str) -> NDArray[np.float32]:
        """words × dim of the words alone."""
        matrix = np.full((len(self.words), self.model.dim), np.nan, dtype=np.float32)
        matrix[self.alone.rows] = self.alone.vectors[f][:, self.layers.index(layer)]
        return matrix

    def aggregated(self, layer: int, pooling: str, over: Aggregate | None = None) -> NDArray[np.float32]:
        """words × dim over the contexts; words never met have the decontextualized vector (paper, A.5)."""
        matrix = (over or self.aggregates[-1]).vectors(layer, pooling)
        unmet = np.isnan(matrix[:, 0])
        if unmet.any():
            matrix[unmet] = self.decontextualized(layer, split_pooling(pooling)[0])[unmet]
        return matrix


def reduce(
    model: LanguageModel,
    words: Sequence[str],
    sample: Sample,
    *,
    poolings: Sequence[str] = POOLINGS_OF_BOTH,
    layers: Sequence[int] | None = None,
    snapshots: Sequence[int] = (),
    weighting: Weighting = "uniform",
) -> Reduction:
    """All that is asked for from one pass over the sample."""
    with progress(f"{model.name}: encoding sentences", sample.sentences) as advance:
        found = aggregate(
            model,
            words,
            sample,
            layers=layers,
            poolings=poolings,
            snapshots=snapshots,
            weighting=weighting,
            advance=advance,
        )
    subword = tuple(dict.fromkeys(split_pooling(one)[0] for one in poolings))
    alone = encode(model, decontextualized(words), subword, layers)
    return Reduction(model, tuple(words), found, alone)


def record_reduction(findings: Findings, reduction: Reduction, experiment: str) -> None:
    """Which words the text does not hold, which have no vector, and which sentences were windowed."""
    where = {"experiment": experiment, "model": reduction.model.name, "setting": "aggregated"}
    last = reduction.aggregates[-1]
    lacking = {failure.word for failure in reduction.alone.failures}
    unmet = [word for word in reduction.never_met if word not in lacking]
    if unmet:
        findings.item(**where, item=unmet, group=NEVER_MET)
        findings.warn(
            f"{reduction.model.name}, {experiment}: {len(unmet):,} of {len(reduction.words):,} words are never met in "
            "the text, and their decontextualized vectors stand for them (listed in items.parquet)."
        )
    without = [word for word in reduction.never_met if word in lacking]
    if without:
        findings.item(**where, item=without, left_out=NO_VECTOR)
    if last.windowed:
        findings.warn(
            f"{reduction.model.name}, {experiment}: {last.windowed:,} contexts are longer than the "
            f"{reduction.model.max_length} tokens it admits; their words were taken in as much of them as fits."
        )
    if last.failed:
        words = sorted(last.failed)
        findings.item(**where, item=words, group="not located in some context", value=[last.failed[w] for w in words])
        findings.note(
            f"{reduction.model.name}, {experiment}: {sum(last.failed.values()):,} contexts of {len(words):,} words "
            f"could not be located among the tokens ({words[0]!r}: {last.reasons[words[0]]})."
        )


def is_static(named: str | Path) -> bool:
    """Whether a name or path is a static embedding and not a language model."""
    return kind_of(named) == "static"


def loaded(named: str | Path | LanguageModel, device: str, dtype: str) -> LanguageModel:
    if isinstance(named, LanguageModel):
        return named
    place = locate_language_model(named)
    return load_model(place.place, device=device, dtype=dtype, name=place.name)


def record_model(findings: Findings, model: LanguageModel) -> None:
    if model.name in findings.models:
        raise WordworthError(f"two models are called {model.name}; name one LABEL=PATH to tell them apart")
    facts = {
        "family": model.family,
        "layers": model.layers,
        "dimensions": model.dim,
        "precision": model.dtype,
        "device": str(model.device),
        "tokenizer_sha256": model.vocabulary,
    }
    findings.used_language_model(model.name, model.source, model.weights, facts)
