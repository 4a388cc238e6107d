"""Language models as sources of `Layers`: words in their contexts, aggregated over sentences, or without context."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.resolve import NameLike
from wordworth.contexts import Context, Sample, make_decontextualized
from wordworth.embedding import Layers, Provenance, Slot
from wordworth.embedding.core import Speller, as_written, look_up
from wordworth.encode.aggregation import Aggregate, Aggregating, aggregate
from wordworth.encode.encoding import UNKNOWN_CHARACTERS, WordVectors, encode, pieces_of
from wordworth.encode.model import LanguageModel, is_sentence_encoder
from wordworth.encode.named import load_named
from wordworth.encode.pooling import POOLINGS_OF_BOTH, split_pooling
from wordworth.encode.store import VectorStore, encode_to_store
from wordworth.encode.tokens import as_read
from wordworth.errors import WordworthError
from wordworth.progress import progress

NO_CONTEXT = "no context in the corpus"
NO_VECTOR = "it has no vector, by itself or in a sentence"
SlotReader = Callable[[Slot], NDArray[np.float32]]


def provenance_of(model: LanguageModel, language: str = "") -> Provenance:
    """Return where the vectors of a language model come from."""
    return Provenance(model.name, model.source, model.weights, language)


@dataclass(frozen=True, eq=False)
class InContexts:
    """Words that were encoded, each in a context of its own; `layers(pooling)` gives their vectors."""

    model: LanguageModel
    words: tuple[str, ...]
    context: str
    store: VectorStore
    positions: NDArray[np.intp]
    """For each row of the store's vectors, the place of its word in `words`."""
    reasons: dict[int, str]

    @cached_property
    def _forms(self) -> tuple[str, ...]:
        """Return the words that have vectors as the tokenizer reads them."""
        return as_read(self.model.tokenizer, [self.words[place] for place in self.positions.tolist()])

    def layers(self, pooling: str, language: str = "") -> Layers:
        """Return the words' vectors in every layer under one pooling of their subwords."""
        store = self.store
        return Layers(
            words=tuple(self.words[place] for place in self.positions.tolist()),
            forms=self._forms,
            slots=tuple(Slot(layer) for layer in store.layers),
            read=lambda slot: store.vectors(slot.layer or 0, pooling),
            provenance=provenance_of(self.model, language),
            context=self.context,
            pooling=None if is_sentence_encoder(self.model) else pooling,
            requested_words=self.words,
            positions=self.positions,
            reasons=self.reasons,
            subwords=None if is_sentence_encoder(self.model) else store.subwords,
        )


def in_contexts(
    model: LanguageModel,
    words: Sequence[str],
    contexts: Sequence[Context | None],
    context: str,
    layers: Sequence[int] | None = None,
) -> InContexts:
    """Encode words once in every layer (or some); a word without a context, or not located in it, has a reason."""
    places = [place for place, context in enumerate(contexts) if context is not None]
    present = [context for context in contexts if context is not None]
    with progress(f"{model.name}: encoding", len(set(present))) as advance:
        store = encode_to_store(model, present, layers, advance=advance)
    reasons = {place: NO_CONTEXT for place, context in enumerate(contexts) if context is None}
    reasons |= {places[failure.row]: failure.reason for failure in store.failures}
    return InContexts(model, tuple(words), context, store, np.array(places, dtype=np.intp)[store.rows], reasons)


@dataclass(eq=False)
class Aggregates:
    """A vocabulary aggregated over sentences, its words by themselves, and counts of what happened on the way."""

    model: LanguageModel
    words: tuple[str, ...]
    aggregates: list[Aggregate]
    """By rising number of sentences; the last is over the whole sample."""
    subword_poolings: tuple[str, ...]
    numbers: Sequence[int] | None

    def _encode_alone(self, places: NDArray[np.intp]) -> tuple[WordVectors, NDArray[np.intp]]:
        """Return the vectors of the words at these places without a text, and the places of those that have one."""
        contexts = make_decontextualized([self.words[place] for place in places.tolist()])
        encoded = encode(self.model, contexts, self.subword_poolings, self.numbers)
        return encoded, places[encoded.rows]

    @cached_property
    def _alone(self) -> tuple[WordVectors, NDArray[np.intp]]:
        """Return all words without a text."""
        return self._encode_alone(np.arange(len(self.words)))

    @cached_property
    def _unmet_alone(self) -> tuple[WordVectors, NDArray[np.intp]]:
        """Return the words that have no context in the smallest sample, without a text."""
        return self._encode_alone(np.flatnonzero(self.aggregates[0].contexts == 0))

    @property
    def whole(self) -> Aggregate:
        """Return the aggregate over the whole sample."""
        return self.aggregates[-1]

    @property
    def never_met(self) -> tuple[str, ...]:
        """Return words without a context in the whole sample that have a vector by themselves."""
        places = self._unmet_alone[1]
        return tuple(self.words[place] for place in places[self.whole.contexts[places] == 0].tolist())

    @property
    def without_vector(self) -> dict[str, str]:
        """Return words that have no vector in any sentence or by themselves, with the reason."""
        reasons = {failure.word: failure.reason for failure in self._unmet_alone[0].failures}
        unmet_words = [self.words[place] for place in np.flatnonzero(self.whole.contexts == 0).tolist()]
        return {word: reasons[word] for word in unmet_words if word in reasons}

    def pool_decontextualized(self, f: str) -> Layers:
        """Return the words without context, their subwords pooled by `f`."""
        encoded, places = self._alone
        vectors = encoded.vectors[f]
        return self._layers("decontextualized", f, places, lambda slot: vectors[:, self._at(slot)])

    def _at(self, slot: Slot) -> int:
        """Return the place of a slot's layer among those aggregated."""
        return self.whole.layers.index(slot.layer or 0)

    def pool_contexts(self, pooling: str, over: Aggregate | None = None) -> Layers:
        """Return the words over sentences; one that never occurs is encoded by itself (Bommasani et al., A.5)."""
        sentences = over or self.whole
        encoded, places = self._unmet_alone
        is_unmet = sentences.contexts[places] == 0
        unmet_places, unmet_vectors = places[is_unmet], encoded.vectors[split_pooling(pooling)[0]][is_unmet]
        present_places = np.union1d(np.flatnonzero(sentences.contexts), unmet_places).astype(np.intp)

        def read(slot: Slot) -> NDArray[np.float32]:
            matrix = sentences.vectors(slot.layer or 0, pooling)
            matrix[unmet_places] = unmet_vectors[:, self._at(slot)]
            present: NDArray[np.float32] = matrix[present_places]
            return present

        layers = self._layers("aggregated", pooling, present_places, read)
        return layers if sentences is self.whole else replace(layers, sentences=sentences.sentences)

    def _layers(self, context: str, pooling: str, there: NDArray[np.intp], read: SlotReader) -> Layers:
        present = set(there.tolist())
        return Layers(
            words=tuple(self.words[row] for row in there.tolist()),
            slots=tuple(Slot(layer) for layer in self.whole.layers),
            read=read,
            provenance=provenance_of(self.model, "english"),
            context=context,
            pooling=pooling,
            requested_words=self.words,
            positions=there,
            reasons={at: NO_VECTOR for at in range(len(self.words)) if at not in present},
        )

    def every(self) -> Iterator[Layers]:
        """Yield each number of sentences under each pooling, then the words without context."""
        for over in self.aggregates:
            for pooling in POOLINGS_OF_BOTH:
                yield self.pool_contexts(pooling, over)
        for f in self.subword_poolings:
            yield self.pool_decontextualized(f)


def over_sentences(
    model: LanguageModel, words: Sequence[str], sample: Sample, how: Aggregating | None = None
) -> Aggregates:
    """Aggregate words over a sample of sentences, in one pass for every layer and pooling."""
    how = how or Aggregating()
    if not words:
        raise WordworthError("there are no words to aggregate; give a vocabulary")
    with progress(f"{model.name}: encoding sentences", sample.sentences) as advance:
        aggregates = aggregate(model, words, sample, how, advance=advance)
    subword = tuple(dict.fromkeys(split_pooling(pooling)[0] for pooling in how.poolings))
    return Aggregates(model, tuple(words), aggregates, subword, how.layers)


@dataclass(frozen=True, eq=False)
class WordsAlone(Layers):
    """Has no words of its own, and a vector for every word whose characters the tokenizer knows."""

    model: LanguageModel = field(kw_only=True)

    def select(self, words: Sequence[str], spelling: Speller = as_written) -> Layers:
        """Return the words asked for, each under the first of its spellings that the tokenizer knows."""
        forms = list(dict.fromkeys(form for word in words for form in spelling(word)))
        unknown = self.model.tokenizer.unk_token_id
        usable = [form for form, ids in zip(forms, pieces_of(self.model, forms), strict=True) if unknown not in ids]
        matches = look_up({form: row for row, form in enumerate(usable)}, words, spelling)
        store = in_contexts(self.model, matches.forms, make_decontextualized(matches.forms), "decontextualized").store
        there = set(matches.positions.tolist())
        return Layers(
            words=matches.words,
            slots=self.slots,
            read=lambda _: store.vectors(0),
            provenance=self.provenance,
            requested_words=tuple(words),
            positions=matches.positions,
            reasons={at: UNKNOWN_CHARACTERS for at in range(len(words)) if at not in there},
            forms=as_read(self.model.tokenizer, matches.forms),
        )


def words_alone(model: LanguageModel | NameLike, language: str = "", *, device: str = "auto") -> WordsAlone:
    """Return a sentence encoder as an embedding of the words that it will be asked for."""
    encoder = model if isinstance(model, LanguageModel) else load_named(model, device=device)
    none = np.empty((0, encoder.dim), dtype=np.float32)
    origin = provenance_of(encoder, language)
    return WordsAlone((), (Slot(),), lambda _: none, origin, vocabulary=True, model=encoder)
