"""Runs commands in forked children of a warm process, each in a folder of its own that can be set back."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import wordworth
from chaos.served import Server, make_served

HERE = Path(__file__).parent
_MAKE = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from chaos import toys
toys.{name}(Path({folder!r}))
"""
SOURCE = Path(wordworth.__file__).parents[1]


@dataclass(frozen=True)
class Request:
    """A command in a folder, and what befalls it at one of its changes to the file system, counted from 1."""

    folder: str
    arguments: tuple[str, ...] = ()
    catalog: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    kill_at: int = 0
    pause_at: int = 0
    full_at: int = 0
    """From this change on nothing more can be written."""
    reads: bool = False
    """Files that are opened for reading count too."""
    beside: "Request | None" = None
    """What runs while this one stands still, or after it where it does not come to that."""
    code: str = ""
    """A piece of Python instead of a command."""


class Ended(NamedTuple):
    code: int
    changes: int
    out: str
    err: str

    def told(self) -> str:
        """Blank where the command did its work, or said in one sentence why it did not; else what is wrong."""
        if self.code == 0:
            return ""
        lines = self.err.strip().splitlines()
        if self.code == 2 and lines and lines[-1].startswith("wordworth: ") and "Traceback" not in self.err:
            return ""
        return f"exit {self.code}: {self.err.strip()[-600:]}"


class Bench:
    """A warm process, the toys, and `work`: the folder that a command works in, with its cache."""

    def __init__(self, folder: Path, *, torch: bool) -> None:
        self.toys, self.work, self._states = folder / "toys", folder / "work", folder / "states"
        self._server = Server(self.toys / "served")
        single = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")}
        environment |= dict.fromkeys((*single, "RAYON_NUM_THREADS"), "1") | {"NO_COLOR": "1"}
        environment |= {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": f"{self._server.address}/simple/"}
        environment |= {"WORDWORTH_OFFLINE": "0", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore", "PYTHONPATH": str(SOURCE)}
        environment.pop("WORDWORTH_DATA", None)
        self._process = subprocess.Popen(
            [sys.executable, HERE / "warm.py", *(["torch"] if torch else [])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        self._read()
        self.clear()
        for name in ("make_files", *(["make_models"] if torch else [])):
            code = _MAKE.format(tests=str(HERE.parent), name=name, folder=str(self.toys))
            made, _ = self._ask(Request(str(self.work), code=code))
            assert made.code == 0, made.err
        self._catalog = make_served(self.toys, self._server.address)
        self.clear()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._server.close()

    def request(self, command: str, **about: Any) -> Request:
        """A command, whose arguments may name toys as `@name`."""
        arguments = tuple(argument.replace("@", f"{self.toys}/") for argument in command.split())
        return Request(str(self.work), arguments, str(self._catalog), **about)

    def run(self, command: str, **about: Any) -> Ended:
        return self._ask(self.request(command, **about))[0]

    def run_beside(self, request: Request, beside: Request) -> tuple[Ended, Ended]:
        """A command, and one that runs while it stands still."""
        first, second = self._ask(replace(request, beside=beside))
        assert second is not None
        return first, second

    def clear(self) -> None:
        """An empty folder to work in, but for one for temporary files."""
        self.work.mkdir(parents=True, exist_ok=True)
        for path in self.work.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        (self.work / "tmp").mkdir()

    def keep(self, name: str) -> None:
        """The folder as it is now, to be brought back by `bring`; times of files are kept."""
        shutil.rmtree(self._states / name, ignore_errors=True)
        shutil.copytree(self.work, self._states / name)

    def bring(self, name: str) -> None:
        self.clear()
        shutil.copytree(self._states / name, self.work, dirs_exist_ok=True)

    def _ask(self, request: Request) -> tuple[Ended, Ended | None]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asdict(request)) + "\n")
        self._process.stdin.flush()
        answer = self._read()
        beside = answer.pop("beside", None)
        return Ended(**answer), Ended(**beside) if beside else None

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the warm process has ended"
        return json.loads(line)


def tree(folder: Path) -> list[str]:
    """All files and folders."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
