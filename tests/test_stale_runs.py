"""A resumed `audit` runs again where anything that a run was made of has changed, and only there."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from made_models import llama_folder
from wordworth.catalog.fetch.sources import LocalData
from wordworth.catalog.read.word_sets import polar_words
from wordworth.catalog.registry import entry
from wordworth.results.run import read_finished
from wordworth.study import study
from wordworth.study.names import resolve_inputs
from wordworth.study.weat import WeatSettings

Edit = Callable[[], object]
WORDS = list("abcdefghij")
SETS = {"x": "a b c", "y": "d e f", "a": "g h", "b": "i j"}
POLAR = polar_words()


def vectors(words: list[str], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(len(words), 4)).astype(np.float32)


def text_file(path: Path, words: list[str], seed: int = 0) -> Path:
    rows = vectors(words, seed).tolist()
    path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, rows, strict=True)))
    return path


def keyed_vectors(path: Path) -> Path:
    """As gensim writes them where they are large: the matrix is in a file of its own."""
    from gensim.models import KeyedVectors

    made = KeyedVectors(4)
    made.add_vectors(WORDS, vectors(WORDS))
    made.save(str(path), separately=["vectors"])
    assert path.with_name(f"{path.name}.vectors.npy").is_file()
    return path


def write_test(path: Path, x: str = SETS["x"]) -> None:
    words_of = {name: json.dumps(some.split()) for name, some in (SETS | {"x": x}).items()}
    lines = "\n".join(f'{name} = {{ label = "{name}", words = {some} }}' for name, some in words_of.items())
    path.write_text(f"[test]\nname = 'mine'\n{lines}\n")


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, which is the user's home as well."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    return folder


Case = tuple[str, str, dict[str, str], Edit]
"""A model, a study and its settings; and what changes a file that it reads."""


def was_there(model: str, name: str, chosen: dict[str, str]) -> bool:
    """Run the study unless its run is there; return whether it was."""
    folder, settings = Path("runs/one"), study(name).settings.of(name, {"resamples": 5, **chosen})
    inputs = resolve_inputs([model], settings)
    before = inputs.fingerprints()
    if read_finished(folder, [model], settings.as_table(), before, overwrite=True) is not None:
        return True
    study(name).run_on(inputs, before).save(folder, overwrite=True)
    return False


def of_test(work: Path) -> Case:
    text_file(work / "v.txt", WORDS)
    write_test(work / "own.toml")
    return "v.txt", "weat", {"test": "own.toml"}, lambda: write_test(work / "own.toml", "c b a")


def of_lexicon(work: Path) -> Case:
    text_file(work / "v.txt", [*WORDS, *POLAR.pleasant, *POLAR.unpleasant])
    rows = [f"{word},{at}" for at, word in enumerate(WORDS)]
    lexicon = work / "own.csv"
    lexicon.write_text("\n".join(["word,valence", *rows]))
    return (
        "v.txt",
        "valnorm",
        {"lexicon": "own.csv"},
        lambda: lexicon.write_text("\n".join(["word,valence", *rows[:-1], "j,1"])),
    )


def of_arrays(work: Path) -> Case:
    path = keyed_vectors(work / "own.kv")
    write_test(work / "own.toml")
    return (
        "own.kv",
        "weat",
        {"test": "own.toml"},
        lambda: np.save(path.with_name("own.kv.vectors.npy"), vectors(WORDS, 1)),
    )


def of_home(work: Path) -> Case:
    text_file(work / "v.txt", WORDS)
    write_test(work / "own.toml")
    return "~/v.txt", "weat", {"test": "own.toml"}, lambda: text_file(work / "v.txt", WORDS, 1)


CASES = {
    "a test": of_test,
    "a lexicon": of_lexicon,
    "the array beside a .kv": of_arrays,
    "a file in the home folder": of_home,
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_changed_is_run_again(work: Path, case: Callable[[Path], Case]) -> None:
    *asked, edit = case(work)
    assert not was_there(*asked)
    assert was_there(*asked)
    edit()
    assert not was_there(*asked)
    assert was_there(*asked)


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("vast", "lexica"), ("vast", "tests"), ("vast", "pairs"), ("vast", "corpus"), ("vast", "templates"),
        ("predict", "corpus"), ("predict", "frequencies"), ("predict", "fine_tune"),
        ("predict", "soft_match"), ("infer", "probes"), ("infer", "accuracy"), ("infer", "against"),
        ("debias", "bias_words"), ("debias", "bias_pairs"), ("debias", "nli"),
    ],
)  # fmt: skip
def test_every_file_that_a_setting_names_counts(work: Path, name: str, setting: str) -> None:
    file = work / "own.toml"
    file.write_text("one")
    field = next(one for one in study(name).settings.fields() if one.name == setting)
    for given in ("~/own.toml", str(file), f"mine={file}"):
        file.write_text("one")
        settings = study(name).settings(**{setting: (given,) if field.many else given})
        before = resolve_inputs([], settings).fingerprints()
        file.write_text("other")
        assert resolve_inputs([], settings).fingerprints() != before


@pytest.mark.parametrize("inside", ["config.json", "tokenizer.json", "model.safetensors", "sub/x.safetensors"])
def test_every_file_of_a_model_counts(work: Path, inside: str) -> None:
    folder = llama_folder(work / "model")
    if inside.startswith("sub/"):
        (folder / "sub").mkdir()
        (folder / "model.safetensors").rename(folder / inside)
        index = {"metadata": {}, "weight_map": {"a": inside}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    settings = WeatSettings()
    before = resolve_inputs(["model"], settings).fingerprints()
    shutil.copytree(folder, work / "copy")
    assert [*resolve_inputs(["copy"], settings).fingerprints().values()] == [*before.values()], (
        "the same content elsewhere"
    )
    (work / "model" / "runs").mkdir()
    (work / "model" / "runs" / "notes.txt").write_text("no part of it")
    assert resolve_inputs(["model"], settings).fingerprints() == before
    content = bytearray((folder / inside).read_bytes())
    content[-3] ^= 1
    (folder / inside).write_bytes(content)
    assert resolve_inputs(["model"], settings).fingerprints() != before


def test_a_lexicon_of_the_catalog_counts_by_the_copy_that_is_read(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copies of Warriner's norms, in the data folder and in an archive, are not the same file."""
    from wordworth.catalog import models as module

    settings = study("valnorm").settings(lexica=("warriner",))
    sources = entry("warriner", "lexica").sources
    assert len({source.key for source in sources}) > 1
    found = []
    for source in sources:
        monkeypatch.setattr(module, "here", lambda *_, one=source: LocalData(Path(), one))
        found.append(resolve_inputs([], settings).fingerprints()["warriner"])
    assert len(set(found)) == len({source.key for source in sources})


def test_a_name_of_the_hub_counts_by_its_commit(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = work / "hub" / "models--someone--tiny"
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(work / "hub"))
    commits = ["1" * 40, "2" * 40, "3" * 40]
    for seed, commit in zip((0, 1, 0), commits, strict=True):
        llama_folder(home / "snapshots" / commit, seed=seed)
    (home / "refs").mkdir()
    found = []
    for commit in commits:
        (home / "refs" / "main").write_text(commit)
        found.append(resolve_inputs(["someone/tiny"], WeatSettings()).fingerprints())
    assert found[0] != found[1], "main moved"
    assert found[0] == found[2], "to the same content"
