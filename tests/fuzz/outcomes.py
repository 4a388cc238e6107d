"""A worker process reads damaged files under limits of memory and time, and says what became of each."""

import multiprocessing
import os
import resource
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

LONGEST = 500
"""Characters of a sentence."""
MEMORY = 1 << 30
"""Bytes of address space beyond those that reading the valid file took."""
SECONDS = 120.0
"""For one sample, by the clock. Few take a tenth of a second, but the machine may be busy."""
STARTING = 240.0
"""Seconds to import what a target needs and to make its valid file."""
SHARED_MEMORY = Path("/dev/shm")
"""Where samples are written, if it is there: half of the time would go into waiting for the disk."""
ALLOWED = ("read", "sentence")

Job = tuple[str, int | str]
"""A target, and the seed of a mutation or the name of a case."""


@dataclass(frozen=True)
class Outcome:
    """What became of one sample."""

    job: Job
    mutation: str
    kind: str
    """read, sentence; or a finding: the exception's name, long, hang, killed."""
    said: str = ""
    """The sentence, or what was raised and where."""

    @property
    def allowed(self) -> bool:
        return self.kind in ALLOWED

    def __str__(self) -> str:
        target, sample = self.job
        return f"{target} {sample} ({self.mutation}): {self.kind}: {self.said}"


@dataclass(frozen=True)
class _Began:
    """What the worker turns to now, and the seconds that it may take."""

    what: str
    seconds: float


def outcomes(jobs: Iterable[Job], seconds: float = SECONDS) -> Iterator[Outcome]:
    """The outcome of every sample, in order. A worker that hangs or dies is replaced. Workers are never forked."""
    context = multiprocessing.get_context("spawn")
    left = list(jobs)
    while left:
        home = Path(tempfile.mkdtemp(prefix="wordworth-fuzz-", dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None))
        ours, theirs = context.Pipe()
        worker = context.Process(target=_work, args=(left, home, theirs, seconds), daemon=True)
        worker.start()
        theirs.close()
        try:
            yield from _heard(left, ours)
            worker.join(0 if left else 10)
        finally:
            worker.kill()
            worker.join()
            ours.close()
            shutil.rmtree(home, ignore_errors=True)


def _heard(left: list[Job], worker: Connection) -> Iterator[Outcome]:
    """Takes jobs off `left` as the worker reports them, until there are none or the worker is lost."""
    began = _Began("", STARTING)
    while left:
        try:
            message: Any = worker.recv() if worker.poll(began.seconds) else "hang"
        except (EOFError, ConnectionResetError):
            message = "killed"
        if isinstance(message, _Began):
            began = message
        elif isinstance(message, Outcome):
            left.pop(0)
            yield message
        elif not began.what:
            raise RuntimeError(f"the valid file of {left[0][0]} cannot be made or read ({message})")
        else:
            yield Outcome(left.pop(0), began.what, message)
            return


def _work(jobs: list[Job], home: Path, report: Connection, seconds: float) -> None:
    """In the worker: for each target reads the valid file, takes the limits, and then reads every sample."""
    tempfile.tempdir = str(home)  # what targets make goes with it
    os.environ.update(WORDWORTH_CACHE=str(home / "cache"), WORDWORTH_OFFLINE="1", HF_HUB_OFFLINE="1")
    from fuzz.cases import CASES
    from fuzz.mutations import mutated
    from fuzz.targets import BROKEN, TARGETS

    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 2)  # libraries write about what they cannot read
    name = ""
    for job in jobs:
        if job[0] != name:
            name = job[0]
            report.send(_Began("", STARTING))
            target, folder = TARGETS.get(name, BROKEN), home / name
            folder.mkdir()
            os.chdir(folder)
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            valid = target.make(folder)
            (folder / target.file).write_bytes(target.pack(valid))
            target.read(folder / target.file)
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            limit = pages * resource.getpagesize() + MEMORY
            resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        sample = job[1]
        mutation, data = mutated(valid, sample) if isinstance(sample, int) else (sample, sample.encode())
        if name in CASES and isinstance(sample, str):
            data = CASES[name][sample](valid)
        (folder / target.file).write_bytes(target.pack(data))
        report.send(_Began(mutation, seconds))
        report.send(Outcome(job, mutation, *_outcome(target.read, folder / target.file)))
        shutil.rmtree(home / "cache", ignore_errors=True)


def _outcome(read: Callable[[Path], object], path: Path) -> tuple[str, str]:
    from wordworth.errors import WordworthError

    try:
        read(path)
    except WordworthError as error:
        sentence = str(error).replace(str(path.parent), "…")
        return ("sentence" if len(sentence) < LONGEST and "\n" not in sentence else "long"), sentence[:LONGEST]
    except BaseException as error:  # noqa: BLE001 - whatever else comes out is what is looked for
        steps = [(Path(step.filename), step.lineno) for step in traceback.extract_tb(error.__traceback__)]
        ours = [f"{path.name}:{number}" for path, number in steps if "wordworth" in path.parts]
        return type(error).__name__, f"{str(error)[:120]!r} at {' '.join(ours[-3:])} ({steps[-1][0].name})"
    return "read", ""
