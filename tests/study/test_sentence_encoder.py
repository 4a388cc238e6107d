"""A sentence encoder in the studies of word vectors and of language models."""

from pathlib import Path

import pytest

from typed_runs import one, reasons, rows
from wordworth.encode import LanguageModel, load_named
from wordworth.study import study

pytestmark = pytest.mark.index
NAME = "use-multilingual"
QUICK = {"resamples": 20, "permutations": 100}


@pytest.fixture(scope="module")
def encoder() -> LanguageModel:
    return load_named(NAME, device="cpu")


def test_valnorm_on_words_alone(encoder: LanguageModel) -> None:
    """ρ of a plain script over the package's own vectors: .865."""
    found = study("valnorm")([encoder], lexica=["bellezza"], experiments=["valence", "analogy"], **QUICK)
    row = one(found.scores, experiment="valence", measure="valence")
    assert (row["context"], row["layer"], row["n"]) == (None, None, 399)
    assert row["value"] == pytest.approx(0.865, abs=0.001)
    assert found.facts_of(NAME).family == "sentence"
    assert any("no vocabulary" in reason for reason in reasons(found, "skipped"))


@pytest.mark.parametrize(
    ("language", "rho", "count"),
    [("spanish", 0.731, 1034), ("portuguese", 0.745, 1034), ("polish", 0.579, 1586), ("french", 0.540, 1031)],
)
def test_valence_in_other_languages(language: str, rho: float, count: int, encoder: LanguageModel, data: Path) -> None:
    """ρ as a plain script has it."""
    found = study("valnorm")([encoder], experiments=["valence"], lexica=[language], languages=[language], **QUICK)
    row = one(found.scores, experiment="valence", measure="valence")
    assert row["n"] == count
    assert row["value"] == pytest.approx(rho, abs=0.001)


def test_weat_and_static_take_it_as_word_vectors(encoder: LanguageModel) -> None:
    (row,) = study("weat")([NAME], tests=["weat1"], **QUICK).scores.to_dicts()
    assert row["value"] == pytest.approx(1.62, abs=0.01)
    found = study("static")([encoder], experiments=["quality"], pairs=["rg-65"], resamples=20)
    row = one(found.scores, measure="similarity", layer=None)
    assert row["n"] == 65


def test_vast_in_four_contexts_and_one_layer(encoder: LanguageModel) -> None:
    found = study("vast")([encoder], lexica=["bellezza"], experiments=["contextualization", "probes"], resamples=20)
    valence = rows(found.scores, experiment="contextualization", measure="valence")
    rho = dict(valence.select("context", "value").iter_rows())
    assert list(rho) == ["decontextualized", "bleached", "aligned", "misaligned"]
    assert set(valence["layer"]) == {0}
    assert valence["pooling"].null_count() == len(valence)
    assert rho["misaligned"] < 0 < rho["bleached"] < rho["aligned"]
    assert found.scores.filter(control="untrained", context="bleached").height > 0
    assert any(reason.startswith("probes: ") and "one vector" in reason for reason in reasons(found, "skipped"))
