"""A worker process reads damaged files under limits of memory and time, and lists what it finds."""

import multiprocessing
import os
import resource
import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

LONGEST = 500
"""Characters of a sentence."""
MEMORY = 1 << 30
"""Bytes of address space beyond those that reading the valid file took."""
SECONDS = 1200
"""For one sample, by the clock. Few take a tenth of a second, but the machine may be busy."""
SHARED_MEMORY = Path("/dev/shm")
"""Where samples are written, if it is there: half of the time would go into waiting for the disk."""
Sample = int | str
"""The seed of a mutation or the name of a case."""


@cache
def worker() -> ProcessPoolExecutor:
    """Return the process that reads all targets; it is never forked, and `worker.cache_clear` replaces a dead one."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _prepare)


def _prepare() -> None:
    os.environ.update(WORDWORTH_OFFLINE="1", HF_HUB_OFFLINE="1")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # libraries write about what they cannot read


def findings(name: str, samples: list[Sample], last: Path) -> list[str]:
    """In the worker: read a target's valid file, and then every sample.

    What is neither read nor refused in a sentence is returned. A sample that hangs or takes all memory ends the worker;
    its name is then in the file `last`.
    """
    from fuzz.cases import CASES
    from fuzz.mutations import mutate
    from fuzz.targets import TARGETS

    folder = Path(tempfile.mkdtemp(prefix="wordworth-fuzz-", dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None))
    os.environ["WORDWORTH_CACHE"] = str(folder / "cache")
    os.chdir(folder)
    target, path = TARGETS[name], folder / TARGETS[name].file
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    valid = target.make(folder)
    path.write_bytes(target.pack(valid))
    target.read(path)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, resource.RLIM_INFINITY))
    listed = []
    for sample in samples:
        last.write_text(str(sample))
        signal.alarm(SECONDS)
        mutation, data = mutate(valid, sample) if isinstance(sample, int) else ("case", CASES[name][sample](valid))
        path.write_bytes(target.pack(data))
        if finding := _finding(target.read, path):
            listed.append(f"{name} {sample} ({mutation}): {finding}")
        shutil.rmtree(folder / "cache", ignore_errors=True)
    signal.alarm(0)
    os.chdir("/")
    shutil.rmtree(folder)
    return listed


def _finding(read: Callable[[Path], object], path: Path) -> str:
    from wordworth.errors import WordworthError

    try:
        read(path)
    except WordworthError as error:
        sentence = str(error).replace(str(path.parent), "…")
        return "" if len(sentence) < LONGEST and "\n" not in sentence else f"no sentence: {sentence[:LONGEST]}"
    except BaseException as error:  # noqa: BLE001 - whatever else comes out is what is looked for
        steps = [(Path(step.filename), step.lineno) for step in traceback.extract_tb(error.__traceback__)]
        ours = [f"{path.name}:{number}" for path, number in steps if "wordworth" in path.parts]
        return f"{type(error).__name__}: {str(error)[:120]!r} at {' '.join(ours[-3:])} ({steps[-1][0].name})"
    return ""
