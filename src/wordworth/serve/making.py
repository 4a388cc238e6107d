"""Reports and comparisons are made in processes of their own, so that a run too large for memory ends one of those."""

import json
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

from wordworth.compare import compare, sides
from wordworth.compare.sides import models_of
from wordworth.errors import WordworthError
from wordworth.report import read_runs
from wordworth.report.figures.svg import can_draw
from wordworth.report.page import page
from wordworth.run import read_run
from wordworth.serve import pages

MEMORY = 4 << 30
"""Bytes that a page may take while it is made."""
SECONDS = 90.0
"""How long that may take, with the start of a process."""
AT_ONCE = 2
"""Pages that are made at the same time; others wait."""
MADE, REFUSED, GONE, TOO_LARGE = "made", "refused", "gone", "too large"


_idle: "list[_Maker]" = []
_turns = BoundedSemaphore(AT_ONCE)


def report(folder: Path, runs: Sequence[Path]) -> str:
    """The report over runs, as it would lie in a folder."""
    return _page(f"the report of {folder.name}", "report", folder=str(folder), runs=[*map(str, runs)])


def comparison(runs: Sequence[Path], places: tuple[str, str], models: tuple[str, str] | None) -> str:
    """The page of a comparison, or the one that asks which models are meant."""
    what = f"the comparison of {places[0]} and {places[1]}"
    return _page(what, "compare", runs=[*map(str, runs)], places=places, models=models)


def _page(what: str, kind: str, **question: Any) -> str:
    """A page by a process that was kept, or a new one; after a page that failed the process is ended."""
    with _turns:
        maker, keep = None, False
        with suppress(IndexError):
            maker = _idle.pop()
        if maker is None or not maker.process.is_alive():
            maker = _Maker(MEMORY)
        try:
            outcome, text, keep = maker.ask(json.dumps([kind, question]), SECONDS)
        finally:
            if keep:
                _idle.append(maker)
            else:
                maker.end()
    if outcome == GONE:
        raise FileNotFoundError(text)
    if outcome == TOO_LARGE:
        text = f"{what} takes more than {MEMORY >> 20:,} MB or {SECONDS:g} seconds; make it with `wordworth {kind}`"
    if outcome != MADE:
        raise WordworthError(text)
    return text


class _Maker:
    """One process, and the pipe to it."""

    def __init__(self, memory: int) -> None:
        context = get_context("spawn")  # a fork of a process that has threads may hang
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_work, args=(other, memory), daemon=True)
        self.process.start()
        other.close()

    def ask(self, question: str, seconds: float) -> tuple[str, str, bool]:
        """How it ended, the page or a sentence, and whether the process may be asked again."""
        try:
            self.pipe.send_bytes(question.encode())
            if not self.pipe.poll(seconds):
                return TOO_LARGE, "", False
            outcome, text, keep = json.loads(self.pipe.recv_bytes())
            return outcome, text, keep
        except (EOFError, ConnectionError):
            self.process.join()
            if (self.process.exitcode or 0) < 0:  # ended by a signal, as where memory cannot be had
                return TOO_LARGE, "", False
            raise RuntimeError("the process that makes pages failed; what it wrote stands above") from None

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _work(pipe: Connection, memory: int) -> None:
    """Makes a page for each question, until the server has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, and the server this
    can_draw()  # takes its addresses before they are limited
    size = _limit(memory)
    while True:
        try:
            kind, question = json.loads(pipe.recv_bytes())
        except EOFError:
            return
        try:
            answer = [MADE, _report(**question) if kind == "report" else _comparison(**question)]
        except WordworthError as error:
            answer = [REFUSED, str(error)]
        except FileNotFoundError as error:  # a run that was replaced or moved while it was being read
            answer = [GONE, str(error)]
        except MemoryError:
            answer = [TOO_LARGE, ""]
        keep = _size() - size < memory // 2  # what one page took must not be missing for the next
        pipe.send_bytes(json.dumps([*answer, keep]).encode())


def _limit(memory: int) -> int:
    """Lets this process grow by so many bytes and no more, where the system can; its size now."""
    size = _size()
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size + memory, size + memory))
    return size


def _size() -> int:
    """Bytes of addresses that this process has taken; 0 where the system does not say."""
    if sys.platform == "linux":
        import resource

        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    return 0


def _report(folder: str, runs: list[str]) -> str:
    return page(read_runs([Path(run) for run in runs]), Path(folder))


def _comparison(runs: list[str], places: tuple[str, str], models: tuple[str, str] | None) -> str:
    each = [read_run(Path(run)) for run in dict.fromkeys(runs)]
    known = models_of(each[0]), models_of(each[-1])
    if models is None and (max(map(len, known)) > 2 or (len(each) == 2 and max(map(len, known)) > 1)):
        return pages.choose_models(places, known)
    return pages.comparison(compare(*sides(each, models)), places)
