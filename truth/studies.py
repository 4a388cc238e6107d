"""The runs that the page is made of: every study on the embedded models, as small as a comparison allows."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordworth.catalog.fetch.sources import data_folder
from wordworth.study import study

GOOGLE_NEWS = "vectors/word2vec_googlenews_subset.npz"
"""Under $WORDWORTH_DATA: the one model that is the papers' own."""

SLICE = {"occupation": "doctor", "kind": "driving"}
"""The part of the probe of gender that is small enough to be gone through pair by pair."""


@dataclass(frozen=True)
class Planned:
    """A study on models, with its settings."""

    folder: str
    study: str
    models: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)


def planned() -> Iterator[Planned]:
    """What is run here; without $WORDWORTH_DATA less of it."""
    data = data_folder()
    static = ["glove-6b-50d", "word2vec-news-26k"]
    if data is not None and (data / GOOGLE_NEWS).is_file():
        static.append(str(data / GOOGLE_NEWS))
    few = {"resamples": 200}
    yield Planned("raters", "valnorm", (), {"experiments": ("raters",)})
    yield Planned("valnorm", "valnorm", tuple(static), few)
    yield Planned("weat", "weat", tuple(static))
    yield Planned("static", "static", ("minilm-l6", *static), study("static").quick | few)
    layers = {"lexica": ("bellezza",), "tests": ("weat1", "weat6"), "pairs": ("ws-353",)} | few
    experiments = ("contextualization", "isolation", "validation", "bias")
    yield Planned("vast", "vast", ("minilm-l6", "smollm2-135m"), layers | {"experiments": experiments})
    yield Planned("predict", "predict", ("smollm2-135m",), study("predict").quick | few | {"words": 300})
    slices = {"probes": ("gender",), "only": ",".join(f"{key}={word}" for key, word in SLICE.items())}
    yield Planned("infer", "infer", ("nli-glove",), slices | {"random": 2} | few)
    tests = {"tests": ("weat1", "weat6", "weat7", "weat8"), "without": ("stability", "bias", "nli"), "random": 0}
    yield Planned("debias", "debias", ("glove-6b-50d",), tests | few)


def run_all(folder: Path) -> Iterator[tuple[Planned, Path]]:
    """Runs what is not there yet, and yields where each run is."""
    for plan in planned():
        target = folder / plan.folder
        if not (target / "run.json").is_file():
            study(plan.study)(list(plan.models), **plan.settings).save(target)
        yield plan, target
