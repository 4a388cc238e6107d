"""Query models for vectors, completions, surprisal and inferences."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.models import ModelKind, kind_of_class
from wordworth.catalog.resolve import Origin
from wordworth.embedding import Layers
from wordworth.errors import WordworthError

if TYPE_CHECKING:  # torch and transformers are imported when a model is first used
    import polars as pl
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

    from wordworth.encode import LanguageModel as Encoder
    from wordworth.nli.nli import Inference
    from wordworth.nli.nli import NliModel as Network
    from wordworth.whole_words import Completion, WordModel
    from wordworth.whole_words.model import WordFamily
    from wordworth.whole_words.splitting import Punctuation
    from wordworth.whole_words.surprisal import Pll


Texts = list[str] | tuple[str, ...]


def wrap_objects(network: Any, tokenizer: Any, *, name: str = "") -> "LanguageModel | NliModel":
    """Return the model around a network and a tokenizer of transformers; the network's class decides the kind."""
    is_nli = type(network).__name__.endswith("ForSequenceClassification")
    return (NliModel if is_nli else LanguageModel).of(network, tokenizer, name=name)


@dataclass(eq=False, repr=False)
class _NamedModel:
    """Hold a model by its name, path or address, loaded on first use; or a network and a tokenizer in memory."""

    origin: Origin | str
    kind: ModelKind
    device: str = "auto"
    precision: str = "float32"
    objects: "tuple[PreTrainedModel, PreTrainedTokenizerFast] | None" = None
    """The network and the tokenizer, if they were given."""

    def __repr__(self) -> str:
        return f"<{self.kind} model {self.name}>"

    @property
    def name(self) -> str:
        """Return its name in tables."""
        return self.origin if isinstance(self.origin, str) else self.origin.name

    @classmethod
    def of(cls, network: Any, tokenizer: Any, *, name: str = "") -> Self:
        """Return the model around a network and a tokenizer of transformers.

        Each call measures the network as it is then: after a change in place, it is another model. Calls set it to
        evaluation mode, so call `.train()` before you train it further. The default name is its folder or class.
        """
        network = _without_adapter_class(network)
        if not getattr(tokenizer, "is_fast", False):
            class_name = type(tokenizer).__name__
            raise WordworthError(f"{class_name} is not a fast tokenizer; load it with AutoTokenizer.from_pretrained")
        class_name = Path(network.config._name_or_path or type(network).__name__).name
        return cls(name or class_name, kind_of_class(type(network).__name__), objects=(network, tokenizer))

    @cached_property
    def _encoder(self) -> "Encoder":
        from wordworth.encode import load_named, wrap

        if self.objects is None:
            return load_named(self.origin, device=self.device, dtype=self.precision)
        network, tokenizer = self.objects
        base: Any = network.get_encoder() if network.config.is_encoder_decoder else network.base_model
        with _keep_gradients(base):
            return wrap(base, tokenizer, name=self.name)

    def _rest(self) -> None:
        """Set a network in memory to evaluation mode: its user may have trained it further."""
        if self.objects is not None:
            self.objects[0].train(False)

    @property
    def encoder(self) -> "Encoder":
        """Return the network without a head, which encodes words, and its tokenizer."""
        self._rest()
        return self._encoder

    def _in_context(self, words: str | Sequence[str], context: str, language: str, pooling: str) -> Layers:
        """Encode words in a context that needs no ratings."""
        from wordworth.contexts import contexts_in, load_templates
        from wordworth.encode import in_contexts

        words = [words] if isinstance(words, str) else words
        templates = load_templates("vast", language) if context == "bleached" else None
        contexts = contexts_in(context, words, templates=templates)
        return in_contexts(self.encoder, words, contexts, context).layers(pooling, language)


class LanguageModel(_NamedModel):
    """Query a causal or masked language model, or an encoder."""

    @property
    def word_model(self) -> "WordModel":
        """Return the model with its head, which predicts words."""
        self._rest()
        return self._word_model

    @cached_property
    def _word_model(self) -> "WordModel":
        from wordworth.whole_words import load_word_model, wrap_word_model

        if self.kind not in ("causal", "masked"):
            raise WordworthError(
                f"{self.name} is an encoder without a head, so it predicts no words; load a causal or masked model"
            )
        if self.objects is None:
            return load_word_model(self.origin, self.device, self.precision)
        family: WordFamily = "causal" if self.kind == "causal" else "masked"
        with _keep_gradients(self.objects[0]):
            return wrap_word_model(*self.objects, name=self.name, family=family)

    @cached_property
    def _encoder(self) -> "Encoder":
        """Return the model without a head, with the weights of `word_model` if that is loaded."""
        return self._word_model.reader.base if "_word_model" in self.__dict__ else super()._encoder

    @property
    def pooling(self) -> str:
        """Return how subwords are pooled: `last` in a model that reads left to right, else `mean`."""
        return "last" if self.encoder.left_only else "mean"

    def vectors(
        self, words: str | Sequence[str], sentences: str | Sequence[str], *, layer: int | None = None, pooling: str = ""
    ) -> NDArray[np.float32]:
        """Return the vectors of a word's first occurrence in a sentence: layers × dimensions, or those of one layer.

        With a list, there is a row per word and its sentence; a single word or sentence is paired with all others.
        """
        from wordworth.contexts import Context
        from wordworth.encode import encode

        contexts: list[Context] = []
        for word, sentence in _pair(words, sentences, "words and sentences"):
            match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sentence)
            if match is None:
                raise WordworthError(f"the word {word!r} is not in {sentence!r}")
            contexts.append(Context(word, sentence, match.start(), match.end()))
        pooling_name = pooling or self.pooling
        encoding = encode(self.encoder, contexts, [pooling_name], None if layer is None else [layer])
        if encoding.failures:
            failure = encoding.failures[0]
            raise WordworthError(f"{self.name} cannot locate {failure.word!r}: {failure.reason}")
        vectors: NDArray[np.float32] = encoding.vectors[pooling_name]
        vectors = vectors if layer is None else vectors[:, 0]
        return np.asarray(vectors[0]) if isinstance(words, str) and isinstance(sentences, str) else vectors

    def layers(
        self, words: str | Sequence[str], *, context: str = "bleached", pooling: str = "", language: str = "english"
    ) -> Layers:
        """Return words in every layer, in a context: bleached (“This is WORD”) or decontextualized (only the word)."""
        return self._in_context(words, context, language, pooling or self.pooling)

    @overload
    def complete(self, texts: str, k: int = 5) -> "list[Completion]": ...
    @overload
    def complete(self, texts: Texts, k: int = 5) -> "pl.DataFrame": ...
    def complete(self, texts: str | Texts, k: int = 5) -> "list[Completion] | pl.DataFrame":
        """Return the k most probable whole words after a text, with their probabilities; for a list, as a frame.

        The frame has the columns `text` (the number of the text, from 0), `rank` (from 1), `word` and `probability`.
        Words follow the rules of `predict`: `Paris`, `Paris.` and `Paris,` are one answer, and a mark is a word.
        """
        import polars as pl

        from wordworth.whole_words import complete

        completions = complete(self.word_model, [texts] if isinstance(texts, str) else texts, k)
        if isinstance(texts, str):
            return completions[0]
        rows = [(text, rank, *guess) for text, words in enumerate(completions) for rank, guess in enumerate(words, 1)]
        schema = {"text": pl.Int32, "rank": pl.Int32, "word": pl.String, "probability": pl.Float64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def surprisal(
        self,
        texts: str | Sequence[str],
        *,
        bos: bool = False,
        punctuation: "Punctuation" = "apart",
        pll: "Pll" = "within_word_l2r",
    ) -> "pl.DataFrame":
        """Return −log₂ of the probability of every word, in bits: one frame for all texts, with a row per word.

        `text` is the number of the text and `place` that of the word in it, both from 0. If `surprisal` is null,
        `skipped` says why. A punctuation mark is a separate word, unless `punctuation` is "attached".

        A causal model predicts a word and its end from the words before it. Nothing precedes the first word, so it is
        null, unless `bos` puts the model's BOS token (or its end-of-text token) before each text.

        For a masked model it is the pseudo-log-likelihood given all other words. "within_word_l2r" masks a token and
        those after it in its word (Kauf & Ivanova 2023), "original" only the token (Salazar et al. 2020).
        """
        from wordworth.whole_words import surprisal

        return surprisal(self.word_model, texts, bos=bos, punctuation=punctuation, pll=pll)


class SentenceEncoder(_NamedModel):
    """Query a sentence encoder, which has one vector per text."""

    def encode(self, texts: str | Sequence[str]) -> NDArray[np.float32]:
        """Return texts × dimensions, each row of length 1.

        Raise for a text with characters that the tokenizer does not know.
        """
        from wordworth.contexts import make_decontextualized
        from wordworth.encode import encode

        encoding = encode(self.encoder, make_decontextualized([texts] if isinstance(texts, str) else texts))
        if encoding.failures:
            failure = encoding.failures[0]
            raise WordworthError(f"{self.name} cannot encode {failure.word!r}: {failure.reason}")
        vectors: NDArray[np.float32] = encoding.vectors["last"][:, 0]
        return vectors

    def layers(
        self, words: str | Sequence[str], *, context: str = "decontextualized", language: str = "english"
    ) -> Layers:
        """Return words in a context: decontextualized (alone) or bleached (“This is WORD”)."""
        return self._in_context(words, context, language, "mean")


class NliModel(_NamedModel):
    """Query a model of natural-language inference."""

    @property
    def network(self) -> "Network":
        """Return the network itself."""
        self._rest()
        return self._network

    @cached_property
    def _network(self) -> "Network":
        if self.objects is None:
            from wordworth.nli.loading import load as load_nli

            return load_nli(self.origin, self.device)
        from wordworth.encode.heads import wrap_headed
        from wordworth.nli.cross_encoder import make_cross_encoder

        self._rest()
        return make_cross_encoder(wrap_headed(*self.objects, name=self.name))

    @overload
    def infer(self, premises: str, hypotheses: str) -> "Inference": ...
    @overload
    def infer(self, premises: Texts, hypotheses: str | Texts) -> "pl.DataFrame": ...
    @overload
    def infer(self, premises: str, hypotheses: Texts) -> "pl.DataFrame": ...
    def infer(self, premises: str | Texts, hypotheses: str | Texts) -> "Inference | pl.DataFrame":
        """Return the probabilities of entailment, neutral and contradiction; for lists, as a frame with a row per pair.

        A single premise or hypothesis is paired with all others.
        """
        import polars as pl

        from wordworth.nli.nli import Inference, infer

        if isinstance(premises, str) and isinstance(hypotheses, str):
            return infer(self.network, premises, hypotheses)
        pairs = _pair(premises, hypotheses, "premises and hypotheses")
        rows = infer(self.network, [premise for premise, _ in pairs], [hypothesis for _, hypothesis in pairs])
        schema = dict.fromkeys(("premise", "hypothesis"), pl.String) | dict.fromkeys(Inference._fields, pl.Float64)
        return pl.DataFrame([(*pair, *row) for pair, row in zip(pairs, rows, strict=True)], schema=schema, orient="row")


def _pair(firsts: str | Sequence[str], seconds: str | Sequence[str], plural: str) -> list[tuple[str, str]]:
    """Return two lists in pairs; a single text is paired with all others."""
    left, right = ([side] if isinstance(side, str) else list(side) for side in (firsts, seconds))
    count = len(right) if isinstance(firsts, str) else len(left)
    left, right = (side * count if isinstance(text, str) else side for side, text in ((left, firsts), (right, seconds)))
    if len(left) != len(right):
        raise WordworthError(f"there are {len(left)} and {len(right)} {plural}; give two lists of one length")
    return list(zip(left, right, strict=True))


@contextmanager
def _keep_gradients(network: Any) -> Iterator[None]:
    """Keep the trainable weights of a network trainable: its user may train it further."""
    trainable = [weight for weight in network.parameters() if weight.requires_grad]
    yield
    for weight in trainable:
        weight.requires_grad_(True)


def _without_adapter_class(network: Any) -> Any:
    """Return the network inside PEFT's adapters; raise for adapters that are not inside the network."""
    adapters = getattr(network, "peft_config", None)
    if adapters is None or not hasattr(network, "get_base_model"):
        return network
    if any(getattr(adapter, "is_prompt_learning", False) for adapter in adapters.values()):
        raise WordworthError(
            f"{type(network).__name__} puts a learned prompt before the text, which cannot be measured word by word; "
            "give the model without it, or one with LoRA"
        )
    return network.get_base_model()
