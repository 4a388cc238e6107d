"""Language models by name: here, or where the engine runs shards."""

from dataclasses import replace
from pathlib import Path

from wordworth.encode.loading import load_model
from wordworth.encode.model import LanguageModel
from wordworth.engine.engines import Recipe, load


def load_named(named: str | Path, *, device: str = "auto", dtype: str = "float32") -> LanguageModel:
    """A model of the catalog, of a path or of the hub; `LABEL=` before it says what tables call it.

    With workers, they load it and this process knows of it all but its weights.
    """
    model: LanguageModel = load(Recipe(load_here, {"named": str(named), "device": device, "dtype": dtype}))
    return model


def load_here(named: str, device: str, dtype: str) -> LanguageModel:
    """The same in this process, whatever the engine."""
    model = load_model(named, device=device, dtype=dtype)
    return replace(model, recipe=Recipe(load_here, {"named": named, "device": device, "dtype": dtype}))
