"""Association tests (WEAT) on an embedding: effect size, p, and each target word's association."""

from collections.abc import Sequence

from wordworth.catalog.association_tests import AssociationTest
from wordworth.embedding import Embedding
from wordworth.measure import association, weat, weat_p
from wordworth.study.findings import Findings
from wordworth.study.options import Options, find_sets, found_as


def run_tests(findings: Findings, embedding: Embedding, tests: Sequence[AssociationTest], options: Options) -> None:
    """One score a test; one item a word of X and Y with s(w, A, B), and one a word of A and B."""
    for test in tests:
        run_test(findings, embedding, test, options)


def run_test(findings: Findings, embedding: Embedding, test: AssociationTest, options: Options) -> float:
    """The effect size of one test, added to the findings."""
    labels = [f"{side}: {label}" for side, label in zip("XYAB", test.labels, strict=True)]
    what = f"test {test.name}"
    sets = dict(zip(labels, test.groups, strict=True))
    targets = find_sets(embedding, {label: sets[label] for label in labels[:2]}, test.language, options, what)
    attributes = find_sets(embedding, {label: sets[label] for label in labels[2:]}, test.language, options, what)
    X, Y, A, B = (found.vectors(embedding) for found in (*targets, *attributes))
    tested = weat_p(
        X, Y, A, B, sides=options.sides, method=options.method, permutations=options.permutations, seed=options.seed
    )
    effect = float(weat(X, Y, A, B))
    where = {
        "experiment": "weat",
        "model": embedding.name,
        "language": test.language,
        "dataset": test.name.removesuffix(f"-{test.language}"),
    }
    findings.score(**where, measure="weat", value=effect, p=float(tested.p), n=len(X) + len(Y))
    findings.note(f"{embedding.name}, {test.name}: p is {tested.method} over {tested.partitions:,} partitions.")
    for remark in test.remarks:
        findings.note(f"{test.name}: {remark}.")
    values = [association(X, A, B), association(Y, A, B), None, None]
    for found, value in zip((*targets, *attributes), values, strict=True):
        column: list[float | None] = [None] * len(found.words)
        if value is not None:
            for at, one in zip(found.kept, value.tolist(), strict=True):
                column[int(found.lookup.positions[at])] = one
        findings.item(
            **where,
            item=list(found.words),
            found_as=found_as(found.words, found.lookup),
            group=found.label,
            value=column,
            left_out=found.reasons(),
        )
    return effect
