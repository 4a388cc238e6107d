"""Cases with names: what an earlier campaign found, made from a target's valid bytes."""

import io
import json
import tarfile
from collections.abc import Callable
from typing import Any

from fuzz.mutations import DEEP, DIGITS
from fuzz.options import REFUSED, joined

Case = Callable[[bytes], bytes]

DEEP_JSON: dict[str, Case] = {
    "lists 100,000 deep": lambda data: b"[" * DEEP,
    "tables 100,000 deep": lambda data: b'{"a":' * DEEP,
    "an integer of 5,000 digits": lambda data: b'{"text": ' + b"9" * DIGITS + b"}",
}
DEEP_TOML: dict[str, Case] = {
    "lists 100,000 deep": lambda data: data + b"\nx = " + b"[" * DEEP,
    "tables 100,000 deep": lambda data: data + b"\nx = " + b"{a=" * DEEP,
    "a key 100,000 deep": lambda data: data + b"\n" + b"a." * DEEP + b"a = 1",
    "an integer of 5,000 digits": lambda data: data + b"\nseed = " + b"9" * DIGITS,
}
HUGE_NPY: dict[str, Case] = {
    "a shape of 2^62 rows": lambda data: data.replace(b"(8, 5), }", b"(4611686018427387904, 5), }"),
    "a shape of 20 digits": lambda data: data.replace(b"(8, 5), }", b"(99999999999999999999, 5), }"),
    "a negative shape": lambda data: data.replace(b"(8, 5), }", b"(-8, -5), }"),
    "Python objects": lambda data: data.replace(b"<f4", b"|O8"),
}
HUGE_TENSORS: dict[str, Case] = {
    "a header of 2^63 bytes": lambda data: (2**63).to_bytes(8, "little") + data[8:],
    "a header 100,000 deep": lambda data: (6 * DEEP).to_bytes(8, "little") + b'{"a":' * DEEP + data,
    "nothing but a size": lambda data: data[:8],
}
HUGE_PICKLE: dict[str, Case] = {
    "10 bytes that ask for 2 GB": lambda data: b"\x80\x02]r\xff\xff\xff\x07.",
    "bytes of 2^40": lambda data: b"\x80\x04\x8e" + (2**40).to_bytes(8, "little") + b".",
    "marks 100,000 deep": lambda data: b"\x80\x04" + b"(" * DEEP + b".",
    "tuples 100,000 deep": lambda data: b"\x80\x04)" + b"\x85" * DEEP + b".",
}
HUGE_GGUF: dict[str, Case] = {
    "2^62 tensors": lambda data: data[:8] + (2**62).to_bytes(8, "little") + data[16:],
    "2^62 keys": lambda data: data[:16] + (2**62).to_bytes(8, "little") + data[24:],
    "2^31 keys": lambda data: data[:16] + (2**31).to_bytes(8, "little") + data[24:],
    "only a beginning": lambda data: data[:24],
}


def _with(**changes: object) -> Case:
    return lambda data: json.dumps(json.loads(data) | changes).encode()


def _linked(kind: bytes) -> Case:
    """The wanted file leads to itself."""

    def made(data: bytes) -> bytes:
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w") as archive:
            member = tarfile.TarInfo("data/words.txt")
            member.type, member.linkname = kind, "data/words.txt" if kind == tarfile.LNKTYPE else "words.txt"
            archive.addfile(member)
        return stream.getvalue()

    return made


def _encrypted(data: bytes) -> bytes:
    """The flag of encryption on every member, in front of it and in the index."""
    changed = bytearray(data)
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            changed[at + flags] |= 1
            at = data.find(mark, at + 4)
    return bytes(changed)


def _swollen(data: bytes) -> bytes:
    """Every member says that it is 4 GB large."""
    changed, at = bytearray(data), data.find(b"PK\x01\x02")
    while at >= 0:
        changed[at + 24 : at + 28] = b"\xfe\xff\xff\xff"
        at = data.find(b"PK\x01\x02", at + 4)
    return bytes(changed)


def _changed_hdf5(data: bytes, change: Callable[[Any], None]) -> bytes:
    import h5py

    stream = io.BytesIO(data)
    with h5py.File(stream, "a") as stored:
        change(stored)
    return stream.getvalue()


def _hollow(data: bytes) -> bytes:
    """An array without its content, which takes no room in the file."""

    def change(stored: Any) -> None:
        del stored["char_embed"]
        stored.create_dataset("char_embed", (2**20, 2**20), "f4", chunks=(1, 2**20), fillvalue=1)

    return _changed_hdf5(data, change)


def _elsewhere(data: bytes) -> bytes:
    """An array whose numbers lie in a file that never ends."""

    def change(stored: Any) -> None:
        del stored["char_embed"]
        stored.create_dataset("char_embed", (261, 2), "f4", external="/dev/zero")

    return _changed_hdf5(data, change)


HUGE_CONFIG: dict[str, Case] = {
    "a billion layers": _with(num_hidden_layers=10**9),
    "2^40 words": _with(vocab_size=2**40),
    "2^40 positions": _with(max_position_embeddings=2**40),
    "no heads": _with(num_attention_heads=0),
    "architectures of no text": _with(architectures=[{"a": 1}]),
    "labels in a list": _with(id2label=["entailment"]),
    **DEEP_JSON,
}
HUGE_OPTIONS: dict[str, Case] = {
    "words of 2^40 characters": lambda data: data.replace(b": 12}", b": 1099511627776}"),
    "a billion layers": lambda data: data.replace(b'"n_layers": 1', b'"n_layers": 1000000000'),
    "filters wider than a word": lambda data: data.replace(b"[2, 3]", b"[200, 3]"),
    "no clipping but NaN": lambda data: data.replace(b'"cell_clip": 3', b'"cell_clip": NaN'),
    **DEEP_JSON,
}
CASES: dict[str, dict[str, Case]] = {
    "options": {said: lambda data, given=given: joined(given) for said, given in REFUSED.items()},
    "word2vec": {
        "26 bytes that say 10^9 numbers": lambda data: b"1000000 1000000000\nword 1.0",
        "15 digits of numbers": lambda data: b"1 999999999999999\n" + data,
        "15 digits of rows": lambda data: b"999999999999999 5\n" + data.partition(b"\n")[2],
    },
    "word2vec-binary": {"15 digits of numbers": lambda data: b"1 999999999999999\n" + data.partition(b"\n")[2]},
    "gz-inside": {"one line of 60 MB": lambda data: data + b"word " + b"1" * 60_000_000},
    "corpus-gz": {"nothing": lambda data: b""},
    "npy": HUGE_NPY,
    "npz-inside": HUGE_NPY,
    "safetensors": HUGE_TENSORS,
    "gensim": HUGE_PICKLE,
    "histwords": HUGE_PICKLE,
    "zip": {"encrypted": _encrypted},
    "lexicon": {"a cell of a million letters": lambda data: data + b"a" * 1_000_000 + b",1\n"},
    "test-toml": DEEP_TOML,
    "templates": DEEP_TOML,
    "config": {
        **DEEP_TOML,
        "JSON 100,000 deep": lambda data: b"[" * DEEP,
        "tables of JSON": lambda data: b'{"a":' * DEEP,
    },
    "test-json": DEEP_JSON,
    "corpus-jsonl": DEEP_JSON,
    "nli-jsonl": DEEP_JSON,
    "run.json": DEEP_JSON,
    "audit.json": DEEP_JSON,
    "archive-zip": {"encrypted": _encrypted},
    "archive-tar": {"linked to itself": _linked(tarfile.SYMTYPE), "hard-linked to itself": _linked(tarfile.LNKTYPE)},
    "model config.json": HUGE_CONFIG,
    "cross-encoder config.json": HUGE_CONFIG,
    "model tokenizer.json": DEEP_JSON,
    "model tokenizer_config.json": DEEP_JSON,
    "model model.safetensors": HUGE_TENSORS,
    "train-nli config.json": {
        "vectors of 2^40 numbers": lambda data: data.replace(b'"dim": 3', b'"dim": 1099511627776'),
        "a billion layers": lambda data: data.replace(b'"layers": 1', b'"layers": 1000000000'),
        **DEEP_JSON,
    },
    "train-nli model.safetensors": HUGE_TENSORS,
    "gguf": HUGE_GGUF,
    "elmo options.json": HUGE_OPTIONS,
    "elmo weights.hdf5": {
        "nothing": lambda data: b"",
        "an array of 2^40 numbers": _hollow,
        "an array in another file": _elsewhere,
    },
    "wordnet data.noun": {"2^64 words": lambda data: data.replace(b" n 02 dog", b" n ffffffffffffffff dog")},
    "wordnet index.noun": {"less than no sense": lambda data: data.replace(b"dog n 1", b"dog n -1")},
    "wordfreq-inside": {
        "lists 100,000 deep": lambda data: b"\x91" * DEEP,
        "tables 100,000 deep": lambda data: b"\x81" * DEEP,
        "a list of 2^32": lambda data: b"\xdd\xff\xff\xff\xff" + data,
        "a list of 200 MB": lambda data: b"\x00" * 200_000_000,
        "a word cut short": lambda data: data[:-2],
        "a bin of numbers": lambda data: data[:-4] + b"\x01",
    },
    "tagged": {"encrypted": _encrypted, "a text of 4 GB": _swollen},
}
