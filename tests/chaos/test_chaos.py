"""Kills, damage, races and full disks: the cache has the old entry or the new one, and nothing wrong is read.

A sample here; all of it by `make chaos`.
"""

import multiprocessing
import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal

from chaos import toys
from sampled import ALL
from wordworth.engine import cache
from wordworth.engine.cache import CacheSlot

FORK = multiprocessing.get_context("fork")
KILLS = 100 if ALL else 12
KINDS = ("counts", "predictions", "vectors")
KEYS = 8
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_CHANGES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir")


def _at_each_change(folder: Path, act: Callable[[int, str], None]) -> None:
    """Call `act(number, path)` before each change of this process to the file system under a folder."""
    count = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITES
        if (writes or event in _CHANGES) and str(arguments[0]).startswith(str(folder)):
            count += 1
            act(count, str(arguments[0]))

    sys.addaudithook(hook)


def _content(kind: str, key: int, version: int = 0) -> bytes:
    """Return what an entry must hold: some hundred kilobytes for some keys, little for others."""
    return random.Random(f"{kind} {key} {version}").randbytes(10 ** (1 + key % 6))


def _fill(folder: Path, content: bytes) -> None:
    (folder / "half").write_bytes(content[: len(content) // 2])
    (folder / "deep").mkdir()
    (folder / "deep" / "rest").write_bytes(content[len(content) // 2 :])


def _read(slot: CacheSlot) -> bytes:
    return (slot.path / "half").read_bytes() + (slot.path / "deep" / "rest").read_bytes()


def _latest() -> CacheSlot:
    """Return the place of a checkpoint, which each write replaces by its next version."""
    return cache.slot("aggregates", "growing").part("latest")


def _write_at_random(seed: int, log: Path, kill_at: int) -> None:
    """Write entries and versions of a checkpoint until killed, and log each when it is there."""
    draw = random.Random(seed)
    _at_each_change(cache.cache_dir(), lambda count, _: os.kill(os.getpid(), signal.SIGKILL) if count == kill_at else 0)
    with log.open("a", buffering=1) as done:
        while True:
            kind, key = draw.choice(KINDS), draw.randrange(KEYS)
            if draw.random() < 0.3:
                version = 1 + max([0, *(int(line.split()[1]) for line in _lines(log) if line.startswith("latest"))])
                _latest().write(lambda folder, version=version: _fill(folder, _content("latest", 4, version)))  # type: ignore[misc]
                done.write(f"latest {version}\n")
            elif draw.random() < 0.2:
                slot = cache.slot(kind, key)  # type: ignore[arg-type]
                slot.write(lambda folder, kind=kind, key=key: _fill(folder, _content(kind, key)))  # type: ignore[misc]
                done.write(f"{kind} {key}\n")
            else:
                cache.entry(kind, key, lambda folder, kind=kind, key=key: _fill(folder, _content(kind, key)))  # type: ignore[misc, arg-type]
                done.write(f"{kind} {key}\n")


def _lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def _check(log: Path) -> tuple[int, int]:
    """Count the entries that are wrong (half there, or with other content) and those that were there and are lost."""
    wrong, lost = 0, 0
    logged = set(_lines(log))
    for kind in KINDS:
        for key in range(KEYS):
            slot = cache.slot(kind, key)  # type: ignore[arg-type]
            wrong += slot.path.exists() and not (slot.is_intact() and _read(slot) == _content(kind, key))
            lost += f"{kind} {key}" in logged and not slot.path.exists()
    last = max([0, *(int(line.split()[1]) for line in logged if line.startswith("latest"))])
    if _latest().path.exists():
        wrong += not _latest().is_intact() or _read(_latest()) not in [
            _content("latest", 4, n) for n in (last, last + 1)
        ]
    else:
        lost += last > 0
    return wrong, lost


def test_kill_at_random_moments_of_cache_writes(tmp_path: Path) -> None:
    """A killed process leaves the old entry or the new one, and the next one goes on."""
    log, draw = tmp_path / "log", random.Random(0)
    wrong = lost = 0
    for seed in range(KILLS):
        process = FORK.Process(target=_write_at_random, args=(seed, log, draw.randint(1, 60)))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        now_wrong, now_lost = _check(log)
        wrong, lost = wrong + now_wrong, lost + now_lost
    written = len(_lines(log))
    print(f"{KILLS} kills, {written} writes: {wrong} wrong, {lost} lost")
    assert (wrong, lost) == (0, 0)
    assert written > 2 * KILLS
    before = cache.count_damaged()
    for kind in KINDS:
        for key in range(KEYS):
            cache.entry(kind, key, lambda folder, kind=kind, key=key: _fill(folder, _content(kind, key)))  # type: ignore[misc, arg-type]
    assert cache.count_damaged() == before
    assert _check(log) == (0, 0)


def _flip(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "flip": _flip,
    "cut": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "garbage": lambda content: random.Random(0).randbytes(max(64, len(content))),
}
FILLED = {
    "valnorm": ("embeddings",),
    "vast": ("vectors",),
    "static": ("aggregates", "contexts"),
    "predict": ("predictions",),
    "infer": ("inferences",),
}
"""Study → the kinds of the cache that it fills."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toys")
    toys.make_files(folder)
    if ALL:
        toys.make_models(folder)
    return folder


@pytest.mark.parametrize("name", FILLED if ALL else ["valnorm"])
def test_damaged_entries_of_each_kind_are_made_again_and_counted(name: str, made: Path) -> None:
    expected = toys.find(name, made)
    for kind in FILLED[name]:
        files = {path.name: path for path in sorted(cache.kind_folder(kind).rglob("*")) if path.is_file()}
        chosen = [path for path in files.values() if not path.name.endswith(".lock")]
        assert chosen, f"{name} fills no {kind}"
        for path, damage in ((path, damage) for path in chosen for damage in DAMAGES):
            before, content = cache.count_damaged().get(kind, 0), path.read_bytes()
            path.write_bytes(DAMAGES[damage](content))
            found = toys.find(name, made)
            assert cache.count_damaged().get(kind, 0) == before + 1, (path.name, damage)
            assert_frame_equal(found.scores, expected.scores)
            assert found.items.keys() == expected.items.keys()
            for table, items in found.items.items():
                assert_frame_equal(items, expected.items[table])
