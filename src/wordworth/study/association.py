"""Association tests (WEAT) on an embedding: effect size, p, and each target word's association."""

from collections.abc import Callable, Iterator

from wordworth.catalog.read.association_tests import AssociationTest
from wordworth.embedding import Embedding, spellings
from wordworth.measure import association, weat, weat_p
from wordworth.study.findings import Findings
from wordworth.study.options import Options, find_sets, found_as


def run_test(findings: Findings, embedding: Embedding, test: AssociationTest, options: Options) -> float:
    """Adds one score, and an item a word: with s(w, A, B) for X and Y, bare for A and B. Returns the effect size."""
    labels = [f"{side}: {label}" for side, label in zip("XYAB", test.labels, strict=True)]
    what = f"test {test.name}"
    sets = dict(zip(labels, test.groups, strict=True))
    spelled = _spelled(test, options)
    targets = find_sets(embedding, {label: sets[label] for label in labels[:2]}, test.language, options, what, spelled)
    attributes = find_sets(
        embedding, {label: sets[label] for label in labels[2:]}, test.language, options, what, spelled
    )
    X, Y, A, B = (found.vectors(embedding) for found in (*targets, *attributes))
    tested = weat_p(
        X, Y, A, B, sides=options.sides, method=options.method, permutations=options.permutations, seed=options.seed
    )
    effect = float(weat(X, Y, A, B))
    findings.used_words(test.name, sets, test.reference)
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


def _spelled(test: AssociationTest, options: Options) -> Callable[[str], Iterator[str]]:
    """The spellings of a word of the test, its stand-in after all others."""
    usual, stand_ins = spellings(test.language, options.case), test.stand_ins

    def spelled(word: str) -> Iterator[str]:
        yield from usual(word)
        if word in stand_ins:
            yield stand_ins[word]

    return spelled
