"""Runs the numeric tests (marked `kernels`) again under the kernels of the processors named, or of all."""

import subprocess
import sys
from pathlib import Path

from processors import PROCESSORS

TESTS = Path(__file__).parent.parent
NUMERIC = [TESTS / name for name in ("measure", "statistics", "transform", "test_measures_common.py")]


def main() -> int:
    failed = []
    for processor in [one for one in PROCESSORS if one.blas in (sys.argv[1:] or one.blas)]:
        lacking = processor.lacking()
        print(f"— {lacking}: skipped" if lacking else f"— {processor.blas}, torch {processor.torch}", flush=True)
        command = [sys.executable, "-m", "pytest", "-m", "kernels and not index", *map(str, NUMERIC)]
        if not lacking and subprocess.run(command, env=processor.environment(), check=False).returncode:
            failed.append(processor.blas)
    if failed:
        print(f"Numbers differ under the kernels of {', '.join(failed)}.")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
