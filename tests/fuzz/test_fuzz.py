"""Whatever is in a file, a reader reads it or says one sentence; never a traceback, a hang, a kill.

`make test` reads a few damaged files per reader, `make fuzz SAMPLES=1500` many. A finding is named by its target and
seed. What was once found stays in `found.txt` and in `cases.py`.
"""

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from fuzz.cases import CASES
from fuzz.mutations import MUTATIONS, mutated
from fuzz.outcomes import LONGEST, Job, Outcome, outcomes
from fuzz.targets import MODELS, TARGETS

SAMPLES = int(os.environ.get("WORDWORTH_FUZZ", "12"))
FOUND = Path(__file__).with_name("found.txt")
Searched = dict[str, list[Outcome]]


def found() -> list[Job]:
    """A line a target: its name, a colon, and the seeds of what was found in it."""
    rows = (line.split(":") for line in FOUND.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return [(target.strip(), int(seed)) for target, seeds in rows for seed in seeds.split()]


def samples(target: str) -> list[Job]:
    """The first seeds, what was found before, and the cases with names."""
    seeds = [*range(SAMPLES), *(seed for name, seed in found() if name == target)]
    return [(target, sample) for sample in [*dict.fromkeys(seeds), *CASES.get(target, {})]]


@pytest.fixture(scope="module")
def searched(request: pytest.FixtureRequest) -> Iterator[dict[str, Future[Searched]]]:
    """Target → what became of its samples, and of those of all targets of its half that are asked for.

    One worker serves a half, since most of the time would go into starting one for each target.
    """
    asked = {item.callspec.params.get("target") for item in request.session.items if hasattr(item, "callspec")}

    def search(targets: list[str]) -> Searched:
        became: Searched = {target: [] for target in targets}
        for outcome in outcomes([job for target in targets for job in samples(target)]):
            became[outcome.job[0]].append(outcome)
        return became

    halves = [[name for name in TARGETS if name in asked and (name in MODELS) == heavy] for heavy in (False, True)]
    with ThreadPoolExecutor(2) as pool:
        started = [(half, pool.submit(search, half)) for half in halves]
        yield {target: future for half, future in started for target in half}


@pytest.mark.parametrize("target", TARGETS)
def test_damaged_files_are_read_or_refused_in_a_sentence(target: str, searched: dict[str, Future[Searched]]) -> None:
    became = searched[target].result()[target]
    assert [outcome.job for outcome in became] == samples(target)
    findings = [str(outcome) for outcome in became if not outcome.allowed]
    assert not findings, "\n".join(findings)
    assert max(len(outcome.said) for outcome in became) < LONGEST


def test_a_seed_stands_for_the_same_damage() -> None:
    data = bytes(range(256)) * 4
    assert [mutated(data, seed) for seed in range(200)] == [mutated(data, seed) for seed in range(200)]
    assert {name for seed in range(600) for name in mutated(data, seed)[0].split("+")} == MUTATIONS.keys()
    assert {target for target, _ in found()} | CASES.keys() <= TARGETS.keys()


@pytest.mark.parametrize(
    ("sample", "kind"), [("hang", "hang"), ("wait", "hang"), ("memory", "MemoryError"), ("kill", "killed")]
)
def test_a_reader_that_hangs_or_dies_is_found_and_the_next_sample_is_read(sample: str, kind: str) -> None:
    jobs: list[Job] = [("broken", sample), ("broken", "whole")]
    became = list(outcomes(jobs, seconds=5))
    assert [(outcome.job, outcome.kind) for outcome in became] == [(jobs[0], kind), (jobs[1], "read")]
