"""Whatever is in a file, a reader gives the same, something else, or one sentence; never a traceback, a hang, a kill.

`make fuzz` does the same with many more samples, and so does `make test-all`. What it once found stays in `found.txt`,
by target and seed.
"""

import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from fuzz.cases import CASES
from fuzz.mutations import MUTATIONS, mutated
from fuzz.options import REFUSED
from fuzz.outcomes import LONGEST, Job, Outcome, outcomes
from fuzz.targets import DATA, MODELS, OTHERS, REFERENCES, RUNS, TARGETS, VECTORS

SAMPLES = 30
COMPRESSED = ("gz", "wordfreq")
"""Targets that refuse nearly any damage."""
FOUND = Path(__file__).with_name("found.txt")


def found() -> list[Job]:
    """A line a target: its name, a colon, and the seeds of what was found in it."""
    rows = (line.split(":") for line in FOUND.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return [(target.strip(), int(seed)) for target, seeds in rows for seed in seeds.split()]


def samples(target: str) -> list[Job]:
    """The first seeds, what was found before, and the cases with names."""
    seeds = [*range(SAMPLES), *(seed for name, seed in found() if name == target)]
    return [(target, sample) for sample in [*dict.fromkeys(seeds), *CASES.get(target, {})]]


# A worker for several targets, since most of the time would go into starting one for each; two of them side by side.
HALVES = (VECTORS | DATA | REFERENCES | RUNS, OTHERS | MODELS)
Searched = dict[str, list[Outcome]]


@pytest.fixture(scope="module")
def searched(request: pytest.FixtureRequest) -> Iterator[dict[str, Future[Searched]]]:
    """Target → what became of its samples, and of those of all targets of its half that are asked for."""
    asked = {item.callspec.params.get("target") for item in request.session.items if hasattr(item, "callspec")}

    def search(targets: list[str]) -> Searched:
        jobs = [job for target in targets for job in samples(target)]
        found: Searched = {target: [] for target in targets}
        for outcome in outcomes(jobs):
            found[outcome.job[0]].append(outcome)
        return found

    with ThreadPoolExecutor(len(HALVES)) as pool:
        started = [(half, pool.submit(search, [target for target in half if target in asked])) for half in HALVES]
        yield {target: future for half, future in started for target in half}


@pytest.mark.parametrize("target", TARGETS)
def test_damaged_files_are_read_or_refused_in_a_sentence(target: str, searched: dict[str, Future[Searched]]) -> None:
    became = searched[target].result()[target]
    assert [outcome.job for outcome in became] == samples(target)
    findings = [str(outcome) for outcome in became if not outcome.allowed]
    assert not findings, "\n".join(findings)
    assert max(len(outcome.said) for outcome in became) < LONGEST
    # Not everything is refused: the reader is reached.
    assert target in COMPRESSED or {"same", "different"} & {outcome.kind for outcome in became}


def test_a_value_that_an_option_cannot_have_is_refused_before_anything_is_computed() -> None:
    """The files that the commands are pointed at are not there, and the sentence is not about them."""
    became = list(outcomes([("options", said) for said in REFUSED]))
    assert [
        outcome for outcome in became if outcome.kind != "sentence" or str(outcome.job[1]) not in outcome.said
    ] == []


def test_what_was_found_names_targets() -> None:
    assert {target for target, _ in found()} | CASES.keys() <= TARGETS.keys()


def test_a_seed_stands_for_the_same_damage() -> None:
    data = bytes(range(256)) * 4
    assert [mutated(data, seed) for seed in range(200)] == [mutated(data, seed) for seed in range(200)]
    names = {name for seed in range(600) for name in mutated(data, seed)[0].split("+")}
    assert names == MUTATIONS.keys()


def test_the_bytes_that_are_damaged_are_the_same_in_any_folder_at_any_time(tmp_path: Path) -> None:
    """Else a seed would stand for other damage tomorrow."""
    import time

    made = []
    for at, name in enumerate(("a", "another folder")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time, "time", lambda day=at: 1e9 + 86_400 * day)
            for target, one in (VECTORS | DATA | REFERENCES | RUNS | OTHERS).items():
                (tmp_path / name / target).mkdir(parents=True)
                made.append((target, one.packed(one.make(tmp_path / name / target))))
    assert made[: len(made) // 2] == made[len(made) // 2 :]


def test_no_folder_is_named_in_the_models_that_are_damaged(tmp_path: Path) -> None:
    for target, one in MODELS.items():
        (tmp_path / target).mkdir()
        assert str(Path(tempfile.gettempdir())).encode() not in one.make(tmp_path / target), target


FAULTS = [("hang", "hang"), ("wait", "hang"), ("memory", "MemoryError"), ("kill", "killed")]


@pytest.mark.parametrize(("sample", "kind"), FAULTS)
def test_a_reader_that_hangs_or_dies_is_found_and_the_next_sample_is_read(sample: str, kind: str) -> None:
    jobs: list[Job] = [("broken", sample), ("broken", "whole")]
    became = list(outcomes(jobs, seconds=0.5))
    assert [(outcome.job, outcome.kind) for outcome in became] == [(jobs[0], kind), (jobs[1], "same")]
