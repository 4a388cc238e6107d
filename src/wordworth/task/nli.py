"""Inference: neutrality of a probe's pairs and of slices of them, gaps between groups, and accuracy on labelled pairs.

A slice is measured next to the whole: “rude × Iraqi”, or each occupation by itself. Accuracy is what a mitigation costs
(Dev et al. 2020, Tables 10, 16, 17); of a language model it is that of a linear classifier over frozen states. Its
features are |u − v| and u ∘ v of the sentences' vectors (after Conneau et al. 2017), each the mean over its tokens,
standardized; the classifier is a logistic regression, fitted again on each version of a model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from wordworth.catalog.read.nli import NliData
from wordworth.contexts import make_decontextualized
from wordworth.encode import LanguageModel, in_contexts
from wordworth.errors import WordworthError
from wordworth.measure.neutrality import (
    BY_PAIR,
    BY_PAIR_CHANGE,
    CHANGE,
    OVER_SWAP,
    Tally,
    by_premise,
    gap_names,
    gap_replicates,
    group_means,
    measure_columns,
    replicates,
    scores,
)
from wordworth.nli.nli import LABELS, NliModel
from wordworth.nli.pairs import Indices, LargestPairs, PairSet
from wordworth.results.findings import Findings, Keys
from wordworth.statistics.bootstrap import percentile_interval
from wordworth.statistics.effect_size import sign_flip
from wordworth.task.settings import Intervals
from wordworth.task.similarity import estimate_rate

ABSENT = -1


@dataclass(eq=False)
class Slice:
    """A part of a set of pairs, and how the set's places map to its own."""

    pairs: PairSet
    actions: NDArray[np.bool_]
    premises: NDArray[np.int64]
    """The place in the slice of each premise of the whole, or `ABSENT`."""
    hypotheses: NDArray[np.int64]

    @property
    def columns(self) -> dict[str, Any]:
        """Return the columns that name the slice: the probe, and the slice as the user wrote it."""
        return {"language": "english", "dataset": self.pairs.probe.name, "subset": self.pairs.label or None}

    def add(self, tally: Tally, places: tuple[Indices, Indices, Indices], probabilities: NDArray[np.float64]) -> None:
        """Add those pairs of a block that are in the slice."""
        a, p, h = places
        first, second = self.premises[p], self.hypotheses[h]
        inside = self.actions[a] & (first != ABSENT) & (second != ABSENT)
        tally.add(first[inside] * tally.shape[1] + second[inside], probabilities[inside])


def take_slice(pairs: PairSet, part: PairSet | None = None) -> Slice:
    """Return a part of a set of pairs; all of them by default."""
    part = pairs if part is None else part
    axes = ((pairs.actions, part.actions), (pairs.premises, part.premises), (pairs.hypotheses, part.hypotheses))
    actions, premises, hypotheses = (_find_places(*axis) for axis in axes)
    return Slice(part, actions != ABSENT, premises, hypotheses)


def _find_places(positions: Sequence[int], selection: Sequence[int]) -> NDArray[np.int64]:
    place_of = {at: place for place, at in enumerate(selection)}
    return np.array([place_of.get(at, ABSENT) for at in positions], dtype=np.int64)


def select_slices(sets: Sequence[PairSet], slices: Sequence[str], by: Sequence[str]) -> list[list[Slice]]:
    """Return the slices of each set: as they are written (`occupation=doctor,verb=ate|cooked`), then by keys in `by`.

    A key in `by` makes a slice of each of its words. Of several probes those are sliced that have the keys and words of
    a slice; a slice that no probe has is an error.
    """
    pairs_by_set: list[list[PairSet]] = [[] for _ in sets]
    slice_words = list(map(parse_slice, slices))
    slice_words += [{key: (word,)} for key in by for word in _list_words(sets, key)]
    for words in slice_words:
        has_words = [at for at, pairs in enumerate(sets) if pairs.knows(words)]
        has_keys = [at for at, pairs in enumerate(sets) if all(map(pairs.can_slice_by, words))]
        for at in has_words or has_keys[:1] or [0]:  # one that is not able says what is wrong
            pairs_by_set[at].append(sets[at].where(words))
    return [[take_slice(pairs, part) for part in some] for pairs, some in zip(sets, pairs_by_set, strict=True)]


def _list_words(sets: Sequence[PairSet], key: str) -> list[str]:
    """Return each word that a key takes in any of the sets."""
    able = [pairs for pairs in sets if pairs.can_slice_by(key)] or sets[:1]
    return list(dict.fromkeys(word for pairs in able for word in pairs.words_of(key)))


def parse_slice(text: str) -> dict[str, tuple[str, ...]]:
    """Return the words by key of `occupation=doctor,verb=ate|cooked`, as a user writes a slice."""
    by_key: dict[str, tuple[str, ...]] = {}
    for part in text.split(","):
        key, sign, words = (one.strip() for one in part.partition("="))
        if not sign or not key or not words or key in by_key:
            raise WordworthError(
                f"the slice {text!r} is not KEY=WORD,KEY=WORD|WORD…, such as occupation=doctor,verb=ate"
            )
        by_key[key] = tuple(word.strip() for word in words.split("|"))
    return by_key


@dataclass(frozen=True)
class Tallies:
    """What one pass over the pairs leaves: a tally per slice, the whole first, and the largest of two columns."""

    tallies: list[Tally]
    largest: tuple[LargestPairs, ...]


def record_scores(
    findings: Findings, place: Keys, tallies: Sequence[Tally], original: Tally | None, settings: Intervals
) -> None:
    """Record each measure of a slice, averaged over tallies: one, or one per random direction.

    Its change against the original version, if there is one, is over the same resamples.
    """
    values, draws = _average(tallies), _resample(tallies, settings)
    row = {**place, "n": tallies[0].pairs}
    _record_rows(findings, row, _name_measures(tallies[0], None, BY_PAIR), values, draws)
    if original is not None:
        before = _resample([original], settings)
        change = None if draws is None or before is None else draws - before
        names = _name_measures(original, CHANGE, BY_PAIR_CHANGE)
        _record_rows(findings, row, names, values - _average([original]), change)


def _name_measures(tally: Tally, over_pairs: str | None, by_pair: str) -> list[dict[str, Any]]:
    """Return the columns of every measure in two variants; those of wrong labels, the last two, only over pairs."""
    plain = measure_columns(tally.thresholds)
    return [*({**one, "variant": over_pairs} for one in plain), *({**one, "variant": by_pair} for one in plain[:-2])]


def _average(tallies: Sequence[Tally]) -> NDArray[np.float64]:
    """Return the measures over pairs, then those by pair of subjects."""
    values = [np.concatenate([scores(one), scores(one, by_pair=True)[:-2]]) for one in tallies]
    return np.asarray(np.mean(values, axis=0))


def _resample(tallies: Sequence[Tally], settings: Intervals) -> NDArray[np.float64] | None:
    """Return (measures, resamples) likewise; None where there is only one pair of subjects to draw."""
    if max(tallies[0].shape) == 1:
        return None
    how = (settings.resamples, settings.seed)
    draws = [np.concatenate([replicates(tally, *how), replicates(tally, *how, by_pair=True)[:-2]]) for tally in tallies]
    return np.asarray(np.mean(draws, axis=0))


def _record_rows(
    findings: Findings, row: Keys, names: Sequence[Keys], values: NDArray[np.float64], draws: NDArray[np.float64] | None
) -> None:
    for at, (name, value) in enumerate(zip(names, values.tolist(), strict=True)):
        low, high = (None, None) if draws is None else map(float, percentile_interval(draws[at]))
        findings.score(**row, **name, value=value, low=low, high=high)


def group_hypotheses(pairs: PairSet) -> list[NDArray[np.intp]]:
    """Return the places of each group among the hypotheses; without groups, each hypothesis is one."""
    probe = pairs.probe
    words = [probe.hypotheses[at] for at in pairs.hypotheses]
    if not probe.groups:
        return [np.array([at]) for at in range(len(words))]
    groups = [np.flatnonzero([word in members for word in words]) for members in probe.groups.values()]
    return [group for group in groups if len(group)]


def record_gaps(
    findings: Findings,
    place: Keys,
    groups: Sequence[NDArray[np.intp]],
    tallies: Sequence[Tally],
    original: Tally | None,
    settings: Intervals,
) -> None:
    """Record the gaps between groups of hypotheses by premise; of a change, p is a sign-flip test over premises."""
    if len(groups) < 2 or tallies[0].shape[0] < 2:
        return

    def average(several: Sequence[Tally]) -> NDArray[np.float64]:
        return np.asarray(np.mean([by_premise(group_means(one, groups))[..., 0] for one in several], axis=0))

    def resample(several: Sequence[Tally]) -> NDArray[np.float64]:
        options = (groups, settings.resamples, settings.seed)
        return np.asarray(np.mean([gap_replicates(one, *options) for one in several], axis=0))

    values, draws = average(tallies), resample(tallies)
    n_premises = int(np.isfinite(values[0]).sum())
    if not n_premises:
        return  # of a small sample, in which no premise meets all groups
    names: list[Keys] = [{"measure": name} for name in gap_names(len(groups))]
    row = {**place, "n": n_premises}
    _record_rows(findings, row, names, np.nanmean(values, axis=1), draws)
    if original is not None:
        change = values - average([original])
        change = change[:, np.isfinite(change).all(axis=0)]
        flip_test = sign_flip(change, seed=settings.seed)
        how = {"p_method": flip_test.method, "sides": "two", "partitions": flip_test.partitions, "variant": CHANGE}
        changes = [name | how | {"p": p} for name, p in zip(names, flip_test.p.tolist(), strict=True)]
        _record_rows(findings, row, changes, change.mean(axis=1), draws - resample([original]))


def record_over_swap(findings: Findings, place: Keys, tally: Tally, control: Tally) -> None:
    """Record how much more of each wrong label the probe gets than the control."""
    row = {**place, "n": tally.pairs, "variant": OVER_SWAP}
    for name, value in zip(("entailment", "contradiction"), scores(tally)[-2:] - scores(control)[-2:], strict=True):
        findings.score(**row, measure=name, value=float(value))


def record_items(findings: Findings, pairs: PairSet, place: Keys, tallies: Tallies) -> None:
    """Record an item per pair of subjects, averaged over its templates, and one per pair farthest from neutral."""
    tally, probe = tallies.tallies[0], pairs.probe
    cells = np.flatnonzero(tally.counts)
    first, second = np.divmod(cells, tally.shape[1])
    subjects = {
        "premise": [probe.premises[pairs.premises[p]] for p in first.tolist()],
        "hypothesis": [probe.hypotheses[pairs.hypotheses[h]] for h in second.tolist()],
    }
    findings.item("subject_pairs", **place, **subjects, **_by_label(tally.means()[cells]))
    for one in tallies.largest:
        farthest = [pairs.pair(index) for index in one.indices.tolist()]
        if farthest:
            premises, hypotheses = [pair.premise for pair in farthest], [pair.hypothesis for pair in farthest]
            columns = {"pair": one.indices.tolist(), "premise": premises, "hypothesis": hypotheses}
            extreme = LABELS[one.column]
            findings.item("sentence_pairs", **place, **columns, extreme=extreme, **_by_label(one.probabilities))


def _by_label(probabilities: NDArray[np.float64]) -> dict[str, list[float]]:
    return dict(zip(LABELS, probabilities.T.tolist(), strict=True))


def score_accuracy(network: NliModel, data: NliData, **columns: Any) -> Findings:
    """Score the share of pairs whose most probable label is the right one; `columns` say what the network is."""
    findings = Findings()
    index = {sentence: at for at, sentence in enumerate(dict.fromkeys([*data.premises, *data.hypotheses]))}
    pairs = [(index[one], index[other]) for one, other in zip(data.premises, data.hypotheses, strict=True)]
    labels = network.probabilities(list(index), np.array(pairs, dtype=np.int64)).argmax(axis=1)
    correct = np.array([LABELS.index(label) for label in data.labels])
    record_accuracy(findings, columns, data, labels == correct)
    return findings


def record_accuracy(findings: Findings, columns: Keys, data: NliData, is_correct: NDArray[np.bool_]) -> None:
    """Record the accuracy with Wilson's interval, and an item per pair for paired tests."""
    where = {"experiment": "accuracy", "language": "english", "dataset": data.name, **columns}
    findings.score(**where, measure="accuracy", **estimate_rate(int(is_correct.sum()), len(is_correct)))
    pairs = {"premise": data.premises, "hypothesis": data.hypotheses}
    findings.item("labelled_pairs", **where, **pairs, is_correct=is_correct.tolist())


STRENGTH = 1e-3
"""Inverse of the penalty on the weights."""


def score_nli_probe(model: LanguageModel, train: NliData, test: NliData, layer: int) -> Findings:
    """Score the accuracy on the pairs of `test` in one layer. A pair without a vector of both sentences is skipped."""
    sentences = [text for data in (train, test) for side in (data.premises, data.hypotheses) for text in side]
    distinct = list(dict.fromkeys(sentences))
    layers = in_contexts(model, distinct, make_decontextualized(distinct), "decontextualized", (layer,)).layers("mean")
    vectors = dict(zip(layers.words, layers.read(layers.slots[0]), strict=True))
    train, test = (_with_vectors(data, vectors) for data in (train, test))
    scale = StandardScaler().fit(features := _features(train, vectors))
    classifier = LogisticRegression(C=STRENGTH, tol=1e-6, max_iter=5_000)
    classifier.fit(scale.transform(features), train.labels)
    is_correct = classifier.predict(scale.transform(_features(test, vectors))) == np.array(test.labels)
    findings = Findings()
    columns = {"model": model.name, "layer": layer}
    record_accuracy(findings, columns, test, is_correct)
    if layers.missing():
        texts, reasons = zip(*layers.missing(), strict=True)
        where = {"experiment": "accuracy", "language": "english", "dataset": test.name, **columns}
        findings.item("word_lists", **where, list="sentences", word=list(texts), skipped=list(reasons))
    return findings


def _with_vectors(data: NliData, vectors: Mapping[str, NDArray[np.float32]]) -> NliData:
    both = zip(data.premises, data.hypotheses, strict=True)
    usable = [at for at, pair in enumerate(both) if vectors.keys() >= set(pair)]
    if len({data.labels[at] for at in usable}) < 2:
        raise WordworthError(f"{len(usable)} pairs of {data.name} fit the model, and none tell two labels apart")
    columns = (data.premises, data.hypotheses, data.labels)
    premises, hypotheses, labels = (tuple(column[at] for at in usable) for column in columns)
    return replace(data, premises=premises, hypotheses=hypotheses, labels=labels)


def _features(data: NliData, vectors: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float64]:
    u, v = (np.array([vectors[text] for text in side], dtype=np.float64) for side in (data.premises, data.hypotheses))
    return np.concatenate([np.abs(u - v), u * v], axis=1)
