"""NLI models by name or path, and what a run tells of them."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from wordworth.catalog.registry import knows
from wordworth.errors import WordworthError
from wordworth.infer.model.checkpoint import CONFIG, KIND
from wordworth.infer.model.cross_encoder import CrossEncoder, load_cross_encoder
from wordworth.infer.model.loading import load_nli_model
from wordworth.infer.model.nli import NliModel
from wordworth.infer.model.over_vectors import EmbeddedNli
from wordworth.infer.probe.pairs import PairSet
from wordworth.run import Findings


def load(named: str | Path | NliModel, device: str = "auto", labels: Sequence[str] = ()) -> NliModel:
    """A network over word vectors (`nli-glove`, a folder of `train-nli`), or any other name for `transformers`.

    `LABEL=…` says what tables call it. `labels` is the order of a transformer's outputs where its files do not say.
    """
    if not isinstance(named, str | Path):
        return named
    label, _, target = str(named).rpartition("=")
    if knows(target, "models") or _trained_here(Path(target).expanduser()):
        model = load_nli_model(target)
        return replace(model, name=label) if label else model
    return load_cross_encoder(target, device=device, name=label or None, labels=labels or None)


def _trained_here(folder: Path) -> bool:
    """Whether a folder holds a network over word vectors, and not one of `transformers`."""
    path = folder / CONFIG
    if not path.is_file():
        return False
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise WordworthError(f"{path} is not JSON: {error}") from error
    return isinstance(config, dict) and config.get("kind") == KIND


def record_model(findings: Findings, model: NliModel, sets: Sequence[PairSet]) -> None:
    """The model in the manifest, and the words of the probes that it has no vector for."""
    if model.name in findings.models:
        raise WordworthError(f"two models are called {model.name}; name one LABEL=PATH to tell them apart")
    identity = ", ".join(str(part) for part in model.identity if part is not None)
    source = model.headed.source if isinstance(model, CrossEncoder) else ""
    findings.used_language_model(model.name, source, identity, {})
    if isinstance(model, EmbeddedNli):
        missing = model.missing([text for pairs in sets for side in pairs.fragments() for text in side])
        if missing:
            findings.warn(
                f"{model.name} has no vector for {', '.join(missing)}; as in training, those of unknown words stand in."
            )
