"""A run on workers in which workers, or the driver itself, are killed at random moments."""

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from wordworth.files import OLD, SCRATCH

DRIVER = """
import sys
from wordworth.encode import aggregation, encoding
encoding.SHARD_BYTES, encoding.LEAST = 1 << 12, 8  # many small shards, so that kills come in the midst of them
aggregation.CHUNK_BYTES, aggregation.LEAST = 1 << 12, 8
from wordworth.cli import main
sys.argv = ["wordworth", *sys.argv[1:]]
main()
"""
LONGEST = 300
MOST_DEATHS = 2
"""Of workers in one run: three at one shard would be an error, and rightly so."""


@dataclass(frozen=True)
class KilledRun:
    """What came of it."""

    kills: int
    starts: int
    """Of the driver, the last of them to its end."""
    running: list[int]
    """Processes that were left."""
    stray: list[str]
    """Half-written things that were left."""


def run_with_kills(command: list[str], folder: Path, kind: str, draw: random.Random) -> KilledRun:
    """Runs a command until it ends by itself. `kind`: `worker` or `driver`, one kill of the driver at most."""
    kills, starts = 0, 0
    seen: set[int] = set()
    while True:
        starts += 1
        driver = _begin(command, folder)
        ends = time.monotonic() + LONGEST
        while driver.poll() is None:
            assert time.monotonic() < ends, "the run hangs"
            time.sleep(draw.uniform(0.02, 0.25))
            workers = _children(driver.pid)
            seen |= {driver.pid, *workers}
            if kind == "worker" and workers and kills < MOST_DEATHS and draw.random() < 0.1:
                kills += _killed(draw.choice(workers))
            if kind == "driver" and workers and not kills and draw.random() < 0.1:
                kills += _killed(driver.pid)
        if driver.returncode == -signal.SIGKILL:
            continue
        errors = (folder / "stderr").read_text(encoding="utf-8")
        assert driver.returncode == 0, errors[-2000:]
        return KilledRun(kills, starts, _left(seen), _stray(folder))


def _begin(command: list[str], folder: Path) -> "subprocess.Popen[bytes]":
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = os.environ | {"PYTHONPATH": paths, "WORDWORTH_CACHE": str(folder / "cache"), "OMP_NUM_THREADS": "1"}
    with (folder / "stderr").open("wb") as errors:
        return subprocess.Popen(
            [sys.executable, "-c", DRIVER, *command],
            cwd=folder,
            stderr=errors,
            stdout=subprocess.DEVNULL,
            env=environment,
        )


def _children(parent: int) -> list[int]:
    """Processes that a process has begun and that run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, above = path.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[:2]
        except OSError:  # it has just ended
            continue
        if int(above) == parent and state != "Z":
            found.append(int(path.parent.name))
    return found


def _killed(process: int) -> int:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return 0
    return 1


def _left(processes: set[int]) -> list[int]:
    """Those that still run after some seconds."""
    for _ in range(50):
        left = [one for one in processes if _runs(one)]
        if not left:
            break
        time.sleep(0.1)
    return left


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def _stray(folder: Path) -> list[str]:
    """Scratch folders, replaced entries and locks. The marks of killed workers go when the next process begins."""
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.name.endswith((SCRATCH, OLD, ".lock")) or SCRATCH in path.name
    ]
