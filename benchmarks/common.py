"""What every benchmark shares: timing, the peak of a process's memory, and the table it prints."""

import multiprocessing
import os
import platform
import resource
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from rich.console import Console
from rich.table import Table

T = TypeVar("T")


@dataclass(frozen=True)
class Result:
    """One line of the table."""

    what: str
    plain: float
    """Seconds the plain way takes, scaled to the whole task where only a sample was timed."""
    ours: float
    wanted: float
    """The ratio to reach."""
    bare: float | None = None
    """Seconds of the limit: a bare matrix product of the same sizes, or the bare network over the same tokens."""
    note: str = ""
    """What was sampled, and other figures."""
    bytes: bool = False
    """Whether memory is compared and not time."""


def best_of(times: int, call: Callable[[], T]) -> tuple[float, T]:
    """Seconds of the fastest of some calls, and what the last one gave."""
    fastest = float("inf")
    for _ in range(times):
        start = perf_counter()
        given = call()
        fastest = min(fastest, perf_counter() - start)
    return fastest, given


def in_fresh_process(call: Callable[[], T]) -> tuple[T, float]:
    """What a call gives in a process of its own, and that process's peak memory in bytes."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_with_peak, call).result()


def _with_peak(call: Callable[[], T]) -> tuple[T, float]:
    given = call()
    status = Path("/proc/self/status")
    if status.exists():  # getrusage on Linux also counts what the parent held before the child began
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return given, int(line.split()[1]) * 1024.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return given, peak * (1.0 if sys.platform == "darwin" else 1024.0)


def seconds(value: float) -> str:
    if value < 0.1:
        return f"{1000 * value:.3g} ms"
    return f"{value:.3g} s" if value < 1000 else f"{value:,.0f} s"


def _amount(value: float, result: Result) -> str:
    return f"{value / 2**20:,.0f} MiB" if result.bytes else seconds(value)


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}×" if ratio >= 10 else f"{ratio:.2f}×"


def print_machine() -> None:
    versions = []
    for package in ("numpy", "scipy", "torch", "transformers", "gensim"):
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"no {package}")
    Console().print(
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {', '.join(versions)}"
    )


def print_results(results: Iterable[Result]) -> bool:
    """Prints the table; true when every ratio is reached."""
    table = Table("benchmark", title_justify="left")
    for heading in ("plain way", "wordworth", "ratio", "wanted", "of the limit"):
        table.add_column(heading, justify="right")
    table.add_column("note")
    reached = True
    for result in results:
        ratio = result.plain / result.ours
        reached &= ratio >= result.wanted
        table.add_row(
            result.what,
            _amount(result.plain, result),
            _amount(result.ours, result),
            f"{'' if ratio >= result.wanted else '[red]'}{_times(ratio)}",
            f"≥ {_times(result.wanted)}",
            "" if result.bare is None else f"{result.bare / result.ours:.0%}",
            result.note,
        )
    Console().print(table)
    return reached
