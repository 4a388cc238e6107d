"""Engines: what a shard costs on its way to a worker and back, and how much more workers do."""

from collections.abc import Callable, Iterable, Iterator
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.common import Result, best_of
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.contexts import in_template, load_templates
from wordworth.encode import encode, load_named
from wordworth.engine.engines import Engine, using

SHARDS = 400
SIZES = {"of a kilobyte": 1 << 10, "of a megabyte": 1 << 20}
MODEL = "smollm2-135m"


def nothing(model: int, items: Iterable[int]) -> Iterator[np.ndarray[Any, np.dtype[np.uint8]]]:
    """A shard that costs nothing, and whose result has `model` bytes."""
    for item in items:
        yield np.full(model, item % 256, dtype=np.uint8)


def overhead() -> list[Result]:
    """Seconds a shard that does nothing, against a call in this process."""
    results = []
    for what, size in SIZES.items():
        with using("ray") as engine:
            list(engine.map(nothing, size, range(2 * engine.count), "warming up"))
            ours, found = best_of(3, _all(engine, size))
        plain, expected = best_of(3, lambda size=size: list(nothing(size, range(SHARDS))))  # type: ignore[misc]
        assert all(map(np.array_equal, found, expected))
        note = f"{1e6 * (ours - plain) / SHARDS:,.0f} µs a shard, {SHARDS * size / ours / 1e6:,.0f} MB a second"
        results.append(Result(f"{SHARDS} empty shards with results {what} on Ray", plain, ours, 0, None, note))
    return results


def _all(engine: Engine, size: int) -> Callable[[], list[Any]]:
    return lambda: list(engine.map(nothing, size, range(SHARDS), "doing nothing"))


def workers() -> list[Result]:
    """Words a second in five templates, all layers: this process with all cores, then Ray."""
    words = load_lexicon("bellezza").words
    contexts = [in_template(template, word) for template in load_templates().aligned for word in words]
    model = load_named(MODEL)
    encode(model, contexts[:50])
    plain, expected = best_of(2, lambda: encode(model, contexts, layers=[-1]))
    with using("ray"):
        began = perf_counter()
        theirs = load_named(MODEL)
        encode(theirs, contexts[:: len(contexts) // 100])
        begun = perf_counter() - began
        ours, found = best_of(2, lambda: encode(theirs, contexts, layers=[-1]))
    difference = float(np.abs(found.vectors["last"] - expected.vectors["last"]).max())
    assert difference < 1e-3 * float(np.abs(expected.vectors["last"]).max())
    note = f"{len(contexts) / ours:,.0f} words a second ({len(contexts) / plain:,.0f} in this process); "
    note += f"{begun:.1f} s to begin"
    return [Result("words in five templates on Ray", plain, ours, 0, None, note)]


def scale() -> list[Result]:
    """All of it: `make bench scale`."""
    return [*overhead(), *workers()]
