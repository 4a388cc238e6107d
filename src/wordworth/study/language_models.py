"""Language models of a study: loaded by name, and what a run records of them."""

from pathlib import Path

from wordworth.catalog.language_models import locate_language_model
from wordworth.encode import LanguageModel, load_model
from wordworth.run import Findings
from wordworth.task.settings import Network


def loaded(named: str | Path | LanguageModel, settings: Network) -> LanguageModel:
    """A language model by name or path; one that is loaded already stays."""
    if isinstance(named, LanguageModel):
        return named
    place = locate_language_model(named)
    return load_model(place.place, device=settings.device, dtype=settings.precision, name=place.name)


def record_model(findings: Findings, model: LanguageModel) -> None:
    """A language model in the manifest."""
    findings.used_model(
        model.name,
        {
            "source": model.source,
            "weights": model.weights,
            "family": model.family,
            "layers": model.layers,
            "dimensions": model.dim,
            "precision": model.dtype,
            "device": str(model.device),
            "tokenizer_sha256": model.vocabulary,
        },
    )
