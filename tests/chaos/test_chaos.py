"""Kills at changes to the file system, damaged caches, races, full disks: a sample here, all by `make chaos`."""

import random
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from chaos import toys
from chaos.bench import Bench
from chaos.damage import MATRIX, damaged_run, filled
from chaos.engine_kills import run_with_kills
from chaos.full import (
    SIZED,
    full_at_every_change,
    full_by_size,
    may_mount,
    onto_a_mount_point,
    read_only,
    read_only_cache,
)
from chaos.kills import CASES, Case, killed_everywhere
from chaos.races import RACES, Race, raced
from sampled import ALL, only_in_all
from wordworth.run.reading import read_run

KILLED = ("weat", "get")
FULL = ("weat",)
RACED = ("one-folder", "cleared")


@pytest.mark.parametrize("case", [case for case in CASES if ALL or case.name in KILLED], ids=lambda case: case.name)
def test_killed_at_a_change(bench: Bench, case: Case) -> None:
    """A reader finds the old run or the new one, the rerun ends with the same numbers, and nothing stray is left."""
    kills, problems = killed_everywhere(bench, case, lambda numbers: numbers if ALL else numbers[5::31])
    print(f"{case.name}: {kills} kills, {len(problems)} problems")
    assert kills
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("case", MATRIX if ALL else MATRIX[:1], ids=lambda case: case.name)
def test_damaged_cache(bench: Bench, case: Case) -> None:
    """The next process gives the same numbers, or one sentence."""
    chosen = filled(bench, case)
    chosen = chosen if ALL else chosen[::7]
    problems = [problem for cell in chosen if (problem := damaged_run(bench, case, cell))]
    print(f"{case.name}: {len(chosen)} cells, {len(problems)} problems")
    assert chosen
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("race", [race for race in RACES if ALL or race.name in RACED], ids=lambda race: race.name)
def test_two_at_once(bench: Bench, race: Race) -> None:
    """What they leave is what one of them leaves after the other, and both did their work or said why not."""
    stops, problems = raced(bench, race, lambda numbers: numbers if ALL else numbers[4::13])
    print(f"{race.name}: {stops} stops, {len(problems)} problems")
    assert stops
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("case", [case for case in CASES if ALL or case.name in FULL], ids=lambda case: case.name)
def test_nothing_more_can_be_written(bench: Bench, case: Case) -> None:
    """One sentence, the old run as it was, and nothing half written."""
    tries, problems = full_at_every_change(bench, case, lambda numbers: numbers[::3] if ALL else numbers[2::9])
    print(f"{case.name}: full at {tries} changes, {len(problems)} problems")
    assert tries
    assert not problems, "\n".join(problems)


@pytest.fixture
def _mounting(tmp_path: Path) -> None:
    if reason := may_mount(tmp_path / "mounted"):
        pytest.skip(reason)


@pytest.mark.usefixtures("_mounting")
@pytest.mark.parametrize("case", [case for case in SIZED if ALL or case.name == "latex"], ids=lambda case: case.name)
def test_a_small_disk(bench: Bench, case: Case) -> None:
    """The same on a disk with less and less room, also inside libraries that raise no OSError."""
    tries, problems = full_by_size(bench, case)
    print(f"{case.name}: {tries} sizes of the disk, {len(problems)} problems")
    assert not problems, "\n".join(problems)


@pytest.mark.usefixtures("_mounting")
@pytest.mark.parametrize("case", [case for case in CASES if ALL or case.name in FULL], ids=lambda case: case.name)
def test_a_disk_that_cannot_be_written(bench: Bench, case: Case) -> None:
    problems = read_only(bench, case)
    print(f"{case.name}: read-only, {len(problems)} problems")
    assert not problems, "\n".join(problems)


@pytest.mark.usefixtures("_mounting")
@pytest.mark.parametrize("warm", [True, False])
def test_a_cache_that_cannot_be_written(bench: Bench, warm: bool) -> None:
    """What is in it is used; what is not is one sentence."""
    for case in [case for case in SIZED if case.name in (("valnorm", "vast", "static") if ALL else ("valnorm",))]:
        assert not read_only_cache(bench, case, warm=warm)


@pytest.mark.usefixtures("_mounting")
def test_a_mount_point_cannot_be_a_run(bench: Bench) -> None:
    """It ended in a traceback, after all was computed."""
    assert not onto_a_mount_point(bench, next(case for case in CASES if case.name == "weat"))


@pytest.fixture(scope="module")
def toy_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toys.make(tmp_path_factory.mktemp("toys"))


ON_WORKERS = {
    "static": "run static toy={toys}/tiny --corpus {toys}/text.txt --pairs {toys}/pairs.tsv --experiment quality "
    "--sentences 40",
    "vast": "run vast toy={toys}/tiny --lexicon bellezza --experiment contextualization --setting bleached "
    "--setting aligned --resamples 20 --permutations 20",
    "predict": "run predict toy={toys}/tiny --corpus {toys}/text.txt --frequencies {toys}/counts.tsv --soft-match none",
    "infer": "run infer toy={toys}/network --probe gender --sample 60000 --resamples 20",
}


@only_in_all
@pytest.mark.parametrize("kind", ["worker", "driver"])
@pytest.mark.parametrize("study", ON_WORKERS)
def test_workers_and_drivers_that_are_killed(study: str, kind: str, toy_models: Path, tmp_path: Path) -> None:
    """The same numbers as in one process, nothing left running, nothing half written."""
    command = ON_WORKERS[study].format(toys=toy_models).split()
    (plain := tmp_path / "plain").mkdir()
    run_with_kills([*command, "-o", "run"], plain, "none", random.Random(0))
    expected = read_run(plain / "run")
    kills = 0
    for seed in range(5):
        (folder := tmp_path / str(seed)).mkdir()
        ended = run_with_kills([*command, "-o", "run", "--engine", "processes:2"], folder, kind, random.Random(seed))
        kills += ended.kills
        assert not ended.running
        assert not ended.stray
        found = read_run(folder / "run")
        for ours, theirs in ((expected.scores, found.scores), (expected.items, found.items)):
            assert_frame_equal(ours, theirs, abs_tol=1e-6, rel_tol=1e-6)
    print(f"{study}, {kind}: {kills} kills")
    assert kills
