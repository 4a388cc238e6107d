"""The scores of units are those of a plain sort of every row, ties and tiny masses included."""

from typing import Any

import numpy as np
import pytest
import torch

from wordworth.whole_words import unit_scores
from wordworth.whole_words.unit_scores import PendingScores, UnitQuery, to_double


class Logits:
    """A reader whose rows are logits already."""

    def __init__(self, width: int) -> None:
        self.width, self.device = width, torch.device("cpu")

    def logits(self, rows: torch.Tensor) -> torch.Tensor:
        return rows.clone()


@pytest.mark.parametrize("step", [None, 0.5])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_equals_a_sort_of_every_row(step: float | None, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounded to halves, many units are equal."""
    width = 2573
    rng = np.random.default_rng(0)
    values = rng.normal(0, 2, (300, width))
    if step:
        values = np.round(values / step) * step
    values[:20, : width // 2] -= 400  # what begins a word has a mass below any float there
    rows = torch.tensor(values, dtype=torch.float32)
    begins = np.tile(np.arange(width) < width // 2, (3, 1))
    if step:
        begins = rng.random((3, width)) < 0.02
        begins[:, : width // 2] |= np.arange(width // 2) < 3
    after = rng.integers(0, 3, 300)
    own = rng.integers(-1, width, 300)
    query = UnitQuery(np.sort(rng.integers(0, 300, 900)), rng.integers(0, width, 900), rng.random(900) < 0.5)
    monkeypatch.setattr(unit_scores, "count_rows", lambda *_: 70)
    reader: Any = Logits(width)
    mask = torch.tensor(begins, dtype=torch.float32)
    found = PendingScores(reader, rows, k, mask, query, after, own).result()
    exact = rows.double().numpy()
    threshold = np.sort(exact, axis=1)[:, -k]
    among = np.where(begins[after], exact, -np.inf)
    opening = np.sort(among, axis=1)[:, -k]
    assert (found.greedy == exact.argmax(1)).all()
    assert (found.opens == among.argmax(1)).all()
    assert (found.can_end == (among.max(1) >= threshold)).all()
    asked = begins[after[query.rows], query.units] | ~query.opens
    least = np.where(query.opens, opening[query.rows], threshold[query.rows])
    assert (found.among == (exact[query.rows, query.units] >= least))[asked].all()
    given = own >= 0
    assert (found.own_among[given] == (exact[np.arange(300), own] >= threshold)[given]).all()
    begun = given & begins[after, own]
    assert (found.own_opens[begun] == (exact[np.arange(300), own] >= opening)[begun]).all()
    sums = np.log(np.exp(exact - exact.max(1, keepdims=True)).sum(1)) + exact.max(1)
    assert found.own[given] == pytest.approx((exact[np.arange(300), own] - sums)[given], rel=1e-6, abs=1e-5)
    assert np.isnan(found.own[~given]).all()
    mass = np.log(np.exp(among - among.max(1, keepdims=True)).sum(1)) + among.max(1) - sums
    assert found.begin == pytest.approx(mass, rel=1e-5, abs=1e-5)


def test_float64_is_taken_from_an_apple_gpu_which_has_none() -> None:
    class Logits:
        is_mps = True

        def cpu(self) -> torch.Tensor:
            return torch.ones(2)

    fake: Any = Logits()
    assert to_double(fake).dtype == to_double(torch.ones(2)).dtype == torch.float64
