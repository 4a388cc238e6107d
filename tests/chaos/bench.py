"""Runs commands in forked children of a warm process, each in a folder of its own that can be set back."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import wordworth

HERE = Path(__file__).parent
_MAKE = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from chaos import toys
toys.{name}(Path({folder!r}))
"""
SOURCE = Path(wordworth.__file__).parents[1]


class Ended(NamedTuple):
    code: int
    changes: int
    out: str
    err: str


class Bench:
    """A warm process, the toys, and `work`: the folder that a command works in, with its cache."""

    def __init__(self, folder: Path, *, torch: bool) -> None:
        self.toys, self.work, self._states = folder / "toys", folder / "work", folder / "states"
        single = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
        environment = os.environ | dict.fromkeys((*single, "RAYON_NUM_THREADS"), "1") | {"NO_COLOR": "1"}
        environment |= {"WORDWORTH_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore", "PYTHONPATH": str(SOURCE)}
        self._process = subprocess.Popen(
            [sys.executable, HERE / "warm.py", *(["torch"] if torch else [])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        self._read()
        self.work.mkdir(parents=True)
        for name in ("make_files", *(["make_models"] if torch else [])):
            made = self._ask(code=_MAKE.format(tests=str(HERE.parent), name=name, folder=str(self.toys)))
            assert made.code == 0, made.err
        self.clear()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def run(self, *arguments: str, kill_at: int = 0) -> Ended:
        """A command, whose arguments may name toys as `@name`."""
        return self._ask([argument.replace("@", f"{self.toys}/") for argument in arguments], kill_at)

    def clear(self) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()

    def keep(self, name: str) -> None:
        """The folder as it is now, to be brought back by `bring`; times of files are kept."""
        shutil.rmtree(self._states / name, ignore_errors=True)
        shutil.copytree(self.work, self._states / name)

    def bring(self, name: str) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self._states / name, self.work)

    def _ask(self, arguments: Sequence[str] = (), kill_at: int = 0, code: str = "") -> Ended:
        request = {"folder": str(self.work), "arguments": list(arguments), "kill_at": kill_at, "code": code}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return Ended(**self._read())

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the warm process has ended"
        return json.loads(line)


def tree(folder: Path) -> list[str]:
    """All files and folders."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
