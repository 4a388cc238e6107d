"""How a command begins, ends and is interrupted: what is checked first, what it means, what is kept."""

import io
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from commands import Command
from made_vectors import write_vectors
from wordworth import progress
from wordworth.catalog.read.word_sets import load_test
from wordworth.cli.commands import interrupt_message
from wordworth.results.run import Run
from wordworth.study import STUDIES, study


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with an embedding of the words of WEAT in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)
    words = [word for number in range(1, 11) for group in load_test(f"weat{number}").groups for word in group]
    write_vectors(tmp_path / "mine.txt", words)
    return tmp_path


# How a run ends.


def test_a_run_ends_in_its_folder_and_in_how_to_make_the_page(command: Command, work: Path) -> None:
    answer = command("run", "weat", "mine.txt", "-o", "my run")
    assert answer.code == 0
    assert answer.out.splitlines()[-1] == "my run"
    assert answer.err.splitlines()[-1] == "`wordworth report 'my run'` makes the page."


# How it is interrupted.


def test_what_is_kept_of_interrupted_work(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), interrupt_message():
        raise KeyboardInterrupt
    assert capsys.readouterr().err == "Interrupted. The same command continues from what is in the cache.\n"


def test_an_audit_that_is_interrupted(command: Command, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The studies that are done are kept, and the same command continues after them."""
    ran = []

    def interrupted(self: Any, *given: Any) -> Run:
        ran.append(self.name)
        if len(ran) == 2:
            raise KeyboardInterrupt
        return run(self, *given)

    declared = type(study("weat"))
    run = declared.run_on
    monkeypatch.setattr(declared, "run_on", interrupted)
    answer = command("audit", "mine.txt", "--quick", "-o", "audit")
    assert answer.code == 130
    assert answer.err.splitlines()[-1].startswith("Interrupted. ")
    done = sum((work / "audit" / name / "run.json").exists() for name in STUDIES)
    assert command("audit", "mine.txt", "--quick", "-o", "audit").code in (0, 1)
    assert len(ran) == 3 + 1 - done + 1


# What is checked first.


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be loaded."""

    def loads(*_: Any, **__: Any) -> None:
        raise AssertionError("something was loaded")

    for module, name in (
        ("encode.loading", "load_files"),
        ("whole_words.model", "load_files"),
        ("encode.heads", "load_files"),
        ("embedding.reading", "load"),
        ("catalog.fetch.sources", "locate"),
        ("study.predict.study", "load_corpus"),
    ):
        monkeypatch.setattr(import_module(f"wordworth.{module}"), name, loads)


FIRST = [
    (("run", "vast", "minilm-l6", "--lexicon", "belleza"), "'belleza' is not in the lexica of the catalog; did you"),
    (("run", "vast", "minilm-l6", "--test", "broken.toml"), "broken.toml is not TOML"),
    (("run", "vast", "minilm-l6", "--corpus", "enwiki-sampel"), "is not in the corpora of the catalog; did you"),
    (("run", "vast", "./none"), "there is no file ./none; give the path of a model, or a name"),
    (
        ("run", "vast", "glove-6b-50d"),
        "glove-6b-50d is a static embedding, and vast takes causal language models, masked",
    ),
    (
        ("run", "predict", "minilm-l6"),
        "minilm-l6 is a language model without a head for words, and predict takes causal language models",
    ),
    (("run", "predict", "smollm2-135m", "--soft-match", "minilm-l6"), "for words, and --soft-match takes static embe"),
    (("run", "valnorm", "glvoe"), "'glvoe' is not in the models of the catalog"),
    (("run", "valnorm", "glove-6b-50d", "--lexicon", "my.csv"), "there is no file my.csv"),
    (("run", "static", "minilm-l6", "--pairs", "rg65"), "'rg65' is not in the pairs of the catalog"),
    (("run", "vast", "minilm-l6", "--layers", "first"), "--layers is 'first'"),
    (("run", "infer", "nli-glove", "--accuracy", "none.tsv"), "there is no file none.tsv"),
    (("export", "minilm-l6", "--vocabulary", "words.txt", "-o", "out.vec"), "the word 'ice cream' has a space"),
    (("export", "minilm-l6", "--vocabulary", "words.txt", "-o", "words.txt/out.npz"), "words.txt is a file, not a fol"),
    (("train-nli", "--data", "none.csv", "-o", "nli"), "there is no file none.csv"),
    (("train-nli", "--data", "snli-dev", "-o", "broken.toml/nli"), "broken.toml is a file, not a folder"),
]


@pytest.mark.usefixtures("unloaded")
@pytest.mark.parametrize(("arguments", "message"), FIRST, ids=[" ".join(arguments) for arguments, _ in FIRST])
def test_cheap_checks_come_first(command: Command, work: Path, arguments: tuple[str, ...], message: str) -> None:
    (work / "broken.toml").write_text("= no", encoding="utf-8")
    (work / "words.txt").write_text("tea\nice cream\n", encoding="utf-8")
    answer = command(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert not (work / "runs").exists()


def test_blocks_of_resamples_do_not_change_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    from wordworth.statistics import effect_size

    cosines = np.random.default_rng(0).normal(size=(3, 12, 10))
    whole = effect_size.weat_interval(cosines, 6, 5, resamples=2_500)
    monkeypatch.setattr(effect_size, "RESAMPLES", 7)
    monkeypatch.setattr(effect_size, "BLOCK_NUMBERS", 1)
    np.testing.assert_allclose(effect_size.weat_interval(cosines, 6, 5, resamples=2_500), whole, rtol=1e-12)


# While it loads.


@pytest.mark.parametrize(("terminal", "patience"), [(True, 0.05), (False, 0.05), (True, 5.0)])
def test_progress_is_shown_on_a_terminal(terminal: bool, patience: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is shown for what is quick, or in a pipe."""
    written = io.StringIO()
    monkeypatch.setattr(progress, "Console", lambda **_: Console(file=written, force_terminal=terminal, width=80))
    monkeypatch.setattr(progress, "PATIENCE", patience)
    with progress.waiting("loading tiny"):
        time.sleep(0.2)
    with progress.progress("resampling", 3) as advance:
        for _ in range(3):
            time.sleep(0.1)
            advance(1)
    is_shown = terminal and patience < 1
    assert ("loading tiny …" in written.getvalue(), "resampling" in written.getvalue()) == (is_shown, is_shown)
    assert progress._bars == []
