"""What `nli_seeds.csv` holds, and when a number of the paper counts as reproduced."""

from pathlib import Path
from typing import NamedTuple

RECORD = Path(__file__).with_name("nli_seeds.csv")
"""kind, probe, version, data, measure, value, low, high: means over seeds, with 95 % intervals."""


class Row(NamedTuple):
    """A number over seeds: its mean, and a 95 % interval over seeds and subjects."""

    value: float
    low: float
    high: float
