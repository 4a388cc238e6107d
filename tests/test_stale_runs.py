"""A resumed `audit` runs again where anything that a run was made of has changed, and only there."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from made_models import llama_folder
from wordworth.catalog.fetch.sources import LocalData
from wordworth.catalog.registry import entry
from wordworth.study import study
from wordworth.study.names import resolve_inputs
from wordworth.study.weat import WeatSettings


@pytest.fixture
def work(work_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, which is the user's home as well."""
    monkeypatch.setenv("HOME", str(work_folder))
    return work_folder


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("valnorm", "lexica"), ("weat", "tests"), ("vast", "lexica"), ("vast", "tests"), ("vast", "pairs"),
        ("vast", "corpus"), ("vast", "templates"), ("predict", "corpus"), ("predict", "frequencies"),
        ("predict", "fine_tune"), ("predict", "soft_match"), ("infer", "probes"), ("infer", "accuracy"),
        ("infer", "against"), ("debias", "bias_words"), ("debias", "bias_pairs"), ("debias", "nli"),
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


def test_the_array_next_to_a_kv_counts(work: Path) -> None:
    """As gensim writes vectors where they are large: the matrix is in a file of its own."""
    keyed = pytest.importorskip("gensim").models.KeyedVectors(4)
    keyed.add_vectors(["tea", "war"], np.eye(2, 4))
    keyed.save("own.kv", separately=["vectors"])
    before = resolve_inputs(["own.kv"], WeatSettings()).fingerprints()
    np.save("own.kv.vectors.npy", np.ones((2, 4)))
    assert resolve_inputs(["own.kv"], WeatSettings()).fingerprints() != before


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
