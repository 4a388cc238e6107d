"""Run ValNorm's tasks: valence of lexica, three association tests, word similarity, and analogies.

Several languages give the variance of the tests over them; the decades of HistWords give a series. Vectors trained on
samples of a text, as subs2vec trains them, show how much text an embedding needs (Figure 1).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import variance

import polars as pl

from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.pairs import Pairs, load_analogies, load_pairs, usual_pairs
from wordworth.catalog.read.word_sets import PolarWords, load_word_set, polar_languages, polar_words
from wordworth.catalog.registry import knows
from wordworth.catalog.resolve import Origin
from wordworth.embedding import Embedding, Layers
from wordworth.errors import WordworthError
from wordworth.progress import waiting
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import Caution
from wordworth.study.debias.study import TaskData, measure_version
from wordworth.study.inputs import is_lexicon_name, load_lexicon_in, load_own_lexicon, load_tests_in, load_vectors
from wordworth.study.shared_settings import ALL_LANGUAGES
from wordworth.study.valnorm import RATERS, VALNORM_EXPERIMENTS, ValnormSettings
from wordworth.study.weat.study import score_tests
from wordworth.task.sensitivity import VectorVariants, make_vector_variants, score_valence_variants
from wordworth.task.similarity import record_neighbours, score_analogies, score_similarity
from wordworth.task.training import Sentences, choose_lines, train_fasttext
from wordworth.task.valence import (
    RatedEffects,
    compute_effect_sizes,
    find_common_words,
    score_raters,
    score_shuffled,
    score_valence,
    score_without_poles,
)
from wordworth.task.words import Poles, TooFewWordsError, choose_spellings, match_rated_words, select_poles

PAPER_LEXICA = ("bellezza", "anew", "warriner")
PAPER_PAIRS = ("ws-353", "rw", "men", "simlex-999", "simverb-3500")
PAPER_LANGUAGES = ("chinese", "german", "polish", "portuguese", "spanish", "turkish")
"""The languages of Table 3, without English."""
PAPER_TESTS = ("weat1", "weat2", "weat8")
"""Flowers–insects, instruments–weapons, gender–science."""
OTHER_POLES = (("pleasant_2", "unpleasant_2"), ("multi_pleasant", "multi_unpleasant"))
"""WEAT 5's, and VAST's of several tokens."""


def measure(models: Sequence[Origin | Embedding], settings: ValnormSettings) -> Findings:
    """Measure static embeddings. With `all` languages, a failed experiment in one becomes a notice."""
    _check(models, settings)
    experiment_names = settings.experiments or VALNORM_EXPERIMENTS
    findings = Findings("valnorm")
    languages = sorted(polar_languages(), key=lambda language: (language != "english", language))
    for layers, language in load_vectors(findings, models, settings, languages):
        versions = make_vector_variants(layers) if settings.sensitivity else None
        model_in_language = _ModelInLanguage(findings, layers, language, settings, versions)
        experiments = {"valence": model_in_language.score_valence, "weat": model_in_language.score_associations}
        experiments |= {"similarity": model_in_language.score_similarity, "analogy": model_in_language.score_analogies}
        for name, score in experiments.items():
            if name in experiment_names:
                place = {"model": layers.name, "experiment": name, "language": language}
                with findings.part(is_requested=settings.languages != (ALL_LANGUAGES,), **place):
                    score()
    _score_variances(findings)
    if RATERS in experiment_names:
        _score_raters(findings, settings)
    for corpus in settings.corpus if "corpus-size" in experiment_names else ():
        _measure_corpus_sizes(findings, corpus, settings)
    return findings


def _check(models: Sequence[Origin | Embedding], settings: ValnormSettings) -> None:
    corpus, experiments = settings.corpus, settings.experiments
    if not models and not corpus and set(experiments) != {RATERS}:
        raise WordworthError("name a model, such as glove-6b-50d (`wordworth ls models`), or a --corpus to train on")
    if "corpus-size" in experiments and not corpus:
        raise WordworthError("the corpus-size experiment needs a text to sample: give --corpus NAME or PATH")
    if settings.languages == (ALL_LANGUAGES,) and corpus:
        raise WordworthError("vectors are trained on text of one language: give --corpus without --language all")
    if experiments and "corpus-size" not in experiments and corpus:
        raise WordworthError(f"the corpus {corpus[0]} is for the experiment corpus-size: add --experiment corpus-size")
    if (settings.word_column or settings.rating_column) and all(map(is_lexicon_name, settings.lexica)):
        raise WordworthError("--word-column and --rating-column are for a lexicon of your own; give it with --lexicon")


@dataclass(eq=False)
class _ModelInLanguage:
    """Run the experiments on one model in one language."""

    findings: Findings
    layers: Layers
    language: str
    settings: ValnormSettings
    variants: VectorVariants | None

    def score_valence(self) -> None:
        """Score valence on every lexicon, its controls, and where requested its sensitivity."""
        findings, layers, settings = self.findings, self.layers, self.settings
        polar = load_polar(findings, self.language)
        lexica = load_lexica(findings, settings, self.language)
        poles = select_poles(layers, polar, settings)
        findings.add_data(*lexica)
        for lexicon in lexica:
            scores = score_valence(layers, poles, lexicon, settings)
            scores.add_cautions([Caution.MACHINE_TRANSLATED] if polar.by_machine else [])
            findings.add(scores, experiment="valence")
            findings.add(record_neighbours(layers, lexicon, settings))
            self._score_controls(polar, poles, lexicon)
            if self.variants is not None:
                all_poles = {"polar words": poles, **self._select_other_poles()}
                variants = score_valence_variants(layers, all_poles, lexicon, settings, self.variants)
                findings.add(variants, experiment="sensitivity")

    def _score_controls(self, polar: PolarWords, poles: Poles, lexicon: Lexicon) -> None:
        """Score shuffled ratings, and the lexicon without polar words; too few words fail only this control."""
        findings, layers, settings = self.findings, self.layers, self.settings
        with findings.part(experiment="control", model=layers.name, dataset=lexicon.name):
            words, lexicon = match_rated_words(findings, layers, lexicon, settings)
            rated_effects = RatedEffects(words, lexicon, compute_effect_sizes(words, poles))
            score_shuffled(findings, rated_effects, settings)
            spell = choose_spellings(lexicon.language, settings)
            polar_forms = layers.select([*polar.pleasant, *polar.unpleasant], spell).matched_words
            score_without_poles(findings, rated_effects, set(polar_forms), settings)

    def _select_other_poles(self) -> dict[str, Poles]:
        """Return other published pleasant and unpleasant words that the embedding has."""
        poles: dict[str, Poles] = {}
        spell = choose_spellings(self.language, self.settings)
        for pair in OTHER_POLES if self.language == "english" else ():
            high, low = (self.layers.select(load_word_set(name).words, spell) for name in pair)
            if min(len(high), len(low)) >= 2:
                poles[" and ".join(pair)] = (high, low)
        return poles

    def score_associations(self) -> None:
        """Score the association tests."""
        settings = self.settings
        is_only_experiment = set(settings.experiments) == {"weat"} and settings.languages != (ALL_LANGUAGES,)
        is_requested = bool(settings.tests) or is_only_experiment
        tests = load_tests_in(self.findings, settings, PAPER_TESTS, self.language, is_requested=is_requested)
        score_tests(self.findings, self.layers, tests, settings, self.variants)

    def score_similarity(self) -> None:
        """Score word similarity."""
        findings, layers, is_requested = self.findings, self.layers, bool(self.settings.pairs)
        for pairs in load_all_pairs(findings, self.settings, self.language):
            findings.add_data(pairs)
            with findings.part(TooFewWordsError, is_requested=is_requested, model=layers.name, dataset=pairs.name):
                findings.add(score_similarity(layers, pairs, self.settings), experiment="similarity")

    def score_analogies(self) -> None:
        """Score the analogies of the language, if it has any."""
        language, layers = self.language, self.layers
        name = "google" if language == "english" else f"google-{language}"
        reason = ""
        if layers.source is None:
            reason = "it has no vocabulary to search for answers"
        elif not knows(name, "analogies"):
            reason = f"the catalog has no analogies in {language}"
        elif language != "english" and "analogy" not in self.settings.experiments:
            reason = f"in {language} they run only on request: --experiment analogy"
        if reason:
            self.findings.notice("skipped", reason, model=layers.name, experiment="analogy", language=language)
            return
        questions = load_analogies(name)
        self.findings.add_data(questions)
        self.findings.add(score_analogies(layers, questions, self.settings), experiment="analogy")


def load_lexica(findings: Findings, settings: ValnormSettings, language: str) -> list[Lexicon]:
    """Return the lexica in this language: Bellezza's translation, and the language's own lexicon.

    A lexicon that was not requested and is not available is a notice, if there is another one.
    """
    names = settings.lexica or (PAPER_LEXICA if language == "english" else (f"bellezza-{language}",))
    lexica: list[Lexicon] = []
    available = [name for name in names if settings.lexica or is_lexicon_name(name)]
    for number, name in enumerate(available, start=1):
        is_last_hope = language == "english" and number == len(names) and not lexica
        is_requested = bool(settings.lexica) or is_last_hope
        with findings.part(is_requested=is_requested, experiment="valence", language=language, dataset=str(name)):
            lexica.append(_load_lexicon(name, settings, language))
    if language != "english" and not settings.lexica:
        with findings.part(is_requested=not lexica, experiment="valence", language=language, dataset=language):
            lexica.append(load_own_lexicon(findings, language, lambda name: _load_lexicon(name, settings, language)))
    return lexica


def _load_lexicon(name: str | Path, settings: ValnormSettings, language: str) -> Lexicon:
    local_name = f"{name}-{language}"
    lexicon_name = local_name if language != "english" and is_lexicon_name(local_name) else name
    return load_lexicon_in(lexicon_name, language, settings, drop_bad=settings.on_bad == "drop")


def load_all_pairs(findings: Findings, settings: ValnormSettings, language: str) -> list[Pairs]:
    """Return the word pairs in this language; skip unavailable ones that were not requested."""
    default_names = PAPER_PAIRS if language == "english" else usual_pairs(language)
    place = {"experiment": "similarity", "language": language}
    if not settings.pairs and not default_names:
        findings.notice("failed", f"the catalog has no word pairs in {language}; give --pairs", **place)
    pair_sets: list[Pairs] = []
    for name in settings.pairs or default_names:
        with findings.part(is_requested=bool(settings.pairs), dataset=str(name), **place):
            data = load_pairs(name, language=language)
            if data.language != language:
                raise WordworthError(f"{data.name} has {data.language} pairs and the model is {language} (--language)")
            pair_sets.append(data)
    return pair_sets


def load_polar(findings: Findings, language: str) -> PolarWords:
    """Load and record the pleasant and unpleasant words of a language."""
    polar = polar_words(language)
    findings.add_words(f"polar words, {language}", {"pleasant": polar.pleasant, "unpleasant": polar.unpleasant})
    for word in polar.repeats:
        findings.notice("info", f"the polar word {word!r} was published twice and is used once", language=language)
    return polar


def _score_variances(findings: Findings) -> None:
    """Record the variance of each test over the languages."""
    effects = findings.scores.filter(pl.col("measure") == "weat", pl.col("variant").is_null())
    for (dataset,), dataset_effects in effects.group_by("dataset", maintain_order=True):
        means = dataset_effects.group_by("language", maintain_order=True).agg(pl.col("value").mean())
        if len(means) > 1:
            if len(dataset_effects) > len(means):
                reason = "the variance is over languages; the effects of one language's models are averaged first"
                findings.notice("info", reason, dataset=str(dataset))
            place = {"experiment": "weat", "dataset": dataset, "measure": "weat", "variant": "variance"}
            findings.score(**place, value=variance(means["value"].to_list()), n=len(means))


def _score_raters(findings: Findings, settings: ValnormSettings) -> None:
    """Score how raters agree: §4 on the words that three lexica share, Table 3 on those of Bellezza and ANEW."""
    lexica: list[Lexicon] = []
    for name in (*PAPER_LEXICA, *(f"bellezza-{language}" for language in PAPER_LANGUAGES)):
        with findings.part(is_requested=name in PAPER_LEXICA, experiment=RATERS, dataset=name):  # may be missing
            lexica.append(load_lexicon(name))
            findings.add_data(lexica[-1])
    bellezza, anew, warriner, *other_lexica = lexica
    english = [bellezza, anew, warriner]
    findings.add(score_raters(english, find_common_words(english), settings), experiment=RATERS)
    common_words = find_common_words([bellezza, anew])
    findings.add(score_raters([bellezza, *other_lexica], common_words, settings), experiment=RATERS)


def _measure_corpus_sizes(findings: Findings, corpus: str | Path, settings: ValnormSettings) -> None:
    """Score vectors trained on ever smaller samples of a corpus (Figure 1)."""
    language = settings.languages[0] if settings.languages else "english"
    lexica, pairs = load_lexica(findings, settings, language), load_all_pairs(findings, settings, language)
    lines = load_corpus(corpus, language=language)
    if lines.language != language:
        raise WordworthError(
            f"{lines.name} is {lines.language} text and the language is {language}; give --language {lines.language}"
        )
    total = sum(1 for _ in lines)
    if not total:
        raise WordworthError(f"{corpus} has no lines of text; give a file with one sentence or paragraph per line")
    findings.add_data(lines, rows=total)
    findings.add_data(*lexica, *pairs)
    data = TaskData(lexica, pairs, polar=load_polar(findings, language))
    for share in settings.shares:
        mask = choose_lines(total, share, settings.seed)
        name = f"{Path(str(corpus)).name}@{share:g}%"
        with waiting(f"training vectors on {name}"):
            embedding = train_fasttext(Sentences(lines, mask=mask), name, dim=settings.dimensions, seed=settings.seed)
        if embedding is None:
            reason = "lines have no word that occurs five times"
            findings.notice("skipped", reason, count=int(mask.sum()), total=total, model=name)
            continue
        origin = replace(embedding.provenance, corpus=Path(str(corpus)).name, percent=share)
        findings.add_embedding(replace(embedding, provenance=origin), language)
        scores = measure_version(Layers.of(embedding), data, settings)
        findings.add(scores, experiment="corpus-size", sentences=int(mask.sum()))
