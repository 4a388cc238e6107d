"""Whole-word prediction the plain way: one word at a time, and a fresh query of the whole network at each step.

Nothing is shared with the package: units are found by tokenizing the text up to each word, the network is the library's
own with its head, and the search is Algorithms 1 and 2 of Dudy & Bedrick (2020) as loops.
"""

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch

MORE_UNITS = 8
PRINTED = [*range(33, 127), *range(161, 173), *range(174, 256)]
BYTES = {chr(byte): byte for byte in PRINTED}
BYTES |= {chr(256 + number): byte for number, byte in enumerate(sorted(set(range(256)) - set(PRINTED)))}
"""GPT-2's alphabet: bytes that print stand for themselves, the others for characters from 256 on."""


def byte_level(piece: str) -> bytes:
    return bytes(BYTES[character] for character in piece)


def metaspace(piece: str) -> bytes:
    if piece.startswith("<0x") and len(piece) == 6:
        return bytes([int(piece[3:5], 16)])
    return piece.replace("▁", " ").encode()


def wordpiece(piece: str) -> bytes:
    return piece[2:].encode() if piece.startswith("##") else b" " + piece.encode()


def word_bpe(piece: str) -> bytes:
    return piece[:-4].encode() + b" " if piece.endswith("</w>") else piece.encode()


def kind(character: str) -> str:
    """What a character is of; blank for one that extends another (an accent, a joiner)."""
    category = unicodedata.category(character)
    if category[0] in "LN" or character in "'’":
        return "word"
    return "" if category in ("Mn", "Mc", "Me", "Cf") else "mark"


def runs(token: str) -> list[str]:
    """A token without white space, parted wherever letters and marks meet."""
    if "<unk>" in token:
        return [
            one for part in re.split("(<unk>)", token) if part for one in ([part] if part == "<unk>" else runs(part))
        ]
    found: list[str] = []
    last = ""
    for character in token:
        now = kind(character) or last or "mark"
        if found and now == last:
            found[-1] += character
        else:
            found.append(character)
        last = now
    return found


def split_words(line: str) -> tuple[list[str], list[bool]]:
    """The words of a line with punctuation apart, and whether no space stands before each."""
    pieces = [runs(token) for token in line.split()]
    return [word for some in pieces for word in some], [at > 0 for some in pieces for at in range(len(some))]


@cache
def count_beginnings() -> Counter[tuple[bytes, str]]:
    """How many characters of each kind begin with some bytes, but have more."""
    counts: Counter[tuple[bytes, str]] = Counter()
    for character in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.category(character)[0] not in "CM" and ord(character) > 127:
            spelled = character.encode()
            counts.update((spelled[:end], kind(character)) for end in range(1, len(spelled)))
    return counts


def first_kind(text: bytes) -> str:
    """Of a unit's first character; of a part of one, as most characters that begin so; blank for the rest of one."""
    for end in range(1, 5):
        try:
            return kind(text[:end].decode())
        except UnicodeDecodeError:
            continue
    if 0x80 <= text[0] < 0xC0:
        return ""
    end = 1
    while text[end : end + 1] and 0x80 <= text[end] < 0xC0:
        end += 1
    word, mark = (count_beginnings()[text[:end], one] for one in ("word", "mark"))
    return "mark" if mark > word else "word"


@dataclass(frozen=True)
class Plain:
    """`units[i]` is what unit i spells, None for special ones; `before` and `behind` stand around the context, with the
    mask first in `behind`, empty for a causal model. `given`: that a word begins; `apart`: marks are words."""

    network: Any
    tokenizer: Any
    units: list[bytes | None]
    before: tuple[int, ...] = ()
    behind: tuple[int, ...] = ()
    k: int = 10
    boundary: bool = True
    path_boundary: bool = True
    trailing: bool = False
    given: bool = True
    apart: bool = True
    masks: dict[tuple[str, bool], torch.Tensor] = field(default_factory=dict)
    answers: dict[tuple[int, ...], torch.Tensor] = field(default_factory=dict)
    """What a tiny network answered: the same search under other rules asks again."""

    def line(self, line: str) -> Iterator[tuple[str, bool, bool, float, float]]:
        """Guess, hits and log probabilities of every word but the first."""
        words, glued = split_words(line) if self.apart else (line.split(), [False] * len(line.split()))
        text, last = words[0], self.ids([words[0]])
        for at in range(1, len(words)):
            text += words[at] if glued[at] else f" {words[at]}"
            both = self.ids([text])
            assert both[: len(last)] == last
            yield self.word(last, both[len(last) :], words[at - 1])
            last = both

    def ids(self, words: Sequence[str]) -> list[int]:
        ids: list[int] = self.tokenizer(" ".join(words), add_special_tokens=False)["input_ids"]
        return ids

    def query(self, ids: list[int]) -> torch.Tensor:
        asked = (*self.before, *ids, *self.behind)
        if asked in self.answers:
            return self.answers[asked]
        with torch.no_grad():
            logits = self.network(input_ids=torch.tensor([asked], device=self.network.device)).logits[0]
        answer = logits[len(asked) - max(1, len(self.behind))].double().cpu()
        if len(self.units) < 1000:
            self.answers[asked] = answer
        return answer

    def begins(self, unit: int, after: str = "word") -> bool:
        """Whether the word before the unit is over, where that is of letters, of marks, or blank so far."""
        text = self.units[unit]
        if text is None or self.trailing:
            return text is None
        if text[:1].isspace():
            return True
        return self.apart and bool(after) and first_kind(text) not in ("", after)

    def all_begins(self, after: str) -> torch.Tensor:
        key = after, self.apart
        if key not in self.masks:
            self.masks[key] = torch.tensor([self.begins(unit, after) for unit in range(len(self.units))])
        return self.masks[key]

    def spells(self, unit: int) -> bytes:
        """With a space wherever a word ends inside the unit."""
        text = self.units[unit] or b""
        if not self.apart:
            return text
        try:
            parts = re.split(r"(\s+)", text.decode())
        except UnicodeDecodeError:
            return text
        return "".join(part if part.isspace() else " ".join(runs(part)) for part in parts).encode()

    def add(self, word: bytes, unit: int, previous: str) -> bytes:
        """What is spelled when a unit is added; one that begins a word without a space is written with one."""
        text = self.spells(unit)
        if not word and not text[:1].isspace() and not self.trailing and self.begins(unit, previous):
            return b" " + text
        return word + text

    def state(self, word: bytes, previous: str) -> str:
        """What a word that was spelled so far ends with."""
        if not word or not word[:1].isspace():
            return previous
        last = word.split()[-1:]
        return (first_kind(last[0]) or "word") if last and not word[-1:].isspace() else ""

    def word(self, context: list[int], own: list[int], before: str) -> tuple[str, bool, bool, float, float]:
        spelled = b"".join(self.spells(unit) for unit in own)
        target = spelled[:-1] if self.trailing else b" " + spelled.removeprefix(b" ")
        previous = kind(before[0]) or "mark"
        guess, hit = self.top1(context, own, target, previous)
        parts = len(target.split())
        text = b"".join(guess.split()[:parts]).decode(errors="replace")
        if guess and not guess[:1].isspace() and not self.trailing:
            text = before + text
        return text, hit, self.topk(context, own, target, previous), *self.probability(context, own, previous)

    def logits(self, context: list[int], path: list[int], previous: str) -> torch.Tensor:
        """Of what follows; where a word is to begin, of units that begin one."""
        logits = self.query([*context, *path])
        if path or not self.given or self.trailing:
            return logits
        return logits.masked_fill(~self.all_begins(previous), -torch.inf)

    def top1(self, context: list[int], own: list[int], target: bytes, previous: str) -> tuple[bytes, bool]:
        """Algorithm 1, to the end of the word that its text asks for."""
        parts = len(target.split())
        path: list[int] = []
        word = b""
        while True:
            unit = int(self.logits(context, path, previous).argmax())
            text = self.units[unit]
            strange = text is None or (text[:1].isspace() and (text[:1] != b" " or text[1:2].isspace()))
            over = len(word.split()) >= parts or (word != b"" and not word.strip())
            if strange or (over and self.begins(unit, self.state(word, previous))):
                return word, word == target and not self.trailing
            word = self.add(word, unit, previous)
            path.append(unit)
            if len(word.split()) > parts or (len(word.split()) == parts and word[-1:].isspace()):
                return word, word.startswith(target) and word[len(target) : len(target) + 1].isspace()
            if word == target and not self.boundary:
                return word, True
            if len(path) >= len(own) + MORE_UNITS:
                return word, False

    def best(self, logits: torch.Tensor) -> list[int]:
        """The units that fewer than k others exceed."""
        enough = logits >= logits.sort(descending=True).values[self.k - 1]
        return (enough & ~logits.isneginf()).nonzero()[:, 0].tolist()

    def topk(self, context: list[int], own: list[int], target: bytes, previous: str) -> bool:
        """Algorithm 2: depth first; behind the word one of the k best must begin another."""
        paths: list[tuple[list[int], bytes]] = [([], b"")]
        while paths:
            path, word = paths.pop()
            best = self.best(self.logits(context, path, previous))
            if word == target:
                if any(self.begins(unit, self.state(word, previous)) for unit in best) and not self.trailing:
                    return True
                continue
            for unit in best:
                if not self.units[unit]:
                    continue
                longer = self.add(word, unit, previous)
                if longer.startswith(target) and longer[len(target) : len(target) + 1].isspace():
                    return True
                if longer == target and not self.path_boundary:
                    return True
                if target.startswith(longer) and len(path) + 1 < len(own) + MORE_UNITS:
                    paths.append(([*path, unit], longer))
        return False

    def probability(self, context: list[int], own: list[int], previous: str = "word") -> tuple[float, float]:
        naive = 0.0
        for at, unit in enumerate(own):
            naive += float(self.query([*context, *own[:at]]).log_softmax(0)[unit])
        if self.trailing:
            return naive, naive
        spelled = b"".join(self.spells(unit) for unit in own).strip()
        states = (first_kind(spelled) if spelled else "") or "word", previous
        after, before = (
            float(self.query(ids).log_softmax(0)[self.all_begins(state)].logsumexp(0))
            for ids, state in zip(([*context, *own], context), states, strict=True)
        )
        return naive + after - before, naive


def unit_texts(tokenizer: Any, width: int, spell: Callable[[str], bytes]) -> list[bytes | None]:
    """What each unit spells; special ones and unused numbers spell nothing."""
    texts: list[bytes | None] = [None] * width
    special = {unit for unit, added in tokenizer.added_tokens_decoder.items() if added.special}
    for piece, unit in tokenizer.get_vocab().items():
        if unit not in special:
            texts[unit] = spell(piece)
    return texts
