"""Seeded damage to the bytes of a valid file: the same seed makes the same damage, so that a finding is two words."""

import json
import random
import re
from typing import Any

DEEP = 100_000
DIGITS = 5_000
LONG = 2_000_000
_NUMBER = re.compile(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?")
_NUMBERS = (b"99999999999999999999", b"-1", b"0", b"4294967295", b"1e999", b"1e200", b"nan", b"-inf", b"9" * DIGITS)
_SIZES = (2**31 - 1, 2**32 - 1, 2**40, 2**62, 2**63 - 1, 2**64 - 1, 0)
_WRONG: tuple[Any, ...] = (None, -1, 10**30, 1e308, "", "x" * 3000, [], {}, [[]], {"": None}, True, "\ud800")
_OPEN = (b"[", b'{"a":', b"(", b"a=[", b"<page>", b"((", b"]")


def _place(data: bytes, rng: random.Random) -> int:
    """Beginnings and ends hold headers and indexes, so that every third place is in one of them."""
    near = rng.choice((0, 0, 0, 0, 1, 2))
    if near == 1:
        return rng.randint(0, min(200, len(data)))
    return rng.randint(max(0, len(data) - 200), len(data)) if near == 2 else rng.randint(0, len(data))


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = _place(data, rng)
    return start, min(len(data), start + rng.choice((1, 4, 16, 100, len(data) // 3 + 1)))


def _insert(data: bytes, at: int, piece: bytes) -> bytes:
    return data[:at] + piece + data[at:]


def flip(data: bytes, rng: random.Random) -> bytes:
    """One to eight bits."""
    changed = bytearray(data or b"\x00")
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        changed[min(_place(data, rng), len(changed) - 1)] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut(data: bytes, rng: random.Random) -> bytes:
    """The end is missing."""
    return data[: _place(data, rng)]


def remove(data: bytes, rng: random.Random) -> bytes:
    """A piece is missing."""
    start, stop = _span(data, rng)
    return data[:start] + data[stop:]


def repeat(data: bytes, rng: random.Random) -> bytes:
    """A piece stands twice, or many times."""
    start, stop = _span(data, rng)
    return _insert(data, stop, data[start:stop] * rng.choice((1, 1, 2, 200)))


def swap(data: bytes, rng: random.Random) -> bytes:
    """Two pieces change places."""
    (a, b), (c, d) = sorted((_span(data, rng), _span(data, rng)))
    c, d = max(b, c), max(b, d)
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def garbage(data: bytes, rng: random.Random) -> bytes:
    """Random bytes among the others, or instead of some."""
    start, stop = _span(data, rng)
    return data[:start] + rng.randbytes(rng.choice((1, 7, 64, 1000))) + data[rng.choice((start, stop)) :]


def number(data: bytes, rng: random.Random) -> bytes:
    """One number of a text becomes huge, negative or no number."""
    numbers = list(_NUMBER.finditer(data))
    if not numbers:
        return garbage(data, rng)
    match = rng.choice(numbers[:4] if rng.random() < 0.4 else numbers)
    return data[: match.start()] + rng.choice(_NUMBERS) + data[match.end() :]


def size(data: bytes, rng: random.Random) -> bytes:
    """Four or eight bytes become a huge size, of either byte order."""
    width = rng.choice((4, 8))
    at = min(_place(data, rng), max(0, len(data) - width)) // 4 * 4
    huge = rng.choice(_SIZES) % 2 ** (8 * width)
    return data[:at] + huge.to_bytes(width, rng.choice(("little", "little", "big"))) + data[at + width :]


def nest(data: bytes, rng: random.Random) -> bytes:
    """Nesting 100,000 deep."""
    at = rng.choice((0, _place(data, rng)))
    return _insert(data, at, rng.choice(_OPEN) * DEEP)


def nul(data: bytes, rng: random.Random) -> bytes:
    """NUL bytes."""
    return _insert(data, _place(data, rng), b"\x00" * rng.choice((1, 3, 5000)))


def long_line(data: bytes, rng: random.Random) -> bytes:
    """A line of two million characters."""
    return _insert(data, _place(data, rng), rng.choice((b"a", b"a ", b"1 ", b"\xc3\xa9", b'"', b",")) * (LONG // 2))


def line(data: bytes, rng: random.Random) -> bytes:
    """A line is gone, stands twice, or is empty."""
    lines = data.splitlines(keepends=True) or [b""]
    at = rng.randrange(len(lines))
    lines[at : at + 1] = rng.choice(([], [lines[at]] * 2, [b"\n"], [lines[at].strip()], [b" " + lines[at]]))
    return b"".join(lines)


def key(data: bytes, rng: random.Random) -> bytes:
    """A value somewhere in JSON (also in the header of safetensors) is gone or of another type."""
    start = 8 if data[8:9] == b"{" else 0
    try:
        table, end = json.JSONDecoder().raw_decode(data[start:].decode("latin-1"))
    except (ValueError, RecursionError):
        return number(data, rng)
    changed = json.dumps(_retype(table, rng)).encode()
    if not start:
        return changed
    return len(changed).to_bytes(8, "little") + changed + data[start + end :]


def _retype(value: Any, rng: random.Random) -> Any:
    inner = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    if not inner or rng.random() < 0.15:
        return rng.choice(_WRONG)
    chosen = rng.choice(inner)
    if rng.random() < 0.15:
        del value[chosen]
    else:
        value[chosen] = _retype(value[chosen], rng)
    return value


_OFTEN = [flip, flip, cut, remove, repeat, swap, garbage, number, number, size, size, key, key, key, line, nul]
_RARE = [nest, long_line]


def mutate(data: bytes, seed: int) -> tuple[str, bytes]:
    """The damage that a seed stands for: what was done, and the bytes."""
    rng = random.Random(seed)
    steps = rng.choice((1, 1, 1, 1, 2, 3))
    names = []
    for step in range(steps):
        mutation = rng.choice(_RARE if not step and seed % 16 == 15 else _OFTEN)
        names.append(mutation.__name__)
        data = mutation(data, rng)
    return "+".join(names), data
