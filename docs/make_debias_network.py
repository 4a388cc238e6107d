"""Makes the table of a language model in docs/debias.md from runs of this version: `make results` (half an hour)."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from make_debias_results import PAGE, Column, costs, ran
from pages import put

from wordworth.run import ORIGINAL, RANDOM
from wordworth.study.debias import METHODS

MODEL = "smollm2-135m"
ASKED = {"without": ("stability", "bias"), "words": 1_000, "directions": (("he", "she"),)}
RUNS = {method: {"mitigate": method} for method in METHODS} | {"layers": {"where": "layers"}}


def main() -> None:
    with TemporaryDirectory() as scratch:
        kept = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(scratch)
        runs = {name: ran(MODEL, kept / name, **ASKED, **more) for name, more in RUNS.items()}
        columns = [Column(ORIGINAL, runs[METHODS[0]], ORIGINAL)]
        columns += [Column(method, runs[method], method) for method in METHODS]
        columns += [Column(RANDOM, runs[METHODS[0]], RANDOM)]
        columns += [Column("in every layer", runs["layers"], METHODS[0])]
        columns += [Column("random, in every layer", runs["layers"], RANDOM)]
        put(PAGE, "network", costs(columns))


if __name__ == "__main__":
    main()
