"""Models that answer questions: vectors, completions, surprisal, inferences."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.kinds import Kind, kind_of
from wordworth.catalog.models import load_embeddings
from wordworth.catalog.resolve import label_of
from wordworth.embedding import Embedding, Layers
from wordworth.errors import WordworthError

if TYPE_CHECKING:  # torch and transformers are imported when a model is first used
    import polars as pl

    from wordworth.encode import LanguageModel as Encoder
    from wordworth.nli.nli import Inference
    from wordworth.nli.nli import NliModel as Network
    from wordworth.whole_words import Completion, WordModel


def load(
    named: str | Path, *, kind: Kind | None = None, device: str = "auto", precision: str = "float32"
) -> "Embedding | LanguageModel | SentenceEncoder | NliModel | Any":
    """Load a model by a name of the catalog or the hub, a path or an address.

    It is word vectors, a language model, a sentence encoder, or an NLI model. `kind` says which where its files do not:
    static, causal, masked, encoder, sentence or nli.
    """
    chosen = kind or kind_of(named)
    if chosen == "static":
        embeddings = list(load_embeddings(named))
        if len(embeddings) != 1:
            raise WordworthError(f"{named} holds {len(embeddings)} embeddings; name one of them")
        return embeddings[0]
    by_kind: dict[Kind, type[_Named]] = {"nli": NliModel, "sentence": SentenceEncoder}
    return by_kind.get(chosen, LanguageModel)(named, chosen, device, precision)


@dataclass(eq=False, repr=False)
class _Named:
    """A model by its name, path or address; its weights are loaded when it is first used."""

    named: str | Path
    kind: Kind
    device: str = "auto"
    precision: str = "float32"

    def __repr__(self) -> str:
        return f"<{self.kind} model {self.name}>"

    @property
    def name(self) -> str:
        """Its name in tables."""
        return label_of(self.named)

    @cached_property
    def encoder(self) -> "Encoder":
        """The network without a head, which encodes words, and its tokenizer."""
        from wordworth.encode import load_named

        return load_named(self.named, device=self.device, dtype=self.precision)

    def _in_context(self, words: Sequence[str], context: str, language: str, pooling: str) -> Layers:
        """Return words in a context that needs no ratings."""
        from wordworth.contexts import contexts_in, load_templates
        from wordworth.encode import in_contexts

        templates = load_templates("vast", language) if context == "bleached" else None
        contexts = contexts_in(context, words, templates=templates)
        return in_contexts(self.encoder, words, contexts, context).layers(pooling, language)


class LanguageModel(_Named):
    """A causal or masked language model, or an encoder."""

    @cached_property
    def word_model(self) -> "WordModel":
        """The model with its head, which predicts words."""
        if self.kind == "encoder":
            raise WordworthError(
                f"{self.name} is an encoder without a head, so it predicts no words; load a causal model"
            )
        from wordworth.whole_words import load_word_model

        return load_word_model(self.named, self.device, self.precision)

    @cached_property
    def encoder(self) -> "Encoder":
        """The model without a head; its weights are those of `word_model` where that is loaded."""
        return self.word_model.reader.base if "word_model" in self.__dict__ else super().encoder

    @property
    def pooling(self) -> str:
        """How the subwords of a word become one vector: `last` in a model that reads left to right, else `mean`."""
        return "last" if self.encoder.left_only else "mean"

    def vectors(self, word: str, sentence: str, *, layer: int | None = None, pooling: str = "") -> NDArray[np.float32]:
        """Return the vectors of a word's first occurrence in a sentence: layers × dimensions, or those of one layer."""
        from wordworth.contexts import Context
        from wordworth.encode import encode

        place = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sentence)
        if place is None:
            raise WordworthError(f"the word {word!r} is not in {sentence!r}")
        chosen = pooling or self.pooling
        context = Context(word, sentence, place.start(), place.end())
        encoded = encode(self.encoder, [context], [chosen], None if layer is None else [layer])
        if encoded.failures:
            raise WordworthError(f"{self.name} cannot locate {word!r}: {encoded.failures[0].reason}")
        vectors: NDArray[np.float32] = encoded.vectors[chosen][0]
        return vectors if layer is None else np.asarray(vectors[0])

    def layers(
        self, words: Sequence[str], *, context: str = "bleached", pooling: str = "", language: str = "english"
    ) -> Layers:
        """Return words in every layer, in a context: bleached (“This is WORD”) or decontextualized (alone)."""
        return self._in_context(words, context, language, pooling or self.pooling)

    def complete(self, text: str, k: int = 5) -> "list[Completion]":
        """Return the k most probable whole words after a text, with their probabilities."""
        from wordworth.whole_words import complete

        return complete(self.word_model, text, k)

    def surprisal(self, text: str) -> "pl.DataFrame":
        """Return −log₂ of the probability of every word of a text, from its left context: one row per word."""
        from wordworth.whole_words import surprisal

        return surprisal(self.word_model, text)


class SentenceEncoder(_Named):
    """A sentence encoder: one vector per text."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return texts × dimensions, each row of length 1.

        A text with characters that the tokenizer does not know is an error.
        """
        from wordworth.contexts import decontextualized
        from wordworth.encode import encode

        encoded = encode(self.encoder, decontextualized(texts))
        if encoded.failures:
            raise WordworthError(
                f"{self.name} cannot encode {encoded.failures[0].word!r}: {encoded.failures[0].reason}"
            )
        vectors: NDArray[np.float32] = encoded.vectors["last"][:, 0]
        return vectors

    def layers(self, words: Sequence[str], *, context: str = "decontextualized", language: str = "english") -> Layers:
        """Return words in a context: decontextualized (alone) or bleached (“This is WORD”)."""
        return self._in_context(words, context, language, "mean")


class NliModel(_Named):
    """A model of natural-language inference."""

    @cached_property
    def network(self) -> "Network":
        """The network itself."""
        from wordworth.nli.loading import load as load_nli

        return load_nli(self.named, self.device)

    def infer(self, premise: str, hypothesis: str) -> "Inference":
        """Return the probabilities of entailment, neutral and contradiction."""
        from wordworth.nli.nli import infer

        return infer(self.network, premise, hypothesis)
