"""Kills at changes to the file system, damaged caches, races: a sample here, all of it by `make chaos`."""

import os

import pytest

from chaos.bench import Bench
from chaos.damage import MATRIX, damaged_run, filled
from chaos.kills import CASES, Case, killed_everywhere
from chaos.races import RACES, Race, raced

ALL = os.environ.get("WORDWORTH_CHAOS") == "all"
KILLED = ("weat", "report-then-overwrite", "get", "no-cache")
RACED = ("one-folder", "cleared", "overwritten-reported")


@pytest.mark.parametrize("case", [case for case in CASES if ALL or case.name in KILLED], ids=lambda case: case.name)
def test_killed_at_a_change(bench: Bench, case: Case) -> None:
    """A reader finds the old run or the new one, the rerun ends with the same numbers, and nothing stray is left."""
    kills, problems = killed_everywhere(bench, case, lambda numbers: numbers if ALL else numbers[5::17])
    print(f"{case.name}: {kills} kills, {len(problems)} problems")
    assert kills
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("case", MATRIX if ALL else MATRIX[:1], ids=lambda case: case.name)
def test_damaged_cache(bench: Bench, case: Case) -> None:
    """The next process gives the same numbers, or one sentence."""
    chosen = filled(bench, case)
    chosen = chosen if ALL else chosen[::2][:10]
    problems = [problem for cell in chosen if (problem := damaged_run(bench, case, cell))]
    print(f"{case.name}: {len(chosen)} cells, {len(problems)} problems")
    assert chosen
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("race", [race for race in RACES if ALL or race.name in RACED], ids=lambda race: race.name)
def test_two_at_once(bench: Bench, race: Race) -> None:
    """What they leave is what one of them leaves after the other, and both did their work or said why not."""
    stops, problems = raced(bench, race, lambda numbers: numbers if ALL else numbers[4::9])
    print(f"{race.name}: {stops} stops, {len(problems)} problems")
    assert stops
    assert not problems, "\n".join(problems)
