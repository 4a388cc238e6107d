"""Ctrl-C at work: what is kept of it, and that the same command goes on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


def in_cache() -> str:
    """What this process left in the cache, in a sentence."""
    from wordworth.engine.cache import is_kept, written

    if not is_kept():
        return "Nothing is kept with --no-cache; the same command begins anew."
    kinds = written()
    if not kinds:
        return "Nothing was finished that is kept; the same command begins again."
    listed = ", ".join(f"{count:,} of {kind}" for kind, count in kinds.items())
    count = sum(kinds.values())
    entries = "1 entry" if count == 1 else f"{count:,} entries"
    return f"Kept in the cache: {entries} ({listed}); the same command goes on from there."


@contextmanager
def telling(kept: Callable[[], str] = in_cache) -> Iterator[None]:
    """Says, where the work inside is interrupted, what is kept of it."""
    # Before the work: an import that is broken off half-way cannot be begun again in the same process.
    import wordworth.engine.cache  # noqa: F401
    from wordworth.cli import display

    try:
        yield
    except KeyboardInterrupt:
        display.notice(f"Broken off. {kept()}")
        raise
