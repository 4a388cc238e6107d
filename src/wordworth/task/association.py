"""Association tests (WEAT): effect size, p, and each target word's association, in every slot."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wordworth.catalog.read.association_tests import AssociationTest
from wordworth.embedding import Layers
from wordworth.embedding.spelling import is_cased
from wordworth.measure import association as association_of
from wordworth.measure import weat, weat_interval, weat_p
from wordworth.results import Findings
from wordworth.results.flags import BY_MACHINE, REFUSED, joined, unbalanced, uncovered
from wordworth.task.settings import Permuted
from wordworth.task.valence import drawn, permuted
from wordworth.task.words import TooFewWordsError, record_missing, record_set, spelling_of, word_sets


def association(layers: Layers, test: AssociationTest, settings: Permuted) -> Findings:
    """d and p of one test, and an item a word: with s(w, A, B) for X and Y, bare for A and B.

    A set of which less than half is found is refused, unless the settings ask for tests by name; then it is flagged.
    """
    findings = Findings()
    labels = [f"{side}: {label}" for side, label in zip("XYAB", test.labels, strict=True)]
    sets = dict(zip(labels, test.groups, strict=True))
    groups = sets_of_test(findings, layers, test, labels, settings)
    # In alphabetical order: what is drawn does not depend on how a list is sorted.
    X, Y, A, B = (group.rows(np.argsort(group.words)).vectors() for group in groups)
    tested = weat_p(X, Y, A, B, **permuted(settings))
    effects = weat(X, Y, A, B)
    limits = weat_interval(X, Y, A, B, **drawn(settings))
    findings.used_words(test.name, sets, test.reference)
    where = {**layers.columns, "language": test.language, "dataset": test.name.removesuffix(f"-{test.language}")}
    flags = flags_of_sets(groups, test)
    n = len(groups[0]) + len(groups[1])
    for slot, *row in zip(layers.slots, *(one.tolist() for one in (effects, *limits, tested.p)), strict=True):
        numbers = dict(zip(("value", "low", "high", "p"), row, strict=True))
        findings.score(**where, **slot._asdict(), measure="weat", **numbers, n=n, flags=flags)
    attributes = {form for group in groups[2:] for form in group.resolved}
    both = [form for group in groups[:2] for form in group.resolved if form in attributes]
    if both:
        findings.note(f"{layers.name}, {test.name}: {', '.join(both)}: both a target and an attribute.")
    findings.note(f"{layers.name}, {test.name}: p is {tested.method} over {tested.partitions:,} partitions.")
    for remark in test.remarks:
        findings.note(f"{test.name}: {remark}.")
    for group, label in zip(groups[:2], labels, strict=False):
        columns = {"item": list(group.words), "found_as": group.found_as(), "group": label}
        for slot, values in zip(layers.slots, association_of(group.vectors(), A, B).tolist(), strict=True):
            findings.item(**where, **slot._asdict(), **columns, value=values)
        record_missing(findings, where, group, label)
    for group, label in zip(groups[2:], labels[2:], strict=True):
        record_set(findings, where, group, label)
    return findings


def sets_of_test(
    findings: Findings, layers: Layers, test: AssociationTest, labels: Sequence[str], settings: Any
) -> list[Layers]:
    """X, Y, A and B as the model has them."""
    names = test.names if layers.vocabulary and is_cased(layers.words) else ()
    spelled = spelling_of(test.language, settings, test.stand_ins, names)
    sets = dict(zip(labels, test.groups, strict=True))
    # Targets are balanced with targets, and attributes with attributes.
    halves = ({label: sets[label] for label in half} for half in (labels[:2], labels[2:]))
    what = f"test {test.name}"
    groups = [group for half in halves for group in word_sets(layers, half, test.language, settings, what, spelled)]
    for label, group in zip(labels, groups, strict=True):
        if len(group) < REFUSED * group.asked_distinct and not getattr(settings, "tests", ()):
            raise TooFewWordsError(
                f"{layers.name} has {len(group)} of the {group.asked_distinct} words of {label} ({what}), less than "
                f"half; ask for it by name to have it nevertheless (--test {test.name})"
            )
    if test.names and layers.vocabulary:
        how = "keep their capital, which tells them from nouns" if names else "are looked up in lower case as well"
        has = "has capitals" if names else "is in lower case"
        findings.note(f"{layers.name}: the vocabulary {has}, so names {how}.")
    return groups


def flags_of_sets(groups: Sequence[Layers], test: AssociationTest) -> str | None:
    """Sets of which much is missing, pairs of sets of unlike size, and words that no speaker has checked."""
    lacking = [
        uncovered(len(group), group.asked_distinct, label) for group, label in zip(groups, test.labels, strict=True)
    ]
    X, Y, A, B = map(len, groups)
    return joined(*lacking, unbalanced(X, Y), unbalanced(A, B), BY_MACHINE if test.by_machine else "")
