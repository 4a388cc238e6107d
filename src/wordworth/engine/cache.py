"""Keep computed and fetched data in one cache, keyed by a hash of all that the content depends on.

    CACHE/KIND/KEY/         an entry: its files, and their sha256 in SHA256SUMS
    CACHE/KIND/KEY/PART/    a part of an entry that grows, laid out like an entry

The key is a sha256. An entry is written under a temporary name and renamed, so a partial one never appears; one process
at a time makes it. Its checksums are verified whenever it is used; a damaged entry is counted and recomputed. Fetched
data is verified against the checksums that the catalog pins. With WORDWORTH_NO_CACHE a run keeps what it computes in a
temporary folder.
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
"""Numbers of a tensor that are hashed, and copied off a device, at once."""

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
    """Hash each object once while inside: a study takes the identity of a model at its start."""
    if _memo.get() is not None:
        yield
        return
    token = _memo.set(WeakKeyDictionary())
    try:
        yield
    finally:
        _memo.reset(token)


def hash_of(owner: Any, part_name: str, compute: Callable[[], str]) -> str:
    """Compute the hash of a part of an object, which may have changed; inside `hashed_once`, only once."""
    memo = _memo.get()
    if memo is None:
        return compute()
    hashes = memo.setdefault(owner, {})
    if part_name not in hashes:
        hashes[part_name] = compute()
    return hashes[part_name]


def _feed(digest: _Digest, value: Any) -> None:
    if isinstance(value, Mapping):
        digest.update(f"mapping {len(value)}\n".encode())
        for key in sorted(value):
            digest.update(f"{key}\n".encode())
            _feed(digest, value[key])
    elif is_dataclass(value):
        _feed(digest, {member.name: getattr(value, member.name) for member in fields(value)})
    elif isinstance(value, list | tuple):
        digest.update(f"list {len(value)}\n".encode())
        if value and all(type(member) is str for member in value):  # at once: a vocabulary may have millions of words
            lines = json.dumps(value, ensure_ascii=False, separators=("\n", ":"))[1:-1]
            digest.update(f"{lines}\n".encode("utf-8", "surrogatepass"))
            return
        for member in value:
            _feed(digest, member)
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
"""Kinds that come over the network; the others can be recomputed."""
MODEL_KINDS = ("aggregates", "inferences", "predictions", "vectors")
"""Kinds that depend on a model's weights."""
CHECKSUMS_FILE = "SHA256SUMS"
NO_CACHE = "WORDWORTH_NO_CACHE"
_OFF_VALUES = ("", "0", "false", "no", "off")

Make = Callable[[Path], object]
"""Fills a folder."""

_damage_counts: Counter[str] = Counter()
_training_folders: list[Path] = []
"""Temporary folders for the entries of models in training; the last one is in use."""


def count_damaged() -> dict[str, int]:
    """Count by kind the damaged entries that this process removed."""
    return dict(sorted(_damage_counts.items()))


def kind_folder(kind: str) -> Path:
    """Return the folder of a kind: in the cache, or with WORDWORTH_NO_CACHE in a temporary folder."""
    if _training_folders and kind in MODEL_KINDS:
        return _training_folders[-1] / kind
    return (cache_dir() if kind in FETCHED_KINDS else _choose_folder()) / kind


def _choose_folder() -> Path:
    folder = os.environ.get(NO_CACHE, "")
    if folder.lower() in _OFF_VALUES:
        return cache_dir()
    if not Path(folder).is_absolute():
        folder = tempfile.mkdtemp(prefix="wordworth-")
        # A worker inherits the variable, and so uses the folder of the process that started it.
        os.environ[NO_CACHE] = folder
        atexit.register(_remove_if_owner, folder, os.getpid())
    return Path(folder)


def _remove_if_owner(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # a forked worker inherits this too
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def forgotten() -> Iterator[None]:
    """Keep the entries of a model in a temporary folder while inside.

    This is for a model in training, whose weights do not occur again.
    """
    with tempfile.TemporaryDirectory(prefix="wordworth-") as folder:
        _training_folders.append(Path(folder))
        try:
            yield
        finally:
            _training_folders.pop()


def key_of(identity: object) -> str:
    """Return the sha256 of a JSON value; a sha256 is its own key."""
    if isinstance(identity, str) and len(identity) == 64 and not set(identity) - set("0123456789abcdef"):
        return identity
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class CacheSlot:
    """Locate an entry, or a part of an entry that grows."""

    kind: str
    path: Path
    pinned_checksums: Mapping[str, str] | None = None
    """File → sha256 where the catalog pins it; no SHA256SUMS is written then."""

    def part(self, name: str) -> "CacheSlot":
        """Return a part of this entry, which is made, verified and replaced separately."""
        return CacheSlot(self.kind, self.path / name)

    def parts(self) -> list["CacheSlot"]:
        """Return the existing parts."""
        if not self.path.is_dir():
            return []
        return [self.part(path.name) for path in sorted(self.path.iterdir()) if path.name[0] != "."]

    def is_intact(self) -> bool:
        """Return whether all files exist and have their checksums."""
        try:
            checksums = self.pinned_checksums or _read_checksums(self.path)
            return all(sha256_of(self.path / name) == checksum for name, checksum in checksums.items())
        except (OSError, ValueError):
            return False

    def is_usable(self) -> bool:
        """Return whether the entry can be used, and set its time: `prune` removes the oldest entries."""
        if not self.is_intact():
            return False
        with suppress(OSError):  # a cache that is shared and cannot be written
            os.utime(self.path)
        return True

    def check_or_remove(self) -> bool:
        """Return whether the entry can be used; remove and count a damaged one. The caller holds the entry's lock."""
        if self.is_usable():
            return True
        if self.path.exists():
            _damage_counts[self.kind] += 1
            with space_checked(self.path.parent):
                shutil.rmtree(self.path)
        return False

    def write(self, make: Make) -> None:
        """Fill the entry, and replace an existing one in one step. The caller holds the entry's lock."""
        with replacing(self.path, overwrite=True) as folder:
            folder.mkdir()
            make(folder)
            if self.pinned_checksums is None:
                lines = [f"{sha256_of(path)}  {path.relative_to(folder)}\n" for path in _files(folder)]
                (folder / CHECKSUMS_FILE).write_text("".join(lines), encoding="utf-8")

    def claim(self, *, wait: bool = True) -> ExitStack | None:
        """Lock the entry to make it; return None if it exists, raise filelock's `Timeout` if another process has it.

        The content can then be computed together with that of other entries before it is written.
        """
        if self.is_usable():
            return None
        with ExitStack() as lock:
            lock.enter_context(hold_lock(self.path, wait=wait))
            return None if self.check_or_remove() else lock.pop_all()

    def get(self, make: Make) -> Path:
        """Return the entry's folder; make it first if it is missing or damaged. Only one process makes it."""
        lock = self.claim()
        if lock:
            with lock:
                self.write(make)
        return self.path


def slot(kind: CacheKind, identity: object, pinned_checksums: Mapping[str, str] | None = None) -> CacheSlot:
    """Return the place of an entry whose content depends only on its kind and `identity` (any JSON value)."""
    return CacheSlot(kind, kind_folder(kind) / key_of(identity), pinned_checksums)


def entry(kind: CacheKind, identity: object, make: Make) -> Path:
    """Return the folder of an entry; `make(folder)` fills it if it is missing or damaged."""
    return slot(kind, identity).get(make)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _read_checksums(folder: Path) -> dict[str, str]:
    """Return file → sha256 of an entry; raise ValueError if the list and the files differ."""
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
    """Hold an entry, the item that it is computed from, and its share of the work."""

    slot: CacheSlot
    item: Item
    amount: float


@dataclass(frozen=True)
class Filling(Generic[Item, Result]):
    """Compute items with a stream function, and write each result as an entry."""

    stream: Stream[Any, Item, Result]
    write: Callable[[Result, Path], object]
    """Write a result into the folder of its entry."""
    task: str
    """The work in words, for messages."""
    writers: int = 0
    """Threads that write in the background; with 0, each result is written before the next is computed."""

    def fill(self, model: Any, parts: Iterable[WorkPart[Item]], advance: Callable[[float], None] | None = None) -> None:
        """Make the missing entries in order; call `advance(n)` when an entry exists."""
        report_progress = advance or (lambda _: None)
        busy_pieces = self._fill(model, parts, report_progress, wait=False)
        self._fill(model, busy_pieces, report_progress, wait=True)

    def _fill(
        self, model: Any, pieces: Iterable[WorkPart[Item]], advance: Callable[[float], None], *, wait: bool
    ) -> list[WorkPart[Item]]:
        """Make the missing entries; return the pieces that another process is making."""
        claims: deque[tuple[WorkPart[Item], ExitStack]] = deque()
        writing: deque[tuple[Future[None], WorkPart[Item], ExitStack]] = deque()
        busy_pieces: list[WorkPart[Item]] = []

        def missing() -> Iterator[Item]:
            for piece in pieces:
                try:
                    lock = piece.slot.claim(wait=wait)
                except Timeout:
                    busy_pieces.append(piece)
                    continue
                if lock is None:
                    advance(piece.amount)
                else:
                    claims.append((piece, lock))
                    yield piece.item

        def write(piece: WorkPart[Item], lock: ExitStack, result: Result) -> None:
            with lock:
                piece.slot.write(partial(self.write, result))

        def finish(max_pending: int) -> None:
            """Wait until at most `max_pending` results are being written."""
            while len(writing) > max_pending:
                writing[0][0].result()
                advance(writing.popleft()[1].amount)

        with ThreadPoolExecutor(max(1, self.writers)) as pool:
            try:
                for result in current().map(self.stream, model, missing(), self.task):
                    piece, lock = claims.popleft()
                    writing.append((pool.submit(write, piece, lock, result), piece, lock))
                    finish(2 * self.writers)
                finish(0)
            finally:
                for future, _, lock in writing:
                    if future.cancel():
                        lock.close()
                for _, lock in claims:
                    lock.close()
        return busy_pieces
