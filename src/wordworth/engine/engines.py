"""Where shards run: `local` (this process) or `ray[:ADDRESS]` (a cluster); and how a worker gets the same model.

What has shards asks `current()` and does not know which engine it is. A function that runs shards takes a model and an
iterable of items and yields one result per item, in order; it may look ahead in the items. Items and results are plain
data, and the results do not depend on the engine. A model that has a recipe is sent as its recipe, without weights.
What a user should know of where things came from and where they run is collected per study, for its run (`notice`).
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
"""What an engine is called."""


class Engine:
    """Runs shards in this process, one after the other; `RayCluster` runs them elsewhere."""

    name = "local"
    count = 1
    """Workers, at the most."""
    remote = False
    """Whether shards run in other processes than this."""

    def map(
        self, function: Stream[Model, Item, Result], model: Model, items: Iterable[Item], what: str
    ) -> Iterator[Result]:
        """Return the results of a stream function, one an item, in order. `what` is what it does, for messages."""
        return function(model, items)

    def close(self) -> None:
        """End the workers."""


_current: ContextVar[Engine] = ContextVar("engine", default=Engine())  # noqa: B039 - it has no state


def current() -> Engine:
    """Return the engine that shards are given to now."""
    return _current.get()


@contextmanager
def using(engine: str | Engine) -> Iterator[Engine]:
    """While inside, shards run on an engine, or on one of that name, whose workers begin when they are needed and end
    with it. Inside another engine than `local`, that one stays.
    """
    if _current.get().remote or engine == Engine.name:
        yield _current.get()
        return
    used = engine_of(engine) if isinstance(engine, str) else engine
    token = _current.set(used)
    try:
        yield used
    finally:
        _current.reset(token)
        if isinstance(engine, str):
            used.close()


def engine_of(called: str) -> Engine:
    """Return the engine of a name: `local`, `ray`, `ray:HOST:PORT`."""
    if not re.fullmatch(PATTERN, called):
        raise WordworthError(f"there is no engine {called!r}; choose local, ray or ray:ADDRESS")
    if called == Engine.name:
        return Engine()
    from wordworth.engine.ray_cluster import RayCluster

    return RayCluster(called.partition(":")[2])


@dataclass(frozen=True)
class Recipe:
    """A function that loads a model by its name, and what it is given."""

    loader: Callable[..., Any]
    """A function of a module."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    part: str = ""
    """Which part of what the function gives, as attributes with dots; blank: all of it."""

    def load(self) -> Any:
        """Return the model, in this process; it knows its recipe."""
        return self.part_of(replace(self.loader(**self.arguments), recipe=replace(self, part="")))

    def part_of(self, model: Any) -> Any:
        """Return the part that is meant."""
        return attrgetter(self.part)(model) if self.part else model


_kept_models: dict[str, Any] = {}
_identities: dict[str, tuple[Any, ...]] = {}
"""Of what is kept: a worker changes no weights, so each is hashed once."""


def load_once(recipe: Recipe) -> Any:
    """Return the model of a recipe; a worker loads it once for all its parts, and keeps one at a time."""
    whole = replace(recipe, part="")
    key = repr(whole)
    if key not in _kept_models:
        forget_models()
        _kept_models[key] = whole.load()
    return recipe.part_of(_kept_models[key])


def loaded_alike(recipe: Recipe, identity: tuple[Any, ...]) -> Any:
    """Return the model of a recipe, in a worker; one whose weights are others than the driver's is refused."""
    model = load_once(recipe)
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


_keeps: ContextVar[bool] = ContextVar("keeps", default=False)


@contextmanager
def keeping_model() -> Iterator[None]:
    """While inside, keep the model that was loaded last: studies in a row that name the same one load it once."""
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
    """Load the model of a recipe; where shards run elsewhere, a worker does, and this process has all but weights."""
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
    """Add a sentence, once."""
    if sentence not in _collect():
        _collect().append(sentence)


def notices() -> tuple[str, ...]:
    """Return the sentences so far, in their order."""
    return tuple(_collect())


@contextmanager
def collecting_notices() -> Iterator[None]:
    """Collect the sentences of what runs inside by themselves."""
    token = _sentences.set([])
    try:
        yield
    finally:
        _sentences.reset(token)
