"""`--layers`: the numbers of some layers are those of a run of all; the best and the top are of these; it is said."""

from pathlib import Path

import polars as pl
import pytest
import torch
import transformers as hf
from polars.testing import assert_frame_equal

from wordworth.encode import LanguageModel, wrap
from wordworth.results.run import Run
from wordworth.study import study

SIZES = {"hidden_size": 16, "num_hidden_layers": 6, "num_attention_heads": 2, "max_position_embeddings": 64}
WORDS = ["cat", "dog", "sun", "moon", "river", "storm", "love", "joy"]
KEYS = [
    *("experiment", "model", "language", "dataset", "subset", "context", "sentences", "control", "pooling"),
    *("layer", "components", "measure", "variant", "value", "low", "high", "p", "n"),
]

SAME = {"abs_tol": 1e-12, "rel_tol": 0}
"""Vectors are the same to the bit, and measures of them but for the order in which they are added up."""


@pytest.fixture
def deep(tiny: LanguageModel) -> LanguageModel:
    """Six layers, whose weights are large enough for the layers to differ."""
    torch.manual_seed(0)
    built = hf.LlamaModel(hf.LlamaConfig(vocab_size=len(tiny.tokenizer), intermediate_size=32, **SIZES))
    with torch.no_grad():
        for name, weight in built.named_parameters():
            if weight.dim() > 1 and "norm" not in name:
                weight.normal_(0, 0.25)
    return wrap(built, tiny.tokenizer, name="llama", source="memory")


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    lines = [f"In chapter {n} the {WORDS[n % 8]} and the {WORDS[(3 * n + 1) % 8]} stood there." for n in range(40)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _kept_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a run of all layers leaves in the cache must not serve the other."""
    monkeypatch.setenv("WORDWORTH_CACHE", str(tmp_path / "cache"))


def apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WORDWORTH_CACHE", str(tmp_path / "other"))


def in_layers(run: Run, layers: tuple[int, ...], measure: str) -> pl.DataFrame:
    """Return the scores that do not depend on which layers are measured."""
    is_whole = pl.col("variant").is_in(["held-out", "best"]).fill_null(False)
    return run.scores.filter(pl.col("layer").is_in(layers), ~is_whole, measure=measure).select(KEYS)


def test_vast(deep: LanguageModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    vast, few = study("vast"), (0, 3)
    asked = {"lexica": ["bellezza"], "experiments": ["contextualization", "bias"], "contexts": ["bleached", "aligned"]}
    asked |= {"tests": ["weat1"], "components": 2, "component_words": "scored", "resamples": 20}
    asked |= {"permutations": 200, "corpus": "none"}
    every = vast([deep], **asked)
    apart(monkeypatch, tmp_path)
    some = vast([deep], **asked, layers=(3, 0))
    expected = in_layers(every, few, "valence")
    assert set(expected["variant"]) == {None, "spearman", "above-control"}
    assert set(expected["control"]) == {None, "untrained", "shuffled", "poles-out"}
    assert_frame_equal(in_layers(some, few, "valence"), expected, **SAME)
    raw = pl.col("components").is_null()
    assert_frame_equal(in_layers(some, few, "weat").filter(raw), in_layers(every, few, "weat").filter(raw), **SAME)
    assert set(some.scores["layer"].drop_nulls()) == set(few)
    assert "Not all layers" not in every.method
    assert "Not all layers of a language model were measured but 3 and 0" in some.method
    assert some.settings["layers"] == [3, 0]


def test_the_best_and_the_top_layer_of_vast_are_of_these(deep: LanguageModel) -> None:
    vast = study("vast")
    asked = {"lexica": ["bellezza"], "contexts": ["bleached"], "components": 1, "resamples": 20, "corpus": "none"}
    asked |= {"controls": ["none"], "component_words": "scored"}
    found = vast([deep], experiments=["contextualization", "isolation"], layers=(1, 2, 4), **asked).scores
    curve = found.filter(pl.col("variant").is_null(), experiment="contextualization", measure="valence")
    best = curve.sort("value")["layer"][-1]
    isolated = found.filter(pl.col("variant").is_null(), experiment="isolation", measure="valence")
    assert set(isolated["layer"]) == {best, 4}
    raw = isolated.filter(pl.col("components").is_null(), pl.col("layer") == 4)["value"].item()
    assert raw == pytest.approx(curve.filter(pl.col("layer") == 4)["value"].item(), abs=1e-12)


def test_static(deep: LanguageModel, text: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    static = study("static")
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("\n".join(f"{WORDS[n]}\t{WORDS[(n + 3) % 8]}\t{n}" for n in range(8)), encoding="utf-8")
    asked = {"corpus": [text], "pairs": [pairs], "experiments": ["quality", "bias", "agreement"], "per_word": 2}
    every = static([deep], **asked, resamples=20)
    apart(monkeypatch, tmp_path)
    some = static([deep], **asked, resamples=20, layers=[1, 4])
    for measure in ("similarity", "manzini", "garg-cosine"):
        expected = in_layers(every, (1, 4), measure)
        assert len(expected)
        assert_frame_equal(in_layers(some, (1, 4), measure), expected, abs_tol=1e-6, rel_tol=0)
    best = some.scores.filter(measure="similarity", variant="best")
    assert set(best["layer"]) <= {1, 4}
    assert some.scores.filter(pl.col("experiment") == "agreement").is_empty()
    assert any("too few to rank" in notice.reason and notice.count == 2 for notice in some.notices)
