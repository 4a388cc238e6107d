"""Cases with names: what an earlier search found, made from a target's valid bytes."""

import json
from collections.abc import Callable

from fuzz.mutations import DEEP, DIGITS

Case = Callable[[bytes], bytes]

DEEP_JSON: dict[str, Case] = {
    "lists 100,000 deep": lambda data: b"[" * DEEP,
    "tables 100,000 deep": lambda data: b'{"a":' * DEEP,
    "an integer of 5,000 digits": lambda data: b'{"text": ' + b"9" * DIGITS + b"}",
}
DEEP_TOML: dict[str, Case] = {
    "lists 100,000 deep": lambda data: data + b"\nx = " + b"[" * DEEP,
    "tables 100,000 deep": lambda data: data + b"\nx = " + b"{a=" * DEEP,
    "an integer of 5,000 digits": lambda data: data + b"\nseed = " + b"9" * DIGITS,
}
HUGE_NPY: dict[str, Case] = {
    "a shape of 2^62 rows": lambda data: data.replace(b"(8, 5), }", b"(4611686018427387904, 5), }"),
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


def _with(section: str = "", **changes: object) -> Case:
    """Other values in JSON, or in one of its tables."""

    def change(data: bytes) -> bytes:
        table = json.loads(data)
        (table[section] if section else table).update(changes)
        return json.dumps(table).encode()

    return change


HUGE_CONFIG: dict[str, Case] = {
    "a billion layers": _with(num_hidden_layers=10**9),
    "2^40 words": _with(vocab_size=2**40),
    "2^40 positions": _with(max_position_embeddings=2**40),
    "no heads": _with(num_attention_heads=0),
    "architectures of no text": _with(architectures=[{"a": 1}]),
    "labels in a list": _with(id2label=["entailment"]),
    **DEEP_JSON,
}
CASES: dict[str, dict[str, Case]] = {
    "word2vec": {
        "26 bytes that say 10^9 numbers": lambda data: b"1000000 1000000000\nword 1.0",
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
    "lexicon": {"a cell of a million letters": lambda data: data + b"a" * 1_000_000 + b",1\n"},
    "test-toml": DEEP_TOML,
    "templates": DEEP_TOML,
    "config": {**DEEP_TOML, "JSON 100,000 deep": lambda data: b"[" * DEEP},
    **dict.fromkeys(("test-json", "corpus-jsonl", "nli-jsonl"), DEEP_JSON),
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
    "gguf": {"2^31 keys": lambda data: data[:16] + (2**31).to_bytes(8, "little") + data[24:]},
    "elmo options": {
        "words of 2^40 characters": _with("char_cnn", max_characters_per_token=2**40),
        "a billion layers": _with("lstm", n_layers=10**9),
        "filters wider than a word": _with("char_cnn", filters=[[1, 2], [200, 3]]),
        "no clipping but NaN": _with("lstm", cell_clip=float("nan")),
        **DEEP_JSON,
    },
    "elmo weights": {"nothing": lambda data: b""},
}
