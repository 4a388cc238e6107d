"""The command whatever its stdout is, and when it is interrupted: a sentence at most, no traceback."""

import json
import os
import signal
import subprocess
import sys

import pytest

ASCII_ONLY = {"PYTHONIOENCODING": "ascii", "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the shell's ways")


def _run_in_shell(line: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = line.replace("wordworth", f"{sys.executable} -m wordworth", 1)
    environment = {**os.environ, **more}
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize("what", ["ls models", "ls models --json"])
def test_full_stdout_is_one_sentence(what: str) -> None:
    answer = _run_in_shell(f"wordworth {what} > /dev/full")
    assert answer.returncode == 2
    assert answer.stderr.startswith("wordworth: stdout cannot be written (No space left on device)")
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize("what", ["ls models", "ls models --json"])
def test_a_reader_that_has_gone_ends_it_quietly(what: str) -> None:
    assert _run_in_shell(f"wordworth {what} | true").stderr == ""


def test_ascii_is_enough() -> None:
    answer = _run_in_shell("wordworth show bellezza", **ASCII_ONLY)
    assert (answer.returncode, answer.stderr) == (0, "")
    answer = _run_in_shell("wordworth ls lexica --json", **ASCII_ONLY)
    assert answer.stdout.isascii()
    assert json.loads(answer.stdout) == json.loads(_run_in_shell("wordworth ls lexica --json").stdout)


def test_control_characters_do_not_reach_the_terminal() -> None:
    answer = _run_in_shell("wordworth show $'\\x1b[31mred'")
    assert answer.returncode == 2
    assert "\x1b" not in answer.stderr
    assert "\\x1b[31mred" in answer.stderr


INTERRUPTED = """
import os, signal, sys, time
from wordworth.study.base import Study

def interrupt(*_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)

Study.run = interrupt
sys.argv = ["wordworth", "run", "weat", "glove-6b-50d"]
from wordworth.__main__ import main
main()
"""


def test_ctrl_c_at_work_is_one_line() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (128 + signal.SIGINT, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("Interrupted. ")
