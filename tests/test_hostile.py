"""Hostile and broken folders, files and surroundings: one sentence and exit code 2; no hang, nothing half-written."""

import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

from chaos import toys
from commands import Command
from made_models import llama_folder
from wordworth.catalog.models import load_embeddings
from wordworth.errors import LibraryErrors, MachineErrors, WordworthError
from wordworth.results.findings import Findings

TERABYTE = 1 << 40
PANIC = r"(?:\w+\s?)+(?<![a-z ])(?!.)"
"""A regular expression that the tokenizers' library gives up on, and then panics."""
DEEP = "[" * 100_000
LANGUAGE_MODEL = ("run", "vast", "model", "--experiment", "bias", "--test", "weat1", "--context", "bleached")
VECTORS = ("run", "weat", "vectors.txt", "--test", "weat1")


def swap(file: str, make: Callable[[Path], object]) -> Callable[[], None]:
    """Return what puts something else in the place of a file."""

    def act() -> None:
        Path(file).unlink(missing_ok=True)
        make(Path(file))

    return act


def make_holes(path: Path) -> None:
    path.touch()
    os.truncate(path, TERABYTE)


def link_zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


def link_itself(path: Path) -> None:
    path.symlink_to(path.name)


def make_huge_npz(path: Path) -> None:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({TERABYTE}, 5), }}\n".encode()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("vectors.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 99)


def make_huge_pickle(path: Path) -> None:
    path.write_bytes(b"\x80\x04\x8c\x06gensim0\x8e" + TERABYTE.to_bytes(8, "little") + b".")


def make_huge_gguf(path: Path) -> None:
    path.write_bytes(b"GGUF" + (3).to_bytes(4, "little") + (1 << 62).to_bytes(8, "little") + (1).to_bytes(8, "little"))


def panic() -> None:
    file = Path("model/tokenizer.json")
    content = json.loads(file.read_text())
    split = {"type": "Split", "pattern": {"Regex": PANIC}, "behavior": "Isolated"}
    content["pre_tokenizer"] = split | {"invert": False}
    file.write_text(json.dumps(content))


def make_index(make: Callable[[Path], object]) -> None:
    """Put a matrix next to what should be the index of its words."""
    np.save("v.npy", np.ones((3, 2), "f4"))
    make(Path("v.parquet"))


def part_weights(make: Callable[[Path], object]) -> None:
    """Let an index of weights name a file deep in the model's folder."""
    Path("model/model.safetensors").unlink()
    Path("model/deep/er").mkdir(parents=True)
    make(Path("model/deep/er/part.safetensors"))
    index = {"weight_map": {"a": "deep/er/part.safetensors"}}
    Path("model/model.safetensors.index.json").write_text(json.dumps(index))


def remove_working_folder() -> None:
    folder = Path("removed").resolve()
    folder.mkdir()
    os.chdir(folder)
    folder.rmdir()


def nothing() -> None:
    """Change nothing: the arguments are the attack."""


def files_of_a_model() -> Iterator[tuple[str, Callable[[], object], tuple[str, ...], str]]:
    """Yield a pipe, a device, holes and a loop in the place of each file that a model is read from."""
    for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"):
        file = f"model/{name}"
        yield f"pipe {name}", swap(file, os.mkfifo), LANGUAGE_MODEL, f"{file} is a pipe or a device"
        yield f"zero {name}", swap(file, link_zero), LANGUAGE_MODEL, f"{file} is a pipe or a device"
        yield f"holes {name}", swap(file, make_holes), LANGUAGE_MODEL, f"{file} is 1,100 GB and nearly empty"
    yield "loop", swap("model/model.safetensors", link_itself), LANGUAGE_MODEL, "No such file or directory: model/mod"


ATTACKS = [
    *files_of_a_model(),
    ("pipe of vectors", swap("vectors.txt", os.mkfifo), VECTORS, "vectors.txt is a pipe"),
    ("zero of vectors", swap("vectors.txt", link_zero), VECTORS, "vectors.txt is a pipe"),
    ("holes of vectors", swap("vectors.txt", make_holes), VECTORS, "vectors.txt is 1,100 GB and nearly empty"),
    ("loop of vectors", swap("vectors.txt", link_itself), VECTORS, "there is no file vectors.txt"),
    ("pipe of an index", lambda: make_index(os.mkfifo), ("run", "weat", "v.npy"), "parquet is a pipe"),
    ("loop of an index", lambda: make_index(link_itself), ("run", "weat", "v.npy"), "v.parquet"),
    ("pipe of a part", lambda: part_weights(os.mkfifo), LANGUAGE_MODEL, "deep/er/part.safetensors is a pipe"),
    ("pipe of tests", swap("t.toml", os.mkfifo), (*VECTORS, "--test", "t.toml"), "t.toml is a pipe"),
    ("pipe of options", swap("o.toml", os.mkfifo), (*VECTORS, "--config", "o.toml"), "o.toml cannot be read"),
    ("deep options", swap("o.toml", lambda path: path.write_text(f"a = {DEEP}")), (*VECTORS, "--config", "o.toml"),
     "o.toml is not TOML"),
    ("deep config", lambda: Path("model/config.json").write_text(DEEP), LANGUAGE_MODEL, "cannot be read"),
    ("deep tokenizer", lambda: Path("model/tokenizer.json").write_text(DEEP), LANGUAGE_MODEL, "cannot be loaded"),
    ("panic", panic, LANGUAGE_MODEL, "(Onig: Regex search error"),
    ("huge npz", lambda: make_huge_npz(Path("v.npz")), ("run", "weat", "v.npz"), "memory ran out (Unable to alloc"),
    ("huge pickle", lambda: make_huge_pickle(Path("v.kv")), ("run", "weat", "v.kv"), "memory ran out"),
    ("huge gguf", lambda: make_huge_gguf(Path("v.gguf")), ("run", "vast", "v.gguf"), "v.gguf"),
    ("nobody's vectors", nothing, ("run", "weat", "~nosuchuser/v.txt"), "~nosuchuser/v.txt cannot be"),
    ("nobody's model", nothing, ("audit", "~nosuchuser/model"), "~nosuchuser/model cannot be"),
    ("nobody's lexicon", nothing, ("run", "valnorm", "vectors.txt", "--lexicon", "~nosuchuser/l.csv"), "cannot be"),
    ("nobody's run", nothing, (*VECTORS, "-o", "~nosuchuser/run"), "begins with ~"),
    ("nobody's checkpoints", nothing, ("run", "vast", "--checkpoints", "~nosuchuser/c"), "begins with ~"),
    ("NUL in a model", nothing, ("run", "weat", "a\0b.txt"), "there is no file a\\x00b.txt"),
    ("NUL in an output", nothing, (*VECTORS, "-o", "a\0b"), "null byte"),
    ("no working folder", remove_working_folder, VECTORS, "the working folder"),
    ("no working folder, audit", remove_working_folder, ("audit", "../vectors.txt", "--quick"), "the working folder"),
]  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    toys.make_files(folder)
    llama_folder(folder / "model")
    return folder


@pytest.fixture
def work(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to work in, with vectors and a model; what hangs there ends after twenty minutes."""
    folder = tmp_path / "work"
    shutil.copytree(made, folder)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it hangs"))
    signal.alarm(1200)
    yield folder
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("attack", "arguments", "message"), [one[1:] for one in ATTACKS], ids=[one[0] for one in ATTACKS]
)
def test_an_attack_is_one_sentence(
    command: Command, work: Path, attack: Callable[[], object], arguments: tuple[str, ...], message: str
) -> None:
    attack()
    before = sorted(work.rglob("*"))
    answer = command(*arguments)
    assert message in answer.err
    assert (answer.code, answer.out) == (2, "")
    assert sorted(path for path in work.rglob("*") if path.name != "cache") == before


@pytest.mark.parametrize("arguments", [VECTORS, ("cache",)], ids=["run", "cache"])
def test_a_cache_of_nobody(
    command: Command, work: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("WORDWORTH_CACHE", "~nosuchuser/cache")
    answer = command(*arguments)
    assert (answer.code, "begins with ~" in answer.err) == (2, True)
    assert not list(work.glob("~*"))


@pytest.mark.parametrize("bytes_per_file", [0, 500])
def test_a_limit_on_the_size_of_files_leaves_nothing(
    command: Command, work: Path, monkeypatch: pytest.MonkeyPatch, bytes_per_file: int
) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_per_file, limits[1]))
    try:
        with pytest.raises(WordworthError, match=r"ulimit -f"):
            next(load_embeddings(work / "vectors.txt"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not [path for path in (work.parent / "cache").rglob("*") if path.is_file() and path.suffix != ".lock"]
    assert len(next(load_embeddings(work / "vectors.txt"))) > 0


LITTLE_MEMORY = """
import resource, sys
from pathlib import Path
from wordworth.cli import main
from wordworth.study import study
study("weat")("vectors.txt", tests=["weat1"])  # what is imported later would not fit
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (50 << 20), resource.RLIM_INFINITY))
sys.argv = ["wordworth", "run", "weat", "big.npz"]
main()
"""


def test_too_little_memory_is_not_a_damaged_file(work: Path) -> None:
    words = np.array([f"w{number}" for number in range(60_000)])
    np.savez(work / "big.npz", words=words, vectors=np.ones((60_000, 300), "f4"))
    ended = subprocess.run([sys.executable, "-c", LITTLE_MEMORY], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1), ended.stderr
    assert "memory ran out" in ended.stderr
    assert "damaged" not in ended.stderr


def test_a_panic_in_the_middle_of_a_study() -> None:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(PANIC), "isolated")
    with pytest.raises(WordworthError, match="a library crashed"), MachineErrors():
        tokenizer.encode("This is a pleasant word that goes on and on and on for quite a while indeed")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "memory ran out"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"), "memory ran out"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "memory ran out"),
        (RuntimeError("can't start new thread"), "memory ran out"),
        (OSError(errno.ENOENT, "No usable temporary directory found in ['/x']"), "TMPDIR"),
        (OSError(errno.EMFILE, "Too many open files", "v.txt"), "v.txt cannot be opened .*ulimit -n"),
        (OSError(errno.EACCES, "Permission denied", "v.txt"), "v.txt cannot be opened .*permissions"),
        (OSError(errno.EIO, "Input/output error", "v.txt"), "v.txt cannot be used"),
    ],
)
def test_errors_of_the_machine(error: Exception, message: str) -> None:
    with pytest.raises(WordworthError, match=message), MachineErrors():
        raise error
    if getattr(error, "errno", None) not in (errno.EIO, errno.ENOENT):
        with pytest.raises(WordworthError) as raised, LibraryErrors("v.txt is damaged", "fetch it again"):
            raise error
        assert "damaged" not in str(raised.value)


@pytest.mark.parametrize("error", [KeyError("a"), BrokenPipeError(), KeyboardInterrupt(), RuntimeError("other")])
def test_other_errors_stay(error: BaseException) -> None:
    with pytest.raises(type(error)), MachineErrors():
        raise error


def test_a_traceback_on_request(
    command: Command, work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of what ends a command, of a study that fails in an audit, and of a part that fails in a study."""
    monkeypatch.setenv("WORDWORTH_TRACEBACK", "1")
    for arguments in (("run", "weat", "none.txt"), ("run", "weat", "vectors.txt", "--no-such-option")):
        answer = command(*arguments)
        assert answer.code == 2
        assert answer.err.startswith("Traceback")
        assert answer.err.splitlines()[-1].startswith("wordworth: ")
    Path("vectors.txt").write_text("tea 1 2\n")
    answer = command("audit", "vectors.txt", "--quick")
    assert answer.code == 2
    assert answer.err.count("Traceback") >= 3
    with Findings("weat").part():
        raise WordworthError("a part fails")
    assert "Traceback" in capsys.readouterr().err
