"""Run shards in actors on a Ray cluster (`--engine ray[:ADDRESS]`); without an address, start one here.

Every machine needs Wordworth, and takes models from its own cache or fetches them. Results come back to the driver, so
no disk is shared. Each actor has one GPU, or some cores. Ray restarts an actor that dies and reruns its shards. Models
and results are sent as pickles, because arrays that Ray shares are read-only.
"""

import os
import pickle
import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from pathlib import Path
from socket import create_connection
from typing import Any

from wordworth.engine.cache import kind_folder
from wordworth.engine.engines import Engine, Stream, notice
from wordworth.errors import LibraryErrors, WordworthError, reason_of, require

ATTEMPTS = 3
"""How often Ray runs shards whose worker dies."""
CONNECT_SECONDS = 5.0
CORES_PER_WORKER = 4
"""The largest number, on a machine without GPUs."""
GROUP_SECONDS = 1.0
"""Work per call of an actor: short enough to lose little when one dies, long enough to make sending it cheap."""
MAX_GROUP = 64
_HOST_AND_PORT = re.compile(r"([^/:\s]+):(\d{1,5})$")


class RayCluster(Engine):
    """Run shards in actors on a running cluster, or on one that is started and stopped here."""

    remote = True

    def __init__(self, address: str = "") -> None:
        require("workers on other cores or machines")
        import ray

        self._ray: Any = ray
        self._is_own = not self._ray.is_initialized()
        if self._is_own:
            _join(self._ray, address or os.environ.get("RAY_ADDRESS", ""))
        self.count, options = _plan_workers(self._ray)
        self.name = f"ray:{self.count}"
        retries = {"max_restarts": -1, "max_task_retries": ATTEMPTS - 1}
        actor = self._ray.remote(_actor_class()).options(scheduling_strategy="SPREAD", **retries, **options)
        self._actors = [actor.remote() for _ in range(self.count)]
        self._model: Any = None
        self._reference: Any = None
        self._models = 0

    def map(self, function: Stream[Any, Any, Any], model: Any, items: Iterable[Any], task: str) -> Iterator[Any]:
        """See `Engine.map`."""
        self._send(model)
        waiting, size = iter(items), 1
        actors = cycle(self._actors)
        running: deque[Any] = deque()
        while True:
            # Each actor has one running and one waiting call; results are taken in order.
            while len(running) < 2 * self.count and (group := list(islice(waiting, size))):
                running.append(next(actors).run.remote(function, str(self._models), [self._reference], group))
            if not running:
                return
            results, seconds = self._get(running.popleft(), task)
            size = max(1, min(int(GROUP_SECONDS * len(results) / max(seconds, 1e-3)), 2 * size, MAX_GROUP))
            yield from results

    def close(self) -> None:
        """End all actors, and leave Ray if it was joined here."""
        for actor in self._actors:
            self._ray.kill(actor)
        if self._is_own:
            self._ray.shutdown()

    def _send(self, model: Any) -> None:
        """Put a model where actors can get it; the same object is sent once."""
        if self._reference is None or self._model is not model:
            self._model, self._reference = model, self._ray.put(pickle.dumps(model))
            self._models += 1

    def _get(self, call: Any, task: str) -> tuple[list[Any], float]:
        errors = self._ray.exceptions
        try:
            results, seconds, sentences, error = self._ray.get(call)
        except (errors.RayActorError, errors.OutOfMemoryError) as death:
            causes = [line for line in str(death).splitlines() if " because " in line]
            reason = causes[0] if causes else reason_of(death)
            raise WordworthError(
                f"{task}: Ray gave up after {ATTEMPTS} attempts ({reason}); if memory ran out, use a machine "
                "with more (finished work is kept)"
            ) from death
        for sentence in sentences:
            notice(sentence)
        if error:
            raise WordworthError(error)
        return pickle.loads(results), seconds  # noqa: S301 - from the user's own cluster


def _actor_class() -> type:
    """Make the class of a worker.

    Ray puts the driver's working folder, which may hold anyone's files, first on a worker's path. A class inside a
    function is sent as code, so that it can remove this folder from the path before it imports Wordworth.
    """
    driver_folder = "" if Path.cwd() == Path(__file__).parents[2] else str(Path.cwd())

    class Actor:
        """Keep the last model that was sent: one at a time, since one may fill the device."""

        def __init__(self) -> None:
            import sys

            sys.path[:] = [path for path in sys.path if path != driver_folder]
            self.key, self.model = "", None

        def run(
            self, function: Any, key: str, reference: list[Any], items: list[Any]
        ) -> tuple[bytes, float, tuple[str, ...], str]:
            """Return the results of a stream function, its seconds, new notices, and a user's error."""
            import gc
            import pickle
            import time

            import ray

            from wordworth.engine.engines import notices
            from wordworth.errors import WordworthError

            notice_count = len(notices())
            try:
                if key != self.key:
                    self.key, self.model = "", None
                    gc.collect()
                    self.model, self.key = pickle.loads(ray.get(reference[0])), key  # noqa: S301 - the driver's
                began = time.monotonic()
                results = list(function(self.model, items))
            except WordworthError as error:
                return b"", 0.0, notices()[notice_count:], str(error)
            return pickle.dumps(results), time.monotonic() - began, notices()[notice_count:], ""

    return Actor


def _join(ray: Any, address: str) -> None:
    """Join the cluster at an address; without one, start a cluster on this machine.

    Ray would join any cluster that a file in /tmp names, even one of another program or user.
    """
    kind_folder("vectors")  # a run without a cache has one folder for all its processes, named by the environment
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # as Ray's next version does
    host_and_port = _HOST_AND_PORT.search(address)
    if host_and_port:  # Ray would wait for minutes
        try:
            create_connection((host_and_port[1], int(host_and_port[2])), CONNECT_SECONDS).close()
        except OSError as error:
            raise WordworthError(
                f"no Ray cluster answers at {address} ({error}); start one there with `ray start --head`"
            ) from error
    options = {} if address else {"include_dashboard": False}
    with LibraryErrors(f"the Ray cluster {address} cannot be joined", "see `ray status`"):
        ray.init(address=address or "local", log_to_driver=False, logging_level="error", **options)


def _plan_workers(ray: Any) -> tuple[int, dict[str, Any]]:
    """Return how many actors the cluster has room for, and what each of them needs."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    cpus = [int(node.get("CPU", 0)) for node in nodes]
    gpus = sum(int(node.get("GPU", 0)) for node in nodes)
    if gpus:
        return gpus, {"num_gpus": 1, "num_cpus": max(1, min(CORES_PER_WORKER, sum(cpus) // gpus))}
    if not sum(cpus):
        raise WordworthError("the Ray cluster has neither CPUs nor GPUs free; start its nodes with --num-cpus")
    cores = max(1, min(CORES_PER_WORKER, min(filter(None, cpus)) // 2))
    return sum(count // cores for count in cpus), {"num_cpus": cores}
