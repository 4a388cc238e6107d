"""How another process comes to the same model: a model that has a recipe is sent as its recipe, not as its weights."""

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from wordworth.errors import WordworthError


@dataclass(frozen=True)
class Recipe:
    """A function that loads a model by its name, and what it is given."""

    loader: Callable[..., Any]
    """A function of a module."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    part: str = ""
    """Which part of what the function gives, as attributes with dots; blank: all of it."""

    def load(self) -> Any:
        """The model, in this process."""
        return self.part_of(self.loader(**self.arguments))

    def part_of(self, model: Any) -> Any:
        """The part that is meant."""
        return attrgetter(self.part)(model) if self.part else model


_kept: dict[str, Any] = {}
_identities: dict[str, tuple[Any, ...]] = {}
"""Of what is kept: a worker changes no weights, so each is hashed once."""


def kept(recipe: Recipe) -> Any:
    """The model of a recipe; a worker loads it once for all its parts, and keeps one at a time."""
    whole = replace(recipe, part="")
    key = repr(whole)
    if key not in _kept:
        _kept.clear()
        _identities.clear()
        _kept[key] = whole.load()
    return recipe.part_of(_kept[key])


def loaded_alike(recipe: Recipe, identity: tuple[Any, ...]) -> Any:
    """The model of a recipe, in a worker; one whose weights are others than the driver's is refused."""
    model = kept(recipe)
    if repr(recipe) not in _identities:
        _identities[repr(recipe)] = tuple(model.identity)
    own = _identities[repr(recipe)]
    if own != tuple(identity):
        other = next(
            f"{mine} in the place of {theirs}" for mine, theirs in zip(own, identity, strict=False) if mine != theirs
        )
        raise WordworthError(
            f"the worker on {socket.gethostname()} has another {model.name} ({other}); give all machines the same "
            "weights, versions and kind of device, or name the model by its revision"
        )
    return model
