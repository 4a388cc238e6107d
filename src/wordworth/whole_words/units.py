"""Spell a tokenizer's units as bytes, and find the units that begin a word.

A unit that begins a word is spelled with a space before it, whatever marks the tokenizer uses: `Ġcat`, `▁cat` and
WordPiece's `cat` are all b" cat", and `##s` is b"s". A unit that ends a word (`cat</w>`) is spelled with a space after
it. Spellings are bytes, because byte-level units may contain a part of a character.
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
from wordworth.whole_words.splitting import (
    MARK,
    SPACE,
    SPACING_STATES,
    WORD,
    Punctuation,
    first_character,
    first_kind,
    is_unspaced,
    separate_words,
)

SPACES = b" \t\n\r\x0b\x0c"
_SINGLE_SPACES = tuple(bytes([space]) for space in SPACES)
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_KIND_FIELD = re.compile(r'"type": "(\w+)"')
_METASPACE = "▁"
MAX_CONTINUATIONS = 1 << 16
"""Maximum number of continuations in memory, so that a long text does not fill it."""


@dataclass(frozen=True, eq=False)
class Units:
    """A vocabulary: unit i spells `texts[i]`, or None if it is special or unused."""

    texts: list[bytes | None]
    trailing: bool
    """Whether units mark the ends of words instead of their beginnings."""
    punctuation: Punctuation = "attached"
    """The treatment of marks. If apart, a text has a space wherever a word ends inside it."""
    unspaced: bool = False
    """Whether words follow one another without spaces, so that any unit may begin one. Texts then have no space before
    a character of such a script."""
    _continuations: dict[bytes, list[tuple[int, int]]] = field(default_factory=dict)
    _versions: "dict[tuple[Punctuation, bool], Units]" = field(default_factory=dict)

    def adapt(self, punctuation: Punctuation, *, unspaced: bool = False) -> "Units":
        """Return the same units for another treatment of marks and spaces; `self` has marks attached."""
        key = punctuation, unspaced
        if key == (self.punctuation, self.unspaced):
            return self
        if key not in self._versions:
            texts = [text and separate_words(text) for text in self.texts] if punctuation == "apart" else self.texts
            if unspaced:
                texts = [text and _drop_space(text) for text in texts]
            self._versions[key] = Units(texts, self.trailing, punctuation, unspaced)
        return self._versions[key]

    @property
    def glues(self) -> bool:
        """Return whether a word may follow another without a space."""
        return (self.punctuation == "apart" or self.unspaced) and not self.trailing

    @cached_property
    def begin_flags(self) -> NDArray[np.bool_]:
        """Return whether a unit ends the word before it, by the state there (`WORD`, `MARK`, `SPACE`): states × units.

        Such a unit begins a word or a line, or is special. If units mark the ends of words, only special ones do it.
        """
        if self.trailing:
            always = np.array([text is None for text in self.texts])
        else:
            always = np.array([text is None or text[:1] in (b"", *_SINGLE_SPACES) for text in self.texts])
        flags = np.tile(always, (SPACING_STATES, 1))
        if self.punctuation == "apart" and not self.trailing:
            pairs = zip(self.texts, always.tolist(), strict=True)
            kinds = [first_kind(first_character(text)) if text and not begins else None for text, begins in pairs]
            flags[WORD] |= np.array([kind == MARK for kind in kinds])
            flags[MARK] |= np.array([kind == WORD for kind in kinds])
        return flags

    @cached_property
    def begins(self) -> list[list[bool]]:
        """Return the flags of `begin_flags` as lists."""
        return [flags.tolist() for flags in self.begin_flags]

    @cached_property
    def closes(self) -> list[bool]:
        """Return whether no word after a space can begin with the unit: it is special, a line break, or two spaces."""
        return [
            text is None or (text[:1].isspace() and (text[:1] != b" " or text[1:2].isspace())) for text in self.texts
        ]

    @cached_property
    def opening(self) -> Tensor:
        """Return whether a word may begin with the unit, and the unit spells no other word: states × units."""
        if self.trailing:
            return self.inside
        has_space = [text is not None and text[:1] == b" " and _is_of_one_word(text[1:]) for text in self.texts]
        begins_without_space = torch.from_numpy(self.begin_flags) & self.inside[SPACE]
        return begins_without_space * self.glues | torch.tensor(has_space)

    @cached_property
    def inside(self) -> Tensor:
        """Return whether the unit may continue a word, and spells no other word: states × units."""
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
    def _units_before_space(self) -> dict[bytes, list[int]]:
        """Return the units that spell a text and then white space, by that text: they end the word."""
        units_by_word: dict[bytes, list[int]] = {}
        for unit, text in enumerate(self.texts):
            if text and text.strip() and len(word := _up_to_space(text)) < len(text):
                units_by_word.setdefault(word, []).append(unit)
        return units_by_word

    @cached_property
    def _sorted_texts(self) -> list[tuple[bytes, int]]:
        return sorted((text, unit) for unit, text in enumerate(self.texts) if text)

    def _find_longer(self, rest: bytes) -> list[int]:
        """Return the units that spell `rest` and more."""
        entries = islice(self._sorted_texts, bisect_right(self._sorted_texts, (rest, len(self.texts))), None)
        return [unit for _, unit in takewhile(lambda entry: entry[0].startswith(rest), entries)]

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._by_text), default=0)

    def continuations(self, rest: bytes) -> list[tuple[int, int]]:
        """Return the units that may follow in a word before its remainder `rest`, and the bytes that each spells.

        −1 means all bytes and the end of the word: the unit also spells white space after it, or, without spaces,
        anything.
        """
        units = self._continuations.get(rest)
        if units is None:
            lengths = range(1, min(len(rest), self._longest) + 1)
            units = [(unit, length) for length in lengths for unit in self._by_text.get(rest[:length], ())]
            last_units = self._find_longer(rest) if self.unspaced else self._units_before_space.get(rest, ())
            units += [(unit, -1) for unit in last_units]
            if len(self._continuations) >= MAX_CONTINUATIONS:
                self._continuations.clear()
            self._continuations[rest] = units
        return units

    @cached_property
    def begin_mask(self) -> Tensor:
        """Return 1.0 if a unit begins a word, states × units; without spaces, any unit may."""
        return torch.from_numpy(self.begin_flags | self.unspaced).float()


def _is_of_one_word(text: bytes) -> bool:
    return not any(space in text for space in _SINGLE_SPACES)


def _drop_space(text: bytes) -> bytes:
    """Drop the space that WordPiece and others write before every character of a script without spaces."""
    first = text[1:5].decode(errors="ignore")[:1] if text[:1] == b" " else ""
    return text[1:] if first and is_unspaced(first) else text


def add_space(text: bytes) -> bytes:
    """Return the text of a unit that begins a word: with a space, whether one is written or not."""
    return text if text[:1].isspace() else b" " + text


def _up_to_space(text: bytes) -> bytes:
    """Cut a text at the white space after its first word: b" a" of b" a b "."""
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
    for unit, token in tokenizer.added_tokens_decoder.items():
        if unit < width:
            texts[unit] = None if token.special else token.content.replace(_METASPACE, " ").encode()
    for unit in tokenizer.all_special_ids:
        if unit < width:
            texts[unit] = None
    return Units(texts, trailing=bool(definition["model"].get("end_of_word_suffix")))


def _read_marks(definition: dict[str, Any], name: str) -> Callable[[str], bytes]:
    """Return the function that spells the subwords of a tokenizer, by its definition.

    Tokenizers mark words at byte level, by `▁`, by a prefix that continues a word, or by a suffix that ends it.
    """
    model = definition["model"]
    suffix, prefix = model.get("end_of_word_suffix") or "", model.get("continuing_subword_prefix") or ""
    components = [definition[name] for name in ("normalizer", "pre_tokenizer", "decoder", "post_processor")]
    component_types = set(_KIND_FIELD.findall(json.dumps(components)))
    if "ByteLevel" in component_types:
        alphabet: Any = bytes_to_unicode
        byte_of: dict[str, int] = {character: byte for byte, character in alphabet().items()}
        return lambda piece: bytes(byte_of[c] for c in piece) if all(c in byte_of for c in piece) else piece.encode()
    if "Metaspace" in component_types or _METASPACE in json.dumps(components[:3], ensure_ascii=False):
        fallback = bool(model.get("byte_fallback")) or "ByteFallback" in component_types

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
        f"{name} marks neither the beginnings nor the ends of words ({model['type']}), so whole words cannot be found "
        "in its units; use another model"
    )
