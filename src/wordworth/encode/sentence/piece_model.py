"""A SentencePiece unigram model as a fast tokenizer: its pieces and its table of characters, read out of the file."""

import struct
from collections.abc import Iterator
from pathlib import Path

from tokenizers import Regex, Tokenizer
from tokenizers.models import Unigram
from tokenizers.normalizers import Precompiled, Replace, Sequence, Strip
from tokenizers.pre_tokenizers import Metaspace
from tokenizers.processors import TemplateProcessing
from transformers import PreTrainedTokenizerFast

from wordworth.errors import Foreign

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
PIECES, NORMALIZER = 1, 3
"""Fields of the file that are used; in a piece 1 is its text and 2 its score, in the normalizer 2 is its table."""


def read_tokenizer(path: Path) -> PreTrainedTokenizerFast:
    """The tokenizer of a unigram model; a text goes between its marks of beginning and end."""
    with Foreign(f"{path} is no SentencePiece model", "fetch it again"):
        pieces, table = _contents(path)
        if (names := [piece for piece, _ in pieces[:3]]) != [UNKNOWN, BEGIN, END]:
            raise RuntimeError(f"its first pieces are {names}, and not {UNKNOWN}, {BEGIN} and {END}")
        tokenizer = Tokenizer(Unigram(pieces, 0, False))
        spaces = [Strip(), Replace(Regex(" {2,}"), " ")]
        tokenizer.normalizer = Sequence([Precompiled(table), *spaces])
    tokenizer.pre_tokenizer = Metaspace(prepend_scheme="always", split=False)
    tokenizer.post_processor = TemplateProcessing(single=f"{BEGIN} $A {END}", special_tokens=[(BEGIN, 1), (END, 2)])
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        unk_token=UNKNOWN,
        bos_token=BEGIN,
        eos_token=END,
        clean_up_tokenization_spaces=False,
    )


def _contents(path: Path) -> tuple[list[tuple[str, float]], bytes]:
    """Pieces with their scores, and the table of characters."""
    pieces: list[tuple[str, float]] = []
    table = b""
    for field, message in _fields(path.read_bytes()):
        if field == PIECES:
            parts = dict(_fields(message))
            score = struct.unpack("<f", parts[2])[0] if 2 in parts else 0.0
            pieces.append((parts.get(1, b"").decode(errors="replace"), score))
        elif field == NORMALIZER:
            table = dict(_fields(message)).get(2, b"")
    return pieces, table


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """(number, content) of the fields of a protocol-buffer message that have bytes; whole numbers are passed over."""
    at = 0
    while at < len(message):
        key, at = _number(message, at)
        kind = key & 7
        if kind == 0:
            _, at = _number(message, at)
            continue
        if kind == 2:
            size, at = _number(message, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise RuntimeError(f"a field of kind {kind} is unknown")
        if at + size > len(message):
            raise EOFError("it is cut short")
        yield key >> 3, message[at : at + size]
        at += size


def _number(message: bytes, at: int) -> tuple[int, int]:
    """A whole number, seven bits a byte, and where it ends."""
    value = shift = 0
    while True:
        if at >= len(message) or shift > 63:
            raise EOFError("it is cut short")
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
