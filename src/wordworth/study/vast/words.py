"""Encode the words of one model and language in their contexts, once per text for all experiments."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

import numpy as np

from wordworth.catalog.read.corpora import Corpus
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.word_sets import PolarWords, polar_words
from wordworth.catalog.resolve import split_label
from wordworth.contexts import Context, Templates, contexts_in, load_templates, polar_ratings, random_contexts, rescale
from wordworth.embedding import NOT_FOUND, Layers
from wordworth.embedding.core import in_script
from wordworth.encode import InContexts, LanguageModel, VectorStore, as_read, in_contexts, is_sentence_encoder
from wordworth.encode.layers import NO_CONTEXT
from wordworth.errors import WordworthError
from wordworth.results.findings import Findings
from wordworth.statistics.correlation import pearson
from wordworth.study.inputs import default_pooling, load_corpus_in, load_lexicon_in, load_own_lexicon, select_layers
from wordworth.study.vast import DEFAULT_CONTEXTS, SENTENCE_CONTEXTS, VastSettings
from wordworth.task.settings import Name
from wordworth.task.valence import compute_effect_sizes, record_slots
from wordworth.task.words import Poles, TooFewWordsError, merge_words, record_missing

PAPER_LEXICA = ("bellezza", "anew", "warriner")
TEMPLATE_SCALE = (1.0, 9.0)
BY_RATING = ("aligned", "misaligned")
"""Contexts whose text depends on the rating of the word."""
AFFECTS = ("dominance", "arousal")
Key = tuple[str, int, int]


def _key(context: Context) -> Key:
    return context.text, context.start, context.end


@dataclass(eq=False)
class EncodedWords:
    """Share encoded words among experiments. Vectors stay on disk, and are read one layer at a time."""

    model: LanguageModel
    language: str
    templates: Templates
    corpus: Corpus | None
    polar: PolarWords
    contexts: tuple[str, ...]
    pooling: str
    settings: VastSettings
    _random_contexts: dict[str, Context | None] = field(default_factory=dict)
    """Word → its random context; None if the corpus has none."""
    _places: dict[Key, list[tuple[VectorStore, int]]] = field(default_factory=dict)
    """Each text and span that was encoded → its stores, of all or some layers, and its place in each of them."""

    @cached_property
    def layers(self) -> tuple[int, ...]:
        """Return the layers that are measured, lowest first."""
        return select_layers(self.model, self.settings)

    @cached_property
    def anew(self) -> Lexicon | None:
        """Return ANEW, which has the poles of dominance, of arousal and of split words; None in another language."""
        return load_lexicon("anew") if self.language == "english" else None

    @property
    def poles(self) -> tuple[str, ...]:
        """Return the polar words, pleasant ones first."""
        return (*self.polar.pleasant, *self.polar.unpleasant)

    def encode(
        self,
        context: str,
        words: Sequence[str],
        ratings: Sequence[float] | None = None,
        *,
        is_polar: bool = False,
        layers: tuple[int, ...] = (),
    ) -> InContexts:
        """Encode words in a context; `ratings` on the templates' scale choose the text in aligned and misaligned.

        Polar words stay aligned in misaligned (VAST, appendix). New texts are encoded in `layers`, or in all measured.
        """
        if context == "random":
            self._draw(words)
        contexts = contexts_in(
            context, words, templates=self.templates, ratings=ratings, random=self._random_contexts, polar=is_polar
        )
        return self.encode_contexts(words, contexts, context, layers)

    def encode_contexts(
        self, words: Sequence[str], contexts: Sequence[Context | None], name: str, layers: tuple[int, ...] = ()
    ) -> InContexts:
        """Return the same as `encode.in_contexts`, but run the model only on new texts."""
        layers = layers or self.layers
        positions = [position for position, context in enumerate(contexts) if context is not None]
        present_contexts = [context for context in contexts if context is not None]
        new_contexts = [context for context in present_contexts if self._find(context, layers) is None]
        store = in_contexts(self.model, [context.word for context in new_contexts], new_contexts, name, layers).store
        for context, place in zip(new_contexts, store.place.tolist(), strict=True):
            self._places.setdefault(_key(context), []).append((store, place))
        store = self._join(store, present_contexts)
        reasons = {position: NO_CONTEXT for position, context in enumerate(contexts) if context is None}
        reasons |= {positions[failure.row]: failure.reason for failure in store.failures}
        located_positions = np.array(positions, dtype=np.intp)[store.rows]
        return InContexts(self.model, tuple(words), name, store, located_positions, reasons)

    def _find(self, context: Context, layers: tuple[int, ...]) -> tuple[VectorStore, int] | None:
        stored_places = self._places.get(_key(context), [])
        return next((place for place in stored_places if set(layers) <= set(place[0].layers)), None)

    def _join(self, pattern: VectorStore, contexts: Sequence[Context]) -> VectorStore:
        """Return one store over the chunks of all stores that have the contexts, in the layers of `pattern`."""
        places = [place for context in contexts if (place := self._find(context, pattern.layers))]
        stores = list(dict.fromkeys(store for store, _ in places))
        starts = np.cumsum([0, *(int(store.place.max()) + 1 for store in stores)]).tolist()
        first_chunks = dict(zip(stores, starts, strict=False))
        return replace(
            pattern,
            contexts=tuple(contexts),
            chunks=tuple(chunk for store in stores for chunk in store.chunks),
            place=np.array([first_chunks[store] + place for store, place in places], dtype=np.intp),
        )

    def _draw(self, words: Iterable[str]) -> None:
        """Find random contexts for all these words in one pass over the corpus."""
        new_words = [word for word in dict.fromkeys(words) if word not in self._random_contexts]
        if self.corpus is None:
            raise WordworthError("random contexts need a corpus: give --corpus NAME or FILE")
        if new_words:
            sample = random_contexts(new_words, self.corpus, seed=self.settings.seed, language=self.language)
            self._random_contexts |= dict.fromkeys(new_words) | {context.word: context for context in sample.contexts}

    def read_rated(self, lexicon: Lexicon, context: str) -> tuple[Layers, Poles]:
        """Return the vectors of the lexicon's words and of the poles in a context."""
        words, *poles = self.encode_rated(lexicon, context)
        high, low = (pole.layers(self.pooling).distinct() for pole in poles)
        return words.layers(self.pooling), (high, low)

    def encode_rated(self, lexicon: Lexicon, context: str) -> tuple[InContexts, InContexts, InContexts]:
        """Encode the lexicon's words, the pleasant and the unpleasant words in a context."""
        ratings: dict[str, float] = {}
        if context in BY_RATING:
            rescaled = rescale_ratings(lexicon)
            ratings = polar_ratings(self.polar.pleasant, self.polar.unpleasant, rescaled) | rescaled
        elif context == "random":
            self._draw([*self.poles, *lexicon.words])

        def encode(words: Sequence[str], *, is_polar: bool) -> InContexts:
            word_ratings = [ratings[word] for word in words] if ratings else None
            return self.encode(context, words, word_ratings, is_polar=is_polar)

        high, low = (encode(side, is_polar=True) for side in (self.polar.pleasant, self.polar.unpleasant))
        for side, pole in (("pleasant", high), ("unpleasant", low)):
            if len(pole.positions) < 2:
                reason = next(iter(pole.reasons.values()), "")
                raise TooFewWordsError(
                    f"{len(pole.positions)} of the {side} words could be encoded in the context {context} ({reason})"
                )
        return encode(lexicon.words, is_polar=False), high, low

    def choose_layers(self, lexicon: Lexicon) -> tuple[int, ...]:
        """Return the layer of highest valence and the top one of those measured, as the paper takes them.

        Valence is that of bleached words, or of the first context that is run.
        """
        context = "bleached" if "bleached" in self.contexts else self.contexts[0]
        layers, poles = self.read_rated(lexicon, context)
        rho = pearson(compute_effect_sizes(layers, poles), lexicon.valence[layers.positions], resamples=1).value
        return tuple(sorted({self.layers[int(np.argmax(rho))], self.layers[-1]}))


def rescale_ratings(lexicon: Lexicon) -> dict[str, float]:
    """Return the lexicon's valence on the templates' scale of 1 to 9."""
    if lexicon.scale is None:
        raise WordworthError(
            f"the aligned contexts need to know the scale of {lexicon.name}'s ratings; give --scale LOW,HIGH"
        )
    return dict(zip(lexicon.words, rescale(lexicon.valence.tolist(), lexicon.scale, TEMPLATE_SCALE), strict=True))


def choose_greedy_poles(words: Sequence[str], ratings: Sequence[float], size: int = 25) -> tuple[list[str], list[str]]:
    """Return the words rated highest and lowest, as VAST's appendix picks poles; ties go to the earlier word."""
    order = sorted(range(len(words)), key=lambda index: (ratings[index], -index))
    return [words[index] for index in reversed(order[-size:])], [words[index] for index in order[:size]]


def load_words(findings: Findings, model: LanguageModel, settings: VastSettings, language: str) -> EncodedWords:
    """Load the templates, polar words and text of a language."""
    templates = load_templates(settings.templates, language)
    default_contexts = SENTENCE_CONTEXTS if is_sentence_encoder(model) else DEFAULT_CONTEXTS
    contexts = settings.contexts or tuple(filter(templates.has, default_contexts))
    if "random" in contexts and "random" not in default_contexts:
        raise WordworthError(
            f"{model.name} is a sentence encoder: its vector of a random context is of the whole text; choose "
            f"--context {', '.join(default_contexts)}"
        )
    for context in () if settings.contexts else default_contexts:
        if context not in contexts:
            reason = f"the templates {templates.name} have no text for it"
            findings.notice("skipped", reason, model=model.name, language=language, context=context)
    own_texts = dict(map(split_label, settings.language_corpus))
    corpus_name = own_texts.get(language, settings.corpus if language == settings.language else "")
    if str(corpus_name) in ("", "none"):
        contexts, corpus = tuple(context for context in contexts if context != "random"), None
    else:
        corpus = load_corpus_in(findings, corpus_name, language) if "random" in contexts else None
    if not contexts:
        raise WordworthError("random contexts need a corpus: give --corpus NAME or FILE")
    polar = polar_words(language)
    for word in polar.repeats:
        findings.notice("info", f"the polar word {word!r} was published twice and is used once", language=language)
    polar = put_poles_into_script(findings, polar, templates)
    if settings.balance or language != "english":
        polar = balance(findings, polar, settings.seed)
    pooling = settings.pooling or default_pooling(model)
    return EncodedWords(model, language, templates, corpus, polar, contexts, pooling, settings)


def balance(findings: Findings, polar: PolarWords, seed: int) -> PolarWords:
    """Cut polar words at random to one size, as VAST's appendix does for languages with unequal sets."""
    rng = np.random.default_rng(seed)
    size = min(len(polar.pleasant), len(polar.unpleasant))
    sides = []
    for words in (polar.pleasant, polar.unpleasant):
        rows = sorted(rng.choice(len(words), size, replace=False).tolist()) if len(words) > size else range(len(words))
        sides.append(tuple(words[index] for index in rows))
        dropped_words = [word for index, word in enumerate(words) if index not in rows]
        if dropped_words:
            reason = f"polar words were dropped at random to balance the sets: {', '.join(dropped_words)}"
            findings.notice("info", reason, count=len(dropped_words), total=len(words), language=polar.language)
    return replace(polar, pleasant=sides[0], unpleasant=sides[1])


def load_lexica(findings: Findings, words: EncodedWords) -> list[Lexicon]:
    """Load the lexica that are scored: those of the settings, or of the language."""
    names: Sequence[Name] = words.settings.lexica or (PAPER_LEXICA if words.language == "english" else ())
    return [record_lexicon(findings, words, name) for name in names] or [record_lexicon(findings, words)]


def record_lexicon(findings: Findings, words: EncodedWords, name: Name | None = None) -> Lexicon:
    """Load and record a lexicon, or the language's own; words that the tokenizer reads alike are merged."""
    if name is None:
        lexicon = load_own_lexicon(findings, words.language, load_lexicon)
    else:
        lexicon = load_lexicon_in(name, words.language, words.settings)
    lexicon = put_lexicon_into_script(findings, lexicon, words.templates)
    findings.add_data(lexicon)
    forms = dict(zip(lexicon.words, as_read(words.model.tokenizer, lexicon.words), strict=True))
    return merge_words(findings, words.model.name, lexicon, forms)


def score_affects(
    words: EncodedWords, layers: Layers, lexicon: Lexicon, transform: Callable[[Layers], Layers] = lambda layers: layers
) -> Findings:
    """Score ρ for dominance and arousal, where the lexicon rates them; `layers` are its words in a context.

    The poles are the 25 highest and lowest words of ANEW, which are removed from the lexicon. `transform` changes the
    vectors of both.
    """
    findings, words_of_poles = Findings(), layers
    affects = [affect for affect in AFFECTS if affect in lexicon.ratings]
    if not affects or words.anew is None:
        return findings
    if layers.context == "misaligned":
        # In the texts of poles, which stay aligned.
        rescaled_ratings = list(rescale_ratings(lexicon).values())
        encoding = words.encode(layers.context, lexicon.words, rescaled_ratings, is_polar=True)
        words_of_poles = encoding.layers(words.pooling)
    rated_layers = transform(layers)
    place = {**layers.columns, "language": words.language, "dataset": lexicon.name}
    ends_of = {affect: choose_greedy_poles(words.anew.words, words.anew.ratings[affect].tolist()) for affect in affects}
    pole_words = dict.fromkeys(word for sides in ends_of.values() for side in sides for word in side)
    every_pole = words_of_poles.select(list(pole_words))
    every_pole = replace(every_pole, read=cache(every_pole.read))  # each layer is read once for all poles
    for affect, sides in ends_of.items():
        poles = []
        for end, side in zip(("high", "low"), sides, strict=True):
            pole = every_pole.select(side)
            absence = f"not in {lexicon.name}"
            reasons = {i: absence if text == NOT_FOUND else text for i, text in pole.reasons.items()}
            poles.append(transform(replace(pole, reasons=reasons)))
            record_missing(findings, "word_lists", place, poles[-1], list=f"{affect}: {end}")
        high, low = poles
        if min(len(high), len(low)) < 2:
            reason, where_from = "its poles have fewer than two words", {"model": layers.name, "dataset": lexicon.name}
            findings.notice("skipped", reason, **where_from, context=layers.context, measure=affect)
            continue
        polar = {*high.matched_words, *low.matched_words}
        rows = [row for row, form in enumerate(rated_layers.matched_words) if form not in polar]
        other_words = rated_layers.rows(np.array(rows))
        people = dict(zip(lexicon.words, lexicon.ratings[affect].tolist(), strict=True))
        ratings = np.array([people[word] for word in other_words.words])
        effects = compute_effect_sizes(other_words, (high, low))
        rho = pearson(effects, ratings, items=other_words.words, **words.settings.bootstrap)
        record_slots(findings, {**place, "measure": affect}, rated_layers, rho)
    return findings


def find_script(words: Sequence[str]) -> str:
    """Return the Chinese script, simplified or traditional, that more of the words are written in."""
    simple, traditional = (
        sum(in_script(word, script) != word for word in words) for script in ("simplified", "traditional")
    )
    return "simplified" if simple < traditional else "traditional"


def put_poles_into_script(findings: Findings, polar: PolarWords, templates: Templates) -> PolarWords:
    """Write Chinese polar words in the script of the templates."""
    if polar.language != "chinese":
        return polar
    script, sides = find_script((templates.bleached, *templates.aligned)), (polar.pleasant, polar.unpleasant)
    pleasant, unpleasant = (tuple(in_script(word, script) for word in side) for side in sides)
    words = zip((*polar.pleasant, *polar.unpleasant), (*pleasant, *unpleasant), strict=True)
    changed_count, total = sum(old_word != new_word for old_word, new_word in words), len(pleasant) + len(unpleasant)
    if changed_count:
        reason = f"polar words were put into {script} script, which the templates are in"
        findings.notice("info", reason, count=changed_count, total=total, language=polar.language)
    return replace(polar, pleasant=pleasant, unpleasant=unpleasant)


def put_lexicon_into_script(findings: Findings, lexicon: Lexicon, templates: Templates) -> Lexicon:
    """Write a Chinese lexicon in the script of the templates; of words that become one, the first stays."""
    script = find_script((templates.bleached, *templates.aligned))
    if lexicon.language != "chinese" or find_script(lexicon.words) == script:
        return lexicon
    row_of = {in_script(word, script): row for row, word in reversed([*enumerate(lexicon.words)])}
    rows = sorted(row_of.values())
    reason = f"words became the same as another in {script} script, which the templates are in"
    findings.notice("info", reason, count=len(lexicon) - len(rows), total=len(lexicon), dataset=lexicon.name)
    converted = lexicon.select(rows, lexicon.name, lexicon.left_out)
    return replace(converted, words=tuple(in_script(word, script) for word in converted.words))
