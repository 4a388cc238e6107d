"""Find the most probable whole words after a text, including the end of the word."""

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
from wordworth.whole_words.reader import Node
from wordworth.whole_words.rules import MORE_UNITS, room
from wordworth.whole_words.splitting import SPACE, WORD, Punctuation, WordSplitter, kind_of
from wordworth.whole_words.surprisal import check_texts
from wordworth.whole_words.unit_scores import to_double

MAX_WORD_UNITS = 32
"""Maximum number of units of a word."""
BATCH_PATHS = 32
"""Paths per text that grow by one unit in a pass."""
TEXTS_TOGETHER = 32
"""Texts whose paths grow together; each begins with a path for most units of the vocabulary."""
MAX_PATHS = 4096
"""Maximum number of paths per text."""


class Completion(NamedTuple):
    """A whole word that may come next."""

    word: str
    probability: float


@dataclass(eq=False)
class _Path(Node):
    """Units after the text, and ln of their probability given that a word begins there."""

    logp: float = 0.0
    spelling: bytes = b""
    units: tuple[int, ...] = ()

    def __lt__(self, other: "_Path") -> bool:
        return self.logp > other.logp


def complete(
    model: WordModel, texts: Sequence[str], k: int = 5, *, punctuation: Punctuation = "apart"
) -> list[list[Completion]]:
    """Return the k most probable words after each text, the most probable first. The text's last word is complete.

    Words are those of `predict_words`: a punctuation mark is a word of its own, so `Paris`, `Paris.` and `Paris,` are
    one answer, and a mark may itself come next. With `attached`, only white space separates words. A word's probability
    is that of the tokenizer's own units and the word's end, given that a word begins; −log2 of it is what `surprisal`
    returns for the word there. If a word may follow with or without a space, the larger probability counts. So the
    probabilities of all words sum to at most 1. Other segmentations of the same word are not added.

    The search is exact. A path's probability only falls as it grows, so the search ends when no open path is more
    probable than the k-th best whole word. Words have at most `MAX_WORD_UNITS` units. An error is raised if `MAX_PATHS`
    paths are not enough, as for a model without any preference.
    """
    if k < 1:
        raise WordworthError(f"k is {k}; give at least 1")
    searches = [_Search(model, text, k, punctuation) for text in check_texts(texts)]

    def run(batch: list[int]) -> list[list[Completion]]:
        groups = [batch[start : start + TEXTS_TOGETHER] for start in range(0, len(batch), TEXTS_TOGETHER)]
        return [words for group in groups for words in _search_together(model, [searches[number] for number in group])]

    completions: list[list[Completion]] = [[]] * len(searches)
    lengths = [len(search.input_ids) for search in searches]
    with inference(), progress(f"completing texts with {model.name}", len(searches)) as advance:
        for batch, completions_of_batch in by_length(run, lengths, model.reader.budget):
            for number, words in zip(batch, completions_of_batch, strict=True):
                completions[number] = words
            advance(len(batch))
    return completions


def _search_together(model: WordModel, searches: "Sequence[_Search]") -> list[list[Completion]]:
    """Read some texts in one pass, and grow the paths of all together."""
    reader = model.reader
    texts = [search.input_ids for search in searches]
    rows, state = reader.read(texts, [len(text) - 1 for text in texts])
    for number, (search, row) in enumerate(zip(searches, torch.split(rows, 1), strict=True)):
        search.begin(number, row)
    while any(batches := [search.take_most_probable() for search in searches]):
        rows = reader.extend(state, [path for batch in batches for path in batch])
        for search, batch, text_rows in zip(searches, batches, torch.split(rows, [*map(len, batches)]), strict=True):
            if batch:
                search.grow(batch, text_rows)
    return [search.finish() for search in searches]


class _Search:
    """Searches for the words that may follow one text."""

    def __init__(self, model: WordModel, text: str, k: int, punctuation: Punctuation) -> None:
        self.model, self.k, self.units = model, k, model.units.adapt(punctuation)
        self.splitter = WordSplitter(punctuation)
        self.line_words = self.splitter(text)
        if not self.line_words.words:
            raise WordworthError("there is no text to complete; give at least one word")
        self.ids = self._tokenize([self.line_words.text])[0]
        max_units = max(1, room(model.limit, model.around) + MORE_UNITS - MAX_WORD_UNITS)
        self.input_ids = [*model.before, *self.ids[-max_units:]]

    def _tokenize(self, texts: list[str]) -> list[list[int]]:
        units: list[list[int]] = self.model.tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
        return units

    @property
    def min_score(self) -> float:
        """Return the score that a word must exceed to be among the k best."""
        return nlargest(self.k, self.words.values())[-1] if len(self.words) >= self.k else float("-inf")

    def finish(self) -> list[Completion]:
        """Return the k best words, and drop the paths."""
        self.open_paths.clear()
        best = nlargest(self.k, self.words.items(), key=lambda item: item[1])
        return [Completion(word, exp(logp)) for word, logp in best]

    def begin(self, number: int, rows: Tensor) -> None:
        """Open the first paths of the text, which is number `number` of the texts read together."""
        self.number, self.paths = number, 0
        self.open_paths: list[_Path] = []
        self.words: dict[str, float] = {}
        """ln P of the whole words so far."""
        logp = self._score(rows)[0]
        state = self._kind(self.line_words.words[-1])
        if not self.units.trailing:
            logp -= logp.masked_fill(self.units.begin_mask[state] == 0, -torch.inf).logsumexp(0)
        self._open(None, logp, self.units.opening[state])

    def take_most_probable(self) -> list[_Path]:
        """Return the open paths to grow next; none if none can lead to one of the k best words."""
        min_score, batch = self.min_score, list[_Path]()
        while self.open_paths and len(batch) < BATCH_PATHS and self.open_paths[0].logp > min_score:
            batch.append(heappop(self.open_paths))
        self.paths += len(batch)
        if self.paths > MAX_PATHS:
            raise WordworthError(
                f"{MAX_PATHS:,} paths do not settle the {self.k} most probable words after {self.line_words.text!r}; "
                "reduce k, or give more context"
            )
        return batch

    def grow(self, paths: Sequence[_Path], rows: Tensor) -> None:
        """End the words of some paths, then open the paths that continue them."""
        scores = self._score(rows)
        states = [self._state(path.spelling) for path in paths]
        if not self.units.trailing:
            begin_scores = scores.masked_fill(self.units.begin_mask[states] == 0, -torch.inf)
            ends = begin_scores.logsumexp(dim=1).tolist()
            self._end([(path, path.logp + end) for path, end in zip(paths, ends, strict=True)])
        for path, row, state in zip(paths, scores, states, strict=True):
            self._open(path, row + path.logp, self.units.inside[state])

    def _score(self, rows: Tensor) -> Tensor:
        return to_double(self.model.reader.logits(rows)).log_softmax(dim=1).cpu()

    def _kind(self, word: str) -> int:
        return kind_of(word) if self.units.glues else WORD

    def _state(self, spelling: bytes) -> int:
        """Return the kind of a path's spelling: letters, marks, or only white space so far."""
        word = spelling.decode(errors="ignore").strip()
        return self._kind(word) if word else SPACE

    def _open(self, parent: _Path | None, logp: Tensor, may_follow: Tensor) -> None:
        """Open the paths that continue with one of these units, by ln of their probabilities."""
        prefix, units_so_far = (parent.spelling, parent.units) if parent else (b"", ())
        numbers = (logp > self.min_score).logical_and_(may_follow).nonzero()[:, 0]
        units, scores = numbers.tolist(), logp[numbers].tolist()
        complete_paths: list[tuple[_Path, float]] = []
        for unit, score in zip(units, scores, strict=True):
            spelling = prefix + (self.units.texts[unit] or b"")
            path = _Path(self.number, len(self.input_ids), unit, parent, -1, score, spelling, (*units_so_far, unit))
            if self.units.trailing and spelling.endswith(b" "):
                complete_paths.append((path, score))
            elif len(path.units) < MAX_WORD_UNITS:
                heappush(self.open_paths, path)
        self._end(complete_paths)

    def _end(self, paths: list[tuple[_Path, float]]) -> None:
        """Record whole words whose path is the tokenizer's own for the word that it spells."""
        min_score = self.min_score
        candidates = [(path, path.spelling.decode(errors="replace"), logp) for path, logp in paths if logp > min_score]
        space = " " if self.units.trailing else ""  # no unit spells it
        texts = [self.line_words.text + space + spelling.rstrip() for _, spelling, _ in candidates]
        tokenizations = self._tokenize(texts) if texts else []
        for (path, spelling, logp), text, units in zip(candidates, texts, tokenizations, strict=True):
            word = spelling.strip()
            if units == [*self.ids, *path.units] and self.splitter(text).words == [*self.line_words.words, word]:
                self.words[word] = max(logp, self.words.get(word, logp))
