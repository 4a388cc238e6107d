"""The one keyed cache: whole or not at all, measured on reading, made again when damaged, and counted."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import Timeout

from wordworth.engine import cache
from wordworth.errors import WordworthError


@pytest.fixture(autouse=True)
def _fresh() -> None:
    """As in a new process."""
    cache._damage_counts.clear()


class Maker:
    """Fills an entry, and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, folder: Path) -> None:
        self.calls += 1
        (folder / "a.txt").write_text("first")
        (folder / "deep").mkdir()
        (folder / "deep" / "b.bin").write_bytes(bytes(range(256)))


@pytest.fixture
def make() -> Maker:
    return Maker()


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_entry_is_made_once_with_checksums(make: Maker) -> None:
    folder = cache.entry("counts", ["text", 1, None], make)
    assert cache.entry("counts", ["text", 1, None], make) == folder
    assert make.calls == 1
    assert (folder.parent.name, len(folder.name)) == ("counts", 64)
    # sha256 of "first" as `sha256sum` prints it
    first = "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e"
    assert (folder / cache.CHECKSUMS_FILE).read_text().splitlines()[0] == f"{first}  a.txt"
    assert cache.count_damaged() == {}
    assert _names(folder.parent) == [f".{folder.name}.lock", folder.name]  # no temporary folder


def test_other_identities_have_other_keys(make: Maker) -> None:
    identities: list[object] = ["a", ["a"], {"a": 1}, {"a": 2}, {"a": 1, "b": None}, ["a", 1.5]]
    assert len({cache.key_of(identity) for identity in identities}) == len(identities)
    assert cache.key_of({"a": 1, "b": 2}) == cache.key_of({"b": 2, "a": 1})
    assert cache.key_of("f" * 64) == "f" * 64


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("harm", [cut, flip, remove])
@pytest.mark.parametrize("name", ["a.txt", "deep/b.bin", cache.CHECKSUMS_FILE])
def test_a_damaged_entry_is_made_again_and_counted(make: Maker, harm: Callable[[Path], None], name: str) -> None:
    folder = cache.entry("vectors", "x", make)
    harm(folder / name)
    assert cache.entry("vectors", "x", make) == folder
    assert make.calls == 2
    assert cache.count_damaged() == {"vectors": 1}
    assert (folder / "deep" / "b.bin").read_bytes() == bytes(range(256))
    cache.entry("vectors", "x", make)
    assert make.calls == 2


def test_a_list_that_lost_a_line_is_not_trusted(make: Maker) -> None:
    folder = cache.entry("vectors", "x", make)
    sums = folder / cache.CHECKSUMS_FILE
    sums.write_text(sums.read_text().splitlines(keepends=True)[0])
    cache.entry("vectors", "x", make)
    assert make.calls == 2


def test_an_error_leaves_nothing() -> None:
    def fails(folder: Path) -> None:
        (folder / "half").write_text("half")
        raise WordworthError("no more")

    with pytest.raises(WordworthError, match="no more"):
        cache.entry("counts", "x", fails)
    assert _names(cache.kind_folder("counts")) == [f".{cache.key_of('x')}.lock"]


def test_parts_are_checked_one_by_one(make: Maker) -> None:
    growing = cache.slot("vectors", "x")
    for number in range(3):
        growing.part(f"{number:05d}").get(make)
    assert [part.path.name for part in growing.parts()] == ["00000", "00001", "00002"]
    flip(growing.path / "00001" / "a.txt")
    for number in range(3):
        growing.part(f"{number:05d}").get(make)
    assert make.calls == 4
    assert cache.count_damaged() == {"vectors": 1}
    assert cache.slot("vectors", "other").parts() == []


def test_pinned_sums_are_the_ones_that_count(make: Maker) -> None:
    content = b"abc"  # FIPS 180-2, example 1
    pins = {"a": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
    pinned = cache.slot("files", "x", pins)
    folder = pinned.get(lambda folder: (folder / "a").write_bytes(content))
    assert [path.name for path in folder.iterdir()] == ["a"]
    assert pinned.is_usable()
    (folder / "a").write_bytes(b"abd")
    assert not pinned.check_or_remove()
    assert cache.count_damaged() == {"files": 1}


def test_an_entry_of_another_process_is_left_to_it(make: Maker) -> None:
    waiting = cache.slot("vectors", "x")
    lock = waiting.claim()
    assert lock is not None
    with lock, pytest.raises(Timeout):
        waiting.claim(wait=False)
    waiting.get(make)
    assert waiting.claim(wait=False) is None, "it is there"


RUN = """
from pathlib import Path
from wordworth.engine import cache
folder = cache.entry("counts", "x", lambda folder: (folder / "a").write_text("a"))
print(folder, cache.kind_folder("files"), folder.is_dir())
"""


def test_without_a_cache_nothing_outlives_the_process(tmp_path: Path) -> None:
    for value, inside in (("1", False), ("0", True)):
        around = {**os.environ, cache.NO_CACHE: value}
        output = subprocess.run([sys.executable, "-c", RUN], env=around, capture_output=True, text=True, check=True)
        folder, files, there = output.stdout.split()
        assert there == "True"
        assert Path(folder).is_relative_to(tmp_path) == inside
        assert Path(folder).exists() == inside
        assert Path(files) == tmp_path / "cache" / "files"


def test_entries_of_a_model_in_training_are_forgotten(make: Maker) -> None:
    with cache.forgotten():
        folder = cache.entry("vectors", "x", make)
        assert folder.is_dir()
    assert not folder.exists()
    assert cache.entry("vectors", "x", make).is_relative_to(cache.cache_dir())
