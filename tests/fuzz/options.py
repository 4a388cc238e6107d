"""Values that options and arguments of the command cannot have, or can: each is tried, and nothing is computed.

No file that a command is pointed at is there, so that it stops at that once every option is found to be in order.
"""

import io
import os
import random
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

from fuzz.made import Row, digest
from fuzz.mutations import mutated

NONE = "none.txt"
VALUES = {
    "-1": "-1",
    "0": "0",
    "1.5": "1.5",
    "nan": "nan",
    "inf": "inf",
    "-inf": "-inf",
    "1e400": "1e400",
    "20 digits": "9" * 20,
    "5,000 digits": "9" * 5000,
    "nothing": "",
    "a space": " ",
    "300 letters": "x" * 300,
    "100,000 letters": "x" * 100_000,
    "not UTF-8": "\udcff\udcfe",
    "a line break": "a\nb",
    "two names": "a,b",
    "a place that no one may write": "/proc/none",
}
FIRST = {"train-nli": ["--data", NONE], "cache prune": [], "cache verify": [], "cache clear": [], "ls": []}
"""What stands behind a command; if nothing else is said, a file that is not there."""


def joined(arguments: list[str]) -> bytes:
    """Arguments in one file, parted by NUL, which none of them can have."""
    return b"\0".join(os.fsencode(one) for one in arguments)


@cache
def _commands() -> dict[str, tuple[list[str], bool]]:
    """Every command: its options that take a value, and whether it must be told where to write."""
    from typer.main import get_command

    from wordworth.cli import app

    def walked(command: object, path: str) -> Iterator[tuple[str, object]]:
        for name, one in getattr(command, "commands", {}).items():
            yield from walked(one, f"{path} {name}".strip())
        if not hasattr(command, "commands"):
            yield path, command

    found = {}
    for path, command in walked(get_command(app), ""):
        options = [one for one in command.params if one.param_type_name == "option"]  # type: ignore[attr-defined]
        must = any("--output" in one.opts and one.required for one in options)
        found[path] = [one.opts[0] for one in options if not one.is_flag and one.name != "help"], must
    return found


@cache
def every() -> dict[str, bytes]:
    """Command, option and value in words → the arguments; shuffled, so that the first are a sample."""
    table: dict[str, bytes] = {}
    for command, (options, must) in _commands().items():
        behind = FIRST.get(command, [NONE])
        for called, value in VALUES.items():
            for option in options:
                where = ["-o", "out"] if must and option != "--output" else []
                table[f"{command} {option}: {called}"] = joined(
                    [*command.split(), *behind, *where, f"{option}={value}"]
                )
            if behind == [NONE]:
                where = ["-o", "out"] if must else []
                table[f"{command}: {called}"] = joined([*command.split(), *where, "--", value])
    rows = list(table.items())
    random.Random(0).shuffle(rows)
    return dict(rows)


def damaged(data: bytes, seed: int) -> tuple[str, bytes]:
    """First every value of every option, then damage to the bytes of the arguments."""
    rows = list(every().items())
    return rows[seed] if seed < len(rows) else mutated(data, seed)


def _read(folder: Path) -> str:
    """As the command does it, from its arguments to its exit code."""
    from wordworth.cli import main
    from wordworth.errors import WordworthError

    given = [os.fsdecode(one) for one in (folder / "arguments").read_bytes().split(b"\0")]
    out, said = io.StringIO(), io.StringIO()
    before = sys.argv, dict(os.environ)
    sys.argv = ["wordworth", *given]
    try:
        with redirect_stdout(out), redirect_stderr(said):
            main()
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv = before[0]
        os.environ.clear()
        os.environ.update(before[1])
    if not code:
        return digest("done")
    sentence = said.getvalue().removesuffix("\n")
    if code != 2 or not sentence.startswith("wordworth: "):
        raise RuntimeError(f"exit code {code}: {sentence[:200]}")
    if NONE in sentence:
        return digest("the options are in order")
    refused = WordworthError("")
    refused.args = (sentence,)  # as it was said: the error itself would cut it
    raise refused


TRAINING = ["train-nli", "--data", NONE, "-o", "out"]
REFUSED = {
    "--epochs": [*TRAINING, "--epochs=0"],
    "--dropout": [*TRAINING, "--dropout=1.5"],
    "--hold-out": [*TRAINING, "--hold-out=inf"],
    "--hidden": [*TRAINING, f"--hidden={10**12}"],
    "--seed": ["run", "weat", NONE, f"--seed={10**20}"],
    "--resamples": ["run", "valnorm", NONE, f"--resamples={10**20 - 1}"],
    "--permutations": ["run", "weat", NONE, f"--permutations={'9' * 5000}"],
    "--share": ["run", "valnorm", NONE, "--share=nan"],
    "--random": ["run", "infer", NONE, f"--random={10**9}"],
    "--device": ["run", "vast", NONE, "--device=toaster"],
    "--layers": ["run", "vast", NONE, f"--layers=0,{'9' * 5000}"],
    "--layer": ["compare", NONE, f"--layer={'9' * 5000}"],
    "longer than the name": ["run", "weat", NONE, f"--output={'x' * 300}"],
    "not UTF-8": ["run", "weat", NONE, "--output=\udcff"],
    "which is not UTF-8": ["report", NONE, "--output=\udcff"],
    "is longer than": ["audit", NONE, f"--output={'x/' * 5000}"],
    "longer than the name of a file": ["compare", "x" * 300],
    "no such command": ["[" * 100_000],
    "no such option": ["run", "weat", f"--{'x' * 100_000}"],
}
"""What a sentence must say, and the arguments that it is said of."""
VALID = ["run", "weat", NONE, "--test=weat1", "--permutations=500", "--seed=3", "--case=fold", "--output=out"]


def rows() -> dict[str, Row]:
    """File, maker, reader."""
    return {"options": ("arguments", lambda _: joined(VALID), _read)}
