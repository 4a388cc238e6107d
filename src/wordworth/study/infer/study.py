"""The study `infer`: models × probes × versions × measures of neutrality (Dev et al. 2020), and its tables."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from wordworth.catalog.read.nli import NliData, load_nli
from wordworth.catalog.resolve import Origin
from wordworth.engine.cache import key_of
from wordworth.measure.neutrality import Tally
from wordworth.nli.loading import load
from wordworth.nli.nli import LABELS, MitigableNli, NliModel
from wordworth.nli.pairs import LargestPairs, PairSet, PairTask, score_pairs
from wordworth.nli.probe import FORMULA, Probe, load_probe, probe_names
from wordworth.progress import progress
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import EXPERIMENT_TITLES, ORIGINAL, RANDOM, RANDOM_RETRAINED
from wordworth.study.infer import InferSettings
from wordworth.study.infer.versions import (
    Version,
    list_mitigations,
    make_versions,
    measure_stability,
    retrained_version,
)
from wordworth.task.nli import (
    Slice,
    Tallies,
    group_hypotheses,
    parse_slice,
    record_gaps,
    record_items,
    record_over_swap,
    record_scores,
    score_accuracy,
    select_slices,
    take_slice,
)


def measure(models: Sequence[Origin | NliModel], settings: InferSettings) -> Findings:
    """Measure NLI models.

    Mitigations and random directions change the vectors that a trained network reads; networks trained on changed
    vectors are named in `against`, and scored as versions of each model under their own names.
    """
    mitigate = list_mitigations(settings)
    probes = [load_probe(name, articles=settings.articles) for name in settings.probes or probe_names()]
    findings = Findings("infer", experiments={*EXPERIMENT_TITLES, *map(_experiment, probes)})
    tasks = [_task(findings, probe, settings) for probe in probes]
    sets = [task.pairs for task in tasks]
    slices = select_slices(sets, settings.slices, settings.by)
    labelled = [load_nli(name, settings.label_map) for name in settings.accuracy]
    findings.add_data(*labelled)
    others = [load(named, settings.device, settings.labels) for named in settings.against]
    for other in others:
        record_model(findings, other, sets)
    for named in models:
        model = load(named, settings.device, settings.labels)
        record_model(findings, model, sets, () if settings.only_first or not mitigate else settings.elmo_layers)
        if settings.stability:
            findings.add(measure_stability(model, settings, partial(findings.notice, "info")))
        for data, other in product(labelled, (model, *others)):
            version = ORIGINAL if other is model else other.name
            findings.add(score_accuracy(other, data, model=model.name, version=version))
        for task, parts in zip(tasks, slices, strict=True):
            versions = _list_versions(findings, model, task.pairs, settings, labelled)
            versions += [retrained_version(other, task.pairs) for other in others]
            probed = _Measuring(findings, task, [take_slice(task.pairs), *parts], settings)
            _measure_probe(probed, model.name, versions)
    return findings


def _experiment(probe: Probe) -> str:
    return probe.name.removesuffix(FORMULA)


def _list_versions(
    findings: Findings, model: NliModel, pairs: PairSet, settings: InferSettings, labelled: Sequence[NliData]
) -> list[Version]:
    """Return the versions of a model on a probe, and record their accuracy on labelled pairs."""
    texts = [text for data in labelled for text in dict.fromkeys([*data.premises, *data.hypotheses])]
    versions = list(make_versions(model, pairs, settings, partial(findings.notice, "info"), texts))
    for version in versions:
        if version.removed:
            reason = f"{version.name} removes {version.removed}"
            findings.notice("info", reason, model=model.name, experiment=pairs.probe.name)
        for data in labelled if version.name in settings.mitigate else ():
            columns = {"model": model.name, "version": version.name, "variant": pairs.probe.name}
            findings.add(score_accuracy(version.model(), data, **columns))
    return versions


def _task(findings: Findings, probe: Probe, settings: InferSettings) -> PairTask:
    pairs = PairSet.of(probe)
    if settings.only:
        pairs = pairs.where(parse_slice(settings.only))
    task = PairTask(pairs, settings.sample, settings.seed)
    sets = dict(zip(pairs.labels, (probe.premises, probe.hypotheses), strict=True))
    sets["actions"] = tuple(f"{action.verb} {action.object}".strip() for action in probe.actions)
    findings.add_words(f"the probe {probe.name}", sets, probe.reference)
    actions, premises, hypotheses = pairs.shape
    reason = f"{len(pairs):,} pairs ({actions:,} × {premises} × {hypotheses})"
    reason += f"; the paper: {probe.paper}" if probe.paper else ""
    findings.notice("info", reason, experiment=probe.name)
    if task.is_sampled:
        reason = "pairs are measured, drawn at random and evenly over all pairs"
        findings.notice("reduced", reason, count=len(task), total=len(pairs), experiment=probe.name)
    return task


@dataclass(frozen=True, eq=False)
class _Measuring:
    """The pairs of a probe, or of its control, and the slices that are measured, the whole first."""

    findings: Findings
    task: PairTask
    parts: list[Slice]
    settings: InferSettings

    def measure(self, version: Version, advance: Callable[[float], None] | None = None) -> Tallies:
        """Tally the probabilities of a version's pairs."""
        settings = self.settings
        tallies = [Tally.empty(part.pairs.shape[1:], settings.thresholds) for part in self.parts]
        wrong = ("entailment", "contradiction")
        largest = tuple(LargestPairs(LABELS.index(label), settings.farthest) for label in wrong)
        for indices, probabilities in score_pairs(version.model(), self.task, advance=advance):
            places = self.task.pairs.coordinates(indices)
            for part, tally in zip(self.parts, tallies, strict=True):
                part.add(tally, places, probabilities)
            for extreme in largest:
                extreme.add(indices, probabilities)
        return Tallies(tallies, largest)

    def record(self, place: dict[str, Any], measured: Sequence[Tallies], original: Tallies | None) -> None:
        """Record the scores of every slice, and the gaps of the whole."""
        findings = self.findings
        for at, part in enumerate(self.parts):
            tallies, pairs = [one.tallies[at] for one in measured], part.pairs
            if not tallies[0].pairs:
                reason = "the sample has no pair of this slice; raise --sample, or measure the slice with --only"
                findings.notice("skipped", reason, model=place["model"], dataset=pairs.label or pairs.probe.name)
                continue
            row, before = {**part.columns, **place}, original.tallies[at] if original else None
            record_scores(findings, row, tallies, before, self.settings)
            if not at and "control" not in place:
                record_gaps(findings, row, group_hypotheses(pairs), tallies, before, self.settings)


def _measure_probe(probed: _Measuring, model: str, versions: Sequence[Version]) -> None:
    findings, settings, whole = probed.findings, probed.settings, probed.parts[0]
    probe = whole.pairs.probe
    place = {"experiment": _experiment(probe), "model": model}
    swap: _Measuring | None = None  # the control: pairs whose subjects are two of one kind
    if probe.swap and settings.swaps:
        pairs = PairSet.of(probe.swap_subjects())
        task = PairTask(pairs, settings.swaps, settings.seed)
        swap = _Measuring(findings, task, [take_slice(pairs)], settings)
    original: Tallies | None = None
    first_control: Tallies | None = None
    draws: list[Tallies] = []
    retrained: list[Tallies] = []
    with progress(f"{probe.name}: {model}", len(probed.task) * len(versions)) as advance:
        for version in versions:
            measured = probed.measure(version, advance)
            here = place | {"version": version.name, "draw": version.draw}
            probed.record(here, [measured], original)
            record_items(findings, whole.pairs, {**whole.columns, **here}, measured)
            original = original or measured
            if version.is_random_retrained:
                retrained.append(measured)
            if version.draw is not None:
                draws.append(measured)
            elif swap is not None:
                control = swap.measure(version)
                tally = control.tallies[0]
                same = np.arange(tally.shape[0]) * (tally.shape[1] + 1)
                tally.counts[same], tally.sums[same] = 0, 0.0  # a word swapped for itself is entailed
                swap.record({**here, "control": "swap", "dataset": probe.name}, [control], first_control)
                record_over_swap(findings, {**whole.columns, **here}, measured.tallies[0], tally)
                first_control = first_control or control
    if draws:
        probed.record({**place, "version": RANDOM}, draws, original)
    if len(retrained) > 1:
        reason = f"networks trained without a random subspace are averaged as {RANDOM_RETRAINED}"
        probed.findings.notice("info", reason, count=len(retrained), **place)
        probed.record({**place, "version": RANDOM_RETRAINED}, retrained, original)


def record_model(findings: Findings, model: NliModel, sets: Sequence[PairSet], layers: Sequence[int] = ()) -> None:
    """Record a model, and the words of the probes that it has no vector for.

    `layers` are those of ELMo that are changed after all are computed.
    """
    facts: dict[str, Any] = {"source": "", "weights": key_of(list(model.identity))}
    if trained_without := getattr(model, "trained_without", None):  # a user's own model need not say
        facts["trained_without"] = asdict(trained_without)
    if layers:
        facts["elmo_layers"] = list(layers)
    if isinstance(model, MitigableNli):
        facts["source"] = model.source
        missing = model.missing([text for pairs in sets for side in pairs.fragments() for text in side])
        if missing:
            reason = f"words have no vector and get the vector of unknown words, as in training: {', '.join(missing)}"
            findings.notice("substituted", reason, count=len(missing), model=model.name)
    findings.add_model(model.name, facts)
