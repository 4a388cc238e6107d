"""NLI models by name or path, and what a run tells of them."""

from collections.abc import Sequence
from pathlib import Path

from wordworth.infer.embedded import EmbeddedNli
from wordworth.infer.nli import NliModel
from wordworth.infer.pairs import PairSet
from wordworth.study.findings import Findings


def load(named: str | Path | NliModel, device: str) -> NliModel:
    """A network over static vectors (`nli-glove`, a folder that `train-nli` left), or any other of `transformers`."""
    if not isinstance(named, str | Path):
        return named
    raise NotImplementedError


def record_model(findings: Findings, model: NliModel, sets: Sequence[PairSet]) -> None:
    """The model in the manifest, and the words of the probes that it has no vector for."""
    identity = ", ".join(str(part) for part in model.identity if part is not None)
    findings.used_language_model(model.name, "", identity, {})
    if isinstance(model, EmbeddedNli):
        texts = [text for pairs in sets for side in pairs.fragments() for text in side]
        missing = model.missing(texts)
        if missing:
            findings.warn(
                f"{model.name} has no vector for {', '.join(missing)}; as in training, those of unknown words stand in."
            )
