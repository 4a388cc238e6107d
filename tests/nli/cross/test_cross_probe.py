"""A probe on a cross-encoder: the study's settings are the model with a subspace of its subwords taken out."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from made_nli import PROBE
from wordworth.errors import WordworthError
from wordworth.nli.cross_encoder import CrossEncoder
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import load_probe
from wordworth.repair.subwords import embed_words
from wordworth.study import study
from wordworth.transform import difference_direction

infer = study("infer")


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(PROBE, encoding="utf-8")
    return path


def _slow(model: CrossEncoder, pairs: PairSet) -> np.ndarray:
    """P(neutral) one pair at a time."""
    both = [pairs.pair(index)[:2] for index in range(len(pairs))]
    return np.array([model.probabilities(list(one), np.array([[0, 1]]))[0, 1] for one in both])


def test_versions_of_a_cross_encoder(bert: CrossEncoder, probe: Path) -> None:
    findings = infer([bert], probes=[probe], random=2, resamples=20)
    plain = pl.col("variant").is_null() & pl.col("control").is_null()
    net = findings.scores.filter(plain, pl.col("measure") == "net-neutral")
    found = {(row["version"], row["draw"]): row["value"] for row in net.iter_rows(named=True)}
    assert list(found) == [("original", None), ("projection", None), ("random", 1), ("random", 2), ("random", None)]
    pairs = PairSet.of(load_probe(probe))
    direction = difference_direction(embed_words(bert.head_model, ["he", "she"]), "he", "she")
    assert found["original", None] == pytest.approx(_slow(bert, pairs).mean(), abs=1e-6)
    assert found["projection", None] == pytest.approx(_slow(bert.without(direction), pairs).mean(), abs=1e-6)
    assert len({round(value, 6) for value in found.values()}) == 5


def test_refusals_for_cross_encoders(bert: CrossEncoder, probe: Path) -> None:
    with pytest.raises(WordworthError, match="hard-debias changes a file of word vectors"):
        infer([bert], probes=[probe], mitigate=["hard-debias"])
    probe.write_text(PROBE.replace('"she"', '"grandmotherly"'))
    with pytest.raises(WordworthError, match="has no word 'grandmotherly'"):
        infer([bert], probes=[probe])
