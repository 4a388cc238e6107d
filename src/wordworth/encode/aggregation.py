"""Aggregated vectors (Bommasani et al. 2020): a word's vectors in many sentences become one, in every layer.

Each sentence goes through the network once for all the vocabulary's words in it. What is kept is accumulators, so
memory does not grow with the number of sentences. They are written to the cache every so often: a run that was killed
goes on where it was, and what was aggregated once is there for every other study.
"""

import re
import shutil
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.contexts import Context, Occurrence, Sample
from wordworth.encode.encoding import checked_layers, encode_shards
from wordworth.encode.model import LanguageModel
from wordworth.encode.pooling import POOLINGS_OF_BOTH, Accumulators, saved_facts, saved_vectors
from wordworth.encode.units import SubwordStates
from wordworth.engine.cache import CacheSlot, hashed_once, slot
from wordworth.engine.engines import current
from wordworth.errors import WordworthError
from wordworth.files import checksum_of_input, hold_lock

AGGREGATE_VERSION = 2
SUMS_FILE = "sums.safetensors"
CHUNK_BYTES = 24 << 20
"""States held at once, if every word were one token."""
MIN_CHUNK_CONTEXTS = 64
"""Contexts in a chunk at the least, however large the model."""
CHECKPOINT_SECONDS = 60.0
"""Seconds of work that a kill may cost."""
TOO_LONG = "the model does not admit even the word with its text cut away"


@dataclass(frozen=True, eq=False)
class Aggregate:
    """The vectors over the first `sentences` sentences of a sample. They are read from disk a layer at a time."""

    path: Path
    words: tuple[str, ...]
    layers: tuple[int, ...]
    sentences: int
    contexts: NDArray[np.int64]
    """How many contexts each word has."""
    windowed: int
    """Contexts whose sentence is longer than the model admits; the word was taken in as much of it as fits."""
    failed: dict[str, int]
    """Word → contexts in which it could not be located among the tokens."""
    reasons: dict[str, str]
    """Word → why, the first time."""

    def vectors(self, layer: int, pooling: str = "mean/mean") -> NDArray[np.float32]:
        """words × dim of one layer and pooling f/g; NaN where a word has no context."""
        if layer not in self.layers:
            raise WordworthError(f"layers {list(self.layers)} were aggregated, not {layer}")
        return saved_vectors(self.path, self.layers.index(layer), pooling)


@dataclass
class _Counts:
    """Counts that are saved next to the vectors."""

    sentences: int = 0
    windowed: int = 0
    failed: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def fail(self, word: str, reason: str) -> None:
        self.failed[word] = self.failed.get(word, 0) + 1
        self.reasons.setdefault(word, reason)

    def add(self, other: "_Counts") -> None:
        self.sentences += other.sentences
        self.windowed += other.windowed
        for word, count in other.failed.items():
            self.failed[word] = self.failed.get(word, 0) + count
        self.reasons = other.reasons | self.reasons


@dataclass(frozen=True)
class Aggregating:
    """How words are aggregated over sentences."""

    poolings: Sequence[str] = POOLINGS_OF_BOTH
    layers: Sequence[int] | None = None
    snapshots: Sequence[int] = ()
    """Numbers of sentences after which the vectors are kept too."""


@hashed_once()
def aggregate(
    model: LanguageModel,
    words: Sequence[str],
    sample: Sample,
    how: Aggregating | None = None,
    *,
    advance: Callable[[float], None] | None = None,
) -> list[Aggregate]:
    """Return an `Aggregate` for each number of sentences in `how.snapshots` that the sample has, and one for all of it.

    `words` is the vocabulary that the sample was drawn for. `advance(n)` is called when n more sentences are done.
    """
    how = how or Aggregating()
    numbers = checked_layers(model, how.layers)
    stops = sorted({stop for stop in how.snapshots if 0 < stop < sample.sentences} | {sample.sentences})
    sample_key = [sorted(how.poolings), checksum_of_input(sample.path), list(words)]
    entry = slot("aggregates", [AGGREGATE_VERSION, *model.identity, numbers, *sample_key])
    with hold_lock(entry.path):
        missing = [stop for stop in stops if not entry.part(str(stop)).check_or_remove()]
        if missing:
            sums = Accumulators(len(words), len(numbers), model.dim, how.poolings)
            run = _Run(model, tuple(words), numbers, sums, advance or (lambda _: None))
            run.until(sample, missing, entry)
        elif advance:
            advance(sample.sentences)
    return [_read(entry.part(str(stop)).path / SUMS_FILE, tuple(words), numbers) for stop in stops]


def _read(path: Path, words: tuple[str, ...], layers: tuple[int, ...]) -> Aggregate:
    facts = saved_facts(path)
    contexts = np.array(facts.pop("contexts"), dtype=np.int64)
    return Aggregate(path, words, layers, contexts=contexts, **facts)


def chunks(sentences: Iterable[Occurrence], values: int) -> Iterator[list[Occurrence]]:
    """Sentences whose words' states, of `values` numbers each, fill `CHUNK_BYTES`: batches are made within a chunk."""
    size = max(MIN_CHUNK_CONTEXTS, CHUNK_BYTES // (4 * values))
    chunk: list[Occurrence] = []
    spans = 0
    for sentence in sentences:
        chunk.append(sentence)
        spans += len(sentence.spans)
        if spans >= size:
            yield chunk
            chunk, spans = [], 0
    if chunk:
        yield chunk


@dataclass(eq=False)
class _Run:
    model: LanguageModel
    words: tuple[str, ...]
    layers: tuple[int, ...]
    sums: Accumulators
    advance: Callable[[float], None]
    counts: _Counts = field(default_factory=_Counts)

    def until(self, sample: Sample, stops: list[int], entry: CacheSlot) -> None:
        """Go through the sample and save a part at every stop; begin where the last part before the first ends."""
        self._resume(entry, stops[0])
        self.advance(self.counts.sentences)
        checkpoint, began = entry.part("latest"), time.monotonic()
        prepared = deque[_ChunkContexts]()

        def contexts() -> Iterator[list[Context]]:
            for chunk in self._chunks(sample, stops):
                prepared.append(self._prepare(chunk))
                yield prepared[-1].contexts

        # Sentences of a text share no beginnings worth looking for.
        stream = partial(encode_shards, layers=self.layers, share_prefixes=False)
        if self.counts.sentences in stops:
            self._save(entry.part(str(self.counts.sentences)))
        for shard in current().map(stream, self.model, contexts(), f"encoding sentences with {self.model.name}"):
            self._add(prepared.popleft(), shard)
            is_stop = self.counts.sentences in stops
            if is_stop or time.monotonic() - began > CHECKPOINT_SECONDS:
                self._save(entry.part(str(self.counts.sentences)) if is_stop else checkpoint)
                began = time.monotonic()
        shutil.rmtree(checkpoint.path, ignore_errors=True)

    def _chunks(self, sample: Sample, stops: list[int]) -> Iterator[list[Occurrence]]:
        """Yield what is left of the sample in chunks, of which none goes beyond a stop."""
        done = self.counts.sentences
        sentences = sample.read(done)
        for stop in stops:
            yield from chunks(islice(sentences, stop - done), self.model.dim * len(self.layers))
            done = stop

    def _resume(self, entry: CacheSlot, before: int) -> None:
        parts = [part for part in entry.parts() if part.check_or_remove()]
        done = {saved_facts(part.path / SUMS_FILE)["sentences"]: part for part in parts}
        nearest = max((sentences for sentences in done if sentences <= before), default=None)
        if nearest is not None:
            facts = self.sums.restore(done[nearest].path / SUMS_FILE)
            facts.pop("contexts")
            self.counts = _Counts(**facts)

    def _save(self, part: CacheSlot) -> None:
        facts: dict[str, Any] = vars(self.counts) | {"contexts": self.sums.count.tolist()}
        part.write(lambda folder: self.sums.save(folder / SUMS_FILE, facts))

    def _prepare(self, chunk: list[Occurrence]) -> "_ChunkContexts":
        """Return the words of the sentences in their contexts, cut where the model does not admit the whole."""
        result = _ChunkContexts(_Counts(len(chunk)))
        for sentence in chunk:
            is_whole = fits(self.model, sentence.text)
            for word, start, end in sentence.spans:
                context = Context(self.words[word], sentence.text, start, end)
                excerpt = context if is_whole else window(self.model, context)
                result.counts.windowed += not is_whole
                if excerpt is None:
                    result.counts.fail(self.words[word], TOO_LONG)
                else:
                    result.contexts.append(excerpt)
                    result.words.append(word)
        return result

    def _add(self, chunk: "_ChunkContexts", shard: SubwordStates) -> None:
        for failure in shard.failures:
            chunk.counts.fail(failure.word, failure.reason)
        self.counts.add(chunk.counts)
        subwords = np.array(shard.subwords, dtype=np.int64)
        if subwords.any():
            self.sums.add(shard.states, subwords[subwords > 0], np.array(chunk.words)[subwords > 0])
        self.advance(chunk.counts.sentences)


@dataclass
class _ChunkContexts:
    """What a chunk gives to encode. It is counted when its states come: the next chunks may be under way by then."""

    counts: _Counts
    contexts: list[Context] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    """The word of each context."""


_PIECE = re.compile(r"\S+")


def fits(model: LanguageModel, text: str) -> bool:
    """Return whether the model admits the whole text. A token is at least a byte: short texts are not tokenized."""
    specials = model.tokenizer.num_special_tokens_to_add()
    if model.max_length is None or len(text.encode()) + specials <= model.max_length:
        return True
    return len(model.tokenizer(text, return_attention_mask=False, verbose=False)["input_ids"]) <= model.max_length


def window(model: LanguageModel, context: Context) -> Context | None:
    """Cut the context to the whitespace words around its word that the model admits; None if not even one fits.

    The window grows by a word on either side in turn as long as it fits, found by halving.
    """
    pieces = [match.span() for match in _PIECE.finditer(context.text)]
    first = next(at for at, (_, end) in enumerate(pieces) if end > context.start)
    last = next(at for at, (_, end) in enumerate(pieces) if end >= context.end)

    def cut_around(width: int) -> Context:
        start = pieces[max(0, first - width)][0]
        end = pieces[min(len(pieces) - 1, last + width)][1]
        return Context(context.word, context.text[start:end], context.start - start, context.end - start)

    too_wide = bisect_left(range(len(pieces)), True, key=lambda width: not fits(model, cut_around(width).text))
    return cut_around(too_wide - 1) if too_wide else None
