"""The study `infer`: models × probes × settings × measures of neutrality (Dev et al. 2020), and its tables."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from wordworth.catalog.read.nli import NliData, load_nli
from wordworth.engine.cache import key_of
from wordworth.measure.neutrality import BY_PAIR, CHANGE, Tally
from wordworth.nli.loading import load
from wordworth.nli.nli import LABELS, MitigableNli, NliModel
from wordworth.nli.pair_scores import Largest, PairTask, score_pairs
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import FORMULA, SWAP, Probe, load_probe, probe_names
from wordworth.progress import progress
from wordworth.results import EXPERIMENTS, ORIGINAL, PROBE, RANDOM, Findings
from wordworth.study.declaration import Table
from wordworth.study.infer import InferSettings
from wordworth.study.infer.versions import Setting, mitigations, stability_of
from wordworth.study.infer.versions import settings as settings_of
from wordworth.study.tables import stability_tables
from wordworth.task.nli import (
    Measured,
    Slice,
    chosen,
    nli_accuracy,
    parsed,
    record_gaps,
    record_items,
    record_over_swap,
    record_scores,
    whole,
)

Plan = tuple[PairTask, list[Slice]]
"""The pairs of a probe, and the slices that are measured, the whole first."""


def infer(models: Sequence[str | Path | NliModel], settings: InferSettings) -> Findings:
    """Runs the study on NLI models.

    Mitigations and random directions change the vectors that a trained network is given; networks trained on changed
    vectors are named in `against`, and scored under their own name beside each model.
    """
    mitigate = mitigations(settings)
    probes = [load_probe(name, articles=settings.articles) for name in settings.probes or probe_names()]
    findings = Findings("infer", experiments=EXPERIMENTS | {_experiment(probe): PROBE for probe in probes})
    tasks = [_task(findings, probe, settings) for probe in probes]
    slices = chosen([task.pairs for task in tasks], settings.slices, settings.by)
    plans = [(task, [whole(task.pairs), *parts]) for task, parts in zip(tasks, slices, strict=True)]
    labelled = [load_nli(name, settings.label_map) for name in settings.accuracy]
    for data in labelled:
        findings.used_data(data, len(data))
    others = [load(named, settings.device, settings.labels) for named in settings.against]
    for other in others:
        record_model(findings, other, [task.pairs for task in tasks])
    for named in models:
        model = load(named, settings.device, settings.labels)
        layers = () if settings.only_first or not mitigate else settings.elmo_layers
        record_model(findings, model, [task.pairs for task in tasks], layers)
        if settings.stability:
            findings.add(stability_of(model, settings, findings.note))
        for data in labelled:
            for other in (model, *others):
                setting = ORIGINAL if other is model else other.name
                findings.add(nli_accuracy(model.name, setting, other, data))
        for plan in plans:
            every = _settings(findings, model, plan[0].pairs, mitigate, settings, labelled)
            every += [Setting(other.name, partial(_itself, other)) for other in others]
            _probe(findings, model.name, plan, every, settings)
    return findings


def _experiment(probe: Probe) -> str:
    return probe.name.removesuffix(FORMULA)


def _settings(
    findings: Findings,
    model: NliModel,
    pairs: PairSet,
    mitigate: tuple[str, ...],
    settings: InferSettings,
    labelled: Sequence[NliData],
) -> list[Setting]:
    """The versions of a model on a probe, with their accuracy on labelled pairs."""
    texts = [text for data in labelled for text in dict.fromkeys([*data.premises, *data.hypotheses])]
    every = list(settings_of(model, pairs, settings, findings.note, texts))
    for setting in every:
        if setting.taken_out:
            findings.note(f"{pairs.probe.name}: {setting.name}, {model.name}: {setting.taken_out}.")
        if setting.name in mitigate:
            for data in labelled:
                name = f"{setting.name}:{pairs.probe.name}"
                findings.add(nli_accuracy(model.name, name, setting.model(), data))
    return every


def _task(findings: Findings, probe: Probe, settings: InferSettings) -> PairTask:
    pairs = PairSet.of(probe)
    if settings.only:
        pairs = pairs.where(parsed(settings.only))
    task = PairTask(pairs, settings.sample, settings.seed)
    sets = dict(zip(pairs.labels, (probe.premises, probe.hypotheses), strict=True))
    actions = [f"{action.verb} {action.object}".strip() for action in probe.actions]
    findings.used_words(f"the probe {probe.name}", {**sets, "actions": actions}, probe.reference)
    findings.note(count_sentence(pairs))
    if task.is_sampled:
        findings.note(f"{probe.name}: {len(task):,} pairs, one drawn at random from each of as many equal stretches.")
    return task


def count_sentence(pairs: PairSet) -> str:
    """How many pairs there are, beside what the paper states."""
    actions, premises, hypotheses = pairs.shape
    count = f"{pairs.probe.name}: {len(pairs):,} pairs ({actions:,} × {premises} × {hypotheses})"
    return f"{count}; the paper: {pairs.probe.paper}." if pairs.probe.paper else f"{count}."


def _itself(model: NliModel) -> NliModel:
    return model


def _probe(findings: Findings, model: str, plan: Plan, every: Sequence[Setting], settings: InferSettings) -> None:
    task, parts = plan
    probe = task.pairs.probe
    place = {"experiment": _experiment(probe), "model": model}
    original: Measured | None = None
    controls: list[Measured] = []
    swap = _swap(task, settings)
    swapped: Measured | None = None
    with progress(f"{probe.name}: {model}", len(task) * len(every)) as advance:
        for setting in every:
            measured = _measured(setting, plan, settings, advance)
            here = {**place, "setting": setting.name}
            _record(findings, parts, here, [measured], original, settings)
            record_items(findings, parts[0], here, measured)
            if setting.name.startswith(f"{RANDOM}:"):
                controls.append(measured)
            elif swap is not None:
                control = _measured(setting, swap, settings)
                _off_diagonal(control.tallies[0])
                _record(findings, swap[1], here, [control], swapped, settings)
                record_over_swap(findings, parts[0], here, measured.tallies[0], control.tallies[0])
                swapped = swapped or control
            original = original or measured
    if controls:
        _record(findings, parts, {**place, "setting": RANDOM}, controls, original, settings)


def _swap(task: PairTask, settings: InferSettings) -> Plan | None:
    """The control: pairs whose subjects are two of one kind."""
    probe = task.pairs.probe
    if not (probe.swap and settings.swaps):
        return None
    pairs = PairSet.of(probe.swap_subjects())
    return PairTask(pairs, settings.swaps, settings.seed), [whole(pairs)]


def _off_diagonal(tally: Tally) -> None:
    """Without the pairs that exchange a word for itself, which are entailed."""
    same = np.arange(tally.shape[0]) * (tally.shape[1] + 1)
    tally.counts[same], tally.sums[same] = 0, 0.0


def _measured(
    setting: Setting, plan: Plan, settings: InferSettings, advance: Callable[[float], None] | None = None
) -> Measured:
    task, parts = plan
    tallies = [Tally.empty(part.pairs.shape[1:], settings.thresholds) for part in parts]
    largest = tuple(Largest(LABELS.index(label), settings.farthest) for label in ("entailment", "contradiction"))
    for indices, probabilities in score_pairs(setting.model(), task, advance=advance):
        places = task.pairs.coordinates(indices)
        for part, tally in zip(parts, tallies, strict=True):
            part.add(tally, places, probabilities)
        for extreme in largest:
            extreme.add(indices, probabilities)
    return Measured(tallies, largest)


def _record(
    findings: Findings,
    parts: Sequence[Slice],
    place: dict[str, Any],
    measured: Sequence[Measured],
    original: Measured | None,
    settings: InferSettings,
) -> None:
    for at, part in enumerate(parts):
        tallies = [one.tallies[at] for one in measured]
        if not tallies[0].pairs:
            findings.warn(f"{part.name}: the sample has none of its pairs; sample more, or measure it with --only.")
            continue
        before = original.tallies[at] if original else None
        record_scores(findings, part, place, tallies, before, settings)
        if not at and not part.pairs.probe.name.endswith(SWAP):
            record_gaps(findings, part, place, tallies, before, settings)


def record_model(findings: Findings, model: NliModel, sets: Sequence[PairSet], layers: Sequence[int] = ()) -> None:
    """The model in the manifest, and the words of the probes that it has no vector for.

    `layers` are those of ELMo that are changed at test, once they are computed.
    """
    known = model if isinstance(model, MitigableNli) else None
    facts: dict[str, Any] = {"source": known.source if known else "", "weights": key_of(list(model.identity))}
    trained_without = getattr(model, "trained_without", None)  # a user's own model need not say
    if trained_without:
        facts["trained_without"] = asdict(trained_without)
    if layers:
        facts["elmo_layers"] = list(layers)
    findings.used_model(model.name, facts)
    missing = known.missing([text for pairs in sets for side in pairs.fragments() for text in side]) if known else ()
    if missing:
        findings.warn(
            f"{model.name} has no vector for {', '.join(missing)}; as in training, those of unknown words stand in."
        )


SHOWN = 3
"""Pairs of each kind that are printed; the rest, and those of the other settings, are in items.parquet."""


def infer_tables(scores: pl.DataFrame, items: pl.DataFrame) -> Iterator[Table]:
    """For each model and probe: Tables 1, 3, 5 with 8 and 9; each slice; Tables 2, 4, 6."""
    accuracy = scores.filter(pl.col("experiment") == "accuracy")
    plain = scores.filter(
        ~pl.col("experiment").is_in(["accuracy", "stability"]),
        ~pl.col("measure").str.ends_with(BY_PAIR),
        ~pl.col("measure").str.ends_with(CHANGE),
        ~pl.col("measure").str.starts_with("lean:"),
        ~pl.col("setting").str.starts_with(f"{RANDOM}:"),
    )
    probe = pl.col("dataset").str.split("/").list.first()
    for (model, _), mine in plain.group_by(["model", probe], maintain_order=True):
        dataset = str(mine.item(0, "dataset"))  # the whole comes before its slices
        title = f"{dataset} · {model}"
        yield _by_setting(title, mine.filter(pl.col("dataset") == dataset))
        sliced = mine.filter(pl.col("dataset") != dataset)
        if len(sliced):
            yield _slices(f"{title} · slices", sliced)
        yield from _largest(title, items.filter(pl.col("model") == model, pl.col("dataset") == dataset))
    yield from stability_tables(scores)
    if len(accuracy):
        rows = [
            [str(row["model"]), row["dataset"], row["setting"], _with_interval(row), f"{row['n']:,}"]
            for row in accuracy.iter_rows(named=True)
        ]
        yield Table("accuracy", ["model", "data", "setting", "accuracy", "pairs"], rows, range(3, 5))


def _by_setting(title: str, scores: pl.DataFrame) -> Table:
    measures = scores.get_column("measure").unique(maintain_order=True).to_list()
    rows: list[list[str]] = []
    before: dict[str, float] = {}
    for (setting,), some in scores.group_by(["setting"], maintain_order=True):
        found = {row["measure"]: row for row in some.iter_rows(named=True)}
        rows.append([str(setting), *(_with_interval(found[one]) if one in found else "" for one in measures)])
        if setting == ORIGINAL:
            before = {measure: found[measure]["value"] for measure in measures if measure in found}
        elif before:
            both = found.keys() & before.keys()
            changes = (_percent(found[one]["value"], before[one]) if one in both else "" for one in measures)
            rows.append(["  diff", *changes])
    name, pairs = str(scores.item(0, "dataset")), scores.item(0, "n")
    stated = load_probe(name).paper if name.removesuffix(FORMULA) in probe_names() else ""
    heading = f"{title} · {pairs:,} pairs" + (f" (the paper: {stated})" if stated else "")
    return Table(heading, ["setting", *measures], rows, range(1, len(measures) + 1))


def _with_interval(row: dict[str, Any]) -> str:
    text = f"{row['value']:.3f}"
    return text if row["low"] is None else f"{text} [{row['low']:.2f}, {row['high']:.2f}]"


def _percent(value: float, before: float) -> str:
    return f"{(value - before) / before:+.1%}" if before else ""


def _slices(title: str, scores: pl.DataFrame) -> Table:
    measures = scores.get_column("measure").unique(maintain_order=True).to_list()
    rows = []
    for (dataset, setting), some in scores.group_by(["dataset", "setting"], maintain_order=True):
        found = dict(zip(some.get_column("measure"), some.get_column("value"), strict=True))
        name = str(dataset).partition("/")[2]
        cells = (f"{found[measure]:.3f}" if measure in found else "" for measure in measures)
        rows.append([name, str(setting), *cells, f"{some.item(0, 'n'):,}"])
    return Table(title, ["slice", "setting", *measures, "pairs"], rows, range(2, len(measures) + 3))


def _largest(title: str, items: pl.DataFrame) -> Iterator[Table]:
    far = items.filter(pl.col("group").str.starts_with("largest "), pl.col("setting") == ORIGINAL)
    rows = [
        [row["item"], *(f"{row[column]:.2f}" for column in ("entailment", "value", "contradiction"))]
        for _, some in far.group_by(["group"], maintain_order=True)
        for row in some.head(SHOWN).iter_rows(named=True)
    ]
    if rows:
        header = ["premise ⇒ hypothesis", "ent.", "neutral", "cont."]
        yield Table(f"{title} · farthest from neutral", header, rows, range(1, 4))
