"""Damages each kind of file of the cache in each way, and looks at what the next process makes of it."""

import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chaos.bench import Bench, tree
from chaos.kills import CASES, Case, outcome, prepare


def _flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :] if content else b"\4"


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "flip": _flipped,
    "quiet flip": _flipped,
    "cut": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "garbage": lambda content: random.Random(0).randbytes(max(64, len(content))),
}


@dataclass(frozen=True)
class Cell:
    """A file of the state that a command left, and what is done to it."""

    file: str
    damage: str


def damage(path: Path, how: str) -> None:
    """Damages a file. A quiet flip leaves its size and time as they were."""
    before = path.stat()
    path.write_bytes(DAMAGES[how](path.read_bytes()))
    if how == "quiet flip":
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def cells(bench: Bench, case: Case) -> list[Cell]:
    """Each name of a file in each kind of the cache once, with each damage; for a report, the numbers of its run."""
    if case.name == "report":
        return [Cell(file, how) for file in ("run/scores.csv", "run/items.parquet") for how in DAMAGES]
    files: dict[tuple[str, str], str] = {}
    for found in sorted((bench.work / "cache").rglob("*")):
        path = found.relative_to(bench.work)
        if found.is_file():
            files.setdefault((path.parts[1], path.name), str(path))
    return [Cell(file, how) for file in files.values() for how in DAMAGES]


def filled(bench: Bench, case: Case) -> list[Cell]:
    """Runs a command once, keeps the state that it left, and gives what can be damaged in it."""
    prepare(bench, case)
    ended = bench.run(case.command)
    assert ended.code == 0, ended
    bench.keep(f"{case.name} filled")
    return cells(bench, case)


def damaged_run(bench: Bench, case: Case, cell: Cell) -> str:
    """What is wrong with the run after a damage: blank where it gives the same numbers, or one sentence."""
    bench.bring(f"{case.name} filled")
    expected, files = outcome(bench, case), tree(bench.work)
    damage(bench.work / cell.file, cell.damage)
    ended = bench.run(case.command)
    problem = ""
    if ended.code:
        problem = ended.told()
    elif outcome(bench, case) != expected:
        problem = "other numbers"
    elif tree(bench.work) != files:
        problem = f"left or lost {sorted(set(tree(bench.work)) ^ set(files))}"
    return problem and f"{case.name}, {cell.damage} in {cell.file}: {problem}"


_FILLING = ("valnorm", "report", "get", "web", "vast", "static", "predict", "infer", "gguf", "wiki", "fetched-gguf")
MATRIX = [case for case in CASES if case.name in _FILLING]
"""Commands that fill every kind of the cache, fetched or computed: embeddings, vectors, contexts, aggregates, …"""
