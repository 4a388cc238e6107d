import numpy as np
import torch

from wordworth.encode.pooling import POOLINGS, pool


def test_by_hand() -> None:
    """Two words, of one and of three tokens, in two dimensions."""
    states = torch.tensor([[5.0, -1.0], [1.0, 2.0], [4.0, -3.0], [1.0, 7.0]])
    counts = torch.tensor([1, 3])
    expected = {
        "first": [[5, -1], [1, 2]],
        "last": [[5, -1], [1, 7]],
        "mean": [[5, -1], [2, 2]],
        "max": [[5, -1], [4, 7]],
        "min": [[5, -1], [1, -3]],
    }
    for pooling in POOLINGS:
        assert pool(states, counts, pooling).tolist() == expected[pooling]


def test_all_layers_at_once_equal_a_loop() -> None:
    source = np.random.default_rng(0)
    counts = source.integers(1, 6, 50)
    states = source.normal(size=(4, counts.sum(), 7)).astype(np.float32)
    pieces = np.split(states, np.cumsum(counts)[:-1], axis=1)
    slow = {"mean": np.mean, "max": np.max, "min": np.min}
    for pooling in POOLINGS:
        pooled = pool(torch.from_numpy(states), torch.from_numpy(counts), pooling).numpy()
        if pooling in slow:
            expected = np.stack([slow[pooling](piece, axis=1) for piece in pieces], axis=1)
        else:
            expected = np.stack([piece[:, 0 if pooling == "first" else -1] for piece in pieces], axis=1)
        np.testing.assert_allclose(pooled, expected, rtol=1e-6, atol=1e-6)
