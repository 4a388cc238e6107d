"""What a mitigation costs: accuracy on labelled pairs before and after it (Tables 10, 16, 17)."""

import numpy as np
from scipy.stats import binomtest

from wordworth.catalog.read.nli import NliData
from wordworth.infer.model.nli import LABELS, NliModel
from wordworth.study.findings import Findings


def record_accuracy(findings: Findings, model: str, setting: str, version: NliModel, data: NliData) -> None:
    """The share of pairs whose most probable label is the gold one, with Wilson's interval."""
    index = {sentence: at for at, sentence in enumerate(dict.fromkeys([*data.premises, *data.hypotheses]))}
    pairs = [(index[one], index[other]) for one, other in zip(data.premises, data.hypotheses, strict=True)]
    found = version.probabilities(list(index), np.array(pairs, dtype=np.int64)).argmax(axis=1)
    gold = np.array([LABELS.index(label) for label in data.labels])
    hits = int((found == gold).sum())
    interval = binomtest(hits, len(gold)).proportion_ci(method="wilson")
    findings.score(
        experiment="accuracy",
        model=model,
        language="english",
        dataset=data.name,
        setting=setting,
        measure="accuracy",
        value=hits / len(gold),
        low=float(interval.low),
        high=float(interval.high),
        n=len(gold),
    )
