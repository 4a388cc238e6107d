"""What a newcomer sees: the greeting, the help of every command, and what a shell completes."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from commands import Command
from wordworth.catalog.registry import entry
from wordworth.catalog.show import download
from wordworth.cli import TRY, app
from wordworth.study import STUDIES, study

ROOT: Any = typer.main.get_command(app)


def walk(command: Any = ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group with the words that call it."""
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from walk(inner, (*path, name))


COMMANDS = dict(walk())
LEAVES = {path: command for path, command in COMMANDS.items() if not hasattr(command, "commands")}
PATHS = [" ".join(path) for path in COMMANDS]


def test_all_commands_are_there() -> None:
    assert {path[1] for path in LEAVES if path[0] == "run"} == {name for name in STUDIES if not study(name).command}
    assert {("cache", "prune"), ("audit",), ("compare",), ("ls",), ("debias",), ("train-nli",)} <= LEAVES.keys()


def test_wordworth_alone_greets_with_three_commands(command: Command) -> None:
    answer = command()
    assert (answer.code, answer.err) == (0, "")
    assert len(answer.out.splitlines()) < 15
    assert max(map(len, answer.out.splitlines())) <= 90
    assert f"({download(entry('glove-6b-50d'))} to fetch)" in answer.out
    assert len(TRY) == 3
    for words in TRY:
        assert f"  {words}" in answer.out


@pytest.mark.parametrize("width", [60, 100])
@pytest.mark.parametrize("path", PATHS)
def test_help_fits_the_terminal(command: Command, monkeypatch: pytest.MonkeyPatch, path: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    short = command(*path.split(), "-h")
    assert short.code == 0
    assert short.out == command(*path.split(), "--help").out
    body, _, example = short.out.partition("\nexample:\n")  # which is to be copied, and stands in one line
    too_long = [line for line in body.splitlines() if len(line) > width and not line.startswith("  -")]
    assert not too_long
    assert not re.search(r"<(str|bool|int|float|path|list)", short.out)
    assert "\n  -h, --help" in short.out
    assert example.startswith("  wordworth ")


@pytest.mark.parametrize("path", PATHS)
def test_help_is_in_groups(command: Command, path: str) -> None:
    shown = command(*path.split(), "-h").out
    headings = re.findall(r"^(\w[\w ]*):$", shown, re.MULTILINE)
    assert headings[-1] == "example"
    assert len(headings) > 1
    for name, one in getattr(COMMANDS[tuple(path.split())], "commands", {}).items():
        assert re.search(rf"^  {name} +\S", shown, re.MULTILINE)
        assert one.help


@pytest.mark.parametrize("path", [" ".join(path) for path in LEAVES])
def test_what_takes_a_value_says_which(command: Command, path: str) -> None:
    shown = command(*path.split(), "-h").out
    for one in LEAVES[tuple(path.split())].params:
        if one.param_type_name == "option":
            assert bool(re.search(rf"^  (-\w, )?{one.opts[0]} \S", shown, re.MULTILINE)) != one.is_flag, one.opts


def test_a_list_fits_a_narrow_terminal(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordworth.cli.display.out.width", 80)
    shown = command("ls", "models").out
    assert re.search(r"^ smollm2-135m +causal +30 layers +98 MB +english +(yes)? *$", shown, re.MULTILINE)


def _examples() -> Iterator[str]:
    yield from TRY
    yield from (command.epilog for command in COMMANDS.values() if command.epilog)


@pytest.mark.parametrize("line", dict.fromkeys(_examples()))
def test_an_example_is_a_command_that_can_be_given(line: str) -> None:
    program, *words = shlex.split(line)
    assert program == "wordworth"
    command, path = ROOT, []
    while hasattr(command, "commands"):
        path.append(words.pop(0))
        command = COMMANDS[tuple(path)]
    context = command.make_context(" ".join(path), words)  # an error where an option or a value is not one
    known = {one.name: one for one in command.params}
    chosen = {name: value for name, value in context.params.items() if value != known[name].default}
    assert chosen or not words


def test_every_command_has_an_example() -> None:
    for path, command in LEAVES.items():
        assert command.epilog, path
        assert command.epilog.startswith(f"wordworth {' '.join(path)}"), path


def _completed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str) -> list[str]:
    """What bash is offered for a line that ends in the word that was begun."""
    words = line.split(" ")
    for name, value in {
        "COMP_WORDS": line,
        "COMP_CWORD": len(words) - 1,
        "_WORDWORTH_COMPLETE": "complete_bash",
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(sys, "argv", ["wordworth"])
    with pytest.raises(SystemExit):
        app(prog_name="wordworth", standalone_mode=False)
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("wordworth a", ["audit"]),
        ("wordworth run v", ["valnorm", "vast"]),
        ("wordworth run weat gl", ["glove-6b-50d"]),
        ("wordworth run vast smol", ["smollm2-135m"]),
        ("wordworth run vast gl", []),  # word vectors, which it does not take
        ("wordworth audit nli-g", ["nli-glove"]),
        ("wordworth finetune-nli mini", ["minilm-l6"]),
        ("wordworth report runs --format l", ["latex"]),
        ("wordworth run valnorm x --lexicon bell", ["bellezza"]),
        ("wordworth run weat x --sides t", ["two"]),
        ("wordworth run vast x --experiment contextu", ["contextualization"]),
        ("wordworth run predict x --pr", ["--precision"]),  # and no old name
        ("wordworth run predict x --corpus wikitext-103-v", ["wikitext-103-valid"]),
        ("wordworth run predict x --soft-match gl", ["glove-6b-50d"]),
        ("wordworth run vast x --language turk", ["turkish"]),
        ("wordworth debias gl", ["glove-6b-50d"]),
        ("wordworth check gl", ["glove-6b-50d"]),
        ("wordworth check runs/a --j", ["--junit", "--json"]),
        ("wordworth ls word", ["word-sets", "wordnets"]),
        ("wordworth show belle", ["bellezza"]),
        ("wordworth get belle", ["bellezza"]),
    ],
)
def test_a_shell_completes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, some: list[str]
) -> None:
    offered = _completed(monkeypatch, capsys, line)
    assert offered[: len(some)] == some or set(some) <= set(offered)
    assert all(word.startswith(line.split(" ")[-1]) for word in offered)
    assert bool(offered) == bool(some)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, shell: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    code = (
        f"import sys, shellingham; shellingham.detect_shell = lambda: ({shell!r}, '')\n"
        "from wordworth.cli import main; main()"
    )
    for option in ("--show-completion", "--install-completion"):
        ended = subprocess.run([sys.executable, "-c", code, option], capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        assert "wordworth" in ended.stdout
    assert any("wordworth" in path.name for path in tmp_path.rglob("*"))


HEAVY = ("torch", "transformers", "polars", "scipy", "numpy", "rich.console", "httpx2", "huggingface_hub", "sklearn")


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--help",),
        ("run", "--help"),
        ("run", "vast", "--help"),
        ("run", "valnorm", "--help"),
        ("debias", "--help"),
        ("export", "--help"),
        ("audit", "--help"),
        ("compare", "--help"),
        ("check", "--help"),
        ("card", "--help"),
        ("ls", "--help"),
        ("cache", "--help"),
    ],
)
def test_help_imports_nothing_heavy(words: tuple[str, ...]) -> None:
    """Whatever completes a word reads no more than the help does."""
    code = (
        "import sys\nfrom wordworth.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
    assert ended.stderr.strip() == "[]"


def test_misspelled_names_are_guessed(command: Command) -> None:
    assert "did you mean glove-6b-50d" in command("show", "glvoe").err
    assert "did you mean" in command("ls", "modles").err + command("show", "belezza").err


@pytest.mark.parametrize("kind", ["word-sets", "word_sets", "word-set", "word_set", "Word-Sets"])
def test_kinds_are_written_as_one_likes(command: Command, kind: str) -> None:
    assert command("ls", kind, "--json").out == command("ls", "word-sets", "--json").out


def test_the_kinds_of_the_help_are_kinds(command: Command) -> None:
    (row,) = [line for line in command("ls", "-h").out.splitlines() if "[KIND]" in line and "models" in line]
    named = re.sub(r"\s+", " ", command("ls", "-h").out.partition("arguments:")[2].partition(";")[0])
    kinds = named.replace("[KIND]", "").replace(" ", "").split(",")
    assert len(kinds) == 12, row
    for kind in kinds:
        assert command("ls", kind).code == 0


def test_ls_models_says_kind_size_and_what_is_counted(command: Command) -> None:
    rows = {line.split()[0]: line for line in command("ls", "models").out.splitlines() if len(line.split()) > 4}
    assert re.search(r"static .* 400,000 words +84 MB", rows["glove-6b-50d"])
    assert re.search(r"causal .* 30 layers +98 MB", rows["smollm2-135m"])
    assert re.search(r"encoder .* 6 layers +92 MB", rows["minilm-l6"])
    assert re.search(r"nli .* 3 labels", rows["nli-glove"])
    titles = [line for line in command("ls").out.splitlines() if re.match(r"[a-z ]+ \(\d+\)", line.strip())]
    assert len(titles) == 12
    assert "400,000 words" in command("show", "glove-6b-50d").out
