"""NLI models by name or path, and what a run records of them."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from wordworth.engine.cache import key_of
from wordworth.infer.loading import load
from wordworth.infer.nli import MitigableNli, NliModel, Trained
from wordworth.infer.pairs import PairSet
from wordworth.run import Findings

__all__ = ["load", "record_model"]


def record_model(findings: Findings, model: NliModel, sets: Sequence[PairSet], layers: Sequence[int] = ()) -> None:
    """The model in the manifest, and the words of the probes that it has no vector for.

    `layers` are those of ELMo that are changed at test, once they are computed.
    """
    known = model if isinstance(model, MitigableNli) else None
    facts: dict[str, Any] = {"source": known.source if known else "", "weights": key_of(list(model.identity))}
    if isinstance(model, Trained) and model.trained_without:
        facts["trained_without"] = asdict(model.trained_without)
    if layers:
        facts["elmo_layers"] = list(layers)
    findings.used_model(model.name, facts)
    missing = known.missing([text for pairs in sets for side in pairs.fragments() for text in side]) if known else ()
    if missing:
        findings.warn(
            f"{model.name} has no vector for {', '.join(missing)}; as in training, those of unknown words stand in."
        )
