"""ValNorm's tasks: valence of lexica, three widely shared association tests, word similarity, and analogies.

Several languages give the variance of the tests over them; the decades of HistWords give a series.
"""

from collections.abc import Iterator, Sequence
from statistics import variance
from typing import Any

import polars as pl

from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.pairs import load_analogies
from wordworth.catalog.read.word_sets import PolarWords, load_word_set, polar_languages
from wordworth.catalog.registry import knows
from wordworth.catalog.resolve import Resolved
from wordworth.embedding import Embedding, Layers
from wordworth.errors import WordworthError
from wordworth.results.findings import Findings
from wordworth.results.run import Run
from wordworth.results.table import Cell, Table
from wordworth.results.vocabulary import Caution
from wordworth.study.inputs import is_lexicon_name, load_tests_in, load_vectors
from wordworth.study.shared_settings import ALL
from wordworth.study.tables import Cells, make_table, score_tables
from wordworth.study.valnorm import EXPERIMENTS, RATERS, ValnormSettings
from wordworth.study.valnorm.data import (
    LEXICA,
    load_all_pairs,
    load_lexica,
    load_polar,
    measure_corpus_sizes,
)
from wordworth.task.association import score_association
from wordworth.task.sensitivity import score_association_variants, score_valence_variants
from wordworth.task.similarity import record_neighbours, score_analogies, score_similarity
from wordworth.task.valence import (
    RatedEffects,
    compute_effect_sizes,
    find_common_words,
    score_raters,
    score_shuffled,
    score_valence,
    score_without_poles,
)
from wordworth.task.variants import VectorVariants, make_vector_variants
from wordworth.task.words import Poles, TooFewWordsError, choose_spellings, match_rated_words, select_poles

LANGUAGES = ("chinese", "german", "polish", "portuguese", "spanish", "turkish")
"""Besides English, as in Table 3."""
TESTS = ("weat1", "weat2", "weat8")
"""Flowers–insects, instruments–weapons, gender–science."""
OTHER_POLES = (("pleasant_2", "unpleasant_2"), ("multi_pleasant", "multi_unpleasant"))
"""WEAT 5's, and those of several tokens that VAST uses too."""


def measure(models: Sequence[Resolved | Embedding], settings: ValnormSettings) -> Findings:
    """Measure static embeddings. Of `all` languages, an experiment that fails in one is a notice."""
    _check(models, settings)
    chosen = settings.experiments or EXPERIMENTS
    experiments = {"valence": _valence, "weat": _associations, "similarity": _similarity, "analogy": _analogies}
    is_requested = not _all(settings)
    findings = Findings("valnorm")
    for layers, language in load_vectors(findings, models, settings, sorted(polar_languages(), key=_english_first)):
        versions = make_vector_variants(layers) if settings.sensitivity else None
        for name, run in experiments.items():
            if name in chosen:
                place = {"model": layers.name, "experiment": name, "language": language}
                with findings.part(is_requested=is_requested, **place):
                    run(findings, layers, language, settings, versions)
    _variances(findings)
    if RATERS in chosen:
        _raters(findings, settings)
    for corpus in settings.corpus if "corpus-size" in chosen else ():
        measure_corpus_sizes(findings, corpus, settings)
    return findings


def _english_first(language: str) -> tuple[bool, str]:
    return language != "english", language


def _all(settings: ValnormSettings) -> bool:
    return settings.languages == (ALL,)


def _valence(
    findings: Findings, layers: Layers, language: str, settings: ValnormSettings, versions: VectorVariants | None
) -> None:
    polar, lexica = load_polar(findings, language), load_lexica(findings, settings, language)
    poles = select_poles(layers, polar, settings)
    for lexicon in lexica:
        findings.add_data(lexicon, len(lexicon))
        scores = score_valence(layers, poles, lexicon, settings)
        scores.add_cautions([Caution.MACHINE_TRANSLATED] if polar.by_machine else [])
        findings.add(scores, experiment="valence")
        findings.add(record_neighbours(layers, lexicon, settings))
        _controls(findings, layers, (poles, polar), lexicon, settings)
        if versions is not None:
            every = {"polar words": poles, **_other_poles(layers, language, settings)}
            variants = score_valence_variants(layers, every, lexicon, settings, versions)
            findings.add(variants, experiment="sensitivity")


def _similarity(
    findings: Findings, layers: Layers, language: str, settings: ValnormSettings, _: VectorVariants | None
) -> None:
    for pairs in load_all_pairs(findings, settings, language):
        findings.add_data(pairs, len(pairs.scores))
        with findings.part(TooFewWordsError, is_requested=bool(settings.pairs), model=layers.name, dataset=pairs.name):
            findings.add(score_similarity(layers, pairs, settings), experiment="similarity")


def _check(models: Sequence[Resolved | Embedding], settings: ValnormSettings) -> None:
    corpus, asked = settings.corpus, settings.experiments
    if not models and not corpus and set(asked) != {RATERS}:
        raise WordworthError("name a model, such as glove-6b-50d (`wordworth ls models`), or a --corpus to train on")
    if "corpus-size" in asked and not corpus:
        raise WordworthError("the corpus-size experiment needs a text to sample: give --corpus NAME or PATH")
    if _all(settings) and corpus:
        raise WordworthError("vectors are trained on text of one language: give --corpus without --language all")
    if asked and "corpus-size" not in asked and corpus:
        raise WordworthError(f"the corpus {corpus[0]} is for the experiment corpus-size: add --experiment corpus-size")
    if (settings.word_column or settings.rating_column) and all(map(is_lexicon_name, settings.lexica)):
        raise WordworthError("--word-column and --rating-column are for a lexicon of your own; give it with --lexicon")


def _controls(
    findings: Findings, layers: Layers, poles: tuple[Poles, PolarWords], lexicon: Lexicon, settings: ValnormSettings
) -> None:
    """Score shuffled ratings, and the lexicon without polar words; a lexicon with few words loses its control only."""
    with findings.part(experiment="control", model=layers.name, dataset=lexicon.name):
        words, lexicon = match_rated_words(findings, layers, lexicon, settings)
        rated = RatedEffects(words, lexicon, compute_effect_sizes(words, poles[0]))
        score_shuffled(findings, rated, settings)
        polar = [*poles[1].pleasant, *poles[1].unpleasant]
        resolved = layers.select(polar, choose_spellings(lexicon.language, settings)).resolved
        score_without_poles(findings, rated, set(resolved), settings)


def _raters(findings: Findings, settings: ValnormSettings) -> None:
    """Score how raters agree: §4 on the words that three lexica share, Table 3 on those of Bellezza and ANEW."""
    loaded: list[Lexicon] = []
    for name in (*LEXICA, *(f"bellezza-{language}" for language in LANGUAGES)):
        with findings.part(is_requested=name in LEXICA, experiment=RATERS, dataset=name):  # one that cannot be fetched
            loaded.append(load_lexicon(name))
            findings.add_data(loaded[-1], len(loaded[-1]))
    bellezza, anew, warriner, *others = loaded
    english = [bellezza, anew, warriner]
    findings.add(score_raters(english, find_common_words(english), settings), experiment=RATERS)
    shared = find_common_words([bellezza, anew])
    findings.add(score_raters([bellezza, *others], shared, settings), experiment=RATERS)


def _other_poles(layers: Layers, language: str, settings: ValnormSettings) -> dict[str, Poles]:
    """Return other published pleasant and unpleasant words that the embedding has."""
    found: dict[str, Poles] = {}
    for pair in OTHER_POLES if language == "english" else ():
        sets = {name: load_word_set(name).words for name in pair}
        high, low = (layers.select(words, choose_spellings(language, settings)) for words in sets.values())
        if min(len(high), len(low)) >= 2:
            found[" and ".join(pair)] = (high, low)
    return found


def _associations(
    findings: Findings, layers: Layers, language: str, settings: ValnormSettings, versions: VectorVariants | None
) -> None:
    by_name = bool(settings.tests) or (set(settings.experiments) == {"weat"} and not _all(settings))
    for test in load_tests_in(findings, settings, TESTS, language, is_requested=by_name):
        with findings.part(TooFewWordsError, is_requested=bool(settings.tests), model=layers.name, dataset=test.name):
            findings.add(score_association(layers, test, settings), experiment="weat")
            if versions is not None:
                findings.add(score_association_variants(layers, test, settings, versions), experiment="sensitivity")


def _variances(findings: Findings) -> None:
    """Record the variance of each test over the languages."""
    effects = findings.scores.filter(pl.col("measure") == "weat", pl.col("variant").is_null())
    for (dataset,), some in effects.group_by("dataset", maintain_order=True):
        means = some.group_by("language", maintain_order=True).agg(pl.col("value").mean())
        if len(means) > 1:
            if len(some) > len(means):
                reason = "the variance is over languages; the effects of one language's models are averaged first"
                findings.notice("info", reason, dataset=str(dataset))
            place = {"experiment": "weat", "dataset": dataset, "measure": "weat", "variant": "variance"}
            findings.score(**place, value=variance(means["value"].to_list()), n=len(means))


def _analogies(
    findings: Findings, layers: Layers, language: str, settings: ValnormSettings, _: VectorVariants | None
) -> None:
    name = "google" if language == "english" else f"google-{language}"
    reason = ""
    if layers.source is None:
        reason = "it has no vocabulary to search for answers"
    elif not knows(name, "analogies"):
        reason = f"the catalog has no analogies in {language}"
    elif language != "english" and "analogy" not in settings.experiments:
        reason = f"in {language} they run only on request: --experiment analogy"
    if reason:
        findings.notice("skipped", reason, model=layers.name, experiment="analogy", language=language)
        return
    questions = load_analogies(name)
    findings.add_data(questions, len(questions))
    findings.add(score_analogies(layers, questions, settings), experiment="analogy")


BELLEZZA = "valence, Bellezza’s words"


def tables(run: Run) -> Iterator[Table]:
    """Yield all scores, then the overviews of languages and raters where there are any."""
    yield from score_tables(run)
    yield from filter(None, (compare_languages(run.scores), compare_raters(run.scores)))


def compare_languages(scores: pl.DataFrame) -> Table | None:
    """Return one row per language and model, one column per task, of several data sets the largest."""
    is_main = (pl.col("experiment") == pl.col("measure")) & pl.col("variant").is_null()
    is_task = pl.col("measure").is_in(["valence", "weat", "similarity"])
    shown = scores.filter(is_main, is_task, pl.col("language").is_not_null())
    if shown.get_column("language").n_unique() < 2:
        return None
    cells: Cells = {names: {} for names in shown.select("language", "model").unique(maintain_order=True).rows()}
    tasks = list(dict.fromkeys(_task_of(row) for row in shown.iter_rows(named=True)))
    for row in shown.sort("n", descending=True, maintain_order=True).iter_rows(named=True):
        cell = Cell(row["value"], n=row["n"], cautions=tuple(row["cautions"]))
        cells[row["language"], row["model"]].setdefault(_task_of(row), cell)
    spread = scores.filter(pl.col("measure") == "weat", pl.col("variant") == "variance")
    if len(spread):
        cells["variance", ""] = {row["dataset"]: Cell(row["value"]) for row in spread.iter_rows(named=True)}
    title = "languages side by side · ρ, or d of a test (n items); of several lexica or pairs the largest"
    return make_table(title, ("language", "model"), cells, tasks)


def _task_of(row: dict[str, Any]) -> str:
    if row["measure"] == "weat":
        return str(row["dataset"])
    is_bellezza = row["dataset"] in ("bellezza", f"bellezza-{row['language']}", "bellezza-in-anew")
    return BELLEZZA if is_bellezza else str(row["measure"])


def compare_raters(scores: pl.DataFrame) -> Table | None:
    """Return Pearson's ρ between the ratings of every two lexica, as in Table 3."""
    pairs = scores.filter(pl.col("measure") == RATERS).select("dataset", "subset", "value").rows()
    lexica = list(dict.fromkeys(name for one, other, _ in pairs for name in (one, other)))
    cells: Cells = {(name,): {} for name in lexica}
    for one, other, value in pairs:
        cells[one,][other] = cells[other,][one] = Cell(value)
    title = "ratings of the same words by other people · ρ"
    return make_table(title, ("lexicon",), cells, lexica) if pairs else None
