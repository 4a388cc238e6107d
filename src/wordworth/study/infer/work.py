"""What the study has to do with a model, for the estimate of an audit."""

from typing import Any

from wordworth.infer.probe.pairs import PairSet
from wordworth.infer.probe.probe import load_probe, probe_names
from wordworth.study.cost import Work
from wordworth.study.infer import InferSettings

ALONE = 6
"""A pair that is drawn by itself takes as long as so many of a grid, whose sentences are shared."""


def infer_work(_: Any, settings: InferSettings) -> Work:
    """Pairs of all probes, for the model itself and each of its changed versions."""
    versions = 1 + len([name for name in settings.mitigate if name != "none"]) + settings.random
    counts = [len(PairSet.of(load_probe(name))) for name in settings.probes or probe_names()]
    if settings.sample is not None:
        counts = [ALONE * min(settings.sample, count) for count in counts]
    return Work(pairs=versions * sum(counts))
