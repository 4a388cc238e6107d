"""Words that several lexica, association tests and sets of pairs share go through the model once."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from wordworth.contexts import Context
from wordworth.encode import InContexts, LanguageModel, VectorStore, in_contexts
from wordworth.encode.layers import NO_CONTEXT

Key = tuple[str, int, int]


def _key(context: Context) -> Key:
    return context.text, context.start, context.end


@dataclass(eq=False)
class EncodedOnce:
    """What a model was given so far, and in which store the vectors are."""

    model: LanguageModel
    layers: tuple[int, ...]
    _stores: list[VectorStore] = field(default_factory=list)
    _places: dict[Key, tuple[int, int]] = field(default_factory=dict)
    """Context → the store, and its place among the distinct contexts there."""

    def in_contexts(
        self,
        words: Sequence[str],
        contexts: Sequence[Context | None],
        setting: str,
        layers: tuple[int, ...] | None = None,
    ) -> InContexts:
        """As `encode.in_contexts`, of which it encodes only what is new; what has only some `layers` is not kept."""
        if layers is not None and layers != self.layers:
            partial = EncodedOnce(self.model, layers, [*self._stores], dict(self._places))
            return partial.in_contexts(words, contexts, setting)
        places = [place for place, context in enumerate(contexts) if context is not None]
        given = [context for context in contexts if context is not None]
        new = [context for context in given if _key(context) not in self._places]
        store = in_contexts(self.model, [context.word for context in new], new, setting, self.layers).store
        if new:
            self._remember(store)
        if len(new) < len(given):
            store = self._joined(given)
        reasons = {place: NO_CONTEXT for place, context in enumerate(contexts) if context is None}
        reasons |= {places[failure.row]: failure.reason for failure in store.failures}
        located = np.array(places, dtype=np.intp)[store.rows]
        return InContexts(self.model, tuple(words), setting, store, located, reasons)

    def _remember(self, store: VectorStore) -> None:
        for context, place in zip(store.contexts, store.place.tolist(), strict=True):
            self._places[_key(context)] = len(self._stores), place
        self._stores.append(store)

    def _joined(self, contexts: Sequence[Context]) -> VectorStore:
        """One store over the chunks of all those that hold the contexts."""
        found = [self._places[_key(context)] for context in contexts]
        numbers = sorted({number for number, _ in found})
        stores = [self._stores[number] for number in numbers]
        starts = np.cumsum([0, *(int(store.place.max()) + 1 for store in stores)]).tolist()
        first = dict(zip(numbers, starts, strict=False))
        return replace(
            stores[-1],
            contexts=tuple(contexts),
            chunks=tuple(chunk for store in stores for chunk in store.chunks),
            place=np.array([first[number] + place for number, place in found], dtype=np.intp),
        )
