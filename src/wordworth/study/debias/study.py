"""A bias taken out of an embedding, and what that cost: Tables 7 to 17 of Dev et al. 2020 as one table.

Every measure is taken on the embedding as it was (`original`), as it is after (the method), and, as the control,
without a random subspace of as many dimensions (`random`, the mean of eight).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from wordworth.catalog.kinds import kind_of
from wordworth.catalog.models import load_embeddings
from wordworth.catalog.read.association_tests import AssociationTest, load_tests
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.pairs import Pairs, load_pairs
from wordworth.catalog.read.word_sets import PolarWords, polar_words
from wordworth.embedding import Embedding, Layers, spellings
from wordworth.errors import WordworthError
from wordworth.progress import progress
from wordworth.results import ORIGINAL, RANDOM, Findings
from wordworth.results.numbers import format_number
from wordworth.study.debias import CONTROLS, DebiasSettings
from wordworth.study.declaration import Table
from wordworth.study.mitigation import Change, Treatment, learn, treatment
from wordworth.study.tables import stability_tables
from wordworth.task.association import score_association
from wordworth.task.bias import score_bias
from wordworth.task.geometry import score_stability
from wordworth.task.similarity import score_similarity, list_words
from wordworth.task.valence import score_valence
from wordworth.task.words import BiasLists, TooFewWordsError, load_bias_lists, select_poles
from wordworth.transform import NothingToRemoveError, random_directions, vanished

Versions = Sequence[tuple[str, Embedding]]
"""(setting, embedding): the original, and what the method made of it."""


def debias(models: Sequence[str | Path | Embedding], settings: DebiasSettings) -> Findings:
    """Takes a subspace out of every vector of an embedding of English words, and measures before and after.

    The embedding without it is `findings.embedding`; of a language model, `findings.network` is the network.
    """
    if len(models) != 1:
        raise WordworthError("debias takes one model, such as glove-6b-50d (`wordworth ls models`)")
    if isinstance(models[0], str | Path) and kind_of(models[0]) != "static":
        from wordworth.study.debias.network import debias_network  # torch, for language models alone

        return debias_network(models[0], settings)
    findings = Findings("debias")
    embedding = models[0] if isinstance(models[0], Embedding) else one_embedding(models[0])
    language = embedding.provenance.language or LANGUAGE
    findings.used_embedding(embedding, language)
    try:
        subspace = learn(embedding, settings, findings)
        chosen = treatment(embedding, subspace, settings, findings)
    except NothingToRemoveError as nothing:  # debiased twice is debiased once
        findings.warn(f"The vectors are left as they are: {nothing}.")
        findings.embedding = embedding
        return findings
    findings.used_words(f"the subspace {subspace.name}", {"words": subspace.words})
    where = {"experiment": "subspace", "model": embedding.name, "dataset": subspace.name}
    findings.score(**where, measure="dimensions", value=len(subspace), n=len(subspace.words))
    after = findings.embedding = chosen.treat(embedding)
    findings.note(f"{embedding.name}: {after.provenance.steps[-1]}.")
    lost = vanished(embedding, after)
    if lost:
        some = ", ".join(lost[:8]) + (", …" if len(lost) > 8 else "")
        findings.warn(f"Nothing is left of the vectors of {len(lost):,} words ({some}): they lay in the subspace.")
    if language != LANGUAGE:
        findings.warn(
            f"{embedding.name} has {language} words and the report measures {LANGUAGE} ones, so it is left out."
        )
        return findings
    if "stability" in settings.wanted:
        findings.add(score_stability(embedding))
    _measure(
        findings, ((ORIGINAL, embedding), (settings.mitigate, after)), _controls(embedding, chosen, settings), settings
    )
    return findings


def one_embedding(named: str | Path) -> Embedding:
    """The only embedding of a name or file."""
    embeddings = list(load_embeddings(named))
    if len(embeddings) != 1:
        raise WordworthError(f"{named} holds {len(embeddings)} embeddings; name one of them")
    return embeddings[0]


def _measure(findings: Findings, versions: Versions, controls: Sequence[Change], settings: DebiasSettings) -> None:
    if {"valence", "similarity", "weat", "bias"} & set(settings.wanted):
        _geometry(findings, versions, controls, settings)
    if "nli" in settings.wanted:
        from wordworth.study.debias.network import inference, reader_of  # torch, for this part alone

        reader = reader_of(findings, versions[0][1], settings.nli)
        if reader is not None:
            inference(findings, reader, versions, controls, settings)


def _controls(embedding: Embedding, chosen: Treatment, settings: DebiasSettings) -> list[Change]:
    count = CONTROLS if settings.random is None else settings.random
    if not count:
        return []
    subspaces = random_directions(embedding.dim, count=count, k=chosen.dimensions, seed=settings.seed)
    return [chosen.control(one) for one in subspaces]


def _geometry(findings: Findings, versions: Versions, controls: Sequence[Change], settings: DebiasSettings) -> None:
    """What is measured on the vectors themselves."""
    data = load_task_data(findings, settings)
    forms = list(data.forms())
    # Only the words that are looked up: a random subspace is then taken out of thousands of vectors, not of millions.
    few = [(setting, version.restrict(forms)) for setting, version in versions]
    with progress(f"Measuring {few[0][1].name}", len(few) + len(controls)) as advance:
        for setting, version in few:
            add_version(findings, measure(version, data, settings), setting)
            advance(1)
        # Of a control only the value is used, so that neither p nor an interval is worth its time.
        quick = replace(settings, resamples=1, permutations=1, p_method="monte-carlo")
        results = []
        for control in controls:
            results.append(measure(control(few[0][1]), data, quick))
            advance(1)
    add_controls(findings, results)


TESTS = tuple(f"weat{number}" for number in range(1, 11))
LANGUAGE = "english"


@dataclass(frozen=True)
class TaskData:
    """Data of the tasks that are run; empty where one is not."""

    lexica: Sequence[Lexicon]
    pairs: Sequence[Pairs]
    tests: Sequence[AssociationTest]
    lists: BiasLists | None
    polar: PolarWords

    def words(self) -> list[str]:
        """Every word that a task looks up, as the data spells it."""
        words = [*self.polar.pleasant, *self.polar.unpleasant]
        words += [word for lexicon in self.lexica for word in lexicon.words]
        words += [word for pairs in self.pairs for word in list_words(pairs)]
        words += [word for test in self.tests for group in test.groups for word in group]
        words += [word for test in self.tests for word in test.stand_ins.values()]
        words += self.lists.words if self.lists else ()
        return list(dict.fromkeys(words))

    def forms(self) -> Iterable[str]:
        """Every spelling of them."""
        spelled = spellings(LANGUAGE)
        return (form for word in self.words() for form in spelled(word))


def load_task_data(findings: Findings, settings: DebiasSettings) -> TaskData:
    """The data that is asked for; the defaults all come with the package."""
    wanted = settings.wanted
    data = TaskData(
        lexica=[load_lexicon(name) for name in settings.lexica] if "valence" in wanted else [],
        pairs=[load_pairs(name) for name in settings.pairs] if "similarity" in wanted else [],
        tests=[test for name in settings.tests or TESTS for test in load_tests(name)] if "weat" in wanted else [],
        lists=load_bias_lists() if "bias" in wanted else None,
        polar=polar_words(LANGUAGE),
    )
    for lexicon in data.lexica:
        findings.used_data(lexicon, len(lexicon))
    for pairs in data.pairs:
        findings.used_data(pairs, len(pairs))
    if data.lists is not None:
        findings.used_words("Bommasani et al.", data.lists.sets(), "bommasani2020")
    return data


def measure(version: Embedding | Layers, data: TaskData, settings: DebiasSettings) -> Findings:
    """Every task on one version. A task whose words it lacks is reported and left out."""
    findings, layers = Findings(), Layers.of(version) if isinstance(version, Embedding) else version
    name = layers.provenance.name
    for lexicon in data.lexica:
        with findings.part(TooFewWordsError, model=name, dataset=lexicon.name):
            polar = {"pleasant": data.polar.pleasant, "unpleasant": data.polar.unpleasant}
            findings.used_words(f"polar words, {LANGUAGE}", polar)
            poles = select_poles(layers, data.polar, settings)
            rated = layers if layers.vocabulary else layers.select(lexicon.words)
            findings.add(score_valence(rated, poles, lexicon, settings), experiment="valence")
    for pairs in data.pairs:
        with findings.part(TooFewWordsError, model=name, dataset=pairs.name):
            findings.add(score_similarity(layers, pairs, settings), experiment="similarity")
    for test in data.tests:
        with findings.part(TooFewWordsError, model=name, dataset=test.name):
            findings.add(score_association(layers, test, settings), experiment="weat")
    if data.lists is not None:
        findings.add(score_bias(layers, data.lists, settings), experiment="bias")
    return findings


KEYS = ("experiment", "model", "language", "dataset", "layer", "measure")


def add_version(findings: Findings, version: Findings, setting: str) -> None:
    """Adds what was found on one version. What does not change with the vectors is kept of the original alone."""
    if setting != ORIGINAL:
        version = version.where(lambda row: row["measure"] != "coverage", pl.col("left_out").is_null())
    findings.add(version, setting=setting)


def add_controls(findings: Findings, controls: Sequence[Findings]) -> None:
    """The values under each random direction, without the intervals that one draw has, and their means."""
    together: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for number, control in enumerate(controls, start=1):
        for row in control.scores.iter_rows(named=True):
            if row["measure"] != "coverage":
                unused = ("study", "low", "high", "p")
                plain = {key: value for key, value in row.items() if value is not None and key not in unused}
                findings.score(**plain | {"setting": f"{RANDOM}:{number}"})
                together.setdefault(tuple(row[key] for key in KEYS), []).append(plain)
    for rows in together.values():
        findings.score(**rows[0] | {"setting": RANDOM, "value": fmean(row["value"] for row in rows)})


SHOWN = {
    "valence": ("valence",),
    "similarity": ("similarity",),
    "weat": ("weat",),
    "bias": ("direct-bias", "garg-cosine", "manzini"),
    "prediction": ("top-1", "top-10", "perplexity"),
    "accuracy": ("accuracy",),
}
"""Experiments in the table, and of each the measures."""
NEUTRALITY = ("gender", "nationality", "religion")
"""Probes of inference: of these, every measure that the paper prints."""
NEUTRAL = ("net-neutral", "fraction-neutral", "threshold:0.5", "threshold:0.7")

Row = tuple[str, dict[str, float], int | None]


def cost_rows(scores: pl.DataFrame) -> list[Row]:
    """(what, setting → value, items) of every measure that was taken before and after, in the order of the report."""
    rows: dict[str, Row] = {}
    for score in scores.iter_rows(named=True):
        setting, measure, experiment = score["setting"] or "", score["measure"], score["experiment"]
        wanted = NEUTRAL if experiment in NEUTRALITY else SHOWN.get(experiment, ())
        if not setting or setting.startswith(f"{RANDOM}:") or measure not in wanted:
            continue
        if experiment == "bias" and not score["dataset"].endswith("/professions"):
            continue
        name = " ".join(part for part in (score["dataset"], measure) if part and part != experiment)
        key = f"{experiment}: {name}" + ("" if score["layer"] is None else f", layer {score['layer']}")
        rows.setdefault(key, (key, {}, score["n"]))[1][setting] = score["value"]
    return [row for row in rows.values() if ORIGINAL in row[1]]


def versions(scores: pl.DataFrame) -> list[str]:
    """The settings that have a column: the original, the method, the mean of the random ones."""
    found = scores.get_column("setting").drop_nulls().unique(maintain_order=True).to_list()
    between = [name for name in found if name not in (ORIGINAL, RANDOM) and not name.startswith(f"{RANDOM}:")]
    return [ORIGINAL, *between, *([RANDOM] if RANDOM in found else [])]


def changed(what: str, value: float | None, before: float) -> str:
    """The change against the original: of neutrality in per cent, as the paper gives it, else in the measure's unit."""
    if value is None or not before:
        return ""
    share = what.partition(":")[0] in NEUTRALITY
    return f"{(value - before) / before:+.1%}" if share else f"{value - before:+.3f}"


def debias_tables(scores: pl.DataFrame, items: pl.DataFrame) -> Iterator[Table]:
    """Before, after, and without random directions; and how well-defined the subspaces are."""
    columns = versions(scores)
    header = ["measure", columns[0], *(name for column in columns[1:] for name in (column, "diff")), "n"]
    rows = []
    for what, values, count in cost_rows(scores):
        cells = [format_number(values[columns[0]], 3)]
        for column in columns[1:]:
            cells += [
                format_number(values.get(column), 3, missing=""),
                changed(what, values.get(column), values[columns[0]]),
            ]
        rows.append([what, *cells, f"{count:,}" if count else ""])
    if rows:
        yield Table("what it cost", header, rows, range(1, len(header)))
    yield from stability_tables(scores)
