"""Embeddings × lexica → valence; beside it the association tests that the paper takes for widely shared, and the six
traditional tasks. Many languages give the variance of the tests over them; HistWords decades give a series; a corpus
gives vectors trained on samples of it.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, variance

from wordworth.catalog.read.analogies import load_analogies
from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.pairs import Pairs, load_pairs, usual_pairs
from wordworth.catalog.read.word_sets import PolarWords, load_word_set, polar_languages, polar_words
from wordworth.catalog.registry import entries, knows
from wordworth.embedding import Embedding, Layers
from wordworth.errors import WordworthError
from wordworth.progress import waiting
from wordworth.run import Findings
from wordworth.run.flags import BY_MACHINE
from wordworth.study.embedding_settings import ALL
from wordworth.study.embeddings import tests_in, vectors_of
from wordworth.study.own_lexicon import own_lexicon
from wordworth.study.valnorm import EXPERIMENTS, RATERS, ValnormSettings
from wordworth.study.valnorm.corpus_size import SampledLines, choose_lines, train_fasttext
from wordworth.task.association import association
from wordworth.task.sensitivity import association_sensitivity, valence_sensitivity
from wordworth.task.similarity import analogy, neighbours, similarity
from wordworth.task.valence import Rated, common_words, effect_sizes, poles_out, raters, shuffled, valence
from wordworth.task.variants import Versions, vector_versions
from wordworth.task.words import Poles, TooFewWordsError, poles_in, rated_words, spelling_of

LEXICA = ("bellezza", "anew", "warriner")
PAIRS = ("ws-353", "rw", "men", "simlex-999", "simverb-3500")
LANGUAGES = ("chinese", "german", "polish", "portuguese", "spanish", "turkish")
"""Beside English, as in Table 3."""
TESTS = ("weat1", "weat2", "weat8")
"""Flowers–insects, instruments–weapons, gender–science."""
OTHER_POLES = (("pleasant_2", "unpleasant_2"), ("multi_pleasant", "multi_unpleasant"))
"""WEAT 5's, and those of several tokens that VAST takes beside its own."""

Effects = dict[str, dict[str, list[float]]]
"""Test → language → effect sizes of its models."""


def valnorm(models: Sequence[str | Path | Embedding], settings: ValnormSettings) -> Findings:
    """Runs the study on static embeddings."""
    _check(models, settings)
    chosen = settings.experiments or EXPERIMENTS
    findings = Findings("valnorm")
    effects: Effects = {}
    for layers, language in vectors_of(findings, models, settings, sorted(polar_languages(), key=_english_first)):
        _on(findings, layers, language, settings, effects)
    _variances(findings, effects)
    if RATERS in chosen:
        _raters(findings, settings)
    for corpus in settings.corpus if "corpus-size" in chosen else ():
        _corpus_size(findings, corpus, settings)
    return findings


def _on(findings: Findings, layers: Layers, language: str, settings: ValnormSettings, effects: Effects) -> None:
    """All that is asked of one model in one language; of `all` languages, what one lacks costs the others nothing."""
    versions = vector_versions(layers)
    runs: dict[str, Callable[[], None]] = {
        "valence": lambda: _valence(findings, (layers, versions), language, settings),
        "weat": lambda: _associations(findings, (layers, versions), language, settings, effects),
        "similarity": lambda: _similarity(findings, layers, language, settings),
        "analogy": lambda: _analogies(findings, layers, language, settings),
    }
    for name, run in runs.items():
        if name in (settings.experiments or EXPERIMENTS):
            with findings.part(asked=not _all(settings), model=layers.name, experiment=name, language=language):
                run()


def _english_first(language: str) -> tuple[bool, str]:
    return language != "english", language


def _all(settings: ValnormSettings) -> bool:
    return settings.languages == (ALL,)


def _valence(findings: Findings, of: tuple[Layers, Versions], language: str, settings: ValnormSettings) -> None:
    layers, versions = of
    polar, lexica = _polar(findings, language), _lexica(findings, settings, language)
    poles = poles_in(layers, polar, settings)
    for lexicon in lexica:
        findings.used_data(lexicon, len(lexicon))
        found = valence(layers, poles, lexicon, settings)
        found.flag(BY_MACHINE if polar.by_machine else "")
        findings.add(found, experiment="valence")
        findings.add(neighbours(layers, lexicon, settings))
        _controls(findings, layers, (poles, polar), lexicon, settings)
        if settings.sensitivity:
            every = {"polar words": poles, **_other_poles(layers, language, settings)}
            tried = valence_sensitivity(layers, every, lexicon, settings, versions)
            findings.add(tried, experiment="sensitivity")


def _similarity(findings: Findings, layers: Layers, language: str, settings: ValnormSettings) -> None:
    for pairs in _pairs(findings, settings, language):
        findings.used_data(pairs, len(pairs.scores))
        with findings.part(TooFewWordsError, asked=bool(settings.pairs), model=layers.name, dataset=pairs.name):
            findings.add(similarity(layers, pairs, settings), experiment="similarity")


def _check(models: Sequence[str | Path | Embedding], settings: ValnormSettings) -> None:
    corpus, asked = settings.corpus, settings.experiments
    if not models and not corpus and set(asked) != {RATERS}:
        raise WordworthError("name a model, such as glove-6b-50d (`wordworth ls models`), or a --corpus to train on")
    if "corpus-size" in asked and not corpus:
        raise WordworthError("the corpus-size experiment needs a text to sample: give --corpus NAME or PATH")
    if _all(settings) and corpus:
        raise WordworthError("vectors are trained on text of one language: give --corpus without --language all")
    if asked and "corpus-size" not in asked and corpus:
        raise WordworthError(f"the corpus {corpus[0]} is for the experiment corpus-size: add --experiment corpus-size")
    if (settings.word_column or settings.rating_column) and all(map(_of_catalog, settings.lexica)):
        raise WordworthError("--word-column and --rating-column are for a lexicon of your own; give it with --lexicon")


def _controls(
    findings: Findings, layers: Layers, poles: tuple[Poles, PolarWords], lexicon: Lexicon, settings: ValnormSettings
) -> None:
    """ρ by chance, and without the polar words; a lexicon of which little is there costs no more than its control."""
    with findings.part(experiment="control", model=layers.name, dataset=lexicon.name):
        words, lexicon = rated_words(findings, layers, lexicon, settings)
        rated = Rated(words, lexicon, effect_sizes(words, poles[0]))
        shuffled(findings, rated, settings)
        polar = [*poles[1].pleasant, *poles[1].unpleasant]
        resolved = layers.select(polar, spelling_of(lexicon.language, settings)).resolved
        poles_out(findings, rated, set(resolved), settings)


def _raters(findings: Findings, settings: ValnormSettings) -> None:
    """The reliability of §4 over the words that the three lexica share, and Table 3 over those of Bellezza in ANEW."""
    loaded: dict[str, Lexicon] = {}
    for name in (*LEXICA, *(f"bellezza-{language}" for language in LANGUAGES)):
        with findings.part(asked=name in LEXICA, experiment=RATERS, dataset=name):  # one that cannot be fetched
            loaded[name] = load_lexicon(name)
            findings.used_data(loaded[name], len(loaded[name]))
    english = [loaded.pop(name) for name in LEXICA]
    findings.add(raters(english, common_words(english), settings), experiment=RATERS)
    bellezza, anew, _ = english
    findings.add(raters([bellezza, *loaded.values()], common_words([bellezza, anew]), settings), experiment=RATERS)


def _polar(findings: Findings, language: str) -> PolarWords:
    polar = polar_words(language)
    findings.used_words(f"polar words, {language}", {"pleasant": polar.pleasant, "unpleasant": polar.unpleasant})
    for word in polar.dropped:
        findings.note(f"The polar word {word!r} ({language}) was published twice and is used once.")
    return polar


def _other_poles(layers: Layers, language: str, settings: ValnormSettings) -> dict[str, Poles]:
    """Other published pleasant and unpleasant words, of which the embedding has some."""
    found: dict[str, Poles] = {}
    for pair in OTHER_POLES if language == "english" else ():
        sets = {name: load_word_set(name).words for name in pair}
        high, low = (layers.select(words, spelling_of(language, settings)) for words in sets.values())
        if min(len(high), len(low)) >= 2:
            found[" and ".join(pair)] = (high, low)
    return found


def _associations(
    findings: Findings, of: tuple[Layers, Versions], language: str, settings: ValnormSettings, effects: Effects
) -> None:
    layers, versions = of
    asked = bool(settings.tests)
    by_name = asked or (set(settings.experiments) == {"weat"} and not _all(settings))
    for test in tests_in(findings, settings, TESTS, language, asked=by_name):
        with findings.part(TooFewWordsError, asked=asked, model=layers.name, dataset=test.name):
            result = association(layers, test, settings)
            findings.add(result, experiment="weat")
            if settings.sensitivity:
                findings.add(association_sensitivity(layers, test, settings, versions), experiment="sensitivity")
            by_language = effects.setdefault(test.name.removesuffix(f"-{language}"), {})
            by_language.setdefault(language, []).append(result.scores.item(0, "value"))


def _variances(findings: Findings, effects: Effects) -> None:
    """The variance of each test over the languages."""
    for name, by_language in effects.items():
        if len(by_language) > 1:
            value = variance(mean(values) for values in by_language.values())
            if any(len(values) > 1 for values in by_language.values()):
                findings.note(f"weat:variance of {name}: the effects of one language's models are averaged first.")
            findings.score(experiment="weat", dataset=name, measure="weat:variance", value=value, n=len(by_language))


def _analogies(findings: Findings, layers: Layers, language: str, settings: ValnormSettings) -> None:
    if layers.source is None:
        findings.warn(f"Analogies were not run on {layers.name}: it has no vocabulary to seek an answer in.")
        return
    name = "google" if language == "english" else f"google-{language}"
    if not knows(name, "analogies"):
        findings.warn(f"Analogies were not run on {language}: the catalog has none in it.")
        return
    if language != "english" and "analogy" not in settings.experiments:
        findings.warn(f"Analogies were not run on {language}: ask for {name} with --experiment analogy.")
        return
    questions = load_analogies(name)
    findings.used_data(questions, len(questions))
    findings.add(analogy(layers, questions, settings), experiment="analogy")


def _of_catalog(name: str | Path) -> bool:
    return isinstance(name, str) and knows(name, "lexica")


def _lexica(findings: Findings, settings: ValnormSettings, language: str) -> list[Lexicon]:
    """The lexica in this language; Bellezza stands for its words in the language's own lexicon.

    One that nobody asked for by name and that cannot be had costs no more than its own numbers, if there is another.
    """
    names = settings.lexica or (LEXICA if language == "english" else (f"bellezza-{language}",))
    lexica: list[Lexicon] = []
    for number, name in enumerate(filter(lambda one: settings.lexica or _of_catalog(one), names), start=1):
        last = language == "english" and number == len(names) and not lexica
        asked = bool(settings.lexica) or last
        with findings.part(asked=asked, experiment="valence", language=language, dataset=str(name)):
            lexica.append(_lexicon(name, settings, language))
    if language != "english" and not settings.lexica:
        with findings.part(asked=not lexica, experiment="valence", language=language, dataset=language):
            lexica.append(own_lexicon(findings, language, lambda name: _lexicon(name, settings, language)))
    return lexica


def _lexicon(name: str | Path, settings: ValnormSettings, language: str) -> Lexicon:
    local = f"{name}-{language}"
    named = local if language != "english" and isinstance(name, str) and _of_catalog(local) else name
    own = not _of_catalog(named)
    lexicon = load_lexicon(
        named,
        language=language,
        word_column=settings.word_column if own else None,
        rating_column=settings.rating_column if own else None,
        drop_bad=settings.on_bad == "drop",
    )
    if lexicon.language != language:
        fitting = ", ".join(one.name for one in entries("lexica") if one.language == language) or "none"
        raise WordworthError(
            f"{lexicon.name} is a lexicon of {lexicon.language} words and the model is {language} "
            f"(--language); lexica for it: {fitting}"
        )
    return lexicon


def _pairs(findings: Findings, settings: ValnormSettings, language: str) -> list[Pairs]:
    """The word pairs in this language; of those that nobody asked for by name, what can be had."""
    default = PAIRS if language == "english" else usual_pairs(language)
    if not settings.pairs and not default:
        with findings.part(experiment="similarity", language=language):
            raise WordworthError(f"the catalog has no word pairs in {language}; give --pairs")
        return []
    every: list[Pairs] = []
    for name in settings.pairs or default:
        with findings.part(asked=bool(settings.pairs), experiment="similarity", language=language, dataset=str(name)):
            pairs = load_pairs(name, language=language)
            if pairs.language != language:
                raise WordworthError(
                    f"{pairs.name} has {pairs.language} pairs and the model is {language} (--language)"
                )
            every.append(pairs)
    return every


def _corpus_size(findings: Findings, corpus: str | Path, settings: ValnormSettings) -> None:
    """Figure 1: vectors trained on ever smaller samples of a corpus, each scored by valence and similarity."""
    language = settings.languages[0] if settings.languages else "english"
    tasks: list[Lexicon | Pairs] = [*_lexica(findings, settings, language), *_pairs(findings, settings, language)]
    lines = load_corpus(corpus, language=language)
    if lines.language != language:
        raise WordworthError(
            f"{lines.name} is {lines.language} text and the language is {language}; give --language {lines.language}"
        )
    total = sum(1 for _ in lines)
    if not total:
        raise WordworthError(f"{corpus} has no lines of text; give a file with one sentence or paragraph a line")
    findings.used_data(lines, total)
    for task in tasks:
        findings.used_data(task, len(task))
    for share in settings.shares:
        chosen = choose_lines(total, share, settings.seed)
        name = f"{Path(str(corpus)).name}@{share:g}%"
        with waiting(f"training vectors on {name}"):
            embedding = train_fasttext(SampledLines(lines, chosen), name, dim=settings.dimensions, seed=settings.seed)
        if embedding is None:
            findings.warn(f"{name}: no word is met five times in {int(chosen.sum()):,} of {total:,} lines; left out.")
            continue
        findings.used_embedding(embedding, language)
        layers = Layers.of(embedding)
        for task in tasks:
            with findings.part(TooFewWordsError, model=name, dataset=task.name):  # a small sample has few words
                if isinstance(task, Lexicon):
                    poles = poles_in(layers, _polar(findings, language), settings)
                    result = valence(layers, poles, task, settings)
                else:
                    result = similarity(layers, task, settings)
                findings.add(result, experiment="corpus-size")
