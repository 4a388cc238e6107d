"""A tokenizer's vocabulary as text: what each unit spells, in bytes, and whether it begins a word.

Whatever the marks of a tokenizer are, a unit is written here as the text it stands for. A unit that begins a word
begins with a space: `Ġcat`, `▁cat` and WordPiece's `cat` are all b" cat", and `##s` is b"s". A unit that ends a word
(`cat</w>`) ends with a space. Bytes, because byte-level units may hold a part of a character.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable
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
    SPACE,
    SPACING_STATES,
    WORD,
    Punctuation,
    first_character,
    first_kind,
    is_unspaced,
    part_words,
)

SPACES = b" \t\n\r\x0b\x0c"
_SINGLE_SPACES = tuple(bytes([one]) for one in SPACES)
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_KIND_FIELD = re.compile(r'"type": "(\w+)"')
_METASPACE = "▁"
MAX_CONTINUATIONS = 1 << 16
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
    _adapted: "dict[tuple[Punctuation, bool], Units]" = field(default_factory=dict)

    def adapt(self, punctuation: Punctuation, *, unspaced: bool = False) -> "Units":
        """Return the same units where words are parted so; `self` has them attached."""
        key = punctuation, unspaced
        if key == (self.punctuation, self.unspaced):
            return self
        if key not in self._adapted:
            texts = [text and part_words(text) for text in self.texts] if punctuation == "apart" else self.texts
            if unspaced:
                texts = [text and _drop_space(text) for text in texts]
            self._adapted[key] = Units(texts, self.trailing, punctuation, unspaced)
        return self._adapted[key]

    @property
    def glues(self) -> bool:
        """Return whether a word may follow another without a space."""
        return (self.punctuation == "apart" or self.unspaced) and not self.trailing

    @cached_property
    def begin_flags(self) -> NDArray[np.bool_]:
        """Return whether the unit shows that the word before it is over, by what precedes it (`WORD`, `MARK`, `SPACE`):
        states × units. It begins a word or a line, or is a special one.

        Where words' ends are marked instead, only special units break off a word that is not marked yet.
        """
        if self.trailing:
            always = np.array([text is None for text in self.texts])
        else:
            always = np.array([text is None or text[:1] in (b"", *_SINGLE_SPACES) for text in self.texts])
        flags = np.tile(always, (SPACING_STATES, 1))
        if self.punctuation == "apart" and not self.trailing:
            kinds = [
                first_kind(first_character(text)) if text and not begins else None
                for text, begins in zip(self.texts, always.tolist(), strict=True)
            ]
            flags[WORD] |= np.array([kind == MARK for kind in kinds])
            flags[MARK] |= np.array([kind == WORD for kind in kinds])
        return flags

    @cached_property
    def begins(self) -> list[list[bool]]:
        """Return the flags of `begin_flags` as lists."""
        return [flags.tolist() for flags in self.begin_flags]

    @cached_property
    def closes(self) -> list[bool]:
        """Return whether no word after a space can begin with the unit: a special unit, a line break, two spaces."""
        return [
            text is None or (text[:1].isspace() and (text[:1] != b" " or text[1:2].isspace())) for text in self.texts
        ]

    @cached_property
    def opening(self) -> Tensor:
        """Return whether a word may begin with the unit, with a space before it or without, if it spells no other word:
        states × units."""
        if self.trailing:
            return self.inside
        spaced = [text is not None and text[:1] == b" " and _is_of_one_word(text[1:]) for text in self.texts]
        glued = torch.from_numpy(self.begin_flags) & self.inside[SPACE]
        return glued * self.glues | torch.tensor(spaced)

    @cached_property
    def inside(self) -> Tensor:
        """Return whether a word that has begun may go on with the unit, which spells no other word: states × units."""
        texts = [text and text.removesuffix(b" " if self.trailing else b"") for text in self.texts]
        is_of_one_word = torch.tensor([bool(text and _is_of_one_word(text)) for text in texts])
        return is_of_one_word & ~torch.from_numpy(self.begin_flags)

    @cached_property
    def _by_text(self) -> dict[bytes, list[int]]:
        by_text: dict[bytes, list[int]] = {}
        for unit, text in enumerate(self.texts):
            if text:
                by_text.setdefault(text, []).append(unit)
        return by_text

    @cached_property
    def _ending(self) -> dict[bytes, list[int]]:
        """Return units with white space behind a text, by that text: they spell it and end the word."""
        ending: dict[bytes, list[int]] = {}
        for unit, text in enumerate(self.texts):
            if text and text.strip() and len(word := _up_to_space(text)) < len(text):
                ending.setdefault(word, []).append(unit)
        return ending

    @cached_property
    def _sorted_texts(self) -> list[tuple[bytes, int]]:
        return sorted((text, unit) for unit, text in enumerate(self.texts) if text)

    def _find_longer(self, rest: bytes) -> list[int]:
        """Return the units that spell `rest` and more."""
        longer = islice(self._sorted_texts, bisect_right(self._sorted_texts, (rest, len(self.texts))), None)
        return [unit for _, unit in takewhile(lambda one: one[0].startswith(rest), longer)]

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._by_text), default=0)

    def continuations(self, rest: bytes) -> list[tuple[int, int]]:
        """Return the units that `rest` of a word may go on with, and how many bytes of it each spells.

        −1: all, and its end. Any unit that spells the beginning of `rest`, and those that spell all of it with white
        space behind it; without spaces, with anything behind it.
        """
        units = self._continuations.get(rest)
        if units is None:
            units = [
                (unit, length)
                for length in range(1, min(len(rest), self._longest) + 1)
                for unit in self._by_text.get(rest[:length], ())
            ]
            units += [(unit, -1) for unit in (self._find_longer(rest) if self.unspaced else self._ending.get(rest, ()))]
            if len(self._continuations) >= MAX_CONTINUATIONS:
                self._continuations.clear()
            self._continuations[rest] = units
        return units

    @cached_property
    def begin_mask(self) -> Tensor:
        """1.0 where a unit begins a word, states × units; without spaces, any may."""
        return torch.from_numpy(self.begin_flags | self.unspaced).float()


def _is_of_one_word(text: bytes) -> bool:
    return not any(space in text for space in _SINGLE_SPACES)


def _drop_space(text: bytes) -> bytes:
    """Drop the space that WordPiece writes before every character of such a script; others may."""
    first = text[1:5].decode(errors="ignore")[:1] if text[:1] == b" " else ""
    return text[1:] if first and is_unspaced(first) else text


def add_space(text: bytes) -> bytes:
    """Return what a unit spells where a word begins with it: with a space, whether one is written or not."""
    return text if text[:1].isspace() else b" " + text


def _up_to_space(text: bytes) -> bytes:
    """Cut a text at the white space behind its first word: b" a" of b" a b "."""
    start = len(text) - len(text.lstrip(SPACES))
    word = text[start:].split(maxsplit=1)[0]
    return text[:start] + word


def units_of(tokenizer: PreTrainedTokenizerFast, width: int) -> Units:
    """Return the vocabulary of a tokenizer whose network gives `width` logits."""
    backend = tokenizer.backend_tokenizer
    definition: dict[str, Any] = json.loads(backend.to_str())
    spell = _read_marks(definition, tokenizer.name_or_path or "the tokenizer")
    texts: list[bytes | None] = [None] * width
    for piece, unit in backend.get_vocab(with_added_tokens=False).items():
        if unit < width:
            texts[unit] = spell(piece)
    for unit, added in tokenizer.added_tokens_decoder.items():
        if unit < width:
            texts[unit] = None if added.special else added.content.replace(_METASPACE, " ").encode()
    for unit in tokenizer.all_special_ids:
        if unit < width:
            texts[unit] = None
    return Units(texts, trailing=bool(definition["model"].get("end_of_word_suffix")))


def _read_marks(definition: dict[str, Any], name: str) -> Callable[[str], bytes]:
    """Return the function that spells the pieces of a tokenizer, by its definition.

    Words are marked byte-level, by `▁`, by a prefix that continues or a suffix that ends one.
    """
    model = definition["model"]
    suffix, prefix = model.get("end_of_word_suffix") or "", model.get("continuing_subword_prefix") or ""
    parts = [definition[name] for name in ("normalizer", "pre_tokenizer", "decoder", "post_processor")]
    kinds = set(_KIND_FIELD.findall(json.dumps(parts)))
    if "ByteLevel" in kinds:
        alphabet: Any = bytes_to_unicode
        byte_of: dict[str, int] = {character: byte for byte, character in alphabet().items()}
        return lambda piece: bytes(byte_of[c] for c in piece) if all(c in byte_of for c in piece) else piece.encode()
    if "Metaspace" in kinds or _METASPACE in json.dumps(parts[:3], ensure_ascii=False):
        fallback = bool(model.get("byte_fallback")) or "ByteFallback" in kinds

        def spell(piece: str) -> bytes:
            match = _BYTE.fullmatch(piece) if fallback else None
            return bytes.fromhex(match[1]) if match else piece.replace(_METASPACE, " ").encode()

        return spell
    if suffix:
        return lambda piece: piece.removesuffix(suffix).encode() + (b" " if piece.endswith(suffix) else b"")
    if prefix:
        return lambda piece: piece[len(prefix) :].encode() if piece.startswith(prefix) else b" " + piece.encode()
    if model["type"] == "WordLevel":
        return lambda piece: b" " + piece.encode()
    raise WordworthError(
        f"{name} marks neither where words begin nor where they end ({model['type']}), so whole words cannot be made "
        "out in its units; use another model"
    )
