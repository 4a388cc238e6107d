"""What a logistic regression tells from vectors, from their top components, and from the rest.

Mean, components and scale are fitted on the training part and applied to the test part.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.measure.f1 import weighted_f1
from wordworth.results.findings import Findings, Keys
from wordworth.task.settings import Intervals
from wordworth.transform import fit_components, nullify

PROBE_COMPONENTS = (1, 2, 4, 8, 11, 12)
"""Numbers of components that are tried; VAST names 8, 11 and 12."""


@dataclass(frozen=True, eq=False)
class ProbePart:
    """The vectors, labels and words of a training or test part."""

    vectors: NDArray[np.float64]
    labels: Sequence[str]
    words: Sequence[str]


def score_probe(
    name: str,
    train: ProbePart,
    test: ProbePart,
    place: Keys,
    settings: Intervals,
    components: int,
    *,
    standardize: bool = True,
) -> Findings:
    """Score weighted F1 from the whole vector, from at most so many of its top components, and from the rest.

    `name` is the measure: what the probe tells. `place` are the columns that say of which vectors.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    findings = Findings()

    def score(variant: str | None, answers: Sequence[str], components: int | None = None) -> None:
        f1 = weighted_f1(test.labels, answers, **settings.bootstrap)
        columns = {"measure": name, "variant": variant, "components": components, "n": len(test.labels)}
        findings.score(**place, **columns, **f1)

    def predict(train_vectors: NDArray[np.float64], test_vectors: NDArray[np.float64]) -> list[str]:
        scaler = [StandardScaler()] if standardize else []
        regression = make_pipeline(*scaler, LogisticRegression(max_iter=1_000))
        return [str(label) for label in regression.fit(train_vectors, train.labels).predict(test_vectors)]

    predicted = predict(train.vectors, test.vectors)
    score(None, predicted)
    score("majority", [Counter(train.labels).most_common(1)[0][0]] * len(test.labels))
    columns = {"word": list(test.words), "label": list(test.labels), "prediction": predicted}
    is_correct = [one == other for one, other in zip(predicted, test.labels, strict=True)]
    findings.item("probed_words", **place, probe=name, **columns, is_correct=is_correct)
    max_components = min(max(PROBE_COMPONENTS), components, len(train.vectors) - 1, train.vectors.shape[1] - 1)
    basis = fit_components(train.vectors, max_components)
    for k in (k for k in PROBE_COMPONENTS if k <= max_components):
        along = [(part.vectors - basis.mean) @ basis.directions[:k].T for part in (train, test)]
        score("components", predict(*along), k)
        score("rest", predict(nullify(train.vectors, basis, k), nullify(test.vectors, basis, k)), k)
    return findings
