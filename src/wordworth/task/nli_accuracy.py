"""What a mitigation costs: accuracy on labelled pairs before and after it (Dev et al. 2020, Tables 10, 16, 17)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.nli import NliData
from wordworth.infer.model.nli import LABELS, NliModel
from wordworth.run import Findings
from wordworth.task.analogy import rate


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
