"""Run shards in this process (`local`) or on a cluster (`ray[:ADDRESS]`), and give workers the same model.

Code that has shards calls `current()`. A stream function takes a model and an iterable of items and yields one result
per item, in order; it may look ahead in the items. Items and results are plain data, and the results do not depend on
the engine. A model with a recipe is sent as its recipe, without weights. `notice` collects, per study, what a user
should know about the origin of models and data.
"""

import re
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, TypeVar

from wordworth.errors import WordworthError

Item = TypeVar("Item")
Result = TypeVar("Result")
Model = TypeVar("Model")
Stream = Callable[[Model, Iterable[Item]], Iterator[Result]]

PATTERN = r"local|ray(:\S+)?"
"""The names of engines."""


class Engine:
    """Runs shards in this process, one after the other; `RayCluster` runs them elsewhere."""

    name = "local"
    count = 1
    """The largest number of workers."""
    remote = False
    """Whether shards run in other processes."""

    def map(
        self, function: Stream[Model, Item, Result], model: Model, items: Iterable[Item], task: str
    ) -> Iterator[Result]:
        """Return the results of a stream function, one per item, in order. `task` names it in messages."""
        return function(model, items)

    def close(self) -> None:
        """End the workers."""


_current: ContextVar[Engine] = ContextVar("engine", default=Engine())  # noqa: B039 - it has no state


def current() -> Engine:
    """Return the engine that runs shards now."""
    return _current.get()


@contextmanager
def using(engine: str | Engine) -> Iterator[Engine]:
    """Run shards on this engine while inside; an engine given by its name is started and closed here.

    Inside another engine than `local`, that one stays.
    """
    if _current.get().remote or engine == Engine.name:
        yield _current.get()
        return
    current_engine = engine_of(engine) if isinstance(engine, str) else engine
    token = _current.set(current_engine)
    try:
        yield current_engine
    finally:
        _current.reset(token)
        if isinstance(engine, str):
            current_engine.close()


def engine_of(name: str) -> Engine:
    """Return the engine of a name: `local`, `ray`, `ray:HOST:PORT`."""
    if not re.fullmatch(PATTERN, name):
        raise WordworthError(f"there is no engine {name!r}; choose local, ray or ray:ADDRESS")
    if name == Engine.name:
        return Engine()
    from wordworth.engine.ray_cluster import RayCluster

    return RayCluster(name.partition(":")[2])


@dataclass(frozen=True)
class Recipe:
    """Load a model by a function and its arguments, which a worker can repeat."""

    loader: Callable[..., Any]
    """A function of a module."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    part: str = ""
    """The part of the result to return, as attributes with dots; blank for all of it."""

    def load(self) -> Any:
        """Return the model, in this process; it knows its recipe."""
        return self.part_of(replace(self.loader(**self.arguments), recipe=replace(self, part="")))

    def part_of(self, model: Any) -> Any:
        """Return the recipe's part of a model."""
        return attrgetter(self.part)(model) if self.part else model


_kept_models: dict[str, Any] = {}
_identities: dict[str, tuple[Any, ...]] = {}
"""Identities of the kept models. A worker changes no weights, so each is hashed once."""


def load_once(recipe: Recipe) -> Any:
    """Return the model of a recipe; a worker loads it once for all its parts, and keeps one model at a time."""
    full_recipe = replace(recipe, part="")
    key = repr(full_recipe)
    if key not in _kept_models:
        forget_models()
        _kept_models[key] = full_recipe.load()
    return recipe.part_of(_kept_models[key])


def loaded_alike(recipe: Recipe, identity: tuple[Any, ...]) -> Any:
    """Return the model of a recipe, in a worker; raise if its weights differ from the driver's."""
    model = load_once(recipe)
    if repr(recipe) not in _identities:
        _identities[repr(recipe)] = tuple(model.identity)
    own_identity = _identities[repr(recipe)]
    if own_identity != tuple(identity):
        difference = next(
            f"{own_part} instead of {driver_part}"
            for own_part, driver_part in zip(own_identity, identity, strict=False)
            if own_part != driver_part
        )
        raise WordworthError(
            f"the worker on {socket.gethostname()} has another {model.name} ({difference}); give all machines the same "
            "weights, versions and kind of device, or name the model by its revision"
        )
    return model


_keeps: ContextVar[bool] = ContextVar("keeps", default=False)


@contextmanager
def keeping_model() -> Iterator[None]:
    """Keep the last loaded model while inside, so that consecutive studies of one model load it once."""
    token = _keeps.set(True)
    try:
        yield
    finally:
        _keeps.reset(token)
        forget_models()


def forget_models() -> None:
    """Drop the models that are kept, and so their memory."""
    _kept_models.clear()
    _identities.clear()


def load(recipe: Recipe) -> Any:
    """Load the model of a recipe; on a cluster, a worker loads it, and this process has everything but its weights."""
    engine = current()
    if not engine.remote:
        return load_once(recipe) if _keeps.get() else recipe.load()
    kind, facts = next(iter(engine.map(_facts, recipe, [None], "loading a model")))
    return kind(**facts)


def _facts(recipe: Recipe, items: Iterable[None]) -> Iterator[tuple[type, dict[str, Any]]]:
    """Yield the class and fields of a model without its weights: the model itself would be sent as its recipe."""
    for _ in items:
        model = load_once(recipe).without_weights()
        yield type(model), vars(model)


_sentences: ContextVar[list[str] | None] = ContextVar("sentences", default=None)
_OUTSIDE_OF_STUDIES: list[str] = []


def _collect() -> list[str]:
    sentences = _sentences.get()
    return _OUTSIDE_OF_STUDIES if sentences is None else sentences


def notice(sentence: str) -> None:
    """Add a sentence unless it was added before."""
    if sentence not in _collect():
        _collect().append(sentence)


def notices() -> tuple[str, ...]:
    """Return the sentences so far, in order."""
    return tuple(_collect())


@contextmanager
def collecting_notices() -> Iterator[None]:
    """Collect the sentences of what runs inside separately."""
    token = _sentences.set([])
    try:
        yield
    finally:
        _sentences.reset(token)
