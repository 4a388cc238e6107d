"""The most probable whole next words after a text, each with its end: what a notebook asks of a language model."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush, nlargest
from math import exp
from typing import NamedTuple

import torch
from torch import Tensor

from wordworth.errors import WordworthError
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.parting import WORD
from wordworth.whole_words.reader import Node
from wordworth.whole_words.rules import MORE_UNITS, room
from wordworth.whole_words.unit_scores import to_double

LONGEST = 32
"""Units of a word; longer ones are not completed."""
TOGETHER = 32
"""Paths that grow by a unit in one pass."""
MOST_PATHS = 4096
"""Paths that are read before the search gives up."""


class Completion(NamedTuple):
    """A whole word that may come next."""

    word: str
    probability: float


@dataclass(eq=False)
class _Path(Node):
    """Units that follow the text, and ln of their probability given that a word begins there."""

    logp: float = 0.0
    spelled: bytes = b""
    units: tuple[int, ...] = ()

    def __lt__(self, other: "_Path") -> bool:
        return self.logp > other.logp


def complete(model: WordModel, text: str, k: int = 5) -> list[Completion]:
    """Return the k most probable words after a text whose last word is over, the most probable first.

    A word's probability is that of `predict_words`: of the tokenizer's own units and of the word's end, given that a
    word begins. So those of all words, and of the end of the text, sum to 1 whatever the units are, and −log2 of it is
    what `surprisal` gives for the word in that place. Other segmentations of the same word are not added.
    Only white space parts words, so `Paris` and `Paris,` are two.

    The search is exact. A path's probability only falls as it grows, so it ends when no open path is more probable than
    the k-th best whole word. Words of more than `LONGEST` units are not looked for. If `MOST_PATHS` paths do not
    settle it, as with a model that has no preference at all, that is an error.
    """
    if k < 1:
        raise WordworthError(f"k is {k}; ask for at least 1 word")
    context = " ".join(text.split())
    if not context:
        raise WordworthError("there is no text to complete; give at least one word")
    search = _Search(model, context, k)
    with torch.inference_mode():
        return search.run()


class _Search:
    def __init__(self, model: WordModel, context: str, k: int) -> None:
        self.model, self.context, self.k = model, context, k
        self.ids = self._tokenize([context])[0]
        most = max(1, room(model.limit, model.around) + MORE_UNITS - LONGEST)
        self.read = [*model.before, *self.ids[-most:]]
        self.open: list[_Path] = []
        self.words: dict[str, float] = {}
        """ln P of the whole words so far."""

    def _tokenize(self, texts: list[str]) -> list[list[int]]:
        units: list[list[int]] = self.model.tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
        return units

    @property
    def least(self) -> float:
        """What a word must surpass to be among the k best."""
        return nlargest(self.k, self.words.values())[-1] if len(self.words) >= self.k else float("-inf")

    def run(self) -> list[Completion]:
        rows, state = self.model.reader.read([self.read], [len(self.read) - 1])
        self._grow([None], rows)
        paths = 0
        while batch := self._take_most_probable():
            paths += len(batch)
            if paths > MOST_PATHS:
                raise WordworthError(
                    f"{MOST_PATHS:,} paths do not settle the {self.k} most probable words after {self.context!r}; "
                    "ask for fewer words, or give more context"
                )
            self._grow(batch, self.model.reader.extend(state, batch))
        best = nlargest(self.k, self.words.items(), key=lambda item: item[1])
        return [Completion(word, exp(logp)) for word, logp in best]

    def _take_most_probable(self) -> list[_Path]:
        """Return the open paths to grow next; none where none can lead to one of the k best words."""
        least, batch = self.least, list[_Path]()
        while self.open and len(batch) < TOGETHER and self.open[0].logp > least:
            batch.append(heappop(self.open))
        return batch

    def _grow(self, paths: Sequence[_Path | None], rows: Tensor) -> None:
        """End the words of some paths (None: the text itself), then open the paths that continue them."""
        model, units = self.model, self.model.units
        logp = to_double(model.reader.logits(rows)).log_softmax(dim=1)
        begins = units.begin_mask[WORD].to(logp.device)
        begin = logp.masked_fill(begins == 0, -torch.inf).logsumexp(dim=1).tolist()
        if not units.trailing:
            self._end([(path, path.logp + end) for path, end in zip(paths, begin, strict=True) if path])
        for path, row, start in zip(paths, logp, begin, strict=True):
            may_follow = units.inside if path else units.opening
            scores = row.cpu() + (path.logp if path else 0.0 if units.trailing else -start)
            numbers = (scores > self.least).logical_and_(may_follow).nonzero()[:, 0]
            self._open(path, numbers.tolist(), scores[numbers].tolist())

    def _open(self, parent: _Path | None, units: list[int], scores: list[float]) -> None:
        before, so_far = (parent.spelled, parent.units) if parent else (b"", ())
        ended: list[tuple[_Path, float]] = []
        for unit, score in zip(units, scores, strict=True):
            spelled = before + (self.model.units.texts[unit] or b"")
            path = _Path(0, len(self.read), unit, parent, -1, score, spelled, (*so_far, unit))
            if self.model.units.trailing and spelled.endswith(b" "):
                ended.append((path, score))
            elif len(path.units) < LONGEST:
                heappush(self.open, path)
        self._end(ended)

    def _end(self, paths: list[tuple[_Path, float]]) -> None:
        """Note whole words, where the path is the tokenizer's own for the word that it spells."""
        least = self.least
        words = [(path.spelled.strip().decode(errors="replace"), path, logp) for path, logp in paths if logp > least]
        own = self._tokenize([f"{self.context} {word}" for word, _, _ in words]) if words else []
        for (word, path, logp), units in zip(words, own, strict=True):
            if word and units == [*self.ids, *path.units]:
                self.words[word] = logp
