"""The study `infer`: models × probes × settings × measures of neutrality (Dev et al. 2020)."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from wordworth.catalog.read.nli import load_nli
from wordworth.errors import WordworthError
from wordworth.infer.model.nli import LABELS, NliModel
from wordworth.infer.probe.pairs import PairSet
from wordworth.infer.probe.probe import FORMULA, Probe, load_probe, probe_names
from wordworth.infer.scoring.largest import Largest
from wordworth.infer.scoring.pair_scores import PairTask, scored, shard_of
from wordworth.measure.neutrality import THRESHOLDS, Tally
from wordworth.progress import progress
from wordworth.study.findings import Findings
from wordworth.study.infer.accuracy import record_accuracy
from wordworth.study.infer.models import load, record_model
from wordworth.study.infer.recording import ORIGINAL, RANDOM, Measured, record_items, record_scores
from wordworth.study.infer.settings import MITIGATIONS, Setting, settings
from wordworth.study.infer.slices import Slice, chosen, parsed, whole
from wordworth.study.options import Options

MODEL = "nli-glove"
"""Probed when none is named."""
CONTROLS = 8
"""Random subspaces that the paper averages over."""
TOP = 10


def infer(
    models: Sequence[str | Path | NliModel] = (),
    *,
    probes: Sequence[str | Path] = (),
    slices: Sequence[str] = (),
    by: Sequence[str] = (),
    only: str = "",
    thresholds: Sequence[float] = (),
    mitigate: Sequence[str] = MITIGATIONS[:1],
    random: int = CONTROLS,
    against: Sequence[str | Path | NliModel] = (),
    sample: int | None = None,
    shard: str = "",
    top: int = TOP,
    articles: str = "sound",
    accuracy: Sequence[str | Path] = (),
    labels: Sequence[str] = (),
    device: str = "auto",
    options: Options | None = None,
) -> Findings:
    """Runs the study; blank choices are the paper's: three probes, τ of 0.5 and 0.7, all pairs.

    `slices` (`occupation=doctor,verb=ate|cooked`) and each word of the keys in `by` are measured beside the whole;
    `only` leaves the rest out. `mitigate` and `random` change the vectors that a trained network is given; networks
    trained on changed vectors are named in `against`, and scored under their own name beside each model. `accuracy`
    names labelled pairs on which the original and the mitigated versions are tested too. `labels` is the order of the
    outputs of transformers whose files do not name them.
    """
    options, findings = options or Options(), Findings("infer")
    if top < 0:
        raise WordworthError(f"--top is {top}; it must be a whole number from 0 up")
    asked = [load_probe(name, articles=articles) for name in probes or probe_names()]
    tasks = [_task(findings, probe, only, sample, options.seed, shard) for probe in asked]
    parts_of = chosen([task.pairs for task in tasks], slices, by)
    plans = [(task, [whole(task.pairs), *parts]) for task, parts in zip(tasks, parts_of, strict=True)]
    limits = tuple(thresholds) or THRESHOLDS
    tests = [load_nli(name) for name in accuracy]
    texts = [text for data in tests for text in dict.fromkeys([*data.premises, *data.hypotheses])]
    for data in tests:
        findings.used_data(data, len(data))
    others = [load(named, device, labels) for named in against]
    for other in others:
        record_model(findings, other, [task.pairs for task in tasks])
    for named in models or [MODEL]:
        model = load(named, device, labels)
        record_model(findings, model, [task.pairs for task in tasks])
        for data in tests:
            for other in (model, *others):
                record_accuracy(findings, model.name, ORIGINAL if other is model else other.name, other, data)
        for task, parts in plans:
            every = list(settings(model, task.pairs, mitigate, random, options.seed, texts))
            for setting in every:
                if setting.taken_out:
                    findings.note(f"{task.pairs.probe.name}: {setting.name}, {model.name}: {setting.taken_out}.")
                if setting.name in mitigate:
                    for data in tests:
                        name = f"{setting.name}:{task.pairs.probe.name}"
                        record_accuracy(findings, model.name, name, setting.model(), data)
            every += [Setting(other.name, partial(_itself, other)) for other in others]
            _probe(findings, model.name, task, parts, every, limits, top, options)
    return findings


def _task(findings: Findings, probe: Probe, only: str, sample: int | None, seed: int, shard: str) -> PairTask:
    pairs = PairSet.of(probe)
    if only:
        pairs = pairs.where(parsed(only))
    task = PairTask(pairs, sample, seed, shard_of(shard))
    sets = dict(zip(pairs.labels, (probe.premises, probe.hypotheses), strict=True))
    actions = [f"{action.verb} {action.object}".strip() for action in probe.actions]
    findings.used_words(f"the probe {probe.name}", {**sets, "actions": actions}, probe.reference)
    findings.note(count_sentence(pairs))
    if task.sampled:
        findings.note(f"{probe.name}: {len(task):,} pairs, one drawn at random from each of as many equal stretches.")
    if shard:
        findings.warn(
            f"{probe.name}: shard {shard}, {len(task):,} of {len(pairs):,} pairs; "
            "when all shards are done, the same command without --shard reads them from the shared cache."
        )
    return task


def count_sentence(pairs: PairSet) -> str:
    """How many pairs there are, beside what the paper states."""
    actions, premises, hypotheses = pairs.shape
    told = f"{pairs.probe.name}: {len(pairs):,} pairs ({actions:,} × {premises} × {hypotheses})"
    return f"{told}; the paper: {pairs.probe.paper}." if pairs.probe.paper else f"{told}."


def _itself(model: NliModel) -> NliModel:
    return model


def _probe(
    findings: Findings,
    model: str,
    task: PairTask,
    parts: Sequence[Slice],
    every: Sequence[Setting],
    thresholds: tuple[float, ...],
    top: int,
    options: Options,
) -> None:
    probe = task.pairs.probe
    place = {"experiment": probe.name.removesuffix(FORMULA), "model": model}
    original: Measured | None = None
    controls: list[Measured] = []
    with progress(f"{probe.name}: {model}", len(task) * len(every)) as advance:
        for setting in every:
            found = _measured(setting, task, parts, thresholds, top, advance)
            here = {**place, "setting": setting.name}
            _record(findings, parts, here, [found], original, options)
            record_items(findings, parts[0], here, found)
            if setting.name == ORIGINAL:
                original = found
            elif setting.name.startswith(f"{RANDOM}:"):
                controls.append(found)
    if controls:
        _record(findings, parts, {**place, "setting": RANDOM}, controls, original, options)


def _measured(
    setting: Setting,
    task: PairTask,
    parts: Sequence[Slice],
    thresholds: tuple[float, ...],
    top: int,
    advance: Callable[[float], None],
) -> Measured:
    tallies = [Tally.empty(part.pairs.shape[1:], thresholds) for part in parts]
    largest = (Largest(LABELS.index("entailment"), top), Largest(LABELS.index("contradiction"), top))
    for indices, probabilities in scored(setting.model(), task, key=setting.key, advance=advance):
        places = task.pairs.coordinates(indices)
        for part, tally in zip(parts, tallies, strict=True):
            part.add(tally, places, probabilities)
        for one in largest:
            one.add(indices, probabilities)
    return Measured(tallies, largest)


def _record(
    findings: Findings,
    parts: Sequence[Slice],
    place: dict[str, Any],
    found: Sequence[Measured],
    original: Measured | None,
    options: Options,
) -> None:
    for at, part in enumerate(parts):
        tallies = [one.tallies[at] for one in found]
        if not tallies[0].pairs:
            findings.warn(f"{part.name}: the sample has none of its pairs; sample more, or measure it with --only.")
            continue
        before = original.tallies[at] if original else None
        record_scores(findings, part, place, tallies, before, options)
