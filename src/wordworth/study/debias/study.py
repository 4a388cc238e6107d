"""Remove a bias from an embedding and measure what that costs: Tables 7 to 17 of Dev et al. 2020 as one table.

Every measure is taken on the `original` embedding, on the one that the method made, and, as the control, without a
random subspace of as many dimensions (`random`, the mean of eight).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from statistics import fmean
from typing import Any, TypeVar

import polars as pl

from wordworth.catalog.models import kind_of, load_embedding
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.pairs import Pairs, load_pairs
from wordworth.catalog.read.word_sets import AssociationTest, PolarWords, load_tests, polar_words
from wordworth.catalog.resolve import Origin
from wordworth.embedding import Embedding, Layers, spellings
from wordworth.errors import WordworthError
from wordworth.progress import progress
from wordworth.results.columns import KEY
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import ORIGINAL, RANDOM
from wordworth.study.debias import CONTROLS, DebiasSettings
from wordworth.study.mitigation import Change, Treatment, learn, make_treatment
from wordworth.study.weat import PAPER_TESTS
from wordworth.task.association import score_association
from wordworth.task.bias import score_bias
from wordworth.task.geometry import score_stability
from wordworth.task.settings import Permutations
from wordworth.task.similarity import list_words, score_similarity
from wordworth.task.valence import score_valence
from wordworth.task.words import BiasLists, TooFewWordsError, load_bias_lists, select_poles
from wordworth.transform import NothingToRemoveError, find_vanished, random_directions

Versions = Sequence[tuple[str, Embedding]]
"""(version, embedding): the original and the treated one."""
Version = TypeVar("Version")


def measure(models: Sequence[Origin | Embedding], settings: DebiasSettings) -> Findings:
    """Remove a subspace from every vector of an embedding of English words, and measure before and after.

    The product is the embedding without it; of a language model, the network.
    """
    if len(models) != 1:
        raise WordworthError("debias takes one model, such as glove-6b-50d (`wordworth ls models`)")
    if isinstance(models[0], Origin) and kind_of(models[0]) != "static":
        from wordworth.study.debias.network import debias_network  # torch, only for language models

        return debias_network(models[0], settings)
    findings = Findings("debias")
    embedding = models[0] if isinstance(models[0], Embedding) else load_embedding(models[0])
    language = embedding.provenance.language or LANGUAGE
    findings.add_embedding(embedding, language)
    treatment = choose_treatment(findings, embedding, settings)
    if treatment is None:
        findings.product = embedding
        return findings
    treated = findings.product = treatment.treat(embedding)
    findings.notice("info", treated.provenance.steps[-1], model=embedding.name)
    if vanished_words := find_vanished(embedding, treated):
        examples = ", ".join(vanished_words[:8]) + (", …" if len(vanished_words) > 8 else "")
        reason = f"words have a vector of zeros now, since theirs was in the subspace: {examples}"
        findings.notice("caution", reason, count=len(vanished_words), model=embedding.name)
    if not is_english(findings, embedding.name, language):
        return findings
    if "stability" in settings.measured_parts:
        findings.add(score_stability(embedding))
    versions = ((ORIGINAL, embedding), (settings.mitigate, treated))
    controls = make_controls(embedding, treatment, settings, CONTROLS)
    if set(GEOMETRY) & set(settings.measured_parts):
        _measure_geometry(findings, versions, controls, settings)
    if "nli" in settings.measured_parts:
        with findings.part(is_requested=settings.nli is not None, model=embedding.name, experiment="accuracy"):
            from wordworth.study.debias.network import find_reader, infer_versions  # torch, only for this part

            reader = find_reader(findings, embedding, settings.nli)
            if reader is not None:
                infer_versions(findings, reader, versions, controls, settings)
    return findings


def choose_treatment(findings: Findings, embedding: Embedding, settings: DebiasSettings) -> Treatment | None:
    """Return the method for the subspace that the settings name, and record both; None if nothing is to remove."""
    model = embedding.name
    try:
        subspace = learn(embedding, settings, findings)
        treatment = make_treatment(embedding, subspace, settings, findings)
    except NothingToRemoveError as error:  # debiased twice is debiased once
        findings.notice("skipped", f"nothing to remove: {error}", model=model, experiment="subspace")
        return None
    findings.add_words(f"the subspace {subspace.name}", {"words": subspace.words})
    place = {"experiment": "subspace", "model": model, "dataset": subspace.name, "measure": "dimensions"}
    findings.score(**place, value=len(subspace), n=len(subspace.words))
    return treatment


def make_controls(
    embedding: Embedding, treatment: Treatment, settings: DebiasSettings, default_count: int
) -> list[Change]:
    """Return the method with random subspaces: as many as the settings say, or `default_count`."""
    count = default_count if settings.random is None else settings.random
    if not count:
        return []
    subspaces = random_directions(embedding.dim, count=count, k=treatment.dimensions, seed=settings.seed)
    return [treatment.control(subspace) for subspace in subspaces]


def is_english(findings: Findings, model: str, language: str) -> bool:
    """Return whether a model's words are English; add a notice if they are not."""
    if language != LANGUAGE:
        reason = f"only {LANGUAGE} words are measured, and those of the model are {language}"
        findings.notice("skipped", reason, model=model)
    return language == LANGUAGE


def measure_versions(
    findings: Findings,
    title: str,
    versions: Sequence[tuple[str, Version]],
    controls: tuple[int, Iterable[Version]],
    measure_one: Callable[[Version, bool], Findings],
) -> None:
    """Measure every version, and so many controls; `measure_one` takes a version, and whether it is a control.

    Scores that do not depend on the vectors are recorded only for the original.
    """
    count, control_versions = controls
    with progress(title, len(versions) + count) as advance:
        for name, version in versions:
            result = measure_one(version, False)
            if name != ORIGINAL:
                result = result.select(lambda row: row["measure"] != "coverage", pl.col("skipped").is_null())
                result.models = {}
            findings.add(result, version=name)
            advance(1)
        draws = []
        for control in control_versions:
            draws.append(measure_one(control, True))
            advance(1)
    add_draws(findings, draws)


def _measure_geometry(
    findings: Findings, versions: Versions, controls: Sequence[Change], settings: DebiasSettings
) -> None:
    data = load_task_data(findings, settings)
    spell = spellings(LANGUAGE)
    forms = [form for word in data.words() for form in spell(word)]
    # Only the words that are looked up: thousands of vectors instead of millions.
    subsets = [(name, version.restrict(forms)) for name, version in versions]
    matrices = (control(subsets[0][1]) for control in controls)

    def measure_one(version: Embedding, is_control: bool) -> Findings:
        return measure_version(Layers.of(version), data, without_intervals(settings) if is_control else settings)

    measure_versions(findings, f"Measuring {subsets[0][1].name}", subsets, (len(controls), matrices), measure_one)


def without_intervals(settings: DebiasSettings) -> DebiasSettings:
    """Return the settings for a control, of which only the value is used: it needs neither p nor an interval."""
    return settings.model_copy(update={"resamples": 1, "permutations": 1, "p_method": "monte-carlo"})


GEOMETRY = ("valence", "similarity", "weat", "bias")
LANGUAGE = "english"


@dataclass(frozen=True)
class TaskData:
    """Hold the data of the tasks that are run; empty for the others."""

    lexica: Sequence[Lexicon]
    pairs: Sequence[Pairs]
    tests: Sequence[AssociationTest] = ()
    lists: BiasLists | None = None
    polar: PolarWords = field(kw_only=True)

    def words(self) -> list[str]:
        """Return every word that a task looks up, as the data spells it."""
        lists: list[Iterable[str]] = [self.polar.pleasant, self.polar.unpleasant]
        lists += [lexicon.words for lexicon in self.lexica]
        lists += [list_words(pairs) for pairs in self.pairs]
        lists += [words for test in self.tests for words in (*test.groups, test.stand_ins.values())]
        lists += [self.lists.words] if self.lists else []
        return list(dict.fromkeys(chain.from_iterable(lists)))


def load_task_data(findings: Findings, settings: DebiasSettings) -> TaskData:
    """Load the data of the measured tasks; the defaults come with the package."""
    parts = settings.measured_parts
    data = TaskData(
        lexica=[load_lexicon(name) for name in settings.lexica] if "valence" in parts else [],
        pairs=[load_pairs(name) for name in settings.pairs] if "similarity" in parts else [],
        tests=[test for name in settings.tests or PAPER_TESTS for test in load_tests(name)] if "weat" in parts else [],
        lists=load_bias_lists() if "bias" in parts else None,
        polar=polar_words(LANGUAGE),
    )
    findings.add_data(*data.lexica)
    findings.add_data(*data.pairs)
    if data.lists is not None:
        findings.add_words("Bommasani et al.", data.lists.sets(), "bommasani2020")
    return data


def measure_version(layers: Layers, data: TaskData, settings: Permutations) -> Findings:
    """Run every task on one version of vectors; add a notice for a task with too few words."""
    findings, name = Findings(), layers.provenance.name
    for lexicon in data.lexica:
        with findings.part(TooFewWordsError, model=name, dataset=lexicon.name):
            polar = {"pleasant": data.polar.pleasant, "unpleasant": data.polar.unpleasant}
            findings.add_words(f"polar words, {data.polar.language}", polar)
            poles = select_poles(layers, data.polar, settings)
            rated_layers = layers if layers.vocabulary else layers.select(lexicon.words)
            findings.add(score_valence(rated_layers, poles, lexicon, settings), experiment="valence")
    for pairs in data.pairs:
        with findings.part(TooFewWordsError, model=name, dataset=pairs.name):
            findings.add(score_similarity(layers, pairs, settings), experiment="similarity")
    for test in data.tests:
        with findings.part(TooFewWordsError, model=name, dataset=test.name):
            findings.add(score_association(layers, test, settings), experiment="weat")
    if data.lists is not None:
        findings.add(score_bias(layers, data.lists, settings), experiment="bias")
    return findings


UNUSED_OF_DRAWS = ("study", "low", "high", "p", "p_method", "sides", "partitions")


def add_draws(findings: Findings, draws: Sequence[Findings]) -> None:
    """Add the values of each random draw, without their intervals, and the means over the draws."""
    rows_by_key: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for number, draw in enumerate(draws, start=1):
        for row in draw.scores.filter(pl.col("measure") != "coverage").iter_rows(named=True):
            value_row = {name: value for name, value in row.items() if name not in UNUSED_OF_DRAWS}
            findings.score(**value_row | {"version": RANDOM, "draw": number})
            key = tuple(value_row.get(name) for name in KEY if name not in ("version", "draw"))
            rows_by_key.setdefault(key, []).append(value_row)
    for rows in rows_by_key.values():
        mean = fmean(row["value"] for row in rows)
        findings.score(**rows[0] | {"version": RANDOM, "draw": None, "value": mean})
