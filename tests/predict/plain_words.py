"""Whole-word prediction the plain way: one word at a time, and a fresh query of the whole network at each step.

Nothing is shared with the package: units are found by tokenizing the text up to each word, the network is the library's
own with its head, and the search is Algorithms 1 and 2 of Dudy & Bedrick (2020) as loops.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Plain:
    """`units[i]` is what unit i spells, None for special ones; `before` and `behind` stand around the context, with the
    mask first in `behind`, empty for a causal model."""

    network: Any
    tokenizer: Any
    units: list[bytes | None]
    before: tuple[int, ...] = ()
    behind: tuple[int, ...] = ()
    k: int = 10
    boundary: bool = True
    trailing: bool = False

    def line(self, words: Sequence[str]) -> Iterator[tuple[str, bool, bool, float, float]]:
        """Guess, hits and log probabilities of every word but the first."""
        for at in range(1, len(words)):
            context = self.ids(words[:at])
            both = self.ids(words[: at + 1])
            assert both[: len(context)] == context
            yield self.word(context, both[len(context) :], words[at - 1])

    def ids(self, words: Sequence[str]) -> list[int]:
        ids: list[int] = self.tokenizer(" ".join(words), add_special_tokens=False)["input_ids"]
        return ids

    def query(self, ids: list[int]) -> torch.Tensor:
        asked = [*self.before, *ids, *self.behind]
        with torch.no_grad():
            logits = self.network(input_ids=torch.tensor([asked], device=self.network.device)).logits[0]
        return logits[len(asked) - max(1, len(self.behind))].double().cpu()

    def begins(self, unit: int) -> bool:
        """Whether the word before the unit is over."""
        text = self.units[unit]
        return text is None or (not self.trailing and text[:1].isspace())

    def word(self, context: list[int], own: list[int], previous: str) -> tuple[str, bool, bool, float, float]:
        spelled = b"".join(self.units[unit] or b"" for unit in own)
        target = spelled[:-1] if self.trailing else spelled
        guess, hit = self.top1(context, own, target)
        parts = len(target.split())
        text = b"".join(guess.split()[:parts]).decode(errors="replace")
        if guess and not guess[:1].isspace() and not self.trailing:
            text = previous + text
        return text, hit, self.topk(context, own, target), *self.probability(context, own)

    def top1(self, context: list[int], own: list[int], target: bytes) -> tuple[bytes, bool]:
        """Algorithm 1, to the end of the word that its text asks for."""
        parts = len(target.split())
        path: list[int] = []
        word = b""
        while True:
            unit = int(self.query([*context, *path]).argmax())
            text = self.units[unit]
            strange = text is None or (text[:1].isspace() and (text[:1] != b" " or text[1:2].isspace()))
            over = len(word.split()) >= parts or (word != b"" and not word.strip())
            if strange or (self.begins(unit) and over):
                return word, word == target and not self.trailing
            word += text or b""
            path.append(unit)
            if len(word.split()) > parts or (len(word.split()) == parts and word[-1:].isspace()):
                return word, word.startswith(target) and word[len(target) : len(target) + 1].isspace()
            if word == target and not self.boundary:
                return word, True
            if len(path) >= len(own) + MORE_UNITS:
                return word, False

    def best(self, ids: list[int]) -> list[int]:
        """The units that fewer than k others exceed."""
        logits = self.query(ids)
        return (logits >= logits.sort(descending=True).values[self.k - 1]).nonzero()[:, 0].tolist()

    def topk(self, context: list[int], own: list[int], target: bytes) -> bool:
        """Algorithm 2: depth first; behind the word one of the k best must begin another."""
        paths: list[list[int]] = [[]]
        while paths:
            path = paths.pop()
            word = b"".join(self.units[unit] or b"" for unit in path)
            best = self.best([*context, *path])
            if word == target:
                if any(self.begins(unit) for unit in best) and not self.trailing:
                    return True
                continue
            for unit in best:
                text = self.units[unit]
                if not text:
                    continue
                longer = word + text
                if longer.startswith(target) and longer[len(target) : len(target) + 1].isspace():
                    return True
                if longer == target and not self.boundary:
                    return True
                if target.startswith(longer) and len(path) + 1 < len(own) + MORE_UNITS:
                    paths.append([*path, unit])
        return False

    def probability(self, context: list[int], own: list[int]) -> tuple[float, float]:
        naive = 0.0
        for at, unit in enumerate(own):
            naive += float(self.query([*context, *own[:at]]).log_softmax(0)[unit])
        if self.trailing:
            return naive, naive
        begins = torch.tensor([self.begins(unit) for unit in range(len(self.units))])
        after, before = (
            float(self.query(ids).log_softmax(0)[begins].logsumexp(0)) for ids in ([*context, *own], context)
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
