"""By simulation: picking a best layer favours nobody, as it would if it were picked on the items compared."""

import numpy as np
import polars as pl
import pytest

from wordworth.measure import find_measure
from wordworth.paired.items import Question, match
from wordworth.statistics.correlation import williams

WORDS, LAYERS, COUNT = 120, 24, 800


def frame(values: np.ndarray, ratings: np.ndarray) -> pl.DataFrame:
    """Layers × words as items."""
    layers = len(values)
    columns = {
        "word": [f"w{word}" for word in range(WORDS)] * layers,
        "layer": np.repeat(np.arange(layers), WORDS),
        "value": values.ravel(),
        "rating": np.tile(ratings, layers),
    }
    return pl.DataFrame(columns).with_columns(occurrence=0, pooling=pl.lit(None, dtype=pl.String))


def test_the_best_of_many_layers_is_no_better() -> None:
    """All layers of both models are equally good; one model has 24 of them and the other 3."""
    rng = np.random.default_rng(0)
    ratings = rng.normal(size=WORDS)
    chances, honest, naive = [], [], []
    for _ in range(COUNT):
        models = [0.6 * ratings + 0.8 * rng.normal(size=(layers, WORDS)) for layers in (LAYERS, 3)]
        question = Question({}, find_measure("valence"), *(frame(values, ratings) for values in models))
        found = match(question, None, None, "best", seed=0).frame
        r = np.corrcoef(found.select("value", "value_second", "rating").to_numpy().T)
        chances.append(float(williams(r[0, 2], r[1, 2], r[0, 1], len(found))[1]))
        honest.append(r[0, 2] - r[1, 2])
        by_layer = [np.corrcoef(np.vstack([m, ratings]))[-1, :-1] for m in models]
        naive.append(by_layer[0].max() - by_layer[1].max())
    assert np.mean(np.array(chances) < 0.05) == pytest.approx(0.05, abs=0.015)
    assert abs(np.mean(honest)) < 0.01
    assert np.mean(naive) > 0.05  # what picking on the same items gives to the model of more layers
