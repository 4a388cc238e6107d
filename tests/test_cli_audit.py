"""`wordworth audit` as a user meets it, also interrupted; and what every command checks before it loads anything."""

import json
import os
import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from commands import Command
from made_vectors import write_vectors
from typed_runs import rows
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.read.word_sets import load_test, load_word_set, polar_words
from wordworth.catalog.resolve import Origin, resolve
from wordworth.errors import WordworthError
from wordworth.results.run import Run, read_run
from wordworth.study import STUDIES as STUDY_NAMES
from wordworth.study import study
from wordworth.study.audit import audit_settings, plan_audit, reductions_of
from wordworth.study.valnorm import ValnormSettings
from wordworth.study.vast import VastSettings
from wordworth.study.weat.study import measure as measure_weat


@pytest.fixture
def work(work_folder: Path) -> Path:
    """A folder to work in, with two embeddings of the words that a quick audit looks for."""
    polar = polar_words()
    words = [*polar.pleasant, *polar.unpleasant, *load_lexicon("bellezza").words]
    words += [word for number in range(1, 11) for group in load_test(f"weat{number}").groups for word in group]
    for name in ("rg-65", "ws-353", "simlex-999", "men"):
        words += [*load_pairs(name).first, *load_pairs(name).second]
    for name in ("male", "female", "white", "hispanic", "asian", "christian", "islam", "professions", "adjectives"):
        words += load_word_set(f"bommasani-{name}").words
    words += [word for pair in load_word_set("bommasani-gender_pairs").pairs for word in pair]
    for seed, name in enumerate(("mine", "other")):
        write_vectors(work_folder / f"{name}.txt", words, seed=seed)
        os.utime(work_folder / f"{name}.txt", (1_000_000_000, 1_000_000_000))
    return work_folder


STUDIES = {"valnorm", "weat", "static"}


def runs_written(folder: Path) -> dict[str, int]:
    return {path.parent.name: path.stat().st_mtime_ns for path in folder.glob("*/run.json")}


def test_an_audit_and_the_same_again(command: Command, work: Path) -> None:
    folder = work / "runs" / "audit-mine.txt-quick"
    first = command("audit", "mine.txt", "--quick")
    assert first.code == 0, first.err
    assert {path.name for path in folder.iterdir()} == {*STUDIES, "report.html", "audit.json"}
    lines = first.out.splitlines()
    assert lines[0] == lines[-1] == str(folder.relative_to(work) / "report.html")
    assert "mine" in lines
    assert any(line.startswith("Valence") for line in lines)
    written = runs_written(folder)

    def audit_again(*options: str) -> set[str]:
        """Return the studies that were run."""
        before = runs_written(folder)
        answer = command("audit", "mine.txt", "--quick", *options)
        assert answer.code == 0, answer.err
        return {name for name, time in runs_written(folder).items() if before.get(name) != time}

    os.utime(work / "mine.txt")  # touched, and the same
    assert audit_again() == set()
    assert runs_written(folder) == written
    shutil.rmtree(folder / "weat")  # an interrupted audit continues
    assert audit_again() == {"weat"}
    # Another seed, or a model of other content, is another run: replaced only on request.
    other = command("audit", "mine.txt", "--quick", "--seed", "1")
    assert (other.code, "its seed was 0 and is now 1" in other.err) == (2, True)
    shutil.copyfile(work / "other.txt", work / "mine.txt")
    changed = command("audit", "mine.txt", "--quick")
    assert (changed.code, "mine.txt has changed since" in changed.err) == (2, True)
    assert audit_again("--overwrite") == STUDIES


def replace_weat(monkeypatch: pytest.MonkeyPatch, measure: Callable[..., Any]) -> None:
    monkeypatch.setattr("wordworth.study.weat.study.measure", measure)


def test_a_model_changed_while_measured_fails(command: Command, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def write_and_measure(*given: Any) -> Any:
        shutil.copyfile(work / "other.txt", work / "mine.txt")
        return measure_weat(*given)

    replace_weat(monkeypatch, write_and_measure)
    answer = command("audit", "mine.txt", "--quick", "-o", "audit")
    assert answer.code == 1
    assert set(runs_written(work / "audit")) == {"valnorm"}
    assert "weat: mine.txt changed while it was measured" in " ".join(answer.err.split())


def test_a_study_that_fails_leaves_the_others(command: Command, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise WordworthError("the words are gone")

    with monkeypatch.context() as patch:
        replace_weat(patch, fail)
        answer = command("audit", "mine.txt", "--quick", "-o", "audit")
    assert answer.code == 1
    assert "words are gone" in answer.err
    page = work / "audit" / "report.html"
    assert "words are gone" in page.read_text(encoding="utf-8")
    assert command("audit", "mine.txt", "--quick", "-o", "audit").code == 0
    assert "words are gone" not in page.read_text(encoding="utf-8")


def test_an_interrupted_audit_continues(command: Command, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The studies that are done are kept, and the same command continues after them."""
    ran: list[str] = []

    def interrupt_second(self: Any, *given: Any) -> Run:
        ran.append(self.name)
        if len(ran) == 2:
            raise KeyboardInterrupt
        return run(self, *given)

    declared = type(study("weat"))
    run = declared.run_on
    monkeypatch.setattr(declared, "run_on", interrupt_second)
    answer = command("audit", "mine.txt", "--quick", "-o", "audit")
    assert answer.code == 130
    assert answer.err.splitlines()[-1].startswith("Interrupted. ")
    done = sum((work / "audit" / name / "run.json").exists() for name in STUDY_NAMES)
    assert command("audit", "mine.txt", "--quick", "-o", "audit").code in (0, 1)
    assert len(ran) == 3 + 1 - done + 1


def resolve_models(models: list[str]) -> list[Origin]:
    return [resolve(model) for model in models]


def test_studies_by_kind_of_model() -> None:
    planned, skipped = plan_audit(resolve_models(["smollm2-135m", "glove-6b-50d", "minilm-l6", "nli-glove"]))
    assert {one.study.name: tuple(one.model_names) for one in planned} == {
        "valnorm": ("glove-6b-50d",),
        "weat": ("glove-6b-50d",),
        "vast": ("smollm2-135m", "minilm-l6"),
        "static": ("smollm2-135m", "glove-6b-50d", "minilm-l6"),
        "predict": ("smollm2-135m",),
        "infer": ("nli-glove",),
    }
    assert skipped == []
    # A full audit says what it reduces, where it does.
    assert [notice.study for notice in reductions_of(planned)] == ["static", "infer"]
    assert reductions_of(plan_audit(resolve_models(["glove-6b-50d"]))[0]) == []


def test_studies_by_language() -> None:
    planned, skipped = plan_audit(resolve_models(["word2vec-zh-126k", "glove-6b-50d"]))
    assert {one.folder_name: tuple(one.model_names) for one in planned} == {
        "valnorm": ("word2vec-zh-126k", "glove-6b-50d"),
        "weat": ("glove-6b-50d",),
        "static": ("glove-6b-50d",),
    }
    places = [(notice.kind, notice.study, notice.model) for notice in skipped]
    assert places == [("skipped", "weat", "word2vec-zh-126k"), ("skipped", "static", "word2vec-zh-126k")]
    # What a quick audit names is English: a model of another language takes what there is in it.
    quick = audit_settings(planned[0], quick=True, shared={"seed": 3, "device": "cpu"})
    assert isinstance(quick, ValnormSettings)
    assert (quick.lexica, quick.pairs, quick.seed) == (("bellezza",), (), 3)  # there is bellezza-chinese
    with pytest.raises(WordworthError, match=r"no study of the audit applies to albert-kor .* korean"):
        plan_audit(resolve_models(["albert-kor"]))
    # Next to a model that something applies to, it is skipped with a notice.
    planned, skipped = plan_audit(resolve_models(["albert-kor", "minilm-l6"]))
    assert {tuple(one.model_names) for one in planned} == {("minilm-l6",)}
    assert [(notice.study, notice.model) for notice in skipped] == [("vast", "albert-kor"), ("static", "albert-kor")]


def test_a_language_on_request(tmp_path: Path, word_model_folder: Callable[..., Path]) -> None:
    model = str(word_model_folder(tmp_path / "mine", "masked"))
    planned, skipped = plan_audit(resolve_models([model, "minilm-l6"]), language="polish")
    assert [(one.folder_name, one.model_names) for one in planned] == [("vast-polish", [model, "minilm-l6"])]
    assert len(skipped) == 2
    settings = audit_settings(planned[0], quick=True, shared={}, language="polish")
    assert isinstance(settings, VastSettings)
    assert (settings.language, settings.corpus, settings.lexica) == ("polish", "none", ("bellezza-polish",))
    in_german, _ = plan_audit(resolve_models(["glove-6b-50d"]), language="german")
    (vectors,) = [one for one in in_german if one.study.name == "weat"]
    german = audit_settings(vectors, quick=True, shared={}, language="german")
    assert german.as_table()["languages"] == ["german"]


@pytest.mark.index
@pytest.mark.parametrize("quick", [("--quick",), ()], ids=["quick", "whole"])
def test_chinese_vectors(command: Command, data: Path, tmp_path: Path, quick: tuple[str, ...]) -> None:
    answer = command("audit", "word2vec-zh-126k", *quick, "--json", "-o", tmp_path / "audit")
    assert answer.code == 0, answer.err
    assert set(runs_written(tmp_path / "audit")) == {"valnorm"}
    assert len([notice for notice in json.loads(answer.out)["notices"] if notice["kind"] == "skipped"]) == 2
    scores = read_run(tmp_path / "audit" / "valnorm").scores
    tests = rows(scores, measure="weat")
    assert tests["dataset"].to_list() == ["weat1", "weat2", "weat8"]
    assert tests["cautions"].list.contains("machine-translated").all()
    valence = rows(scores, measure="valence", dataset="bellezza-chinese").row(0, named=True)
    assert round(valence["value"], 2) == 0.79  # as docs/valnorm.md has it
    assert valence["n"] == 229


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, where it is an error to load anything."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)

    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("something was loaded")

    for module, name in (
        ("encode.loading", "load_files"),
        ("whole_words.model", "load_files"),
        ("encode.heads", "load_files"),
        ("embedding.reading", "load"),
        ("catalog.fetch.sources", "locate"),
        ("study.predict.study", "load_corpus"),
    ):
        monkeypatch.setattr(import_module(f"wordworth.{module}"), name, fail)
    return tmp_path


REFUSALS = [
    (("run", "vast", "minilm-l6", "--lexicon", "belleza"), "'belleza' is not in the lexica of the catalog; did you"),
    (("run", "vast", "minilm-l6", "--test", "broken.toml"), "broken.toml is not TOML"),
    (("run", "vast", "minilm-l6", "--corpus", "enwiki-sampel"), "is not in the corpora of the catalog; did you"),
    (("run", "vast", "./none"), "there is no file ./none; give the path of a model, or a name"),
    (("run", "vast", "glove-6b-50d"), "is a static embedding, and vast takes causal language models"),
    (("run", "predict", "minilm-l6"), "without a head for words, and predict takes causal language models"),
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


@pytest.mark.parametrize(("arguments", "message"), REFUSALS, ids=[" ".join(arguments) for arguments, _ in REFUSALS])
def test_cheap_checks_come_first(command: Command, folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "broken.toml").write_text("= no", encoding="utf-8")
    (folder / "words.txt").write_text("tea\nice cream\n", encoding="utf-8")
    answer = command(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert not (folder / "runs").exists()


# While it loads.
