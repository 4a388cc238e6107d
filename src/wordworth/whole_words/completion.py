"""The most probable whole next words after a text, each with its end: what a notebook asks of a language model."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush, nlargest
from math import exp
from typing import NamedTuple

import torch
from torch import Tensor

from wordworth.encode.passes import inference
from wordworth.engine.batching import by_length
from wordworth.errors import WordworthError
from wordworth.progress import progress
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.parting import SPACE, WORD, Parting, Punctuation, kind_of
from wordworth.whole_words.reader import Node
from wordworth.whole_words.rules import MORE_UNITS, room
from wordworth.whole_words.surprisal import check_texts
from wordworth.whole_words.unit_scores import to_double

MAX_WORD_UNITS = 32
"""Units of a word; longer ones are not completed."""
BATCH_PATHS = 32
"""Paths of a text that grow by a unit in one pass."""
TEXTS_TOGETHER = 32
"""Texts whose paths grow together: each begins with a path for most units of the vocabulary."""
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


def complete(
    model: WordModel, texts: Sequence[str], k: int = 5, *, punctuation: Punctuation = "apart"
) -> list[list[Completion]]:
    """Return the k most probable words after each text, whose last word is over, the most probable first.

    Words are those of `predict_words`: a punctuation mark is a word of its own, so `Paris`, `Paris.` and `Paris,` are
    one answer, and a mark may itself come next. With `attached`, only white space parts words. A word's probability is
    that of the tokenizer's own units and of the word's end, given that a word begins: −log2 of it is what `surprisal`
    gives for the word in that place. Of a word that may follow with a space or without, it is the larger one. So those
    of all words sum to 1 at the most. Other segmentations of the same word are not added.

    The search is exact. A path's probability only falls as it grows, so it ends when no open path is more probable than
    the k-th best whole word. Words of more than `LONGEST` units are not looked for. If `MOST_PATHS` paths do not
    settle it, as with a model that has no preference at all, that is an error.
    """
    if k < 1:
        raise WordworthError(f"k is {k}; ask for at least 1 word")
    searches = [_Search(model, text, k, punctuation) for text in check_texts(texts)]

    def run(batch: list[int]) -> list[list[Completion]]:
        parts = [batch[at : at + TEXTS_TOGETHER] for at in range(0, len(batch), TEXTS_TOGETHER)]
        return [words for part in parts for words in _search_together(model, [searches[number] for number in part])]

    completions: list[list[Completion]] = [[]] * len(searches)
    lengths = [len(search.read) for search in searches]
    with inference(), progress(f"completing texts with {model.name}", len(searches)) as advance:
        for batch, some in by_length(run, lengths, model.reader.budget):
            for number, words in zip(batch, some, strict=True):
                completions[number] = words
            advance(len(batch))
    return completions


def _search_together(model: WordModel, searches: "Sequence[_Search]") -> list[list[Completion]]:
    """Read some texts in one pass, and let the paths of all grow together."""
    reader = model.reader
    rows, state = reader.read([one.read for one in searches], [len(one.read) - 1 for one in searches])
    for number, (search, row) in enumerate(zip(searches, torch.split(rows, 1), strict=True)):
        search.begin(number, row)
    while any(batches := [search.take_most_probable() for search in searches]):
        rows = reader.extend(state, [path for batch in batches for path in batch])
        for search, batch, own in zip(searches, batches, torch.split(rows, [*map(len, batches)]), strict=True):
            if batch:
                search.grow(batch, own)
    return [search.finish() for search in searches]


class _Search:
    """The words that may follow one text."""

    def __init__(self, model: WordModel, text: str, k: int, punctuation: Punctuation) -> None:
        self.model, self.k, self.units = model, k, model.units.adapt(punctuation)
        self.parting = Parting(punctuation)
        self.parted = self.parting(text)
        if not self.parted.words:
            raise WordworthError("there is no text to complete; give at least one word")
        self.ids = self._tokenize([self.parted.text])[0]
        most = max(1, room(model.limit, model.around) + MORE_UNITS - MAX_WORD_UNITS)
        self.read = [*model.before, *self.ids[-most:]]

    def _tokenize(self, texts: list[str]) -> list[list[int]]:
        units: list[list[int]] = self.model.tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
        return units

    @property
    def least(self) -> float:
        """Return the score that a word must surpass to be among the k best."""
        return nlargest(self.k, self.words.values())[-1] if len(self.words) >= self.k else float("-inf")

    def finish(self) -> list[Completion]:
        """Return the k best words, and forget the paths."""
        self.open.clear()
        best = nlargest(self.k, self.words.items(), key=lambda item: item[1])
        return [Completion(word, exp(logp)) for word, logp in best]

    def begin(self, number: int, rows: Tensor) -> None:
        """Open the first paths of the text, which has this number among those that are read together."""
        self.number, self.paths = number, 0
        self.open: list[_Path] = []
        self.words: dict[str, float] = {}
        """ln P of the whole words so far."""
        logp = self._score(rows)[0]
        state = self._kind(self.parted.words[-1])
        if not self.units.trailing:
            logp -= logp.masked_fill(self.units.begin_mask[state] == 0, -torch.inf).logsumexp(0)
        self._open(None, logp, self.units.opening[state])

    def take_most_probable(self) -> list[_Path]:
        """Return the open paths to grow next; none where none can lead to one of the k best words."""
        least, batch = self.least, list[_Path]()
        while self.open and len(batch) < BATCH_PATHS and self.open[0].logp > least:
            batch.append(heappop(self.open))
        self.paths += len(batch)
        if self.paths > MOST_PATHS:
            raise WordworthError(
                f"{MOST_PATHS:,} paths do not settle the {self.k} most probable words after {self.parted.text!r}; "
                "ask for fewer words, or give more context"
            )
        return batch

    def grow(self, paths: Sequence[_Path], rows: Tensor) -> None:
        """End the words of some paths, then open the paths that continue them."""
        scores = self._score(rows)
        states = [self._state(path.spelled) for path in paths]
        if not self.units.trailing:
            masked = scores.masked_fill(self.units.begin_mask[states] == 0, -torch.inf)
            ends = masked.logsumexp(dim=1).tolist()
            self._end([(path, path.logp + end) for path, end in zip(paths, ends, strict=True)])
        for path, row, state in zip(paths, scores, states, strict=True):
            self._open(path, row + path.logp, self.units.inside[state])

    def _score(self, rows: Tensor) -> Tensor:
        return to_double(self.model.reader.logits(rows)).log_softmax(dim=1).cpu()

    def _kind(self, word: str) -> int:
        return kind_of(word) if self.units.glues else WORD

    def _state(self, spelled: bytes) -> int:
        """Return what a path has spelled: letters, marks, or nothing that tells yet."""
        word = spelled.decode(errors="ignore").strip()
        return self._kind(word) if word else SPACE

    def _open(self, parent: _Path | None, logp: Tensor, may_follow: Tensor) -> None:
        """Open the paths that go on with one of these units, by ln of their probabilities."""
        before, so_far = (parent.spelled, parent.units) if parent else (b"", ())
        numbers = (logp > self.least).logical_and_(may_follow).nonzero()[:, 0]
        units, scores = numbers.tolist(), logp[numbers].tolist()
        ended: list[tuple[_Path, float]] = []
        for unit, score in zip(units, scores, strict=True):
            spelled = before + (self.units.texts[unit] or b"")
            path = _Path(self.number, len(self.read), unit, parent, -1, score, spelled, (*so_far, unit))
            if self.units.trailing and spelled.endswith(b" "):
                ended.append((path, score))
            elif len(path.units) < MAX_WORD_UNITS:
                heappush(self.open, path)
        self._end(ended)

    def _end(self, paths: list[tuple[_Path, float]]) -> None:
        """Note whole words, where the path is the tokenizer's own for the word that it spells."""
        least = self.least
        ended = [(path, path.spelled.decode(errors="replace"), logp) for path, logp in paths if logp > least]
        space = " " if self.units.trailing else ""  # which no unit spells
        texts = [self.parted.text + space + spelled.rstrip() for _, spelled, _ in ended]
        own = self._tokenize(texts) if texts else []
        for (path, spelled, logp), text, units in zip(ended, texts, own, strict=True):
            word = spelled.strip()
            if units == [*self.ids, *path.units] and self.parting(text).words == [*self.parted.words, word]:
                self.words[word] = max(logp, self.words.get(word, logp))
