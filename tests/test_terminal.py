"""The command whatever its stdout and stderr are, and when it is interrupted: a sentence at most, no traceback."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "wordworth"]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the shell's ways")


def _shell(line: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = line.replace("wordworth", f"{sys.executable} -m wordworth", 1)
    environment = {**os.environ, **more}
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize(
    ("what", "unbuffered"), [("ls models", ""), ("ls models --json", "1"), ("--version", "1"), ("ls --help", "")]
)
def test_full_stdout_is_one_sentence(what: str, unbuffered: str) -> None:
    told = _shell(f"wordworth {what} > /dev/full", PYTHONUNBUFFERED=unbuffered)
    assert told.returncode == 2
    assert told.stderr == (
        "wordworth: the results cannot be written to stdout (No space left on device); send them elsewhere\n"
    )


@pytest.mark.parametrize("what", ["ls models", "--version"])
def test_closed_streams_are_nothing(what: str) -> None:
    for closed in (">&-", "<&- >&- 2>&-"):
        told = _shell(f"wordworth {what} {closed}")
        assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


def test_an_error_with_no_stderr() -> None:
    for closed in ("2>&-", "2>/dev/full"):
        told = _shell(f"wordworth ls nonsense {closed}")
        assert (told.returncode, told.stdout) == (2, "")


def test_a_reader_that_has_gone_ends_it_quietly() -> None:
    for what in ("ls models", "ls models --json"):
        told = _shell(f"wordworth {what} | true; echo ${{PIPESTATUS[0]}}")
        assert (told.stdout, told.stderr) == ("141\n", "")
    told = _shell("wordworth ls models | head -1; echo ${PIPESTATUS[0]}")
    assert told.stderr == ""
    assert told.stdout.startswith("models")


def test_ascii_is_enough() -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii", "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}
    told = _shell("wordworth show bellezza", **ascii_only)
    assert (told.returncode, told.stderr) == (0, "")
    told = _shell("wordworth ls lexica --json", **ascii_only)
    assert told.stdout.isascii()
    assert json.loads(told.stdout) == json.loads(_shell("wordworth ls lexica --json").stdout)


def test_a_study_on_an_ascii_terminal(tmp_path: Path) -> None:
    told = _shell(
        f"wordworth run weat naïve={_vectors(tmp_path)} --test weat1 -o {tmp_path / 'run'}",
        PYTHONIOENCODING="ascii",
    )
    assert (told.returncode, "Traceback" in told.stderr) == (0, False), told.stderr
    assert "na\\xefve" in told.stdout


def _vectors(folder: Path) -> Path:
    """Random vectors of the words of the association tests."""
    import numpy as np

    from wordworth.catalog.read.association_tests import load_test

    rng = np.random.default_rng(0)
    test = load_test("weat1")
    words = [word for words in (test.X, test.Y, test.A, test.B) for word in words]
    lines = [f"{word} {' '.join(map(str, rng.normal(size=5)))}" for word in dict.fromkeys(words)]
    path = folder / "vectors.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _interrupted(process: "subprocess.Popen[str]") -> str:
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT, err
    assert out == ""
    return err


def test_ctrl_c_at_work_leaves_nothing(tmp_path: Path, word_model_folder: Callable[..., Path]) -> None:
    model = word_model_folder(tmp_path / "model")
    text = tmp_path / "text.txt"
    text.write_text("the cat sat on a mat and the dog ran off with a hat .\n" * 20_000, encoding="utf-8")
    counts = tmp_path / "counts.tsv"
    counts.write_text("the 5000\ncat 10\n", encoding="utf-8")
    run = tmp_path / "runs" / "run"
    arguments = [*COMMAND, "run", "predict", str(model), "--corpus", str(text), "-o", str(run)]
    arguments += ["--frequencies", str(counts), "--soft-match", "none"]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as it:
        _until(lambda: (tmp_path / "cache" / "predictions").exists(), it)
        (told,) = _interrupted(it).splitlines()
    assert told.startswith(
        ("Broken off. Kept in the cache: ", "Broken off. Nothing was finished that is kept; the same")
    )
    assert not list(tmp_path.glob("runs/*"))


def _until(true: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    while not true():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
