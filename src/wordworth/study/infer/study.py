"""Run the study `infer`: score the neutrality of models' versions on probes (Dev et al. 2020)."""

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
    labelled_sets = [load_nli(name, settings.label_map) for name in settings.accuracy]
    findings.add_data(*labelled_sets)
    retrained_models = [load(given_model, settings.device, settings.labels) for given_model in settings.against]
    for compared_model in retrained_models:
        record_model(findings, compared_model, sets)
    for given_model in models:
        model = load(given_model, settings.device, settings.labels)
        record_model(findings, model, sets, () if settings.only_first or not mitigate else settings.elmo_layers)
        if settings.stability:
            findings.add(measure_stability(model, settings, partial(findings.notice, "info")))
        for data, compared_model in product(labelled_sets, (model, *retrained_models)):
            version = ORIGINAL if compared_model is model else compared_model.name
            findings.add(score_accuracy(compared_model, data, model=model.name, version=version))
        for task, probe_slices in zip(tasks, slices, strict=True):
            versions = _list_versions(findings, model, task.pairs, settings, labelled_sets)
            versions += [retrained_version(compared_model, task.pairs) for compared_model in retrained_models]
            measuring = _Measuring(findings, task, [take_slice(task.pairs), *probe_slices], settings)
            _measure_probe(measuring, model.name, versions)
    return findings


def _experiment(probe: Probe) -> str:
    return probe.name.removesuffix(FORMULA)


def _list_versions(
    findings: Findings, model: NliModel, pairs: PairSet, settings: InferSettings, labelled_sets: Sequence[NliData]
) -> list[Version]:
    """Return the versions of a model on a probe, and record their accuracy on labelled pairs."""
    texts = [text for data in labelled_sets for text in dict.fromkeys([*data.premises, *data.hypotheses])]
    versions = list(make_versions(model, pairs, settings, partial(findings.notice, "info"), texts))
    for version in versions:
        if version.removal:
            reason = f"{version.name} removes {version.removal}"
            findings.notice("info", reason, model=model.name, experiment=pairs.probe.name)
        for data in labelled_sets if version.name in settings.mitigate else ():
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
    """Measure the pairs of a probe or of its control, by slices; the first slice is all pairs."""

    findings: Findings
    task: PairTask
    slices: list[Slice]
    settings: InferSettings

    def measure(self, version: Version, advance: Callable[[float], None] | None = None) -> Tallies:
        """Tally the probabilities of a version's pairs."""
        settings = self.settings
        tallies = [Tally.empty(pair_slice.pairs.shape[1:], settings.thresholds) for pair_slice in self.slices]
        wrong_labels = ("entailment", "contradiction")
        largest_pairs = tuple(LargestPairs(LABELS.index(label), settings.farthest) for label in wrong_labels)
        for indices, probabilities in score_pairs(version.model(), self.task, advance=advance):
            places = self.task.pairs.coordinates(indices)
            for pair_slice, tally in zip(self.slices, tallies, strict=True):
                pair_slice.add(tally, places, probabilities)
            for extreme in largest_pairs:
                extreme.add(indices, probabilities)
        return Tallies(tallies, largest_pairs)

    def record(self, place: dict[str, Any], tallies_of_versions: Sequence[Tallies], original: Tallies | None) -> None:
        """Record the scores of every slice, and the gaps over all pairs."""
        findings = self.findings
        for index, pair_slice in enumerate(self.slices):
            tallies = [version.tallies[index] for version in tallies_of_versions]
            pairs = pair_slice.pairs
            if not tallies[0].pairs:
                reason = "the sample has no pair of this slice; raise --sample, or measure the slice with --only"
                findings.notice("skipped", reason, model=place["model"], dataset=pairs.label or pairs.probe.name)
                continue
            row, original_tally = {**pair_slice.columns, **place}, original.tallies[index] if original else None
            record_scores(findings, row, tallies, original_tally, self.settings)
            if not index and "control" not in place:
                record_gaps(findings, row, group_hypotheses(pairs), tallies, original_tally, self.settings)


def _measure_probe(measuring: _Measuring, model: str, versions: Sequence[Version]) -> None:
    findings, settings, whole_probe = measuring.findings, measuring.settings, measuring.slices[0]
    probe = whole_probe.pairs.probe
    place = {"experiment": _experiment(probe), "model": model}
    swap: _Measuring | None = None  # the control: pairs whose subjects are two of one kind
    if probe.swap and settings.swaps:
        pairs = PairSet.of(probe.swap_subjects())
        task = PairTask(pairs, settings.swaps, settings.seed)
        swap = _Measuring(findings, task, [take_slice(pairs)], settings)
    original: Tallies | None = None
    first_control: Tallies | None = None
    draws: list[Tallies] = []
    retrained_tallies: list[Tallies] = []
    with progress(f"{probe.name}: {model}", len(measuring.task) * len(versions)) as advance:
        for version in versions:
            version_tallies = measuring.measure(version, advance)
            version_place = place | {"version": version.name, "draw": version.draw}
            measuring.record(version_place, [version_tallies], original)
            record_items(findings, whole_probe.pairs, {**whole_probe.columns, **version_place}, version_tallies)
            original = original or version_tallies
            if version.is_random_retrained:
                retrained_tallies.append(version_tallies)
            if version.draw is not None:
                draws.append(version_tallies)
            elif swap is not None:
                control = swap.measure(version)
                tally = control.tallies[0]
                diagonal = np.arange(tally.shape[0]) * (tally.shape[1] + 1)
                tally.counts[diagonal], tally.sums[diagonal] = 0, 0.0  # a word swapped for itself is entailed
                swap.record({**version_place, "control": "swap", "dataset": probe.name}, [control], first_control)
                record_over_swap(findings, {**whole_probe.columns, **version_place}, version_tallies.tallies[0], tally)
                first_control = first_control or control
    if draws:
        measuring.record({**place, "version": RANDOM}, draws, original)
    if len(retrained_tallies) > 1:
        reason = f"networks trained without a random subspace are averaged as {RANDOM_RETRAINED}"
        measuring.findings.notice("info", reason, count=len(retrained_tallies), **place)
        measuring.record({**place, "version": RANDOM_RETRAINED}, retrained_tallies, original)


def record_model(findings: Findings, model: NliModel, sets: Sequence[PairSet], layers: Sequence[int] = ()) -> None:
    """Record a model, and the words of the probes that it has no vector for.

    `layers` are those of ELMo that are changed after all are computed.
    """
    facts: dict[str, Any] = {"source": "", "weights": key_of(list(model.identity))}
    if trained_without := getattr(model, "trained_without", None):  # a user's own model may lack it
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
