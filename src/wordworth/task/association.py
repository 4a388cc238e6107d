"""Association tests (WEAT): effect size, p, and each target word's association, in every slot."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wordworth.catalog.read.word_sets import AssociationTest
from wordworth.embedding import Layers
from wordworth.embedding.core import is_cased
from wordworth.measure import association as associate
from wordworth.measure import weat, weat_interval, weat_p
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import MIN_TEST_COVERAGE, Caution, balance_cautions
from wordworth.task.settings import Permutations
from wordworth.task.valence import score_slots
from wordworth.task.words import TooFewWordsError, choose_spellings, record_missing, record_set, select_word_sets

ROLES = ("X", "Y", "A", "B")
ASSOCIATION_WORDS = "association_words"


def score_association(layers: Layers, test: AssociationTest, settings: Permutations) -> Findings:
    """Record d and p of one test, and an item per word: with s(w, A, B) for X and Y, without a value for A and B.

    A set of which less than half is found is refused unless the settings name the test; then the score has a caution.
    """
    findings = Findings()
    groups = select_test_sets(findings, layers, test, settings)
    # In alphabetical order: random draws do not depend on how a list is sorted.
    X, Y, A, B = (group.rows(np.argsort(group.words)).vectors() for group in groups)
    test_result = weat_p(X, Y, A, B, **settings.permutation)
    effects = weat(X, Y, A, B)
    low, high = weat_interval(X, Y, A, B, **settings.bootstrap)
    labels = [f"{role}: {label}" for role, label in zip(ROLES, test.labels, strict=True)]
    findings.add_words(test.name, dict(zip(labels, test.groups, strict=True)), test.reference)
    where = place_of_test(layers, test)
    common: dict[str, Any] = {
        **where,
        "measure": "weat",
        "p_method": test_result.method,
        "sides": settings.sides,
        "partitions": test_result.partitions,
        "n": len(groups[0]) + len(groups[1]),
        **get_reliability(groups, test),
    }
    score_slots(findings, common, layers, value=effects, low=low, high=high, p=test_result.p)
    attributes = {form for group in groups[2:] for form in group.matched_words}
    both = [form for group in groups[:2] for form in group.matched_words if form in attributes]
    if both:
        reason = f"words are both a target and an attribute: {', '.join(both)}"
        findings.notice("info", reason, count=len(both), model=layers.name, dataset=where["dataset"])
    for remark in test.remarks:
        findings.notice("info", remark, dataset=where["dataset"])
    for role, label, group in zip(ROLES, test.labels, groups, strict=True):
        columns: dict[str, Any] = {"role": role, "set": label}
        if role in "AB":
            record_set(findings, ASSOCIATION_WORDS, where, group, **columns)
            continue
        words = {"word": list(group.words), "spelling": group.found_as()}
        for slot, values in zip(layers.slots, associate(group.vectors(), A, B).tolist(), strict=True):
            findings.item(ASSOCIATION_WORDS, **where, **slot._asdict(), **columns, **words, value=values)
        record_missing(findings, ASSOCIATION_WORDS, where, group, **columns)
    return findings


def place_of_test(layers: Layers, test: AssociationTest) -> dict[str, Any]:
    """Return the columns that say which test was done on which vectors."""
    return {**layers.columns, "language": test.language, "dataset": test.name.removesuffix(f"-{test.language}")}


def select_test_sets(findings: Findings, layers: Layers, test: AssociationTest, settings: Any) -> list[Layers]:
    """Return X, Y, A and B as the model has them."""
    labels = [f"{role}: {label}" for role, label in zip(ROLES, test.labels, strict=True)]
    names = test.names if layers.vocabulary and is_cased(layers.words) else ()
    spelling = choose_spellings(test.language, settings, test.stand_ins, names)
    sets = dict(zip(labels, test.groups, strict=True))
    # Targets are balanced with targets, and attributes with attributes.
    halves = ({label: sets[label] for label in half} for half in (labels[:2], labels[2:]))
    what = f"test {test.name}"
    groups = [
        group for half in halves for group in select_word_sets(layers, half, test.language, settings, what, spelling)
    ]
    for label, group in zip(labels, groups, strict=True):
        if len(group) < MIN_TEST_COVERAGE * group.distinct_count and not getattr(settings, "tests", ()):
            raise TooFewWordsError(
                f"{layers.name} has {len(group)} of the {group.distinct_count} words of {label} ({what}), less than "
                f"half; name the test to run it anyway (--test {test.name})"
            )
    if test.names and layers.vocabulary:
        how = "keep their capital, which tells them from nouns" if names else "are looked up in lower case as well"
        has = "has capitals" if names else "is in lower case"
        findings.notice("info", f"the vocabulary {has}, so names {how}", model=layers.name)
    return groups


def has_shared_vectors(groups: Sequence[Layers]) -> bool:
    """Return whether two different words have the same vector in every slot, as in vectors that were pruned."""
    vectors: dict[str, bytes] = {}
    for group in groups:
        vectors |= zip(group.matched_words, (word.tobytes() for word in group.vectors().swapaxes(0, 1)), strict=True)
    return len(set(vectors.values())) < len(vectors)


def get_reliability(groups: Sequence[Layers], test: AssociationTest) -> dict[str, Any]:
    """Return the coverage of the least covered set, and cautions.

    They are sizes that differ much, different words with one vector, and words that no speaker checked.
    """
    X, Y, A, B = map(len, groups)
    cautions = [*balance_cautions(X, Y), *balance_cautions(A, B)]
    cautions += [Caution.SHARED_VECTORS] if has_shared_vectors(groups) else []
    cautions += [Caution.MACHINE_TRANSLATED] if test.by_machine else []
    return {"coverage": min(len(group) / group.distinct_count for group in groups), "cautions": cautions}
