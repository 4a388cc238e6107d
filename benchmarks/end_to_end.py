"""Whole commands as a user runs them, against the network's own passes in them plus one load of its weights.

Stages are wrapped from outside, so that each second belongs to the innermost stage it is spent in. What models gave
before is set aside; downloads, conversions and texts that were taken out of dumps stay.
"""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import current_thread, main_thread
from time import perf_counter
from typing import Any

from benchmarks.common import Result, in_fresh_process

NETWORK, LOADING, REST = "network", "loading", "rest"
COMMANDS = (
    "run static smollm2-135m --sentences 1000 --per-word 2",
    "run vast smollm2-135m --lexicon bellezza --experiment contextualization",
    "run predict smollm2-135m --soft-match none --words 2000",
    "run infer nli-glove --probe gender --sample 20000",
    "run weat glove-6b-50d",
)
STAGES = {
    NETWORK: "nli.attention:AttentionNli.probabilities encode.forward:_run_together",
    LOADING: "encode.loading:load_model encode.loading:load_files nli.loading:load embedding.reading:load",
    "text": "contexts.sampling:draw contexts.random_contexts:random_contexts catalog.read.lexica:load_lexicon",
    "statistics": "task.bias:score_bias task.bias:score_agreement task.similarity:score_similarity "
    "task.valence:score_valence task.association:score_association statistics.bootstrap:ratio",
    "writing": "results.run:Run.save cli.display:print_run engine.cache:CacheSlot.write",
}
"""Part → the functions and methods that it is spent in. A pass of a network is recognised as torch's module."""


class Clock:
    """Seconds by part. A stage that begins inside another one stops the other's time."""

    def __init__(self) -> None:
        self.parts: dict[str, float] = {}
        self._open = [REST]
        self._since = perf_counter()

    def turn(self) -> dict[str, float]:
        """Give the seconds since the last turn to the part that is open; return the seconds of each."""
        now = perf_counter()
        self.parts[self._open[-1]] = self.parts.get(self._open[-1], 0.0) + now - self._since
        self._since = now
        return self.parts

    @contextlib.contextmanager
    def spending(self, part: str) -> Iterator[None]:
        """Give what is spent inside to a part; threads but the main one spend nothing of their own."""
        if current_thread() is not main_thread() or self._open[-1] == NETWORK:
            yield
            return
        self.turn()
        self._open.append(part)
        try:
            yield
        finally:
            if part == NETWORK and (torch := sys.modules["torch"]).cuda.is_available():
                torch.cuda.synchronize()
            self.turn()
            self._open.pop()


def _wrap_stages(clock: Clock) -> None:
    """Replace each stage that the command has, wherever it was imported."""
    for part, places in STAGES.items():
        for module, path in (place.split(":") for place in places.split()):
            owner: Any = sys.modules.get(f"wordworth.{module}")
            *classes, name = path.split(".")
            if owner is None:
                continue
            users = [one for key, one in list(sys.modules.items()) if key.startswith("wordworth")]
            if classes:
                users = [owner := getattr(owner, classes[0])]
            function = getattr(owner, name)
            for user in users:
                if vars(user).get(name) is function:
                    setattr(user, name, clock.spending(part)(function))


def _run(words: list[str]) -> dict[str, float]:
    """Run one command with nothing of models kept; return seconds by part."""
    clock = Clock()
    with clock.spending("imports"):
        import_module(f"wordworth.study.{words[1]}.study")
        from wordworth.cli import display, main  # noqa: F401  (display is wrapped)
        from wordworth.engine.cache import forgotten
    _wrap_stages(clock)
    if torch := sys.modules.get("torch"):
        torch.nn.Module.__call__ = clock.spending(NETWORK)(torch.nn.Module.__call__)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(contextlib.redirect_stdout(stack.enter_context(Path(os.devnull).open("w"))))
        stack.enter_context(forgotten())
        sys.argv = ["wordworth", *words, "-o", f"{folder}/run"]
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"{' '.join(sys.argv)} ended with {end.code}") from end
        return clock.turn()


def end_to_end() -> list[Result]:
    """A line per command: the network and one load, the whole, and the share of each part."""
    results = []
    for command in COMMANDS:
        parts, _ = in_fresh_process(partial(_run, command.split()))
        whole, limit = sum(parts.values()), parts.get(NETWORK, 0.0) + parts.get(LOADING, 0.0)
        shares = sorted(parts.items(), key=lambda one: -one[1])
        note = ", ".join(f"{part} {seconds / whole:.0%}" for part, seconds in shares)
        wanted = 0.4 if NETWORK in parts else 0
        results.append(Result(f"{command}, against its network and one load", limit, whole, wanted, limit, note))
    return results
