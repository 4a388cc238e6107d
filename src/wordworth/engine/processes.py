"""`--engine processes[:N]`: workers on this machine, each with a GPU, or with its share of the cores.

A worker is this interpreter with `engine/worker.py`, at the other end of a private socket. It ends when that does, so
none outlives the driver, however that ends; Ctrl-C is the driver's alone.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from socket import socketpair

from wordworth.engine.cache import kind_folder
from wordworth.engine.pool import Pool, WorkerDied

CORES_EACH = 4
"""Of a machine without GPUs, where the number of workers is not given; but two workers at least."""
PATIENCE = 10.0
"""Seconds for a worker to end by itself."""
_BEGIN = "import sys; sys.path[:] = sys.argv[2:]; from wordworth.engine.worker import main; main(int(sys.argv[1]))"
_VISIBLE = "CUDA_VISIBLE_DEVICES"


def processes(count: int | None = None) -> Pool:
    """An engine of so many workers: one a GPU, or some cores each, where the number is not given."""
    gpus = visible_gpus()
    chosen = count or len(gpus) or max(2, cores() // CORES_EACH)
    # A run without a cache has one folder for all its processes, named to them by the environment.
    kind_folder("vectors")
    return Pool(f"processes:{chosen}", chosen, lambda number: ProcessLink(number, chosen, gpus))


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def of_cores(workers: int) -> Iterator[None]:
    """While inside, this process computes on as many cores as each of so many workers."""
    import torch
    from threadpoolctl import threadpool_limits

    before, share = torch.get_num_threads(), max(1, cores() // workers)
    torch.set_num_threads(min(before, share))
    try:
        with threadpool_limits(min(before, share)):
            yield
    finally:
        torch.set_num_threads(before)


def visible_gpus() -> list[str]:
    """The GPUs that this process may use, as CUDA_VISIBLE_DEVICES names them."""
    given = os.environ.get(_VISIBLE)
    if given is not None:
        return [name for name in given.split(",") if name.strip()]
    import torch

    return [str(number) for number in range(torch.cuda.device_count())]


class ProcessLink:
    """A worker process, and the socket to it."""

    def __init__(self, number: int, of: int, gpus: list[str]) -> None:
        ours, theirs = socketpair()
        environment = dict(os.environ)
        share = max(1, cores() // of)
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            given = environment.get(name, "")
            environment[name] = str(min(share, int(given)) if given.isdecimal() and int(given) else share)
        environment["TOKENIZERS_PARALLELISM"] = "true" if share > 1 else "false"
        if gpus:
            environment[_VISIBLE] = gpus[number % len(gpus)]
        with theirs:
            # A session of its own: Ctrl-C in a terminal goes to all processes of the session in front.
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", _BEGIN, str(theirs.fileno()), *_import_paths()],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
        self.connection = Connection(ours.detach())

    def ask(self, message: bytes) -> Iterator[bytes]:
        """The worker's answers to a message."""
        try:
            self.connection.send_bytes(message)
            while True:
                yield self.connection.recv_bytes()
        except (EOFError, OSError) as error:
            raise WorkerDied(self._how()) from error

    def end(self) -> None:
        """Ends the worker: at once where it is at work, else as soon as it has left."""
        with contextlib.suppress(OSError):
            self.connection.close()
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _how(self) -> str:
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "which no longer answered"
        if code >= 0:
            return f"with exit code {code}"
        name = signal.Signals(-code).name
        return f"by {name} (out of memory, perhaps)" if name == "SIGKILL" else f"by {name}"


def _import_paths() -> list[str]:
    """Return where this process finds modules, without the working folder, whose files may be anyone's.

    Python puts that folder first in a notebook and with `-m` or `-c`. It stays if Wordworth is imported from it.
    """
    folder, own = Path.cwd(), Path(__file__).parents[2]
    paths = [(path, Path(path or ".").resolve(), at) for at, path in enumerate(sys.path)]
    return [str(full) for path, full, at in paths if full == own or (path and (at or full != folder))]
