"""Entries of the cache written behind the one who computes them: files and checksums need Python only now and then."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from wordworth.engine.cache import Claim, Make


class WriteBehind:
    """Writes in some threads, with as many more waiting at the most; without threads, at once.

    What was claimed is released by the thread that claimed it, as locks demand. At the end all is written; where an
    error ends it, what has not begun is given up.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads else None
        self._waiting: deque[tuple[Future[None], Claim, Callable[[], object]]] = deque()

    def __enter__(self) -> "WriteBehind":
        return self

    def write(self, claim: Claim, make: Make, then: Callable[[], object]) -> None:
        """Fills the claimed entry, and calls `then` when it is there, in the order of the entries."""
        if self._pool is None:
            claim.write(make)
            then()
            return
        self._waiting.append((self._pool.submit(claim.slot.write, make), claim, then))
        while self._waiting and (len(self._waiting) > 2 * self._threads or self._waiting[0][0].done()):
            self._finish()

    def _finish(self) -> None:
        written, claim, then = self._waiting.popleft()
        try:
            written.result()
        finally:
            claim.release()
        then()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            while self._waiting and error is None:
                self._finish()
        finally:
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)
            for _, claim, _ in self._waiting:
                claim.release()
