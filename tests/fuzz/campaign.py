"""`make fuzz`: many damaged files for every reader, with a table of what became of them.

    python tests/fuzz/campaign.py [--samples 1500] [--first 0] [TARGET …]

A finding is printed with its target, seed and mutation; `--samples 1 --first SEED TARGET` repeats it.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from fuzz.cases import CASES
from fuzz.outcomes import ALLOWED, Job, outcomes
from fuzz.targets import TARGETS


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--samples", type=int, default=1500)
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args()
    whole: Counter[str] = Counter()
    began, longest, slowest = time.monotonic(), 0, 0.0
    print(f"{'target':32} {'samples':>8} {'same':>6} {'differ':>6} {'sentence':>8} {'findings':>8} {'seconds':>8}")
    for name in chosen.targets or TARGETS:
        counts: Counter[str] = Counter()
        jobs: list[Job] = [(name, seed) for seed in range(chosen.first, chosen.first + chosen.samples)]
        jobs += [(name, case) for case in CASES.get(name, {})]
        start = time.monotonic()
        for outcome in outcomes(jobs):
            counts[outcome.kind if outcome.allowed else "finding"] += 1
            slowest = max(slowest, outcome.seconds)
            if outcome.kind == "sentence":
                longest = max(longest, len(outcome.said))
            if not outcome.allowed:
                print(f"  {outcome}", flush=True)
        kinds = (*ALLOWED, "finding")
        cells = " ".join(f"{counts[kind]:>{max(6, len(kind))}}" for kind in kinds)
        print(f"{name:32} {counts.total():>8} {cells} {time.monotonic() - start:>9.0f}", flush=True)
        whole += counts
    print(
        f"{whole.total():,} samples, {whole['finding']:,} findings, {time.monotonic() - began:.0f} s; "
        f"longest sentence {longest} characters, slowest sample {slowest:.1f} s"
    )
    sys.exit(bool(whole["finding"]))


if __name__ == "__main__":
    main()
