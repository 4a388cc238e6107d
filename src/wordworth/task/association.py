"""Association tests (WEAT): effect size, p, and each target word's association, in every slot."""

from wordworth.catalog.read.association_tests import AssociationTest
from wordworth.embedding import Layers
from wordworth.measure import association as association_of
from wordworth.measure import weat, weat_p
from wordworth.run import Findings
from wordworth.task.settings import Permuted
from wordworth.task.valence import permuted
from wordworth.task.words import record_missing, record_set, word_sets


def association(layers: Layers, test: AssociationTest, settings: Permuted) -> Findings:
    """d and p of one test, and an item a word: with s(w, A, B) for X and Y, bare for A and B."""
    findings = Findings()
    labels = [f"{side}: {label}" for side, label in zip("XYAB", test.labels, strict=True)]
    sets = dict(zip(labels, test.groups, strict=True))
    what = f"test {test.name}"
    # Targets are balanced with targets, and attributes with attributes.
    groups = [
        group
        for half in (labels[:2], labels[2:])
        for group in word_sets(
            layers, {label: sets[label] for label in half}, test.language, settings, what, test.stand_ins
        )
    ]
    X, Y, A, B = (group.vectors() for group in groups)
    tested = weat_p(X, Y, A, B, **permuted(settings))
    effects = weat(X, Y, A, B)
    findings.used_words(test.name, sets, test.reference)
    where = {**layers.columns, "language": test.language, "dataset": test.name.removesuffix(f"-{test.language}")}
    for slot, effect, p in zip(layers.slots, effects.tolist(), tested.p.tolist(), strict=True):
        n = len(groups[0]) + len(groups[1])
        findings.score(**where, **slot._asdict(), measure="weat", value=effect, p=p, n=n)
    findings.note(f"{layers.name}, {test.name}: p is {tested.method} over {tested.partitions:,} partitions.")
    for remark in test.remarks:
        findings.note(f"{test.name}: {remark}.")
    for group, label, targets in zip(groups[:2], labels, (X, Y), strict=False):
        columns = {"item": list(group.words), "found_as": group.found_as(), "group": label}
        for slot, values in zip(layers.slots, association_of(targets, A, B).tolist(), strict=True):
            findings.item(**where, **slot._asdict(), **columns, value=values)
        record_missing(findings, where, group, label)
    for group, label in zip(groups[2:], labels[2:], strict=True):
        record_set(findings, where, group, label)
    return findings
