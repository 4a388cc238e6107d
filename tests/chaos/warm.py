"""A process in which everything is imported, and nothing has been done: it forks a child for each command.

An import takes seconds and a command on toys tenths of one, so thousands of kills fit into minutes. A child counts its
changes to the file system under the folder it works in (files opened for writing, renames, removals, new folders) by an
audit hook, and ends without a word before the one that it is to be killed at.

Requests and answers are lines of JSON on stdin and stdout: {"folder", "arguments", "kill_at", "code"}, the last for a
piece of Python instead of a command; {"code", "changes", "out", "err"}.
"""

import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

KILLED = 137
LONGEST = 120.0
"""Seconds after which a child counts as hanging."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink")
_LIGHT = ("cli.run", "cli.display", "study.valnorm.study", "study.weat.study", "engine.housekeeping", "report.plain")
"""What is imported where no command needs torch."""


def changes(event: str, arguments: tuple[Any, ...], folder: str) -> bool:
    """Whether an audit event is a change to the file system under a folder, which is also the working folder."""
    if event == "open":
        if isinstance(arguments[0], int) or not isinstance(arguments[2], int) or not arguments[2] & _WRITES:
            return False
    elif event not in _CHANGES:
        return False
    path = os.fsdecode(arguments[0])
    return not path.startswith("/") or path.startswith(folder)


def _child(request: dict[str, Any], count_file: str) -> None:
    folder = request["folder"]
    os.chdir(folder)
    os.environ["WORDWORTH_CACHE"] = f"{folder}/cache"
    count = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        if event == "open" or event in _CHANGES:
            if not changes(event, arguments, folder):
                return
            count += 1
            if count == request["kill_at"]:
                os._exit(KILLED)

    sys.addaudithook(hook)
    if request.get("code"):
        exec(request["code"], {"__name__": "chaos"})
        return
    from wordworth.cli import main

    sys.argv = ["wordworth", *request["arguments"]]
    try:
        main()
    finally:
        reached = count
        Path(count_file).write_text(str(reached))


def _answer(request: dict[str, Any], scratch: Path) -> dict[str, Any]:
    out, err, count = scratch / "out", scratch / "err", scratch / "count"
    count.write_text("0")
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            for number, path in ((1, out), (2, err)):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            _child(request, str(count))
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        except BaseException:  # noqa: BLE001 - a traceback is a finding, and is given back
            import traceback

            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    code = _waited(pid)
    texts = {"out": out.read_text(errors="replace"), "err": err.read_text(errors="replace")}
    return {"code": code, "changes": int(count.read_text()), **texts}


def _waited(pid: int) -> int:
    ends = time.monotonic() + LONGEST
    while time.monotonic() < ends:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return -1


def _import_all(with_torch: bool) -> None:
    """Whatever a command would import, so that a child has nothing left to import."""
    import importlib
    import pkgutil

    modules = [f"wordworth.{name}" for name in _LIGHT]
    if with_torch:
        import wordworth

        modules = ["gguf", "transformers.models.auto", "transformers.models.gpt2.modeling_gpt2"]
        modules += ["transformers.models.llama.modeling_llama", "sklearn.linear_model", "scipy.stats"]
        modules += [module.name for module in pkgutil.walk_packages(wordworth.__path__, "wordworth.")]
    for name in modules:
        if not name.endswith("__main__"):
            importlib.import_module(name)


def serve() -> None:
    """Answers requests until stdin ends."""
    _import_all("torch" in sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="chaos-") as scratch:
        print(json.dumps({"ready": True}), flush=True)
        for line in sys.stdin:
            print(json.dumps(_answer(json.loads(line), Path(scratch))), flush=True)


if __name__ == "__main__":
    serve()
