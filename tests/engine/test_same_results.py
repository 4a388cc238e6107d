"""A study finds the same, score by score and item by item, on every engine."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from chaos import toys
from sampled import ALL
from wordworth.engine.engines import Engine, engine_of, using
from wordworth.run import Findings
from wordworth.study import study

SAME = {"abs_tol": 1e-6, "rel_tol": 1e-6}
SAMPLE = ("static", "infer")
STUDIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "vast": (
        "vast",
        "tiny",
        {
            "lexica": ["bellezza"],
            "experiments": ["contextualization", "bias"],
            "settings": ["bleached", "aligned"],
            "tests": ["weat1"],
            "controls": ["untrained", "shuffled"],
            "permutations": 100,
            "resamples": 50,
        },
    ),
    "static": (
        "static",
        "tiny",
        {"corpus": ["@text.txt"], "pairs": ["@pairs.tsv"], "experiments": ["quality"], "sentences": [20, 40]},
    ),
    "predict": (
        "predict",
        "tiny",
        {"corpus": "@text.txt", "frequencies": "@counts.tsv", "soft_match": ["@vectors.txt"], "resamples": 50},
    ),
    "predict fine-tuned": (
        "predict",
        "tiny",
        {"corpus": "@few.txt", "frequencies": "@counts.tsv", "soft_match": ["none"], "fine_tune": "@few.txt"},
    ),
    "infer": (
        "infer",
        "network",
        {
            "probes": ["gender"],
            "sample": 20_000,
            "random": 1,
            "farthest": 2,
            "mitigate": ["projection"],
            "resamples": 50,
        },
    ),
    "weat": ("weat", "vectors.txt", {"tests": ["weat1", "weat8"], "permutations": 100}),
    "valnorm": (
        "valnorm",
        "vectors.txt",
        {"lexica": ["bellezza"], "pairs": ["@pairs.tsv"], "tests": ["weat1"], "permutations": 100},
    ),
    "debias": (
        "debias",
        "vectors.txt",
        {
            "tests": ["weat1"],
            "pairs": ["@pairs.tsv"],
            "without": ["nli"],
            "random": 1,
            "resamples": 20,
            "permutations": 100,
        },
    ),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toys.make(tmp_path_factory.mktemp("toys"))


@pytest.fixture(scope="module", params=["processes:2", "ray"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    called = request.param
    if called == "ray":
        pytest.importorskip("ray")
        from ray.cluster_utils import Cluster

        cluster = Cluster()
        for _ in range(2):
            cluster.add_node(num_cpus=1, object_store_memory=200 << 20)
        called = f"ray:{cluster.address}"
    engine = engine_of(called)
    yield engine
    engine.close()
    if request.param == "ray":
        cluster.shutdown()


def _found(case: str, made: Path, folder: Path, engine: Engine | None) -> Findings:
    name, model, settings = STUDIES[case]

    def named(value: Any) -> Any:
        if isinstance(value, list):
            return [named(one) for one in value]
        return str(made / value[1:]) if isinstance(value, str) and value.startswith("@") else value

    before = os.environ["WORDWORTH_CACHE"]
    os.environ["WORDWORTH_CACHE"] = str(folder)
    try:
        given = {key: named(value) for key, value in settings.items()}
        model = f"toy={made / model}"
        with using(engine or "local"):
            return study(name)([model], **given)
    finally:
        os.environ["WORDWORTH_CACHE"] = before


def _same(one: pl.DataFrame, other: pl.DataFrame) -> None:
    assert one.height > 0
    assert_frame_equal(one, other, **SAME)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", STUDIES if ALL else SAMPLE)
def test_a_study_finds_the_same_on_every_engine(
    case: str, made: Path, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORDWORTH_CACHE", str(tmp_path))
    here = _found(case, made, tmp_path / "here", None)
    there = _found(case, made, tmp_path / "there", engine)
    _same(here.scores, there.scores)
    _same(here.items, there.items)
    assert here.notes == there.notes
    assert here.models.keys() == there.models.keys()
