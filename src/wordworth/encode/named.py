"""Language models by name, here or where the engine runs shards; and the same networks with random weights."""

import copy
from typing import Any

import torch

from wordworth.catalog.resolve import NameLike
from wordworth.encode.loading import load_model, quietly
from wordworth.encode.model import LanguageModel, is_sentence_encoder, wrap
from wordworth.encode.sentence import of_network
from wordworth.encode.spread import fits
from wordworth.engine.engines import Recipe, current, load
from wordworth.errors import WordworthError


def load_named(name: NameLike, *, device: str = "auto", dtype: str = "float32") -> LanguageModel:
    """Load a model of the catalog, of a path or of the hub; `LABEL=` before it says what tables call it.

    With workers, they load it and this process knows of it all but its weights.
    """
    model: LanguageModel = load(Recipe(load_model, {"name_or_path": name, "device": device, "dtype": dtype}))
    return model


def randomize_weights(model: LanguageModel, seed: int = 0) -> LanguageModel:
    """Return a model of the same configuration and tokenizer with seeded random weights, as before training.

    It has an identity of its own, so that its vectors are kept apart. Both networks are in memory while it is used.
    """
    if model.recipe is None or not current().remote:
        return make_untrained(model, seed)
    untrained: LanguageModel = load(Recipe(make_untrained, {"trained": model.recipe, "seed": seed}))
    return untrained


def make_untrained(trained: LanguageModel | Recipe, seed: int) -> LanguageModel:
    """Make it in this process, whatever the engine; a recipe is loaded for it."""
    model: LanguageModel = trained.load() if isinstance(trained, Recipe) else trained
    _refuse_where_it_does_not_fit(model)
    config = copy.deepcopy(model.network.config)
    with torch.random.fork_rng(devices=[]), quietly():
        torch.manual_seed(seed)
        network: Any = type(model.network)(config)
    make = of_network if is_sentence_encoder(model) else wrap
    network = network.to(dtype=model.network.dtype, device=model.device)
    return make(network, model.tokenizer, name=model.name, source=f"random weights, seed {seed}")


def _refuse_where_it_does_not_fit(model: LanguageModel) -> None:
    """It has no files that its layers could be read from; it is made in float32, in the machine's memory."""
    numbers = sum(weight.numel() for weight in model.network.parameters())
    needs = {model.device: model.network.dtype.itemsize * numbers, torch.device("cpu"): 4 * numbers}
    for device, size in needs.items():
        if not fits(size, device):
            raise WordworthError(
                f"the same network as {model.name} with random weights takes {size / 1e9:,.1f} GB of memory on "
                f"{device}, and does not fit; choose other controls"
            )
