"""The same numbers, whatever processor they are computed on."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernels.processors import MOST_DIFFERENT, PROCESSORS, Processor
from sampled import ALL

TOLERANCES = {"rnsb": 1e-6, "torch": 1e-3}
"""By how a name begins: rnsb is an iterative fit, a model computes in float32. All else agrees to nine digits."""
EXACT = 1e-9
ROUNDING = 1e-14
"""Differences of cosines near one are known no better, whatever they are themselves."""


@cache
def computed(processor: Processor | None) -> dict[str, Any]:
    """The reference numbers from a process of its own, with the kernels of that processor or this machine's own."""
    script = Path(__file__).with_name("reference_numbers.py")
    environment = processor.environment() if processor else dict(os.environ)
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("processor", PROCESSORS if ALL else [MOST_DIFFERENT], ids=lambda processor: processor.blas)
def test_reference_numbers(processor: Processor) -> None:
    if processor.lacking():
        pytest.skip(processor.lacking())
    here, there = computed(None), computed(processor)
    if there["blas"] != [processor.blas]:
        pytest.skip(f"BLAS here is {', '.join(there['blas'])} and cannot be told to be {processor.blas}")
    assert there["torch"] == processor.torch.upper()
    assert here["numbers"].keys() == there["numbers"].keys()
    for name, numbers in there["numbers"].items():
        tolerance = next((value for start, value in TOLERANCES.items() if name.startswith(start)), EXACT)
        expected = np.array(here["numbers"][name], dtype=float)
        least = max(tolerance * np.nanmax(np.abs(expected)), ROUNDING)
        np.testing.assert_allclose(numbers, expected, rtol=tolerance, atol=least, err_msg=name)
