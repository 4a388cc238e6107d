"""Ray gives the same results in the same order as this process, outlives dying workers, and passes errors on."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal

from chaos import toys
from engine import shards
from sampled import ALL
from wordworth.api.audit import audit
from wordworth.engine.engines import Engine, current, engine_of, using
from wordworth.errors import WordworthError

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Start two nodes on this machine."""
    from ray.cluster_utils import Cluster

    paths = os.pathsep.join(str(Path(path).resolve()) for path in (Path(__file__).parent.parent, "src"))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (paths, os.environ.get("PYTHONPATH"))))
    cluster = Cluster()
    for _ in range(2):
        cluster.add_node(wait=False, num_cpus=1, object_store_memory=200 << 20)
    cluster.wait_for_nodes(timeout=1200)  # on a busy machine a node may take minutes to start
    yield cluster
    cluster.shutdown()


def test_no_cluster_is_an_error_at_once() -> None:
    with pytest.raises(WordworthError, match=r"no Ray cluster answers at 127\.0\.0\.1:9 .*ray start"):
        engine_of("ray:127.0.0.1:9")


def test_without_an_address_no_cluster_of_others_is_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in /tmp names a running cluster; it may be that of another test or user, and end at any time."""
    addresses: list[str] = []

    def join(*, address: str, **_: Any) -> None:
        addresses.append(address)
        raise RuntimeError("as if it could not be joined")

    monkeypatch.setattr(ray, "init", join)
    for named in ("", "auto"):
        with pytest.raises(WordworthError, match="cannot be joined"):
            engine_of(f"ray:{named}" if named else "ray")
    assert addresses == ["local", "auto"]


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
        "print(list(engine.map(shards.square, 7, range(3), 'squaring')))\n"
        "engine.close()\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, driver], cwd=folder, capture_output=True, text=True, check=False)
    assert not marker.exists(), marker.read_text(encoding="utf-8")
    assert done.stdout == "[7, 8, 11]\n", done.stderr


@pytest.fixture(scope="module")
def engine(cluster: Any) -> Iterator[Engine]:
    with using(f"ray:{cluster.address}") as engine:
        assert current() is engine
    assert not ray.is_initialized()
    engine = engine_of(f"ray:{cluster.address}")
    yield engine
    engine.close()


def test_results_are_those_of_this_process_in_order_from_both_nodes(engine: Engine) -> None:
    for count in (0, 1, 57):
        expected = list(Engine().map(shards.square, 7, range(count), "squaring"))
        assert list(engine.map(shards.square, 7, range(count), "squaring")) == expected
    found = list(engine.map(shards.tell_process, None, range(64), "looking"))
    assert [item for item, _ in found] == list(range(64))
    assert len({process for _, process in found} - {os.getpid()}) == engine.count == 2


def test_items_are_taken_as_workers_become_free(engine: Engine) -> None:
    taken: list[int] = []
    results = engine.map(shards.square, 0, (taken.append(item) or item for item in range(10_000)), "squaring")
    next(results)
    assert len(taken) < 1000
    results.close()  # type: ignore[attr-defined]
    assert list(engine.map(shards.square, 0, range(3), "squaring")) == [0, 1, 4]


def test_a_worker_that_dies_is_restarted_and_its_shard_run_again(engine: Engine, tmp_path: Path) -> None:
    assert list(engine.map(shards.die_once, tmp_path, range(7), "dying")) == list(range(1, 8))


def test_a_worker_that_is_killed_from_outside_is_restarted(engine: Engine) -> None:
    results = engine.map(shards.tell_process, None, range(200), "looking")
    first = next(results)
    os.kill(first[1], signal.SIGKILL)
    assert [first[0], *(item for item, _ in results)] == list(range(200))


def test_a_shard_that_kills_every_worker_is_an_error(engine: Engine) -> None:
    with pytest.raises(WordworthError, match="dying: Ray gave up after 3 attempts"):
        list(engine.map(shards.die_always, 5, range(8), "dying"))
    assert list(engine.map(shards.square, 0, range(3), "squaring")) == [0, 1, 4]


def test_errors_are_raised_here(engine: Engine) -> None:
    with pytest.raises(WordworthError, match=r"^item 4 is no good$"):
        list(engine.map(shards.refuse, 4, range(9), "refusing"))
    with pytest.raises(KeyError, match=r"(?s)shards\.py.*KeyError: 5"):
        list(engine.map(shards.refuse, 4, [5], "refusing"))


@pytest.mark.parametrize("called", ["", "threads", "processes:2", "ray:", "Local"])
def test_unknown_engines_are_refused(called: str) -> None:
    with pytest.raises(WordworthError, match="there is no engine"):
        engine_of(called)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toys.make(tmp_path_factory.mktemp("toys"))


@pytest.mark.parametrize("name", toys.STUDIES if ALL else ["static", "infer"])
def test_a_study_on_ray(name: str, made: Path, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for place in ("local", engine):
        monkeypatch.setenv("WORDWORTH_CACHE", str(tmp_path / str(len(found))))
        with using(place):
            found.append(toys.find(name, made))
    here, there = found
    assert here.scores.height > 0
    assert_frame_equal(here.scores, there.scores, abs_tol=1e-6, rel_tol=1e-6)
    assert here.items.keys() == there.items.keys()
    for table, items in here.items.items():
        assert_frame_equal(items.collect(), there.items[table].collect(), abs_tol=1e-6, rel_tol=1e-6)
    assert here.notices == there.notices
    assert list(here.models) == list(there.models)


def test_an_audit_on_workers_is_that_of_one_process(made: Path, engine: Engine, tmp_path: Path) -> None:
    rows = [line.partition(" ") for line in (made / "vectors.txt").read_text().splitlines()]
    for shift, name in enumerate(("mine", "other")):
        lines = [f"{word} {rows[at - shift][2]}\n" for at, (word, *_) in enumerate(rows)]
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    models = [str(tmp_path / "mine.txt"), str(tmp_path / "other.txt")]
    here = audit(models, tmp_path / "here", quick=True)
    there = audit(models, tmp_path / "there", quick=True, engine=engine)
    assert [run.study for run in there.runs] == ["valnorm", "weat", "static"]
    assert here.notices == there.notices
    for ours, theirs in zip(here.runs, there.runs, strict=True):
        assert_frame_equal(ours.scores, theirs.scores)
        assert ours.items.keys() == theirs.items.keys()
        for table, items in ours.items.items():
            assert_frame_equal(items.collect(), theirs.items[table].collect())
        for facts in ("settings", "named", "models", "data", "measures", "notices", "skipped", "method", "references"):
            assert getattr(ours, facts) == getattr(theirs, facts), facts
