"""The vectors that the experiments share: each group of words is encoded once a setting, in all layers, and kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.corpora import Corpus
from wordworth.contexts import Context, Templates, aligned, bleached, decontextualized, misaligned, random_contexts
from wordworth.encode import LanguageModel, VectorStore, encode_to_store
from wordworth.errors import WordworthError
from wordworth.progress import progress

NO_CONTEXT = "no context in the corpus"


@dataclass(frozen=True, eq=False)
class Group:
    """Words in one setting: the vectors of those that could be encoded, and why the others could not."""

    words: tuple[str, ...]
    """All that were asked for."""
    store: VectorStore
    positions: NDArray[np.intp]
    """For each row of the store's vectors, the place of its word in `words`."""
    reasons: Mapping[int, str]
    """Place in `words` → why it has no vector."""

    @property
    def subwords(self) -> NDArray[np.intp]:
        return self.store.subwords

    def vectors(self, layer: int, pooling: str) -> NDArray[np.float32]:
        return self.store.vectors(layer, pooling)

    def found(self) -> tuple[str, ...]:
        return tuple(self.words[place] for place in self.positions.tolist())


@dataclass(eq=False)
class Encodings:
    """Encodes words of one language with one model, in any setting."""

    model: LanguageModel
    templates: Templates
    language: str
    corpus: Corpus | None
    seed: int
    _drawn: dict[str, Context | None] = field(default_factory=dict)

    @property
    def layers(self) -> tuple[int, ...]:
        return tuple(range(self.model.layers + 1))

    def draw(self, words: Sequence[str]) -> None:
        """Finds random contexts for all these words in one pass over the corpus."""
        if self.corpus is None:
            raise WordworthError("random contexts need a corpus: give --contexts NAME or PATH")
        wanted = [word for word in dict.fromkeys(words) if word not in self._drawn]
        if wanted:
            found = random_contexts(wanted, self.corpus, seed=self.seed, language=self.language)
            self._drawn |= dict.fromkeys(wanted) | {context.word: context for context in found.contexts}

    def group(self, setting: str, words: Sequence[str], ratings: Sequence[float] | None = None) -> Group:
        """The words in a setting. `ratings` on the templates' scale choose the text in aligned and misaligned."""
        if setting == "random":
            self.draw(words)
            contexts = [self._drawn[word] for word in words]
        elif setting == "bleached":
            contexts = [*bleached(words, self.templates)]
        elif setting == "decontextualized":
            contexts = [*decontextualized(words)]
        elif ratings is None:
            raise WordworthError(f"the {setting} setting needs a rating for every word")
        else:
            contexts = [*(aligned if setting == "aligned" else misaligned)(words, ratings, self.templates)]
        return self.encoded(tuple(words), contexts)

    def encoded(self, words: tuple[str, ...], contexts: Sequence[Context | None]) -> Group:
        """Words in contexts of their own; a word without one is left out and told."""
        places = [place for place, context in enumerate(contexts) if context is not None]
        given = [context for context in contexts if context is not None]
        with progress(f"{self.model.name}: encoding", len(set(given))) as advance:
            store = encode_to_store(self.model, given, advance=advance)
        reasons = {place: NO_CONTEXT for place, context in enumerate(contexts) if context is None}
        reasons |= {places[failure.row]: failure.reason for failure in store.failures}
        return Group(words, store, np.array(places, dtype=np.intp)[store.rows], reasons)
