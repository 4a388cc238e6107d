"""`debias` of a language model: what is saved, what is measured on each version, and how it refuses."""

import numpy as np
import polars as pl
import pytest
import torch
import transformers as hf

from made_models import llama_folder
from repair_models import networks, tokenizer
from typed_runs import items_of, value, values_by
from wordworth.repair.checkpoint import load_whole
from wordworth.repair.subwords import embed_subwords
from wordworth.study import study
from wordworth.study.debias import DEBIAS_METHODS, DEBIAS_PARTS
from wordworth.study.debias.network import TEST
from wordworth.transform import difference_direction

debias = study("debias")
APART = (("pleasant", "word"),)
"""Words that end in other letters, so that their last pieces differ."""
QUICK = {"resamples": 20, "permutations": 50}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tiny Llama of whole words; of other architectures on request."""
    made = tmp_path_factory.mktemp("models")
    fast = tokenizer()
    for name in ("llama", "bert"):
        torch.manual_seed(0)
        networks(len(fast))[name]().save_pretrained(made / name)
        fast.save_pretrained(made / name)
    (made / "one.txt").write_text("he\nman\nboy\n")
    (made / "other.txt").write_text("she\nwoman\ngirl\nqueen of hearts\n")
    (made / "nowhere.txt").write_text("gentleman\n")
    return made


@pytest.mark.parametrize("method", DEBIAS_METHODS)
def test_every_method_on_subwords(folder, method, tmp_path):
    made = debias(folder / "llama", mitigate=method, without=DEBIAS_PARTS)
    made.product.save(tmp_path / "saved")
    pieces, before = (
        embed_subwords(load_whole(one, device="cpu"), ["he", "she", "doctor"])
        for one in (tmp_path / "saved", folder / "llama")
    )
    direction = difference_direction(before, "he", "she").basis[0]
    if method == "hard-debias":  # he and she keep what is theirs, and lengths are those that the network knows
        np.testing.assert_allclose(
            np.linalg.norm(pieces.matrix, axis=1), np.linalg.norm(before.matrix, axis=1), rtol=1e-5
        )
        assert abs(pieces["doctor"] @ direction) < 1e-6
    elif method == "leace":
        np.testing.assert_allclose(pieces["he"], pieces["she"], atol=1e-6)
        np.testing.assert_allclose(pieces.matrix.mean(axis=0), before.matrix.mean(axis=0), atol=1e-6)
    else:
        assert np.abs(pieces.matrix @ direction).max() < 1e-6
    hf.AutoModelForCausalLM.from_pretrained(tmp_path / "saved")


@pytest.mark.index
def test_measured_on_every_version(tmp_path):
    """The tasks are those of word vectors, on each version."""
    model = llama_folder(tmp_path / "tiny")
    text = tmp_path / "text.txt"
    text.write_text("This is a pleasant word, and that is an unpleasant one.\n" * 8)
    asked = {"corpus": text, "words": 60, "tests": ("weat8",), "pairs": ("rg-65",), "random": 1}
    made = debias(model, **asked, directions=APART, without=("bias", "nli"), layers=(0, 1), **QUICK)
    tasks = [
        {"measure": "valence", "dataset": "bellezza", "layer": 0},
        {"measure": "weat", "dataset": "weat8", "layer": 1},
        {"measure": "similarity", "dataset": "rg-65", "layer": 1},
        {"measure": "perplexity"},
    ]
    for task in tasks:
        measured = values_by(made, "version", **task)
        assert list(measured) == ["original", "projection", "random"]
        assert measured["original"] != measured["projection"]
    # The version that is saved gives what was measured.
    made.product.save(tmp_path / "saved")
    alone = study("predict")(tmp_path / "saved", corpus=text, words=60, soft_match=("none",), resamples=20)
    assert value(alone, measure="perplexity") == pytest.approx(measured["projection"], rel=1e-4)


def test_inference_on_frozen_vectors(data, tmp_path, monkeypatch):
    from wordworth.study.debias import network as measuring

    loaded = measuring.load_nli
    few = lambda name: _first(loaded(name), 150)  # noqa: E731 - all of SICK takes minutes
    monkeypatch.setattr(measuring, "load_nli", few)
    model = llama_folder(tmp_path / "tiny")
    asked = {"directions": APART, "without": [part for part in DEBIAS_PARTS if part != "nli"]}
    made = debias(model, **asked, random=1, **QUICK)
    accuracy = values_by(made, "version", experiment="accuracy", dataset=TEST, layer=1)
    assert list(accuracy) == ["original", "projection"]
    pairs = items_of(made, "labelled_pairs", skipped=None).group_by("version", maintain_order=True)
    assert dict(pairs.agg(pl.col("is_correct").mean()).iter_rows()) == pytest.approx(accuracy)


def _first(data, count):
    from dataclasses import replace

    return replace(data, **{name: getattr(data, name)[:count] for name in ("premises", "hypotheses", "labels")})
