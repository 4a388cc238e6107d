"""The words of one model and language in the contextual settings: each is encoded once, and shared by experiments."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.corpora import Corpus
from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.word_sets import PolarWords
from wordworth.contexts import Context, Templates, contexts_in, polar_ratings, random_contexts, rescaled
from wordworth.embedding import Layers
from wordworth.encode import InContexts, LanguageModel, VectorStore, in_contexts
from wordworth.encode.layers import NO_CONTEXT
from wordworth.errors import WordworthError
from wordworth.results import Findings
from wordworth.statistics.correlation import pearson
from wordworth.study.inputs import measured_layers
from wordworth.study.vast import VastSettings
from wordworth.task.valence import effect_sizes
from wordworth.task.words import Poles, TooFewWordsError

TEMPLATE_SCALE = (1.0, 9.0)


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


@dataclass(frozen=True, eq=False)
class RatedWords:
    """A lexicon's words and the polar words, encoded in one setting."""

    words: InContexts
    poles: tuple[InContexts, InContexts]
    """Pleasant and unpleasant."""
    _effects: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    def layers(self, pooling: str) -> tuple[Layers, Poles]:
        """The vectors of the words and of the poles under one pooling."""
        high, low = (pole.layers(pooling).distinct() for pole in self.poles)
        return self.words.layers(pooling), (high, low)

    def effects(self, pooling: str) -> NDArray[np.float64]:
        """slots × words: effect sizes, which several experiments ask for, and are computed once."""
        if pooling not in self._effects:
            self._effects[pooling] = effect_sizes(*self.layers(pooling))
        return self._effects[pooling]


@dataclass(eq=False)
class WordsInSettings:
    """What the experiments on one model and language have in common."""

    model: LanguageModel
    language: str
    templates: Templates
    corpus: Corpus | None
    polar: PolarWords
    settings: tuple[str, ...]
    pooling: str
    chosen: VastSettings
    _drawn: dict[str, Context | None] = field(default_factory=dict)
    _rated: dict[tuple[str, str], RatedWords] = field(default_factory=dict)
    _best: dict[str, int] = field(default_factory=dict)

    @cached_property
    def _once(self) -> EncodedOnce:
        return EncodedOnce(self.model, self.measured)

    @property
    def measured(self) -> tuple[int, ...]:
        """The layers that are measured, lowest first."""
        return measured_layers(self.model, self.chosen)

    def with_model(self, model: LanguageModel) -> "WordsInSettings":
        """The same words in the same texts, for another model."""
        return replace(self, model=model, _rated={}, _best={})

    def _draw(self, words: Sequence[str]) -> None:
        """Finds random contexts for all these words in one pass over the corpus."""
        if self.corpus is None:
            raise WordworthError("random contexts need a corpus: give --corpus NAME or FILE")
        wanted = [word for word in dict.fromkeys(words) if word not in self._drawn]
        if wanted:
            drawn = random_contexts(wanted, self.corpus, seed=self.chosen.seed, language=self.language)
            self._drawn |= dict.fromkeys(wanted) | {context.word: context for context in drawn.contexts}

    def encoded(
        self,
        setting: str,
        words: Sequence[str],
        ratings: Sequence[float] | None = None,
        *,
        polar: bool = False,
        layers: tuple[int, ...] | None = None,
    ) -> InContexts:
        """Words in a setting. `ratings` on the templates' scale choose the text in aligned and misaligned.

        What is not encoded yet is encoded in all measured layers, or only in `layers`.
        """
        if setting == "random":
            self._draw(words)
        contexts = contexts_in(
            setting, words, templates=self.templates, ratings=ratings, random=self._drawn, polar=polar
        )
        return self._once.in_contexts(words, contexts, setting, layers)

    def rated(self, lexicon: Lexicon, setting: str) -> RatedWords:
        """The lexicon's words and the poles in a setting. In misaligned the poles stay aligned (VAST, appendix)."""
        key = lexicon.name, setting
        if key not in self._rated:
            self._rated[key] = self._encode(lexicon, setting)
        return self._rated[key]

    def pole_words(self, lexicon: Lexicon, setting: str) -> Layers:
        """The lexicon's words in the text that those of them stand in which are poles: aligned where misaligned."""
        return self.rated(lexicon, "aligned" if setting == "misaligned" else setting).words.layers(self.pooling)

    def _encode(self, lexicon: Lexicon, setting: str) -> RatedWords:
        sides = self.polar.pleasant, self.polar.unpleasant
        ratings: dict[str, float] = {}
        if setting in ("aligned", "misaligned"):
            ratings = polar_ratings(*sides, known := nine_points(lexicon)) | known
        if setting == "random":
            self._draw([*sides[0], *sides[1], *lexicon.words])

        def encode(words: Sequence[str], *, polar: bool) -> InContexts:
            return self.encoded(setting, words, [ratings[word] for word in words] if ratings else None, polar=polar)

        high, low = (encode(side, polar=True) for side in sides)
        for side, pole in (("pleasant", high), ("unpleasant", low)):
            if len(pole.positions) < 2:
                why = next(iter(pole.reasons.values()), "")
                raise TooFewWordsError(f"{len(pole.positions)} of the {side} words could be encoded {setting} ({why})")
        return RatedWords(encode(lexicon.words, polar=False), (high, low))

    def best_layer(self, lexicon: Lexicon) -> int:
        """The layer of highest valence among those measured, bleached (or in the first setting that is run)."""
        if lexicon.name not in self._best:
            setting = "bleached" if "bleached" in self.settings else self.settings[0]
            rated = self.rated(lexicon, setting)
            rho = pearson(rated.effects(self.pooling), lexicon.valence[rated.words.positions], resamples=1).value
            self._best[lexicon.name] = self.measured[int(np.argmax(rho))]
        return self._best[lexicon.name]

    def chosen_layers(self, lexicon: Lexicon) -> tuple[int, ...]:
        """The best layer and the top one of those measured, as the paper takes them."""
        return tuple(sorted({self.best_layer(lexicon), self.measured[-1]}))


def nine_points(lexicon: Lexicon) -> dict[str, float]:
    """The lexicon's valence on the templates' scale of 1 to 9."""
    if lexicon.scale is None:
        raise WordworthError(
            f"the aligned settings need to know the scale of {lexicon.name}'s ratings; give --scale LOW,HIGH"
        )
    return dict(zip(lexicon.words, rescaled(lexicon.valence.tolist(), lexicon.scale, TEMPLATE_SCALE), strict=True))


def greedy_poles(words: Sequence[str], ratings: Sequence[float], size: int = 25) -> tuple[list[str], list[str]]:
    """The words rated highest and lowest, as VAST's appendix picks poles; ties go to the earlier word."""
    order = sorted(range(len(words)), key=lambda at: (ratings[at], -at))
    return [words[at] for at in reversed(order[-size:])], [words[at] for at in order[:size]]


def balanced(findings: Findings, polar: PolarWords, seed: int) -> PolarWords:
    """Polar words cut at random to one size, as VAST's appendix does for languages with unequal sets."""
    rng = np.random.default_rng(seed)
    size = min(len(polar.pleasant), len(polar.unpleasant))
    sides = []
    for words in (polar.pleasant, polar.unpleasant):
        kept = sorted(rng.choice(len(words), size, replace=False).tolist()) if len(words) > size else range(len(words))
        sides.append(tuple(words[at] for at in kept))
        gone = [word for at, word in enumerate(words) if at not in kept]
        if gone:
            findings.note(f"Dropped at random to balance the polar words ({polar.language}): {', '.join(gone)}.")
    return replace(polar, pleasant=sides[0], unpleasant=sides[1])
