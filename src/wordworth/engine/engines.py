"""Where shards run: `local` (this process), `processes[:N]` (workers on this machine), `ray[:ADDRESS]` (a cluster).

What has shards asks `current()` and does not know which engine it is. A function that runs shards takes a model and an
iterable of items and yields one result an item, in order; it may look ahead in the items. Items and results are plain
data, and the results do not depend on the engine.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

from wordworth.engine.recipe import Recipe, kept
from wordworth.errors import WordworthError

Item = TypeVar("Item")
Result = TypeVar("Result")
Model = TypeVar("Model")
Stream = Callable[[Model, Iterable[Item]], Iterator[Result]]

PATTERN = r"local|processes(:[1-9]\d{0,2})?|ray(:\S+)?"
"""What an engine is called."""


class Engine(Protocol):
    """Runs shards somewhere."""

    name: str
    count: int
    """Workers, at the most."""
    remote: bool
    """Whether shards run in other processes than this."""

    def map(
        self, function: Stream[Model, Item, Result], model: Model, items: Iterable[Item], what: str
    ) -> Iterator[Result]:
        """The results of a stream function, one an item, in order. `what` is what it does, for messages."""

    def close(self) -> None:
        """Ends the workers."""


class Local:
    """This process, one shard after the other."""

    name = "local"
    count = 1
    remote = False

    def map(
        self, function: Stream[Model, Item, Result], model: Model, items: Iterable[Item], what: str
    ) -> Iterator[Result]:
        """See `Engine.map`."""
        return function(model, items)

    def close(self) -> None:
        """Nothing is to be ended."""


_current: ContextVar[Engine] = ContextVar("engine", default=Local())  # noqa: B039 - it has no state


def current() -> Engine:
    """The engine that shards are given to now."""
    return _current.get()


@contextmanager
def using(engine: str | Engine) -> Iterator[Engine]:
    """While inside, shards run on an engine, or on one of that name, whose workers begin when they are needed and end
    with it. Inside another engine than `local`, that one stays.
    """
    if _current.get().remote or engine == Local.name:
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
    """The engine of a name: `local`, `processes`, `processes:4`, `ray`, `ray:HOST:PORT`."""
    if not re.fullmatch(PATTERN, called):
        raise WordworthError(f"there is no engine {called!r}; choose local, processes, processes:4, ray or ray:ADDRESS")
    kind, _, given = called.partition(":")
    if kind == "processes":
        from wordworth.engine.processes import processes

        return processes(int(given) if given else None)
    if kind == "ray":
        from wordworth.engine.ray_cluster import ray_cluster

        return ray_cluster(given)
    return Local()


def load(recipe: Recipe) -> Any:
    """The model of a recipe; where shards run elsewhere, a worker loads it and this process has all but weights."""
    engine = current()
    if not engine.remote:
        return recipe.load()
    kind, facts = next(iter(engine.map(_facts, recipe, [None], "loading a model")))
    return kind(**facts)


def _facts(recipe: Recipe, items: Iterable[None]) -> Iterator[tuple[type, dict[str, Any]]]:
    """The class and the fields of a model without its weights: the model itself would be sent as its recipe."""
    for _ in items:
        model = kept(recipe).without_weights()
        yield type(model), vars(model)
