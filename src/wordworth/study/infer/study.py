"""The study `infer`: models × probes × settings × measures of neutrality (Dev et al. 2020)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wordworth.errors import WordworthError
from wordworth.infer.largest import Largest
from wordworth.infer.nli import LABELS, NliModel
from wordworth.infer.pairs import PairSet
from wordworth.infer.probe import FORMULA, Probe, load_probe, probe_names
from wordworth.infer.scoring import Task, scored, shard_of
from wordworth.measure.neutrality import THRESHOLDS, Tally
from wordworth.progress import progress
from wordworth.study.findings import Findings
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
    device: str = "auto",
    options: Options | None = None,
) -> Findings:
    """Runs the study; blank choices are the paper's: three probes, τ of 0.5 and 0.7, all pairs.

    `slices` (`occupation=doctor,verb=ate|cooked`) and each word of the keys in `by` are measured beside the whole;
    `only` leaves the rest out. `mitigate` and `random` change the vectors that a trained network is given; networks
    trained on changed vectors are named in `against`, and scored under their own name beside each model.
    """
    options, findings = options or Options(), Findings("infer")
    if top < 0:
        raise WordworthError(f"--top is {top}; it must be a whole number from 0 up")
    asked = [load_probe(name, articles=articles) for name in probes or probe_names()]
    tasks = [_task(findings, probe, only, sample, options.seed, shard) for probe in asked]
    plans = [(task, [whole(task.pairs), *chosen(task.pairs, slices, by)]) for task in tasks]
    limits = tuple(thresholds) or THRESHOLDS
    for named in models or [MODEL]:
        model = load(named, device)
        record_model(findings, model, [task.pairs for task in tasks])
        for task, parts in plans:
            every = list(settings(model, task.pairs, mitigate, random, options.seed))
            every += [_retrained(findings, one, task, device) for one in against]
            _check_names([one.name for one in every])
            _probe(findings, model.name, task, parts, every, limits, top, options)
    return findings


def _task(findings: Findings, probe: Probe, only: str, sample: int | None, seed: int, shard: str) -> Task:
    pairs = PairSet.of(probe)
    if only:
        pairs = pairs.where(parsed(only))
    task = Task(pairs, sample, seed, shard_of(shard))
    sets = {probe.labels[0]: probe.premises, probe.labels[1]: probe.hypotheses}
    if probe.labels[0] == probe.labels[1]:
        sets = {"premise": probe.premises, "hypothesis": probe.hypotheses}
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


def _retrained(findings: Findings, named: str | Path | NliModel, task: Task, device: str) -> Setting:
    model = load(named, device)
    record_model(findings, model, [task.pairs])
    return Setting(model.name, lambda: model, "")


def _check_names(names: Sequence[str]) -> None:
    again = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if again is not None:
        raise WordworthError(f"two settings are called {again}; name the model LABEL=FOLDER to tell them apart")


def _probe(
    findings: Findings,
    model: str,
    task: Task,
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
    task: Task,
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
