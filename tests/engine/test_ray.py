"""The same on a Ray cluster of two nodes on this machine."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import shards
from wordworth.engine.engines import Engine, engine_of
from wordworth.errors import WordworthError

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    paths = os.pathsep.join(str(Path(path).resolve()) for path in (Path(__file__).parent.parent, "src"))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (paths, os.environ.get("PYTHONPATH"))))
    made = Cluster()
    for _ in range(2):
        made.add_node(num_cpus=1, object_store_memory=200 << 20)
    yield made
    made.shutdown()


@pytest.fixture(scope="module")
def engine(cluster: Any) -> Iterator[Engine]:
    made = engine_of(f"ray:{cluster.address}")
    yield made
    made.close()
    assert not ray.is_initialized()


def test_no_cluster_is_an_error_at_once() -> None:
    with pytest.raises(WordworthError, match=r"no Ray cluster answers at 127\.0\.0\.1:9 .*ray start"):
        engine_of("ray:127.0.0.1:9")


def test_actors_import_nothing_from_the_working_folder(cluster: Any, tmp_path: Path) -> None:
    """Ray puts the folder that the driver is in first on the path of its workers; first, while the cluster is free."""
    folder, marker = tmp_path / "cloned", tmp_path / "imported.txt"
    folder.mkdir()
    for name in ("wordworth", "torch", "threadpoolctl", "engine"):
        text = f"with open({str(marker)!r}, 'a') as file:\n    file.write({name!r} + ' ')\nraise SystemExit(9)\n"
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    driver = tmp_path / "driver.py"
    driver.write_text(
        "from engine import shards\n"
        "from wordworth.engine.engines import engine_of\n"
        f"engine = engine_of('ray:{cluster.address}')\n"
        "print(list(engine.map(shards.squares, 7, range(3), 'squaring')))\n"
        "engine.close()\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, driver], cwd=folder, capture_output=True, text=True, check=False)
    assert not marker.exists(), marker.read_text(encoding="utf-8")
    assert done.stdout == "[7, 8, 11]\n", done.stderr


def test_both_nodes_work_and_results_come_in_order(engine: Engine) -> None:
    assert engine.count == 2
    found = list(engine.map(shards.with_process, None, range(64), "looking"))
    assert [item for item, _ in found] == list(range(64))
    assert len({process for _, process in found}) == 2
    assert list(engine.map(shards.squares, 3, range(20), "squaring")) == [n * n + 3 for n in range(20)]


def test_an_actor_that_dies_is_replaced(engine: Engine, tmp_path: Path) -> None:
    assert list(engine.map(shards.dying, tmp_path, range(7), "dying")) == list(range(1, 8))


def test_an_actor_that_is_killed_from_outside_is_replaced(engine: Engine) -> None:
    results = engine.map(shards.with_process, None, range(200), "looking")
    first = next(results)
    os.kill(first[1], signal.SIGKILL)
    assert [first[0], *(item for item, _ in results)] == list(range(200))


def test_errors_are_raised_here(engine: Engine) -> None:
    with pytest.raises(WordworthError, match=r"^item 4 is no good$"):
        list(engine.map(shards.refusing, 4, range(9), "refusing"))
