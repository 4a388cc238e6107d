"""`--engine ray[:ADDRESS]`: workers are actors on a Ray cluster; without an address, on this machine's.

Every machine needs Wordworth and the models, which it takes from its own cache or fetches; results come back to the
driver, so no disk is shared. One actor a GPU, or some cores each.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from socket import create_connection
from typing import Any

from wordworth.engine.pool import Pool, WorkerDied
from wordworth.engine.processes import CORES_EACH
from wordworth.errors import Foreign, WordworthError

PATIENCE = 5.0
"""Seconds for a cluster to answer."""
_HOST_AND_PORT = re.compile(r"([^/:\s]+):(\d{1,5})$")


def ray_cluster(address: str = "") -> Pool:
    """An engine of actors on a cluster that runs, or on one that is begun here and ends with the engine."""
    ray = _ray()
    begun = not ray.is_initialized()
    if begun:
        _begin(ray, address or os.environ.get("RAY_ADDRESS", ""))
    count, options = _spread(ray)
    return _RayPool(f"ray:{count}", count, lambda _: ActorLink(ray, options), ray if begun else None)


def _begin(ray: Any, address: str) -> None:
    """Joins the cluster at an address; without one, that of this machine, begun now if there is none."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # the next version's way, which it asks for
    given = _HOST_AND_PORT.search(address)
    if given:  # Ray itself would wait for minutes
        try:
            create_connection((given[1], int(given[2])), PATIENCE).close()
        except OSError as error:
            raise WordworthError(
                f"no Ray cluster answers at {address} ({error}); begin one there with `ray start --head`"
            ) from error
    own = {} if address else {"include_dashboard": False}
    with Foreign(f"the Ray cluster {address} cannot be joined", "see `ray status`"):
        ray.init(address=address or None, log_to_driver=False, logging_level="error", **own)


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise WordworthError("ray is not installed; install it with `pip install 'wordworth[ray]'`") from error
    return ray


def _spread(ray: Any) -> tuple[int, dict[str, Any]]:
    """How many actors the cluster has room for, and what each of them needs."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    cpus = [int(node.get("CPU", 0)) for node in nodes]
    gpus = sum(int(node.get("GPU", 0)) for node in nodes)
    if gpus:
        return gpus, {"num_gpus": 1, "num_cpus": max(1, min(CORES_EACH, sum(cpus) // gpus))}
    if not sum(cpus):
        raise WordworthError("the Ray cluster has neither CPUs nor GPUs free; begin its nodes with --num-cpus")
    each = max(1, min(CORES_EACH, min(filter(None, cpus)) // 2))
    return sum(count // each for count in cpus), {"num_cpus": each}


class _RayPool(Pool):
    """Leaves Ray too, where it was begun here."""

    def __init__(self, name: str, count: int, make: Any, begun: Any) -> None:
        super().__init__(name, count, make)
        self._begun = begun

    def close(self) -> None:
        super().close()
        if self._begun is not None:
            self._begun.shutdown()


def _actor_class() -> type:
    """Make the class of a worker: `Workbench` where Ray put it.

    Ray puts the driver's working folder, whose files may be anyone's, first on a worker's path. A class inside a
    function is sent whole, so that this folder is off the path before Wordworth is imported.
    """
    working = "" if Path.cwd() == Path(__file__).parents[2] else str(Path.cwd())

    class Actor:
        def __init__(self) -> None:
            import sys

            sys.path[:] = [path for path in sys.path if path != working]
            from wordworth.engine.workbench import Workbench

            self.bench = Workbench()

        def answers(self, message: bytes) -> Iterator[bytes]:
            yield from self.bench.answers(message)

    return Actor


class ActorLink:
    """An actor, and the way to it."""

    def __init__(self, ray: Any, options: dict[str, Any]) -> None:
        self.ray = ray
        actor = ray.remote(_actor_class()).options(max_restarts=0, scheduling_strategy="SPREAD", **options)
        self.actor = actor.remote()

    def ask(self, message: bytes) -> Iterator[bytes]:
        """The actor's answers to a message."""
        try:
            for reference in self.actor.answers.options(num_returns="streaming").remote(message):
                yield self.ray.get(reference)
        except self.ray.exceptions.RayActorError as error:
            raise WorkerDied("with its actor (killed, or out of memory)") from error

    def end(self) -> None:
        """Ends the actor, at work or not."""
        self.ray.kill(self.actor)
