"""Whatever is in a file, a reader reads it or says one sentence; never a traceback, a hang, a kill.

`make test` reads a few damaged files per reader, `make fuzz SAMPLES=1500` many. A finding is named by its target and
seed. What was once found stays in `found.txt` and in `cases.py`.
"""

import os
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from fuzz.cases import CASES
from fuzz.outcomes import Sample, findings, worker
from fuzz.targets import TARGETS

SAMPLES = int(os.environ.get("WORDWORTH_FUZZ", "12"))
FOUND = Path(__file__).with_name("found.txt")


def list_found(target: str) -> list[int]:
    """Return the seeds of what was found in a target: a line of its name, a colon, and the seeds."""
    rows = (line.split(":") for line in FOUND.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return [int(seed) for name, seeds in rows if name.strip() == target for seed in seeds.split()]


@pytest.mark.parametrize("target", TARGETS)
def test_damaged_files_are_read_or_refused_in_a_sentence(target: str, tmp_path: Path) -> None:
    samples: list[Sample] = [*dict.fromkeys([*range(SAMPLES), *list_found(target)]), *CASES.get(target, {})]
    last = tmp_path / "last"
    try:
        listed = worker().submit(findings, target, samples, last).result()
    except BrokenProcessPool:
        worker.cache_clear()
        pytest.fail(f"{target} {last.read_text()}: the reader hangs or is killed")
    assert not listed, "\n".join(listed)
