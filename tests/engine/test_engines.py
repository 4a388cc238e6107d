"""Engines give the same results in the same order, outlive dying workers, and leave nothing running."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine import shards
from wordworth.engine.engines import Engine, Local, current, engine_of, using
from wordworth.engine.notices import notices
from wordworth.errors import WordworthError


@pytest.fixture(scope="module")
def pool() -> Iterator[Engine]:
    engine = engine_of("processes:2")
    yield engine
    engine.close()


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not yet waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def gone(pids: list[int]) -> bool:
    """Whether they all end within some seconds."""
    for _ in range(100):
        if not any(map(alive, pids)):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("count", [0, 1, 2, 57])
def test_results_are_those_of_this_process_in_order(pool: Engine, count: int) -> None:
    expected = list(Local().map(shards.squares, 7, range(count), "squaring"))
    assert list(pool.map(shards.squares, 7, range(count), "squaring")) == expected == [n * n + 7 for n in range(count)]


def test_all_workers_work_in_other_processes(pool: Engine) -> None:
    found = list(pool.map(shards.with_process, None, range(200), "looking"))
    assert [item for item, _ in found] == list(range(200))
    processes = {process for _, process in found}
    assert os.getpid() not in processes
    assert len(processes) == 2


def test_items_are_taken_as_workers_become_free(pool: Engine) -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for item in range(10_000):
            taken += 1
            yield item

    results = pool.map(shards.squares, 0, items(), "squaring")
    next(results)
    assert taken < 100
    results.close()  # type: ignore[attr-defined]
    assert list(pool.map(shards.squares, 0, range(3), "squaring")) == [0, 1, 4]


def test_large_results_come_back_whole(pool: Engine) -> None:
    for item, found in enumerate(pool.map(shards.arrays, 0, range(5), "filling")):
        np.testing.assert_array_equal(found, np.full((1 << 17,), float(item)))


def test_a_worker_that_dies_is_replaced_and_nothing_is_lost(pool: Engine, tmp_path: Path) -> None:
    before = pool.deaths  # type: ignore[attr-defined]
    assert list(pool.map(shards.dying, tmp_path, range(12), "dying")) == list(range(1, 13))
    assert pool.deaths == before + 4  # type: ignore[attr-defined]
    assert [one for one in notices() if re.match(r"Dying: a worker ended by SIGKILL .* at shard 4, and was rep", one)]


def test_a_shard_that_kills_every_worker_is_named(pool: Engine) -> None:
    with pytest.raises(WordworthError, match=r"dying: shard 6 ended 3 workers, the last by SIGKILL.*memory"):
        list(pool.map(shards.always_dying, 5, range(8), "dying"))
    assert list(pool.map(shards.squares, 0, range(3), "squaring")) == [0, 1, 4]


def test_errors_are_raised_here(pool: Engine) -> None:
    with pytest.raises(WordworthError, match=r"^item 4 is no good$"):
        list(pool.map(shards.refusing, 4, range(9), "refusing"))
    with pytest.raises(RuntimeError, match=r"(?s)a worker failed.*shards\.py.*KeyError: 5"):
        list(pool.map(shards.refusing, 4, [5], "refusing"))


def test_workers_end_with_the_engine() -> None:
    with using("processes:2") as engine:
        assert current() is engine
        pids = sorted({process for _, process in engine.map(shards.with_process, None, range(64), "looking")})
    assert not current().remote
    assert gone(pids)


DRIVER = """
import sys
from engine import shards
from wordworth.engine.engines import using
with using("processes:2") as engine:
    pids = {process for _, process in engine.map(shards.with_process, None, range(64), "looking")}
    print(*pids, flush=True)
    list(engine.map(shards.sleeping, None, range(64), "sleeping"))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_worker_outlives_a_driver_that_ends_in_the_middle_of_work(number: signal.Signals) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
    )
    assert driver.stdout is not None
    pids = [int(pid) for pid in driver.stdout.readline().split()]
    assert pids
    assert all(map(alive, pids))
    time.sleep(0.2)
    driver.send_signal(number)
    driver.communicate()
    assert gone(pids)


@pytest.mark.parametrize("called", ["", "threads", "processes:0", "processes:x", "ray:", "Local"])
def test_unknown_engines_are_refused(called: str) -> None:
    with pytest.raises(WordworthError, match="there is no engine"):
        engine_of(called)
