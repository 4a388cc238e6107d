"""Disks that are full from some point on, or cannot be written: one sentence, and what was there is there still."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chaos.bench import Bench, Ended, tree
from chaos.kills import CASES, Case, outcome, prepare

ROOM = 64 << 20
_SIZED = ("valnorm", "get", "web", "latex", "vast", "static", "predict", "infer", "debias", "export", "gguf")
SIZED = [case for case in CASES if case.name in (*_SIZED, "train-nli", "finetune-nli")]
"""Commands that write by polars, safetensors, NumPy and Python, and that fetch."""
PAGE = os.sysconf("SC_PAGE_SIZE")


@contextmanager
def mounted(folder: Path, size: int = ROOM) -> Iterator[None]:
    """A file system in memory in place of a folder. OSError where it is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    _mount(f"size={size}", "-t", "tmpfs", "chaos", str(folder))
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def _mount(options: str, *rest: str) -> None:
    command = shutil.which("mount") or "mount"
    done = subprocess.run([command, "-o", options, *rest], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"mounting is not allowed here: {done.stderr.strip()}")


def remounted(folder: Path, options: str) -> None:
    """`size=…`, `ro`, `rw`."""
    _mount(f"remount,{options}", str(folder))


def may_mount(folder: Path) -> str:
    """Blank, or why nothing can be mounted."""
    try:
        with mounted(folder):
            return ""
    except OSError as error:
        return str(error)


def full_at_every_change(
    bench: Bench, case: Case, choose: Callable[[range], Iterable[int]] = lambda numbers: numbers
) -> tuple[int, list[str]]:
    """From each change on nothing more can be written, as far as Python knows. Tries and problems."""
    prepare(bench, case)
    seen = _Seen(bench, case)
    tries, problems = 0, []
    for number in choose(range(1, seen.changes + 1, case.every)):
        bench.bring(case.name)
        ended = bench.run(case.command, full_at=number)
        tries += 1
        problems += [f"{case.name}, full at {number}: {problem}" for problem in seen.wrong(ended)]
    return tries, problems


def full_by_size(bench: Bench, case: Case) -> tuple[int, list[str]]:
    """A disk with less and less room, down to none: also for what libraries write by themselves."""
    tries, problems = 0, []
    with mounted(bench.work):
        prepare(bench, case)
        seen = _Seen(bench, case)
        need = max(0, seen.bytes_after - seen.bytes_before)
        for room in sorted({0, 1, 2, 4, 8, *(need * part // 8 // PAGE for part in range(1, 9))}):
            remounted(bench.work, f"size={ROOM}")
            bench.bring(case.name)
            remounted(bench.work, f"size={max(PAGE, _used(bench.work) + room * PAGE)}")  # 0 would be without limit
            ended = bench.run(case.command)
            remounted(bench.work, f"size={ROOM}")
            tries += 1
            problems += [f"{case.name}, {room} pages free: {problem}" for problem in seen.wrong(ended)]
    return tries, problems


def read_only(bench: Bench, case: Case) -> list[str]:
    """A file system that cannot be written: nothing is changed, and one sentence says so."""
    with mounted(bench.work):
        prepare(bench, case)
        seen = _Seen(bench, case)
        bench.bring(case.name)
        remounted(bench.work, "ro")
        ended = bench.run(case.command)
        remounted(bench.work, "rw")
        problems = seen.wrong(ended)
        if ended.code == 0 and seen.changes:
            problems.append("it ends as if it had written")
    return [f"{case.name}, read-only: {problem}" for problem in problems]


def onto_a_mount_point(bench: Bench, case: Case) -> list[str]:
    """A run's folder that is a mount point, as in a container: refused before anything is computed."""
    bench.clear()
    with mounted(bench.work / "run"):
        ended = bench.run(case.command)
        problems = [ended.told()] if ended.told() else []
        if "is a mount point, which a run cannot replace" not in ended.err:
            problems.append(f"nobody is told: {ended.err.strip()[-300:]}")
        return problems + [f"left {name}" for name in tree(bench.work) if name not in ("run", "tmp")]


def read_only_cache(bench: Bench, case: Case, *, warm: bool) -> list[str]:
    """A shared cache: with all in it the numbers are the same, and else one sentence."""
    with mounted(bench.work / "cache"):
        ended = bench.run(case.command)
        assert ended.code == 0, ended
        expected = outcome(bench, case)
        if not warm:
            shutil.rmtree(bench.work / "cache", ignore_errors=True)
        remounted(bench.work / "cache", "ro")
        ended = bench.run(case.command)
        problems = [ended.told()] if ended.told() else []
        if warm and ended.code:
            problems.append(f"it is refused: {ended.err.strip()[-300:]}")
        if not warm and not ended.code:
            problems.append("it ends as if it had kept something")
        if outcome(bench, case) != expected:
            problems.append("other numbers")
    return [f"{case.name}, read-only cache: {problem}" for problem in problems]


def _used(folder: Path) -> int:
    about = os.statvfs(folder)
    return (about.f_blocks - about.f_bfree) * about.f_frsize


class _Seen:
    """What the folder holds before the command and after it."""

    def __init__(self, bench: Bench, case: Case) -> None:
        self.bench, self.case = bench, case
        self.before, self.files, self.bytes_before = outcome(bench, case), set(tree(bench.work)), _used(bench.work)
        ended = bench.run(case.command)
        assert ended.code == 0, ended
        self.changes = ended.changes
        self.after, self.bytes_after = outcome(bench, case), _used(bench.work)
        self.files |= set(tree(bench.work))

    def wrong(self, ended: Ended) -> list[str]:
        problems = [ended.told()] if ended.told() else []
        now = outcome(self.bench, self.case)
        for name, found, before, after in zip(self.case.results, now, self.before, self.after, strict=True):
            if found not in (before, after) and not name.startswith("cache"):
                problems.append(f"{name} is neither as it was nor as it is to be")
            if not ended.code and found != after:
                problems.append(f"{name} is not written, and nobody is told")
        left = sorted(set(tree(self.bench.work)) - self.files)
        # A download of known content goes on where it stopped.
        return problems + [f"left {name}" for name in left if not (name.endswith(".whl.part") and ended.code)]
