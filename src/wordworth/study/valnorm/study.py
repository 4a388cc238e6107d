"""Embeddings × lexica → valence; besides, the association tests that the paper takes for widely shared, and the six
traditional tasks. Many languages give the variance of the tests over them; HistWords decades give a series.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean, variance
from typing import Any

import polars as pl

from wordworth.catalog.read.analogies import load_analogies
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.word_sets import PolarWords, load_word_set, polar_languages
from wordworth.catalog.registry import knows
from wordworth.embedding import Embedding, Layers
from wordworth.errors import WordworthError
from wordworth.results import Findings
from wordworth.results.flags import BY_MACHINE, legend
from wordworth.results.numbers import format_number
from wordworth.study.declaration import Table
from wordworth.study.inputs import is_lexicon_name, tests_in, vectors_of
from wordworth.study.shared_settings import ALL
from wordworth.study.tables import marked, score_tables
from wordworth.study.valnorm import EXPERIMENTS, RATERS, ValnormSettings
from wordworth.study.valnorm.data import (
    LEXICA,
    load_all_pairs,
    load_lexica,
    load_polar,
    measure_corpus_sizes,
)
from wordworth.task.association import association
from wordworth.task.sensitivity import association_sensitivity, valence_sensitivity
from wordworth.task.similarity import analogy, neighbours, similarity
from wordworth.task.valence import Rated, common_words, effect_sizes, poles_out, raters, shuffled, valence
from wordworth.task.variants import Versions, vector_versions
from wordworth.task.words import Poles, TooFewWordsError, poles_in, rated_words, spelling_of

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
        measure_corpus_sizes(findings, corpus, settings)
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
    polar, lexica = load_polar(findings, language), load_lexica(findings, settings, language)
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
    for pairs in load_all_pairs(findings, settings, language):
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
    if (settings.word_column or settings.rating_column) and all(map(is_lexicon_name, settings.lexica)):
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


TASKS = ("valence", "weat", "similarity")
BELLEZZA = "valence, Bellezza’s words"


def valnorm_tables(scores: pl.DataFrame, items: pl.DataFrame) -> Iterator[Table]:
    """All scores, then the overviews that there is something for."""
    yield from score_tables(scores, items)
    if (languages := by_language(scores)) is not None:
        yield languages
    if (people := by_raters(scores)) is not None:
        yield people


def by_language(scores: pl.DataFrame) -> Table | None:
    """A row a language and model, a column a task; of several lexica or pairs the largest. None of one language."""
    same = pl.col("measure") == pl.col("experiment")
    shown = scores.filter(same, pl.col("measure").is_in(TASKS), pl.col("language").is_not_null())
    if shown.get_column("language").n_unique() < 2:
        return None
    largest = shown.sort("n", descending=True, maintain_order=True)
    cells: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in shown.unique(["language", "model"], maintain_order=True, keep="first").iter_rows(named=True):
        cells[row["language"], row["model"]] = {}
    columns = {_task(row): None for row in shown.iter_rows(named=True)}
    for row in largest.iter_rows(named=True):
        cells[row["language"], row["model"]].setdefault(_task(row), row)
    spread = scores.filter(pl.col("measure") == "weat:variance")
    variances = {row["dataset"]: format_number(row["value"], 3) for row in spread.iter_rows(named=True)}
    rows = [[language, model, *map(_cell, map(found.get, columns))] for (language, model), found in cells.items()]
    if variances:
        rows.append(["variance", "", *(variances.get(task, "") for task in columns)])
    flagged = [
        (f"{task} {language}", row["flags"]) for (language, _), found in cells.items() for task, row in found.items()
    ]
    header = ["language", "model", *columns]
    title = "languages side by side · ρ, or d of a test (n items); of several lexica or pairs the largest"
    return Table(title, header, rows, range(2, len(header)), legend(flagged))


def _cell(score: dict[str, Any] | None) -> str:
    return f"{marked(score)} ({score['n']:,})" if score else ""


def _task(row: dict[str, Any]) -> str:
    if row["measure"] == "weat":
        return str(row["dataset"])
    return BELLEZZA if str(row["dataset"]).startswith("bellezza") else str(row["measure"])


def by_raters(scores: pl.DataFrame) -> Table | None:
    """Pearson's ρ between the ratings of every two lexica, as Table 3 has it."""
    pairs = scores.filter(pl.col("measure") == "raters").select("dataset", "value").iter_rows()
    agreed = {tuple(str(dataset).split("~")): format_number(value, 3) for dataset, value in pairs}
    if not agreed:
        return None
    names = list(dict.fromkeys(name for pair in agreed for name in pair))
    rows = [[one, *(agreed.get((one, other), agreed.get((other, one), "")) for other in names)] for one in names]
    return Table("ratings of the same words by other people · ρ", ["lexicon", *names], rows, range(1, len(names) + 1))
