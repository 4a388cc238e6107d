"""Inference: neutrality of a probe's pairs and of slices of them, gaps between groups, and accuracy on labelled pairs.

A slice is measured beside the whole: “rude × Iraqi”, or each occupation by itself. Accuracy is what a mitigation costs
(Dev et al. 2020, Tables 10, 16, 17); of a language model it is that of a linear classifier over frozen states. Its
features are |u − v| and u ∘ v of the sentences' vectors (after Conneau et al. 2017), each the mean over its tokens,
standardized; the classifier is a logistic regression, fitted anew on each version of a model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from wordworth.catalog.read.nli import NliData
from wordworth.contexts import decontextualized
from wordworth.encode import LanguageModel, in_contexts
from wordworth.errors import WordworthError
from wordworth.measure.neutrality import (
    BY_PAIR,
    CHANGE,
    OVER_SWAP,
    Tally,
    by_premise,
    gap_names,
    gap_replicates,
    group_means,
    measure_names,
    replicates,
    scores,
)
from wordworth.nli.nli import LABELS, NliModel
from wordworth.nli.pair_scores import Largest
from wordworth.nli.pairs import Indices, PairSet
from wordworth.results import Findings
from wordworth.statistics.bootstrap import percentile_interval
from wordworth.statistics.paired_tests import sign_flip
from wordworth.task.settings import Intervals
from wordworth.task.similarity import rate

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
    def name(self) -> str:
        """What `dataset` calls it: `gender`, or `gender/occupation=doctor`."""
        return "/".join(filter(None, [self.pairs.probe.name, self.pairs.label]))

    def add(self, tally: Tally, places: tuple[Indices, Indices, Indices], probabilities: NDArray[np.float64]) -> None:
        """Adds those pairs of a block that are in the slice."""
        a, p, h = places
        first, second = self.premises[p], self.hypotheses[h]
        inside = self.actions[a] & (first != ABSENT) & (second != ABSENT)
        tally.add(first[inside] * tally.shape[1] + second[inside], probabilities[inside])


def whole(pairs: PairSet) -> Slice:
    """All pairs of a set."""
    return _slice(pairs, pairs)


def chosen(sets: Sequence[PairSet], slices: Sequence[str], by: Sequence[str]) -> list[list[Slice]]:
    """For each set: slices as they are written (`occupation=doctor,verb=ate|cooked`), then each word of keys in `by`.

    Where several probes are sliced, a slice is of those that have its keys and words; one that none has is an error.
    """
    found: list[list[PairSet]] = [[] for _ in sets]
    asked = list(map(parsed, slices))
    asked += [{key: (word,)} for key in by for word in _words(sets, key)]
    for words in asked:
        able = [at for at, pairs in enumerate(sets) if pairs.knows(words)]
        keyed = [at for at, pairs in enumerate(sets) if all(map(pairs.can_slice_by, words))]
        for at in able or keyed[:1] or [0]:  # one that is not able says what is wrong
            found[at].append(sets[at].where(words))
    return [[_slice(pairs, part) for part in parts] for pairs, parts in zip(sets, found, strict=True)]


def _words(sets: Sequence[PairSet], key: str) -> list[str]:
    """Each word that a key takes in any of the sets."""
    able = [pairs for pairs in sets if pairs.can_slice_by(key)] or sets[:1]
    return list(dict.fromkeys(word for pairs in able for word in pairs.words_of(key)))


def parsed(text: str) -> dict[str, tuple[str, ...]]:
    """`occupation=doctor,verb=ate|cooked` as words by key."""
    made: dict[str, tuple[str, ...]] = {}
    for part in text.split(","):
        key, sign, words = (one.strip() for one in part.partition("="))
        if not sign or not key or not words or key in made:
            raise WordworthError(
                f"the slice {text!r} is not KEY=WORD,KEY=WORD|WORD…, such as occupation=doctor,verb=ate"
            )
        made[key] = tuple(word.strip() for word in words.split("|"))
    return made


def _slice(pairs: PairSet, part: PairSet) -> Slice:
    def places(of: Sequence[int], among: Sequence[int]) -> NDArray[np.int64]:
        own = {at: place for place, at in enumerate(among)}
        return np.array([own.get(at, ABSENT) for at in of], dtype=np.int64)

    return Slice(
        part,
        places(pairs.actions, part.actions) != ABSENT,
        places(pairs.premises, part.premises),
        places(pairs.hypotheses, part.hypotheses),
    )


@dataclass(frozen=True)
class Measured:
    """What one pass over the pairs leaves: a tally for each slice, the whole first, and the largest of two columns."""

    tallies: list[Tally]
    largest: tuple[Largest, ...]


def names_of(tally: Tally) -> list[str]:
    """Every measure that is recorded, plain ones first."""
    plain = measure_names(tally.thresholds)
    return [*plain, *(name + BY_PAIR for name in plain[:-2])]


def values_of(tallies: Sequence[Tally]) -> NDArray[np.float64]:
    """The measures, averaged over tallies: one, or one for each random direction."""
    every = [np.concatenate([scores(one), scores(one, by_pair=True)[:-2]]) for one in tallies]
    return np.asarray(np.mean(every, axis=0))


def resampled(tallies: Sequence[Tally], settings: Intervals) -> NDArray[np.float64] | None:
    """(measures, resamples), averaged likewise; None where there is but one pair of subjects to draw."""
    if max(tallies[0].shape) == 1:
        return None
    given = (settings.resamples, settings.seed)
    every = [np.concatenate([replicates(one, *given), replicates(one, *given, by_pair=True)[:-2]]) for one in tallies]
    return np.asarray(np.mean(every, axis=0))


def record_scores(
    findings: Findings,
    part: Slice,
    place: dict[str, Any],
    tallies: Sequence[Tally],
    original: Tally | None,
    settings: Intervals,
) -> None:
    """A row a measure, and where there is an original one for the change against it, its subjects drawn alike."""
    names, values, drawn = names_of(tallies[0]), values_of(tallies), resampled(tallies, settings)
    row = {"language": "english", "dataset": part.name, **place, "n": tallies[0].pairs}
    _rows(findings, row, names, values, drawn)
    if original is not None:
        before = resampled([original], settings)
        both = None if drawn is None or before is None else drawn - before
        _rows(findings, row, [name + CHANGE for name in names], values - values_of([original]), both)


def _rows(
    findings: Findings,
    row: dict[str, Any],
    names: Sequence[str],
    values: NDArray[np.float64],
    drawn: NDArray[np.float64] | None,
    p: NDArray[np.float64] | None = None,
) -> None:
    for at, (name, value) in enumerate(zip(names, values.tolist(), strict=True)):
        low = high = None
        if drawn is not None:
            low, high = (float(end) for end in percentile_interval(drawn[at]))
        chance = None if p is None else float(p[at])
        findings.score(**row, measure=name, value=value, low=low, high=high, p=chance)


def groups_of(part: Slice) -> list[NDArray[np.intp]]:
    """The places of each group among the hypotheses of a part; without groups, each hypothesis is one."""
    probe, pairs = part.pairs.probe, part.pairs
    words = [probe.hypotheses[at] for at in pairs.hypotheses]
    if not probe.groups:
        return [np.array([at]) for at in range(len(words))]
    groups = [np.flatnonzero([word in members for word in words]) for members in probe.groups.values()]
    return [group for group in groups if len(group)]


def record_gaps(
    findings: Findings,
    part: Slice,
    place: dict[str, Any],
    tallies: Sequence[Tally],
    original: Tally | None,
    settings: Intervals,
) -> None:
    """The gaps between groups of hypotheses by premise; of a change, p is a sign-flip test over premises."""
    groups = groups_of(part)
    if len(groups) < 2 or tallies[0].shape[0] < 2:
        return

    def means(several: Sequence[Tally]) -> NDArray[np.float64]:
        return np.asarray(np.mean([by_premise(group_means(one, groups))[..., 0] for one in several], axis=0))

    def drawn(several: Sequence[Tally]) -> NDArray[np.float64]:
        given = (groups, settings.resamples, settings.seed)
        return np.asarray(np.mean([gap_replicates(one, *given) for one in several], axis=0))

    names, values, draws = gap_names(len(groups)), means(tallies), drawn(tallies)
    known = int(np.isfinite(values[0]).sum())
    if not known:
        return  # of a small sample, in which no premise meets all groups
    row = {"language": "english", "dataset": part.name, **place, "n": known}
    _rows(findings, row, names, np.nanmean(values, axis=1), draws)
    if original is not None:
        change = values - means([original])
        change = change[:, np.isfinite(change).all(axis=0)]
        p = sign_flip(change, seed=settings.seed).p
        changed = [name + CHANGE for name in names]
        _rows(findings, row, changed, change.mean(axis=1), draws - drawn([original]), p)


def record_over_swap(findings: Findings, part: Slice, place: dict[str, Any], measured: Tally, control: Tally) -> None:
    """How much more of each wrong label the probe gets than the control, whose sentences differ in a word too."""
    row = {"language": "english", "dataset": part.name, **place, "n": measured.pairs}
    both = [dict(zip(measure_names(one.thresholds), scores(one).tolist(), strict=True)) for one in (measured, control)]
    for label in ("entailment", "contradiction"):
        findings.score(**row, measure=f"{label}{OVER_SWAP}", value=both[0][label] - both[1][label])


def record_items(findings: Findings, part: Slice, place: dict[str, Any], measured: Measured) -> None:
    """A row for each pair of subjects, averaged over its templates, and for the pairs farthest from neutral."""
    tally, probe, pairs = measured.tallies[0], part.pairs.probe, part.pairs
    met = np.flatnonzero(tally.counts)
    means = tally.means()[met]
    first, second = np.divmod(met, tally.shape[1])
    subjects = [
        f"{probe.premises[pairs.premises[p]]} → {probe.hypotheses[pairs.hypotheses[h]]}"
        for p, h in zip(first.tolist(), second.tolist(), strict=True)
    ]
    shared = {"language": "english", "dataset": part.name, **place}
    findings.item(**shared, item=subjects, group="subjects", **_columns(means))
    for one in measured.largest:
        if len(one.indices):
            found = [pairs.pair(index) for index in one.indices.tolist()]
            findings.item(
                **shared,
                item=[f"{pair.premise} ⇒ {pair.hypothesis}" for pair in found],
                group=f"largest {LABELS[one.column]}",
                place=[str(index) for index in one.indices.tolist()],
                **_columns(one.probabilities),
            )


def _columns(probabilities: NDArray[np.float64]) -> dict[str, list[float]]:
    entailment, neutral, contradiction = probabilities.T.tolist()
    return {"value": neutral, "entailment": entailment, "contradiction": contradiction}


def nli_accuracy(model: str, setting: str, version: NliModel, data: NliData) -> Findings:
    """The share of pairs whose most probable label is the gold one, with Wilson's interval."""
    findings = Findings()
    index = {sentence: at for at, sentence in enumerate(dict.fromkeys([*data.premises, *data.hypotheses]))}
    pairs = [(index[one], index[other]) for one, other in zip(data.premises, data.hypotheses, strict=True)]
    labels = version.probabilities(list(index), np.array(pairs, dtype=np.int64)).argmax(axis=1)
    gold = np.array([LABELS.index(label) for label in data.labels])
    where = {"experiment": "accuracy", "model": model, "language": "english", "dataset": data.name, "setting": setting}
    record_right(findings, where, data, labels == gold)
    return findings


def record_right(findings: Findings, where: Mapping[str, Any], data: NliData, right: NDArray[np.bool_]) -> None:
    """The accuracy, with Wilson's interval, and an item a pair: 1 where it was right, for paired tests."""
    findings.score(**where, measure="accuracy", **rate(int(right.sum()), len(right)))
    pairs = [f"{one} / {other}" for one, other in zip(data.premises, data.hypotheses, strict=True)]
    findings.item(**where, item=pairs, value=right.astype(np.float64).tolist())


STRENGTH = 1e-3
"""Inverse of the penalty on the weights."""


def nli_probe(model: LanguageModel, train: NliData, test: NliData, layer: int) -> Findings:
    """Accuracy on the pairs of `test`, and an item a pair. A pair without a vector of both sentences is left out."""
    sentences = [text for data in (train, test) for side in (data.premises, data.hypotheses) for text in side]
    distinct = list(dict.fromkeys(sentences))
    found = in_contexts(model, distinct, decontextualized(distinct), "decontextualized", (layer,)).layers("mean")
    vectors = dict(zip(found.words, found.read(found.slots[0]), strict=True))
    train, test = (_with_vectors(data, vectors) for data in (train, test))
    scale = StandardScaler().fit(features := _features(train, vectors))
    classifier = LogisticRegression(C=STRENGTH, tol=1e-6, max_iter=5_000)
    classifier.fit(scale.transform(features), train.labels)
    right = classifier.predict(scale.transform(_features(test, vectors))) == np.array(test.labels)
    findings = Findings()
    where = {"experiment": "accuracy", "model": model.name, "language": "english", "dataset": test.name}
    record_right(findings, where | {"layer": layer}, test, right)
    missing = found.missing()
    if missing:
        texts, reasons = zip(*missing, strict=True)
        findings.item(**where, layer=layer, item=list(texts), left_out=list(reasons))
    return findings


def _with_vectors(data: NliData, vectors: Mapping[str, NDArray[np.float32]]) -> NliData:
    both = zip(data.premises, data.hypotheses, strict=True)
    kept = [at for at, pair in enumerate(both) if vectors.keys() >= set(pair)]
    if len({data.labels[at] for at in kept}) < 2:
        raise WordworthError(f"{len(kept)} pairs of {data.name} fit the model, and none tell two labels apart")
    premises, hypotheses, labels = (
        tuple(column[at] for at in kept) for column in (data.premises, data.hypotheses, data.labels)
    )
    return replace(data, premises=premises, hypotheses=hypotheses, labels=labels)


def _features(data: NliData, vectors: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float64]:
    u, v = (np.array([vectors[text] for text in side], dtype=np.float64) for side in (data.premises, data.hypotheses))
    return np.concatenate([np.abs(u - v), u * v], axis=1)
