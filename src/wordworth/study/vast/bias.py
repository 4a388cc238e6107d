"""Experiment 6: association tests on bleached vectors, by layer and by components nullified (VAST, Figure 5)."""

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.association_tests import AssociationTest
from wordworth.catalog.read.lexica import Lexicon
from wordworth.errors import WordworthError
from wordworth.measure import association, weat, weat_p
from wordworth.study.vast.encodings import Group
from wordworth.study.vast.recording import record_missing
from wordworth.study.vast.scales import Scales
from wordworth.study.vast.versions import fitted, versions


def bias(scales: Scales, tests: list[AssociationTest], lexicon: Lexicon) -> None:
    """d and p of every test in every layer, and with 0 … k components nullified in the best and the top layer.

    The best layer is that of the lexicon. Mean and components are those of the words of all tests given.
    """
    words = tuple(dict.fromkeys(word for test in tests for group in test.groups for word in group))
    group = scales.encodings.group("bleached", words)
    record_missing(scales.findings, scales.where("bias", "", "bleached"), group, "tests")
    chosen = scales.chosen_layers(lexicon)
    for layer in scales.encodings.layers:
        vectors = group.vectors(layer, scales.pooling)
        # Every layer raw; the chosen ones also with components nullified.
        most = scales.components if layer in chosen else 0
        every = list(versions(vectors, fitted(vectors, most)))[: None if layer in chosen else 1]
        stacked = np.stack([version for _, version in every])
        for test in tests:
            _test(scales, test, group, layer, [pcs for pcs, _ in every], stacked)


def _test(
    scales: Scales,
    test: AssociationTest,
    group: Group,
    layer: int,
    pcs: list[int | None],
    stacked: NDArray[np.float64],
) -> None:
    row_of = {word: row for row, word in enumerate(group.found())}
    rows = [[row_of[word] for word in side if word in row_of] for side in test.groups]
    if min(map(len, rows)) < 2:
        raise WordworthError(f"{test.name} has a set of which the model can encode fewer than 2 words; leave it out")
    X, Y, A, B = (stacked[:, side] for side in rows)
    options = scales.options
    tested = weat_p(
        X, Y, A, B, sides=options.sides, method=options.method, permutations=options.permutations, seed=options.seed
    )
    effects = weat(X, Y, A, B)
    where = scales.where("bias", test.name, "bleached")
    for at, k in enumerate(pcs):
        found = {"value": float(effects[at]), "p": float(tested.p[at]), "n": len(rows[0]) + len(rows[1])}
        scales.findings.score(**where, layer=layer, pcs=k, measure="weat", **found)
    names = group.found()
    for side, label, targets, of_side in zip("XY", test.labels, (X, Y), rows, strict=False):
        words, values = [names[row] for row in of_side], association(targets, A, B)
        for at, k in enumerate(pcs):
            columns = {"item": words, "group": f"{side}: {label}", "value": values[at].tolist()}
            scales.findings.item(**where, layer=layer, pcs=k, **columns)
    scales.findings.note(f"{test.name}: p is {tested.method} over {tested.partitions:,} partitions.")
