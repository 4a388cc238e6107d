"""One keyed cache for everything that is kept, and the hash of content that keys it.

    CACHE/KIND/KEY/         an entry: its files, and their sha256 in SHA256SUMS
    CACHE/KIND/KEY/PART/    where an entry grows: its parts, each of them as above

The key is the sha256 of all that the content depends on. An entry is written under a temporary name and renamed, so it
appears whole or not at all; one process at a time makes it. Its files are measured whenever it is asked for; an entry
that was damaged, cut or robbed of a file is counted and made again. Fetched data is measured against the checksums that
the catalog pins. WORDWORTH_NO_CACHE gives a run a folder of its own for all that can be computed.
"""

import atexit
import hashlib
import json
import os
import shutil
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar, get_args
from weakref import WeakKeyDictionary

from filelock import Timeout

from wordworth.engine.engines import Stream, current
from wordworth.files import cache_dir, hold_lock, replacing, sha256_of, space_checked

HASH_BLOCK_NUMBERS = 1 << 26
"""Numbers of a tensor that are hashed at once; a tensor on a device is copied piece by piece."""

_memo: ContextVar[WeakKeyDictionary[Any, dict[str, str]] | None] = ContextVar("hashes", default=None)


class _Digest(Protocol):
    def update(self, data: Any, /) -> None: ...


def hash_content(*values: Any) -> str:
    """Return the sha256 over JSON values, numpy arrays and torch tensors, nested in lists, mappings or dataclasses."""
    digest = hashlib.sha256()
    for value in values:
        _feed(digest, value)
    return digest.hexdigest()


@contextmanager
def hashed_once() -> Iterator[None]:
    """While inside, hash each object once: a study takes the identity of a model at its start and keeps it."""
    if _memo.get() is not None:
        yield
        return
    token = _memo.set(WeakKeyDictionary())
    try:
        yield
    finally:
        _memo.reset(token)


def hash_of(owner: Any, what: str, compute: Callable[[], str]) -> str:
    """Return the hash of a part of an object: computed now, since it may have changed, unless `hashed_once` holds."""
    memo = _memo.get()
    if memo is None:
        return compute()
    hashes = memo.setdefault(owner, {})
    if what not in hashes:
        hashes[what] = compute()
    return hashes[what]


def _feed(digest: _Digest, value: Any) -> None:
    if isinstance(value, Mapping):
        digest.update(f"mapping {len(value)}\n".encode())
        for key in sorted(value):
            digest.update(f"{key}\n".encode())
            _feed(digest, value[key])
    elif is_dataclass(value):
        _feed(digest, {one.name: getattr(value, one.name) for one in fields(value)})
    elif isinstance(value, list | tuple):
        digest.update(f"list {len(value)}\n".encode())
        if value and all(type(one) is str for one in value):  # in one go: a vocabulary may have millions
            lines = json.dumps(value, ensure_ascii=False, separators=("\n", ":"))[1:-1]
            digest.update(f"{lines}\n".encode("utf-8", "surrogatepass"))
            return
        for one in value:
            _feed(digest, one)
    elif hasattr(value, "untyped_storage"):
        _feed_tensor(digest, value)
    elif hasattr(value, "dtype"):
        import numpy as np

        digest.update(f"array {value.dtype.str} {value.shape}\n".encode())
        digest.update(np.ascontiguousarray(value).data)
    else:
        digest.update(f"{json.dumps(value, ensure_ascii=False)}\n".encode("utf-8", "surrogatepass"))


def _feed_tensor(digest: _Digest, tensor: Any) -> None:
    import torch

    digest.update(f"tensor {tensor.dtype} {tuple(tensor.shape)}\n".encode())
    flat = tensor.detach().reshape(-1)
    for start in range(0, len(flat), HASH_BLOCK_NUMBERS):
        digest.update(flat[start : start + HASH_BLOCK_NUMBERS].cpu().contiguous().view(torch.uint8).numpy().data)


CacheKind = Literal[
    "aggregates",
    "archives",
    "contexts",
    "conversions",
    "corpora",
    "counts",
    "embeddings",
    "files",
    "inferences",
    "objects",
    "predictions",
    "trained",
    "vectors",
    "web",
]
CACHE_KINDS: tuple[str, ...] = get_args(CacheKind)
FETCHED_KINDS = ("archives", "files", "web")
"""What came over the network; all other kinds can be computed again."""
OF_A_MODEL = ("aggregates", "inferences", "predictions", "vectors")
"""What a model gave: of no use to anyone once its weights are other ones."""
CHECKSUMS_FILE = "SHA256SUMS"
NO_CACHE = "WORDWORTH_NO_CACHE"
_OFF = ("", "0", "false", "no", "off")

Make = Callable[[Path], object]
"""Fills the folder that it is given."""

_damage_counts: Counter[str] = Counter()
_apart: list[Path] = []
"""Where entries of a model lie for the moment, the last of these."""


def count_damaged() -> dict[str, int]:
    """Count by kind the entries that this process found damaged, and removed."""
    return dict(sorted(_damage_counts.items()))


def kind_folder(kind: str) -> Path:
    """Return the folder of a kind: in the cache, or with WORDWORTH_NO_CACHE in one that is removed with the run."""
    if _apart and kind in OF_A_MODEL:
        return _apart[-1] / kind
    return (cache_dir() if kind in FETCHED_KINDS else _choose_folder()) / kind


def _choose_folder() -> Path:
    chosen = os.environ.get(NO_CACHE, "")
    if chosen.lower() in _OFF:
        return cache_dir()
    if not Path(chosen).is_absolute():
        chosen = tempfile.mkdtemp(prefix="wordworth-")
        # A worker inherits the variable, and so uses the folder of the process that started it.
        os.environ[NO_CACHE] = chosen
        atexit.register(_remove_if_owner, chosen, os.getpid())
    return Path(chosen)


def _remove_if_owner(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # a forked worker inherits this too
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def forgotten() -> Iterator[None]:
    """Keep what a model gives in a folder of its own while inside, and remove it at the end.

    This is for a model in training, whose weights nobody will have again.
    """
    with tempfile.TemporaryDirectory(prefix="wordworth-") as folder:
        _apart.append(Path(folder))
        try:
            yield
        finally:
            _apart.pop()


def key_of(identity: object) -> str:
    """Return the sha256 of what can be written as JSON; a sha256 is its own key."""
    if isinstance(identity, str) and len(identity) == 64 and not set(identity) - set("0123456789abcdef"):
        return identity
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class CacheSlot:
    """The place of one entry, or of one part of an entry that grows."""

    kind: str
    path: Path
    pinned: Mapping[str, str] | None = None
    """File → sha256 where that is known beforehand; no SHA256SUMS is written then."""

    def part(self, name: str) -> "CacheSlot":
        """Return a part of this entry, which is made, measured and replaced by itself."""
        return CacheSlot(self.kind, self.path / name)

    def parts(self) -> list["CacheSlot"]:
        """Return the parts that are there."""
        if not self.path.is_dir():
            return []
        return [self.part(path.name) for path in sorted(self.path.iterdir()) if path.name[0] != "."]

    def is_intact(self) -> bool:
        """Return whether all files are there and as they were written."""
        try:
            sums = self.pinned or _sums_in(self.path)
            return all(sha256_of(self.path / name) == checksum for name, checksum in sums.items())
        except (OSError, ValueError):
            return False

    def sound(self) -> bool:
        """Return whether the entry can be used, and note that it was: `prune` removes what was not used for longest."""
        if not self.is_intact():
            return False
        with suppress(OSError):  # a cache that is shared and cannot be written
            os.utime(self.path)
        return True

    def whole(self) -> bool:
        """Return whether the entry can be used; remove and count a damaged one. Call it under the entry's lock."""
        if self.sound():
            return True
        if self.path.exists():
            _damage_counts[self.kind] += 1
            with space_checked(self.path.parent):
                shutil.rmtree(self.path)
        return False

    def write(self, make: Make) -> None:
        """Fill the entry in one step, and replace what is there. Call it under the entry's lock."""
        with replacing(self.path, overwrite=True) as folder:
            folder.mkdir()
            make(folder)
            if self.pinned is None:
                lines = [f"{sha256_of(path)}  {path.relative_to(folder)}\n" for path in _files(folder)]
                (folder / CHECKSUMS_FILE).write_text("".join(lines), encoding="utf-8")

    def claim(self, *, wait: bool = True) -> ExitStack | None:
        """Lock the entry to make it; None where it is there. filelock's `Timeout` where another process has it.

        So the content may be computed for a while, with that of other entries, before it is written.
        """
        if self.sound():
            return None
        with ExitStack() as lock:
            lock.enter_context(hold_lock(self.path, wait=wait))
            return None if self.whole() else lock.pop_all()

    def get(self, make: Make) -> Path:
        """Return the entry's folder, made first where it is missing or damaged. Of several processes one makes it."""
        lock = self.claim()
        if lock:
            with lock:
                self.write(make)
        return self.path


def slot(kind: CacheKind, identity: object, pinned: Mapping[str, str] | None = None) -> CacheSlot:
    """Return the place of an entry whose content depends only on its kind and `identity` (any JSON value)."""
    return CacheSlot(kind, kind_folder(kind) / key_of(identity), pinned)


def entry(kind: CacheKind, identity: object, make: Make) -> Path:
    """Return the folder of an entry; `make(folder)` fills it where it is not there yet, or damaged."""
    return slot(kind, identity).get(make)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _sums_in(folder: Path) -> dict[str, str]:
    """Return file → sha256 of an entry. ValueError where the list is not that of the files that are there."""
    lines = (folder / CHECKSUMS_FILE).read_text(encoding="utf-8").splitlines()
    sums = {name: checksum for checksum, _, name in (line.partition("  ") for line in lines)}
    present = {str(path.relative_to(folder)) for path in _files(folder)}
    if not sums or present - {CHECKSUMS_FILE} != set(sums):
        raise ValueError(f"{folder / CHECKSUMS_FILE} lists other files than there are")
    return sums


Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class WorkPart(Generic[Item]):
    """An entry, the item that it is computed from, and how much of the work it is."""

    slot: CacheSlot
    item: Item
    amount: float


@dataclass(frozen=True)
class Filling(Generic[Item, Result]):
    """How items become entries."""

    stream: Stream[Any, Item, Result]
    write: Callable[[Result, Path], object]
    """Writes a result into the folder of its entry."""
    what: str
    """What is done, for messages."""
    writers: int = 0
    """Threads that write behind the engine; without any, each is written before the next result is taken."""

    def fill(self, model: Any, parts: Iterable[WorkPart[Item]], advance: Callable[[float], None] | None = None) -> None:
        """Make the entries that are not there, in their order; `advance(n)` is called for each when it is there."""
        tell = advance or (lambda _: None)
        busy = self._fill(model, parts, tell, wait=False)
        self._fill(model, busy, tell, wait=True)

    def _fill(
        self, model: Any, parts: Iterable[WorkPart[Item]], advance: Callable[[float], None], *, wait: bool
    ) -> list[WorkPart[Item]]:
        """Yield those that another process is at work on."""
        claims: deque[tuple[WorkPart[Item], ExitStack]] = deque()
        writing: deque[tuple[Future[None], WorkPart[Item], ExitStack]] = deque()
        busy: list[WorkPart[Item]] = []

        def missing() -> Iterator[Item]:
            for part in parts:
                try:
                    lock = part.slot.claim(wait=wait)
                except Timeout:
                    busy.append(part)
                    continue
                if lock is None:
                    advance(part.amount)
                else:
                    claims.append((part, lock))
                    yield part.item

        def write(part: WorkPart[Item], lock: ExitStack, result: Result) -> None:
            with lock:
                part.slot.write(partial(self.write, result))

        def finish(most: int) -> None:
            """Wait until no more than so many are being written."""
            while len(writing) > most:
                writing[0][0].result()
                advance(writing.popleft()[1].amount)

        with ThreadPoolExecutor(max(1, self.writers)) as pool:
            try:
                for result in current().map(self.stream, model, missing(), self.what):
                    part, lock = claims.popleft()
                    writing.append((pool.submit(write, part, lock, result), part, lock))
                    finish(2 * self.writers)
                finish(0)
            finally:
                for future, _, lock in writing:
                    if future.cancel():
                        lock.close()
                for _, lock in claims:
                    lock.close()
        return busy
