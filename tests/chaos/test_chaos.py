"""Kills at changes to the file system, and damaged caches: a sample here, all of it by `make chaos`."""

import os
from collections.abc import Iterator

import pytest

from chaos.bench import Bench
from chaos.damage import MATRIX, damaged_run, filled
from chaos.kills import CASES, Case, killed_everywhere

ALL = os.environ.get("WORDWORTH_CHAOS") == "all"
SAMPLE = ("weat", "report-then-overwrite")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """With torch only where all is run: it takes longer to import than the sample takes."""
    made = Bench(tmp_path_factory.mktemp("chaos"), torch=ALL)
    yield made
    made.close()


@pytest.mark.parametrize("case", [case for case in CASES if ALL or case.name in SAMPLE], ids=lambda case: case.name)
def test_killed_at_a_change(bench: Bench, case: Case) -> None:
    """A reader finds the old run or the new one, the rerun ends with the same numbers, and nothing stray is left."""
    kills, problems = killed_everywhere(bench, case, lambda numbers: numbers if ALL else numbers[3::7])
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
