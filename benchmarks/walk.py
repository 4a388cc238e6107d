"""`python -m benchmarks.walk run weat glove-6b-50d --test weat6`: count the files and functions that a command calls.

It counts how often a name is resolved and a run is read back, too. With WALK=FILE it lists the functions there.
"""

import os
import sys
import threading
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import wordworth
from wordworth.cli import main

ROOT = f"{Path(wordworth.__file__).parent}{os.sep}"
IS_FUNCTION = 0x1  # CO_OPTIMIZED: a module's or class's own code does not have it
functions: dict[str, set[str]] = defaultdict(set)
calls = Counter[str]()


def watch(frame: Any, event: str, argument: Any) -> None:
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(ROOT) and code.co_flags & IS_FUNCTION:
        functions[code.co_filename.removeprefix(ROOT)].add(code.co_qualname)
        calls[code.co_name] += 1


threading.setprofile(watch)
sys.setprofile(watch)
try:
    main()
finally:
    sys.setprofile(None)
    counts = f"{len(functions)} files, {sum(map(len, functions.values()))} functions"
    print(f"{counts}, resolve {calls['resolve']}, read_run {calls['read_run']}")
    if listing := os.environ.get("WALK"):
        Path(listing).write_text(
            "".join(f"{path}: {', '.join(sorted(functions[path]))}\n" for path in sorted(functions))
        )
