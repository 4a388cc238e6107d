"""The command as a user meets it: stdout, stderr, what is written, and the exit code."""

import csv
import json
from pathlib import Path

import polars as pl
import pytest

import wordworth as ww
from commands import Command
from made_vectors import write_vectors
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import load_test, polar_words
from wordworth.catalog.registry import ENTRY_KINDS
from wordworth.results.columns import SCORES

VALENCE = {
    ("valence", None, None),
    ("valence", "spearman", None),
    ("coverage", None, None),
    ("valence", "p-against-d", None),
    ("valence", None, "shuffled"),
    ("valence", "above-control", "shuffled"),
    ("valence", None, "poles-out"),
}
"""Measure, variant and control of the scores of one lexicon."""


@pytest.fixture
def work(work_folder: Path) -> Path:
    """A folder to work in, with an embedding of English words in it."""
    polar = polar_words()
    words = [*polar.pleasant, *polar.unpleasant, *load_lexicon("bellezza").words]
    words += [word for name in ("weat1", "weat8") for group in load_test(name).groups for word in group]
    write_vectors(work_folder / "mine.txt", (word for word in words if word != "adorable"))
    return work_folder


VALNORM = ("run", "valnorm", "mine.txt", "--lexicon", "bellezza", "--experiment", "valence", "--resamples", "20")
WEAT = ("run", "weat", "mine.txt", "--test", "weat8")

BAD = [
    (("run", "valnorm"), "name a model, such as glove-6b-50d"),
    (("run", "weat", "none.txt"), "there is no file none.txt"),
    ((*VALNORM, "--experiment", "corpus-size"), "needs a text to sample: give --corpus"),
    ((*WEAT, "--sides", "three"), "--sides is 'three'; it can be one or two"),
    ((*WEAT, "--file-format", "csv"), "unknown format 'csv'"),
    ((*WEAT, "--seed", "-1"), "--seed is -1; it must be a whole number from 0 up"),
    ((*WEAT, "--seed", "x"), "invalid value for '--seed'"),
    (("run", "valnrm"), "no such command 'valnrm'"),
    ((*WEAT, "--language", "german", "--language", "english"), "is it an embedding of german words"),
    (("run", "weat", "mine.txt", "mine.txt", "--test", "weat8"), "two models are called mine; name one LABEL=PATH"),
    (("run", "valnorm", "mine.txt", "--language", "chinese"), "chinese is not here and fetching is off"),
    (("run", "weat", "glove-6b-50d", "--offline"), "glove-6b-50d is not here and fetching is off; run `wordworth get"),
    ((*WEAT, "-o", "full"), "full has thesis.txt, which is not a file of a run; choose another folder with -o"),
    ((*WEAT, "-o", "mine.txt/run"), "mine.txt is a file, not a folder"),
    ((*WEAT, "--config", "none.toml"), "--config none.toml cannot be read"),
    ((*WEAT, "--config", "mine.txt"), "mine.txt is not TOML"),
    (("show", "weat11"), "'weat11' is not in the catalog; did you mean weat1"),
    (("audit", "mine.txt", "mine.txt"), "named twice"),
    (("show",), "missing argument 'NAME'"),
    (("get", "word2vec-news-26k", "--offline"), "word2vec-news-26k is not here and fetching is off"),
    (("run", "weat", "smollm2-135m"), "run `wordworth run vast smollm2-135m --experiment bias` instead"),
    (("run", "weat", "mine.txt", "--test", "weat6,weat7"), "repeat it: --test weat6 --test weat7"),
    (("run", "valnorm", "mine.txt", "--experiment", "valence,weat"), "--experiment valence --experiment weat"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(arguments) for arguments, _ in BAD])
def test_bad_input_is_one_line(command: Command, work: Path, arguments: tuple[str, ...], message: str) -> None:
    (work / "full").mkdir()
    (work / "full" / "thesis.txt").write_text("years of work")
    answer = command(*arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.startswith("wordworth: ")
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert sorted(path.name for path in work.rglob("*")) == ["full", "mine.txt", "thesis.txt"]  # nothing was written


def test_a_run_and_its_folder(command: Command, work: Path) -> None:
    answer = command(*VALNORM, "--experiment", "weat", "--test", "weat1", "--seed", "7", "-o", "out")
    assert answer.code == 0, answer.err
    assert answer.out.rstrip().endswith("out")
    assert "398" in answer.out
    assert "not in mine: adorable (of bellezza)" in answer.err
    assert sorted(path.name for path in (work / "out").iterdir()) == ["items", "run.json", "scores.csv"]

    text = (work / "out" / "scores.csv").read_text()
    assert text.splitlines()[0] == ",".join(SCORES)
    rows = list(csv.DictReader(text.splitlines()))
    assert {name_of(row) for row in rows} == {*VALENCE, ("weat", None, None)}
    assert {row["pooling"] + row["layer"] + row["components"] for row in rows} == {""}

    facts = json.loads((work / "out" / "run.json").read_text())
    assert facts["study"] == "valnorm"
    assert facts["command"][:3] == ["wordworth", "run", "valnorm"]
    assert facts["seed"] == 7
    assert facts["named"] == ["mine.txt"]
    assert facts["settings"]["lexica"] == ["bellezza"]
    assert facts["settings"]["resamples"] == 20
    assert facts["skipped"] == {"not in vocabulary": 1}
    assert {"python", "wordworth", "numpy", "scipy"} <= facts["versions"].keys()
    assert [len(model["sha256"]) for model in facts["models"]] == [64]
    assert {entry["name"] for entry in facts["data"]} == {"bellezza", "polar words, english", "weat1"}
    assert all(len(entry["sha256"]) == 64 for entry in facts["data"])
    items = pl.read_parquet(work / "out" / "items" / "rated_words.parquet")
    assert items.filter(pl.col("skipped").is_not_null())["word"].to_list() == ["adorable"]


def name_of(score: dict[str, str | None]) -> tuple[str | None, ...]:
    return tuple(score[name] or None for name in ("measure", "variant", "control"))


def test_a_folder_of_its_own(command: Command, work: Path) -> None:
    first, second = command(*WEAT), command(*WEAT)
    folders = [answer.out.splitlines()[-1] for answer in (first, second)]
    assert all(folder.startswith("runs/weat-2") for folder in folders)
    assert len(set(folders)) == 2
    assert all((work / folder / "run.json").is_file() for folder in folders)


def test_json_is_all_that_is_on_stdout(command: Command, work: Path) -> None:
    answer = command(*VALNORM, "--json", "-o", "out")
    facts = json.loads(answer.out)
    assert facts["folder"] == "out"
    assert facts["skipped"] == {"not in vocabulary": 1}
    assert {name_of(score) for score in facts["scores"]} == VALENCE
    assert list(facts["scores"][0]) == list(SCORES)
    assert answer.err == ""


def test_options_from_a_file(command: Command, work: Path) -> None:
    (work / "c.toml").write_text('models = "mine.txt"\ntest = "weat8"\nseed = 5\nsides = "two"\noutput = "out"\n')
    answer = command("run", "weat", "--config", "c.toml", "--json")
    assert answer.code == 0, answer.err
    assert [score["dataset"] for score in json.loads(answer.out)["scores"]] == ["weat8"]
    facts = json.loads((work / "out" / "run.json").read_text())
    assert (facts["seed"], facts["settings"]["sides"], facts["settings"]["tests"]) == (5, "two", ["weat8"])
    # The command line wins.
    answer = command("run", "weat", "--config", "c.toml", "--seed", "6", "--test", "weat1", "-o", "other", "--json")
    facts = json.loads((work / "other" / "run.json").read_text())
    assert (facts["seed"], facts["settings"]["sides"], facts["settings"]["tests"]) == (6, "two", ["weat1"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sede = 1", "c.toml: there is no option 'sede'; did you mean seed"),
        ("seed = [1, 2]", "c.toml: seed takes one value, not [1, 2]"),
        ("test = { a = 1 }", "c.toml: test takes one value"),
        ("seed = ", "c.toml is not TOML"),
    ],
)
def test_a_bad_options_file(command: Command, work: Path, text: str, message: str) -> None:
    (work / "c.toml").write_text(text)
    answer = command(*WEAT, "--config", "c.toml")
    assert answer.code == 2
    assert answer.err.startswith("wordworth: ")
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert not (work / "runs").exists()


def test_ls(command: Command, work: Path) -> None:
    summary = command("ls")
    assert summary.code == 0
    assert len(summary.out.splitlines()) <= 20
    for name in ("ls models", "glove-6b-50d", "bellezza", "ls tests", "weat1", "rg-65", "google"):
        assert name in summary.out
    assert "enwiki-sample" in command("ls", "corpora").out
    listed = json.loads(command("ls", "lexica", "--json").out)
    assert {one["kind"] for one in listed} == {"lexica"}
    here = {one["name"]: one["here"] for one in listed}
    assert {"bellezza", "anew", "warriner", "vader", "spanish", "chinese", "german"} <= here.keys()
    assert here["bellezza"] is True
    assert here["warriner"] is False  # neither shipped nor in an empty cache
    assert list(listed[0]) == [
        *("kind", "name", "title", "language", "licence"),
        *("count", "unit", "family", "bytes", "here"),
    ]


def names_of(command: Command, *arguments: str) -> list[str]:
    return [one["name"] for one in json.loads(command("ls", *arguments, "--json").out)]


def test_ls_filters_by_text_and_language(command: Command, work: Path) -> None:
    assert names_of(command, "tests", "gender")[:3] == ["weat6", "weat7", "weat8"]
    assert names_of(command, "heilman") == names_of(command, "tests", "heilman")
    german = names_of(command, "lexica", "--language", "de")
    assert "bellezza-german" in german
    assert (
        german
        == names_of(command, "lexica", "--language", "german")
        == ww.ls("lexica", language="de")["name"].to_list()
    )
    assert names_of(command, "models", "--language", "de") == ["use-multilingual"]  # which declares its languages
    assert "(de)" in command("ls", "lexica", "--language", "de").out
    assert "did you mean models" in command("ls", "modles").err


@pytest.mark.parametrize(
    "arguments", [(), ("--language", "de"), ("tests", "gender"), *((kind,) for kind in ENTRY_KINDS)]
)
def test_ls_fits_eighty_columns(command: Command, work: Path, arguments: tuple[str, ...]) -> None:
    assert max(map(len, command("ls", *arguments).out.splitlines())) <= 80


def test_get_checks_cached_data(command: Command, work: Path) -> None:
    answer = command("get", "bellezza", "weat1")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0].startswith("checked  bellezza  0.0 MB")
    assert len(lines) == 5  # and the four word sets of the test
    assert all(line.startswith("checked") for line in lines)


@pytest.mark.index
def test_get_and_run_a_model_of_the_index(command: Command, work: Path) -> None:
    answer = command("get", "word2vec-news-26k")
    assert answer.code == 0
    assert answer.out.split()[:4] in (
        ["fetched", "word2vec-news-26k", "32.0", "MB"],
        ["checked", "word2vec-news-26k", "32.0", "MB"],
    )
    answer = command("run", "weat", "word2vec-news-26k", "--test", "weat7", "--json", "-o", "out")
    score = json.loads(answer.out)["scores"][0]
    assert (score["n"], round(score["value"], 3)) == (15, 0.883)
    model = json.loads((work / "out" / "run.json").read_text())["models"][0]
    assert model["sha256"] == "df8407188c041cae1a2e837c23703e640d573db915f3b8647e1ef59f7caaa999"
