"""Entries written by threads behind the one who computes them."""

import threading
from pathlib import Path

import pytest

from wordworth.engine import cache
from wordworth.engine.cache import Claim
from wordworth.engine.write_behind import WriteBehind
from wordworth.errors import WordworthError


def claimed(number: int) -> Claim:
    claim = cache.slot("vectors", "x").part(str(number)).claim()
    assert claim is not None
    return claim


def files() -> list[str]:
    """What is in the folder, locks and scratch folders too."""
    return sorted(path.name for path in cache.slot("vectors", "x").path.iterdir())


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_all_is_written_and_told_in_order(threads: int) -> None:
    told: list[int] = []
    with WriteBehind(threads) as behind:
        for number in range(12):
            text = str(number)
            make = lambda folder, text=text: (folder / "content").write_text(text)  # noqa: E731
            behind.write(claimed(number), make, lambda number=number: told.append(number))  # type: ignore[misc]
    assert told == list(range(12))
    assert files() == sorted(map(str, range(12)))
    for number in range(12):
        part = cache.slot("vectors", "x").part(str(number))
        assert part.sound()
        assert (part.path / "content").read_text() == str(number)


def test_few_wait() -> None:
    """With one thread that is held up, two more are taken, and then the writer waits."""
    go, begun = threading.Event(), threading.Event()
    told: list[int] = []

    def slow(folder: Path) -> None:
        begun.set()
        go.wait(20)
        (folder / "content").write_text("x")

    def write(behind: WriteBehind, number: int) -> None:
        behind.write(claimed(number), slow, lambda: told.append(number))

    with WriteBehind(1) as behind:
        write(behind, 0)
        write(behind, 1)
        assert begun.wait(20)
        assert told == []
        threading.Timer(0.2, go.set).start()
        write(behind, 2)
        assert told[:1] == [0], "the third may not wait beside two others"
    assert told == [0, 1, 2]


@pytest.mark.parametrize("threads", [0, 2])
def test_an_error_leaves_nothing_locked(threads: int) -> None:
    def fails(folder: Path) -> None:
        raise WordworthError("no space left")

    told: list[int] = []

    def write() -> None:
        with WriteBehind(threads) as behind:
            for number in range(20):
                behind.write(claimed(number), fails, lambda: told.append(1))

    with pytest.raises(WordworthError, match="no space left"):
        write()
    assert not told
    assert files() == []


@pytest.mark.parametrize("threads", [0, 2])
def test_an_error_of_the_one_who_computes(threads: int) -> None:
    """What was begun is whole, what was not is given up, and nothing is locked."""

    def interrupted() -> None:
        with WriteBehind(threads) as behind:
            for number in range(4):
                behind.write(claimed(number), lambda folder: (folder / "content").write_text("x"), lambda: None)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    there = files()
    assert not [name for name in there if name.startswith(".")]
    for name in there:
        assert cache.slot("vectors", "x").part(name).sound()
