"""A process in which everything is imported, and nothing has been done: it forks a child for each command.

An import takes seconds and a command on toys tenths of one, so thousands of kills fit into minutes. A child counts its
changes to the file system under the folder it works in (files opened for writing, renames, removals, new folders) by an
audit hook. Before one of them it ends without a word, or stands still while another command runs; or from there on
nothing more can be written.

Requests and answers are lines of JSON on stdin and stdout, as `Request` and `Ended` of `bench.py`.
"""

import atexit
import errno
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
STANDS = 1.5
"""Seconds that a command stands still for another one, which may be waiting for it."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_MAKES = ("os.mkdir", "os.link", "os.symlink")
_CHANGES = ("os.rename", "os.remove", "os.rmdir", "os.truncate", *_MAKES)
_LIGHT = ("cli.run", "cli.display", "study.valnorm.study", "study.weat.study", "engine.housekeeping", "report.writing")
"""What is imported where no command needs torch."""
_FETCHING = ("catalog.fetch.sources", "catalog.fetch.archives", "catalog.fetch.web", "catalog.fetch.hub")


def counts(event: str, arguments: tuple[Any, ...], folder: str, reads: bool) -> bool:
    """Whether an audit event is a change to the file system under a folder, which is also the working folder.

    With `reads`, a file that is opened for reading counts too.
    """
    if event == "open":
        if isinstance(arguments[0], int) or not isinstance(arguments[2], int):
            return False
        if not reads and not arguments[2] & _WRITES:
            return False
    elif event not in _CHANGES:
        return False
    path = os.fsdecode(arguments[0])
    return not path.startswith("/") or path.startswith(folder)


def _watch(request: dict[str, Any]) -> list[int]:
    """Sets the hook, and gives the count as the only item of a list."""
    folder, reads, full_at = request["folder"], request["reads"], request["full_at"]
    count = [0]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" and event not in _CHANGES:
            return
        if not counts(event, arguments, folder, reads):
            return
        count[0] += 1
        if count[0] == request["kill_at"]:
            os._exit(KILLED)
        if count[0] == request["pause_at"]:
            os.kill(os.getpid(), signal.SIGSTOP)
        makes = event in _MAKES or (event == "open" and arguments[2] & _WRITES)
        if full_at and count[0] >= full_at and makes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), os.fsdecode(arguments[0]))

    sys.addaudithook(hook)
    return count


def _child(request: dict[str, Any], count_file: str) -> None:
    folder = request["folder"]
    os.chdir(folder)
    os.environ |= {"WORDWORTH_CACHE": f"{folder}/cache", **request["environment"]}
    tempfile.tempdir = f"{folder}/tmp"
    if request["code"]:
        exec(request["code"], {"__name__": "chaos"})
        return
    if Path(request["catalog"]).exists():
        _add_to_catalog(json.loads(Path(request["catalog"]).read_text()))
    from wordworth.cli import main

    sys.argv = ["wordworth", *request["arguments"]]
    atexit._clear()  # what the warm process is to do at its end
    count = _watch(request)
    try:
        main()
    finally:
        atexit._run_exitfuncs()
        reached = count[0]
        Path(count_file).write_text(str(reached))


def _add_to_catalog(added: dict[str, Any]) -> None:
    """Entries whose archives the bench serves; what is asked of https://toys.test is asked of the bench too."""
    from wordworth.catalog import registry
    from wordworth.catalog.fetch import archives

    for kind, tables in added["entries"].items():
        registry.toml_of(kind).update(tables)
    registry._of_kind.cache_clear()
    plain = archives.download

    def asked_here(url: str, *rest: Any) -> None:
        plain(url.replace("https://toys.test", added["address"]), *rest)

    archives.download = asked_here


def _forked(request: dict[str, Any], scratch: Path, name: str) -> int:
    """The process id of a child at work on a request."""
    out, err, count = (scratch / f"{name}.{what}" for what in ("out", "err", "count"))
    count.write_text("0")
    pid = os.fork()
    if pid:
        return pid
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


def _answer(request: dict[str, Any], scratch: Path) -> dict[str, Any]:
    pid = _forked(request, scratch, "first")
    if not request["beside"]:
        return _told(_waited(pid), scratch, "first")
    code = _waited(pid, also_stopped=True)
    beside = _forked(request["beside"], scratch, "beside")
    other = _waited(beside, longest=STANDS if code is None else LONGEST)
    if code is None:
        os.kill(pid, signal.SIGCONT)
        code = _waited(pid)
    if other is None:
        other = _waited(beside)
    return _told(code, scratch, "first") | {"beside": _told(other, scratch, "beside")}


def _told(code: int | None, scratch: Path, name: str) -> dict[str, Any]:
    texts = {what: (scratch / f"{name}.{what}").read_text(errors="replace") for what in ("out", "err")}
    changes = int((scratch / f"{name}.count").read_text())
    return {"code": -1 if code is None else code, "changes": changes, **texts}


def _waited(pid: int, *, longest: float = LONGEST, also_stopped: bool = False) -> int | None:
    """The exit code; None where the child has stopped, or goes on after this time (it is killed after the longest)."""
    ends = time.monotonic() + longest
    while time.monotonic() < ends:
        done, status = os.waitpid(pid, os.WNOHANG | (os.WUNTRACED if also_stopped else 0))
        if done:
            return None if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    if longest == LONGEST:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return -1
    return None


def _import_all(with_torch: bool) -> None:
    """Whatever a command would import, so that a child has nothing left to import."""
    import importlib
    import pkgutil

    modules = [f"wordworth.{name}" for name in (*_LIGHT, *_FETCHING)]
    if with_torch:
        import wordworth

        modules = ["gguf", "transformers.models.auto", "transformers.models.gpt2.modeling_gpt2"]
        modules += ["transformers.models.bert.modeling_bert", "transformers.models.llama.modeling_llama"]
        modules += ["sklearn.linear_model", "scipy.stats", "mwparserfromhell"]
        modules += [module.name for module in pkgutil.walk_packages(wordworth.__path__, "wordworth.")]
    for name in modules:
        if not name.endswith("__main__"):
            importlib.import_module(name)
    from wordworth.catalog.fetch.pip_settings import pip_settings

    pip_settings()  # asks pip, in another process


def serve() -> None:
    """Answers requests until stdin ends."""
    _import_all("torch" in sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="chaos-") as scratch:
        print(json.dumps({"ready": True}), flush=True)
        for line in sys.stdin:
            print(json.dumps(_answer(json.loads(line), Path(scratch))), flush=True)


if __name__ == "__main__":
    serve()
