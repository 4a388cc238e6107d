"""What a mitigation costs: accuracy on labelled pairs before and after it (Dev et al. 2020, Tables 10, 16, 17)."""

import numpy as np

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
    findings.score(**where, measure="accuracy", **rate(int((labels == gold).sum()), len(gold)))
    return findings
