"""A tokenizer's vocabulary as text: what each unit spells, in bytes, and whether it begins a word.

Whatever the marks of a tokenizer are, a unit is written here as the text it stands for. A unit that begins a word
begins with a space: `Ġcat`, `▁cat` and WordPiece's `cat` are all b" cat", and `##s` is b"s". A unit that ends a word
(`cat</w>`) ends with a space. Bytes, because byte-level units may hold a part of a character.
"""

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, takewhile
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import bytes_to_unicode

from wordworth.errors import WordworthError
from wordworth.whole_words.parting import (
    MARK,
    STATES,
    WORD,
    Punctuation,
    first_character,
    first_kind,
    is_unspaced,
    spaced,
)

SPACES = b" \t\n\r\x0b\x0c"
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_METASPACE = "▁"
KNOWN = 1 << 16
"""Rests of words whose continuations are kept, so that a long text does not fill the memory."""


@dataclass(frozen=True, eq=False)
class Units:
    """Unit i spells `texts[i]`; special ones, and numbers that the tokenizer does not use, spell nothing (None)."""

    texts: list[bytes | None]
    trailing: bool
    """Words' ends are marked, not their beginnings."""
    punctuation: Punctuation = "attached"
    """How words are parted. Where marks stand apart, a text has a space wherever a word ends inside it."""
    unspaced: bool = False
    """Words follow one another without spaces: any unit may begin one. No text has a space before a character of a
    script without spaces."""
    _continuations: dict[bytes, list[tuple[int, int]]] = field(default_factory=dict)

    @cached_property
    def _parted(self) -> "dict[tuple[Punctuation, bool], Units]":
        return {(self.punctuation, self.unspaced): self}

    def parted(self, punctuation: Punctuation, *, unspaced: bool = False) -> "Units":
        """The same units where words are parted so; `self` has them attached."""
        known = self._parted.get((punctuation, unspaced))
        if known is None:
            texts = [text and spaced(text) for text in self.texts] if punctuation == "apart" else self.texts
            if unspaced:
                texts = [text and _without_space(text) for text in texts]
            known = self._parted[punctuation, unspaced] = Units(texts, self.trailing, punctuation, unspaced)
        return known

    @property
    def glues(self) -> bool:
        """Whether a word may follow another without a space."""
        return (self.punctuation == "apart" or self.unspaced) and not self.trailing

    @cached_property
    def begin_flags(self) -> NDArray[np.bool_]:
        """Whether the unit shows that the word before it is over, by what stands before it (`WORD`, `MARK`, `SPACE`):
        states × units. It begins a word or a line, or is a special one.

        Where words' ends are marked instead, only special units break off a word that is not marked yet.
        """
        if self.trailing:
            always = np.array([text is None for text in self.texts])
        else:
            always = np.array([text is None or text[:1] in (b"", *_SINGLE) for text in self.texts])
        flags = np.tile(always, (STATES, 1))
        if self.punctuation == "apart" and not self.trailing:
            kinds = [None if text is None or begins else first_kind(first_character(text))
                     for text, begins in zip(self.texts, always.tolist(), strict=True)]  # fmt: skip
            flags[WORD] |= np.array([kind == MARK for kind in kinds])
            flags[MARK] |= np.array([kind == WORD for kind in kinds])
        return flags

    @cached_property
    def begins(self) -> list[list[bool]]:
        """The same as lists."""
        found: list[list[bool]] = self.begin_flags.tolist()
        return found

    @cached_property
    def closes(self) -> list[bool]:
        """Whether no word can begin with it that stands one space behind the last: a special unit, a line break, more
        than one space."""
        return [
            text is None or (text[:1].isspace() and (text[:1] != b" " or text[1:2].isspace())) for text in self.texts
        ]

    @cached_property
    def opening(self) -> Tensor:
        """Whether a word, one space behind the last, may begin with the unit, which spells nothing beyond it."""
        return torch.tensor([self._of_one_word(text, begins=not self.trailing) for text in self.texts])

    @cached_property
    def inside(self) -> Tensor:
        """Whether a word that has begun may go on with the unit."""
        return torch.tensor([self._of_one_word(text, begins=False) for text in self.texts])

    def _of_one_word(self, text: bytes | None, *, begins: bool) -> bool:
        if not text or (begins and text[:1] != b" "):
            return False
        rest = text[1:] if begins else text
        return not any(space in rest for space in _SINGLE) or (self.trailing and rest.split() == [rest[:-1]])

    @cached_property
    def _by_text(self) -> dict[bytes, list[int]]:
        by_text: dict[bytes, list[int]] = {}
        for unit, text in enumerate(self.texts):
            if text:
                by_text.setdefault(text, []).append(unit)
        return by_text

    @cached_property
    def _ending(self) -> dict[bytes, list[int]]:
        """Units with white space behind a text, by that text: they spell it and end the word."""
        ending: dict[bytes, list[int]] = {}
        for unit, text in enumerate(self.texts):
            if text and text.strip() and len(word := _up_to_space(text)) < len(text):
                ending.setdefault(word, []).append(unit)
        return ending

    @cached_property
    def _sorted(self) -> list[tuple[bytes, int]]:
        return sorted((text, unit) for unit, text in enumerate(self.texts) if text)

    def _beyond(self, rest: bytes) -> list[int]:
        """Units that spell `rest` and more."""
        first = bisect_right(self._sorted, (rest, len(self.texts)))
        return [
            unit for text, unit in takewhile(lambda one: one[0].startswith(rest), islice(self._sorted, first, None))
        ]

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._by_text), default=0)

    def continuations(self, rest: bytes) -> list[tuple[int, int]]:
        """The units that `rest` of a word may go on with, and how many bytes of it each spells; −1: all, and its end.

        Any unit that spells the beginning of `rest`, and those that spell all of it with white space behind it; without
        spaces, with anything behind it.
        """
        known = self._continuations.get(rest)
        if known is None:
            known = [
                (unit, length)
                for length in range(1, min(len(rest), self._longest) + 1)
                for unit in self._by_text.get(rest[:length], ())
            ]
            known += [(unit, -1) for unit in (self._beyond(rest) if self.unspaced else self._ending.get(rest, ()))]
            if len(self._continuations) >= KNOWN:
                self._continuations.clear()
            self._continuations[rest] = known
        return known

    @cached_property
    def begin_mask(self) -> Tensor:
        """1.0 where a unit begins a word, states × units; without spaces, any may."""
        return torch.from_numpy(self.begin_flags | self.unspaced).float()


_SINGLE = tuple(bytes([one]) for one in SPACES)


def _without_space(text: bytes) -> bytes:
    """WordPiece writes a space before every character of such a script; others may."""
    first = text[1:5].decode(errors="ignore")[:1] if text[:1] == b" " else ""
    return text[1:] if first and is_unspaced(first) else text


def opened(text: bytes) -> bytes:
    """What a unit spells where a word begins with it: with a space before it, whether one is written or not."""
    return text if text[:1].isspace() else b" " + text


def _up_to_space(text: bytes) -> bytes:
    """`text` up to the white space behind its first word: b" a" of b" a b "."""
    start = len(text) - len(text.lstrip(SPACES))
    word = text[start:].split(maxsplit=1)[0]
    return text[:start] + word


def units_of(tokenizer: PreTrainedTokenizerFast, width: int) -> Units:
    """The vocabulary of a tokenizer whose network gives `width` logits.

    How it marks words is read from its definition: byte-level, `▁`, a prefix that continues or a suffix that ends.
    """
    definition: dict[str, Any] = json.loads(tokenizer.backend_tokenizer.to_str())
    kinds = set(_kinds(definition))
    model = definition["model"]
    suffix, prefix = model.get("end_of_word_suffix") or "", model.get("continuing_subword_prefix") or ""
    texts: list[bytes | None] = [None] * width
    alphabet: Any = bytes_to_unicode
    byte_of: dict[str, int] = {character: byte for byte, character in alphabet().items()}
    fallback = bool(model.get("byte_fallback")) or "ByteFallback" in kinds
    metaspaced = "Metaspace" in kinds or _METASPACE in json.dumps(
        [definition["normalizer"], definition["pre_tokenizer"], definition["decoder"]], ensure_ascii=False
    )
    vocabulary: dict[str, int] = tokenizer.backend_tokenizer.get_vocab(with_added_tokens=False)
    for piece, unit in vocabulary.items():
        if unit >= width:
            continue
        if "ByteLevel" in kinds:
            texts[unit] = bytes(byte_of[c] for c in piece) if all(c in byte_of for c in piece) else piece.encode()
        elif metaspaced:
            match = _BYTE.fullmatch(piece) if fallback else None
            texts[unit] = bytes.fromhex(match[1]) if match else piece.replace(_METASPACE, " ").encode()
        elif suffix:
            texts[unit] = piece.removesuffix(suffix).encode() + (b" " if piece.endswith(suffix) else b"")
        elif prefix or model["type"] == "WordLevel":
            continues = bool(prefix) and piece.startswith(prefix)
            texts[unit] = piece.removeprefix(prefix).encode() if continues else b" " + piece.encode()
        else:
            raise WordworthError(
                f"{tokenizer.name_or_path or 'the tokenizer'} marks neither where words begin nor where they end "
                f"({model['type']}), so whole words cannot be made out in its units; use another model"
            )
    for unit, added in tokenizer.added_tokens_decoder.items():
        if unit < width:
            texts[unit] = None if added.special else added.content.replace(_METASPACE, " ").encode()
    for unit in tokenizer.all_special_ids:
        if unit < width:
            texts[unit] = None
    return Units(texts, trailing=bool(suffix))


def _kinds(definition: Any) -> list[str]:
    """The types of all parts of a tokenizer's definition but its model, nested ones included."""
    if isinstance(definition, dict):
        parts = (part for key, part in definition.items() if key not in ("model", "added_tokens"))
        inner = [kind for part in parts for kind in _kinds(part)]
        return [str(definition["type"]), *inner] if "type" in definition else inner
    if isinstance(definition, list):
        return [kind for part in definition for kind in _kinds(part)]
    return []
