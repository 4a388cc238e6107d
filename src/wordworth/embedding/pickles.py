"""Pickles read without running anything in them.

A pickle names functions and calls them. Here the only names that mean anything are stand-ins written below, which keep
what they are given and do nothing; every other name is refused, and nothing is ever imported.
"""

import mmap
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wordworth.errors import WordworthError, reason_of

# What the unpickler raises for a stream that is cut or was never a pickle.
_BROKEN = (
    pickle.UnpicklingError,
    AttributeError,
    EOFError,
    IndexError,
    KeyError,
    MemoryError,
    OverflowError,
    TypeError,
    ValueError,
    struct.error,
)
_LONGEST_NUMBER = 8
"""Bytes of a whole number. Longer ones can be chosen to be alike as keys, so that a dictionary takes hours."""


class Inert:
    """Stands for an object of any class: keeps its state and does nothing."""

    state: dict[Any, Any]

    def __new__(cls, *_: object) -> "Inert":
        made = super().__new__(cls)
        made.state = {}
        return made

    def __setstate__(self, state: object) -> None:
        if isinstance(state, dict):
            self.state = state  # no copy, since one table could be given to a million objects

    def __setitem__(self, key: object, value: object) -> None:
        """What a container of an unknown kind holds is of no use here."""

    def append(self, item: object) -> None:
        """As `__setitem__`."""

    def extend(self, items: object) -> None:
        """As `append`."""


class Dtype:
    """Stands for a numpy dtype: its letter and byte order."""

    def __init__(self, code: str, *_: object) -> None:
        self.code = code
        self.order = "="

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = state[1]


class Encoded:
    """Stands for bytes that were written as text, until they are taken: one text could be asked for a million times."""

    def __init__(self, text: object, encoding: object) -> None:
        if not isinstance(text, str) or encoding != "latin1":
            raise ValueError("bytes in an encoding that is not latin1")
        self.text = text


class Array:
    """Stands for a numpy array until its bytes are taken with `numbers`."""

    shape: Any = ()
    dtype: object = None
    fortran: object = False
    data: object = b""

    def __init__(self, *_: object) -> None:
        """What numpy is called with before the state comes does not matter."""

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, self.shape, self.dtype, self.fortran, self.data = state

    def numbers(self) -> NDArray[np.floating]:
        """The array, when it is one of real numbers."""
        data = self.data.text if isinstance(self.data, Encoded) else self.data
        data = data.encode("latin1") if isinstance(data, str) else data  # str: written by Python 2
        kind = self.dtype.order + self.dtype.code if isinstance(self.dtype, Dtype) else ""
        if kind[1:] not in ("f2", "f4", "f8") or not isinstance(data, bytes | bytearray):
            raise ValueError("an array that is not one of real numbers")
        return np.frombuffer(data, dtype=np.dtype(kind)).reshape(self.shape, order="F" if self.fortran else "C")


def _frombuffer(data: object, dtype: Dtype, shape: tuple[int, ...], order: str) -> Array:
    array = Array()
    array.__setstate__((1, shape, dtype, order == "F", data))
    return array


def _stand_ins() -> dict[tuple[str, str], Callable[..., object]]:
    """The names that numpy arrays and plain containers need in a pickle. Made anew for each file: a pickle that sets
    attributes on what it is handed changes nothing for the next."""
    names: dict[tuple[str, str], Callable[..., object]] = {
        ("numpy", "ndarray"): Array,
        ("numpy", "dtype"): Dtype,
        ("_codecs", "encode"): Encoded,
        ("copyreg", "_reconstructor"): lambda cls, base, state: Inert(),
        ("copy_reg", "_reconstructor"): lambda cls, base, state: Inert(),
        ("collections", "defaultdict"): Inert,
        ("collections", "OrderedDict"): Inert,
    }
    for core in ("numpy.core", "numpy._core"):
        names[f"{core}.multiarray", "_reconstruct"] = lambda *_: Array()
        names[f"{core}.multiarray", "scalar"] = lambda *_: Inert()
        names[f"{core}.numeric", "_frombuffer"] = lambda *given: _frombuffer(*given)
    for builtins in ("builtins", "__builtin__"):
        names |= {(builtins, name): Inert for name in ("object", "int", "float", "hash", "set", "frozenset")}
    return names


class _Unpickler(pickle._Unpickler):
    """The unpickler in Python: that in C numbers what it keeps in an array, for which ten bytes can ask 2 GB.

    It reads mapped bytes, so that no step takes more memory than the file has bytes left, whatever size it names.
    """

    dispatch: ClassVar[dict[int, Callable[..., None]]] = dict(pickle._Unpickler.dispatch)

    def __init__(self, mapped: mmap.mmap, path: Path, encoding: str, inert: tuple[str, ...]) -> None:
        super().__init__(mapped, encoding=encoding)
        self._mapped = mapped
        self._path = path
        self._inert = inert
        self._names = _stand_ins() if inert else {}

    def load(self) -> Any:
        """As the library's, without its frames, which cost two calls a step; one step is one byte at least."""
        self.read, self.readline = self._mapped.read, self._mapped.readline
        self.metastack: list[list[Any]] = []
        self.stack: list[Any] = []
        self.append, self.proto = self.stack.append, 0
        next_byte, steps = self._mapped.read_byte, self.dispatch
        try:
            while True:
                steps[next_byte()](self)
        except pickle._Stop as end:  # type: ignore[attr-defined]
            return end.value

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in self._names:
            return self._names[module, name]
        if any(module == package or module.startswith(f"{package}.") for package in self._inert):
            return Inert
        raise WordworthError(
            f"{self._path} is a pickle that asks for {module}.{name}, which plain vectors have no use for; "
            "nothing in it was run; get the vectors as word2vec text or npz"
        )

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("a persistent id")

    def _frame(self) -> None:
        """The size of what follows at once: of no use, since all of it is at hand."""
        self.read(8)

    def _bytearray(self) -> None:
        self.append(self.read(int.from_bytes(self.read(8), "little")))

    def _number(self, width: int) -> None:
        size = int.from_bytes(self.read(width), "little")
        if size > _LONGEST_NUMBER:
            raise pickle.UnpicklingError(f"a whole number of {size:,} bytes")
        self.append(int.from_bytes(self.read(size), "little", signed=True))

    dispatch[pickle.FRAME[0]] = _frame
    dispatch[pickle.BYTEARRAY8[0]] = _bytearray
    dispatch[pickle.LONG1[0]] = lambda self: self._number(1)
    dispatch[pickle.LONG4[0]] = lambda self: self._number(4)


def unpickled(path: Path, *, encoding: str, inert: tuple[str, ...] = ()) -> object:
    """What a pickle holds. `inert`: packages whose objects become `Inert`; without any, only lists, strings and the
    like are admitted. `encoding` is that of strings written by Python 2."""
    with path.open("rb") as stream:
        try:
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped:  # ValueError where it is empty
                return _Unpickler(mapped, path, encoding, inert).load()
        except _BROKEN as error:
            reason = f"{type(error).__name__}: {reason_of(error)}"
            raise WordworthError(
                f"{path} is a cut or damaged pickle ({reason}); fetch or copy the file again"
            ) from error
