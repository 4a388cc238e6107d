"""The functions of `import wordworth as ww`, on the embedded models; and that importing it costs nothing."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import wordworth as ww


def test_static_work_needs_no_torch() -> None:
    code = "import sys, wordworth.study.debias, wordworth.study.audit, wordworth.cli; print('torch' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "False"


@pytest.mark.index
def test_the_example_of_the_design(tmp_path: Path) -> None:
    glove, lm, nli = ww.load("glove-6b-50d"), ww.load("smollm2-135m"), ww.load("nli-glove")
    assert glove["tea"].shape == (50,)
    assert glove.most_similar("tea")[0][0] == "coffee"
    assert ww.weat(glove, "weat6").scores["value"].item() == pytest.approx(1.7078, abs=1e-4)
    assert ww.sc_weat(glove, "spider").effect < ww.sc_weat(glove, "rainbow").effect
    vector = lm.vectors("bank", "He sat on the bank .", layer=13)
    assert vector.shape == (576,)
    np.testing.assert_allclose(vector, lm.vectors("bank", "He sat on the bank .")[13], rtol=1e-5)
    assert not np.allclose(vector, lm.vectors("bank", "He went to the bank .", layer=13))
    layers = lm.layers(["tea", "war"], context="bleached")
    assert layers.at(13).words == ("tea", "war")
    words = lm.complete("The capital of France is", k=5)
    assert words[0].word.startswith("Paris")
    assert 1 >= sum(word.probability for word in words) > 0.5
    surprisal = lm.surprisal("The old man the boat .")
    assert surprisal["word"].to_list() == ["The", "old", "man", "the", "boat", "."]
    assert surprisal["surprisal"][1:].min() > 0
    inference = nli.infer("The nurse ate a bagel.", "The woman ate a bagel.")
    assert sum(inference) == pytest.approx(1)
    chosen = {"experiments": ["contextualization"], "contexts": ["bleached"], "resamples": 10}
    found = ww.vast(["smollm2-135m"], lexica=["bellezza"], **chosen)
    is_plain = pl.col("variant").is_null() & pl.col("control").is_null() & pl.col("components").is_null()
    assert found.scores.filter(is_plain, measure="valence", layer=13)["value"].item() == pytest.approx(0.863, abs=0.001)
    run = found.save(tmp_path / "mine")
    assert ww.report(run).read_text(encoding="utf-8").startswith("<!doctype html>")
    assert ww.read(tmp_path / "mine").scores.equals(run.scores)


def test_only_a_study_s_main_setting_needs_no_name() -> None:
    with pytest.raises(ww.WordworthError, match="static takes its settings only by name"):
        ww.static("glove-6b-50d", "rg-65")
