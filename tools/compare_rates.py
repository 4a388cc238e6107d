"""Write into docs/compare.md how often each paired test finds a difference, between equal models (5 %) and others."""

import numpy as np
from numpy.typing import NDArray

from tools.pages import DOCS, markdown, put
from wordworth.statistics.correlation import correlation_difference
from wordworth.statistics.effect_size import mcnemar, sign_flip, weat_difference

PAGE = DOCS / "compare.md"
RNG = np.random.default_rng(0)
COUNT = 4_000
Two = tuple[float, float]


def noise(shared: float, n: int) -> NDArray[np.float64]:
    """Errors of two models that agree in part: count × 2 × n."""
    both, own = RNG.normal(size=(COUNT, 1, n)), RNG.normal(size=(COUNT, 2, n))
    return np.asarray(np.sqrt(shared) * both + np.sqrt(1 - shared) * own)


def correlations(rho: Two, n: int, *, ranked: bool) -> NDArray[np.float64]:
    """Valence has two humps, similarity one."""
    y = RNG.normal(size=n) if ranked else np.concatenate([RNG.normal(-2, 1, n // 2), RNG.normal(2, 1, n - n // 2)])
    share = np.array(rho)[:, None]
    x = share * (y - y.mean()) / y.std() + np.sqrt(1 - share**2) * noise(0.5, n)
    return correlation_difference(x, y, ranked=ranked, resamples=2).p


def hits(rates: Two, n: int) -> NDArray[np.float64]:
    shared, own = RNG.uniform(size=(COUNT, 1, n)), RNG.uniform(size=(COUNT, 2, n))
    right = np.where(RNG.uniform(size=(COUNT, 2, n)) < 0.5, shared, own) < np.array(rates)[:, None]
    return mcnemar((right[:, 0] & ~right[:, 1]).sum(axis=1), (right[:, 1] & ~right[:, 0]).sum(axis=1))


def flips(mean: float, n: int) -> NDArray[np.float64]:
    return sign_flip(RNG.laplace(size=(COUNT, n)) + mean, permutations=1_999).p


def associations(effects: Two, words: int) -> NDArray[np.float64]:
    sets = np.repeat([0.5, -0.5], words) * np.array(effects)[:, None]
    return weat_difference(sets + noise(0.7, 2 * words), words, permutations=1_999)[1].p


def main() -> None:
    rows: list[tuple[str, str, NDArray[np.float64]]] = []
    for name, ranked in (("Williams, Pearson", False), ("Williams, Spearman", True)):
        for rho, n in (((0.3, 0.3), 65), ((0.3, 0.3), 350), ((0.8, 0.8), 65), ((0.8, 0.8), 350), ((0.7, 0.55), 300)):
            rows.append((name, f"ρ = {rho[0]} and {rho[1]}, n = {n}", correlations(rho, n, ranked=ranked)))
    for rates, n in (((0.4, 0.4), 60), ((0.4, 0.4), 1_000), ((0.46, 0.4), 1_500)):
        rows.append(("McNemar, mid-p", f"{rates[0]:.0%} and {rates[1]:.0%} right, n = {n:,}", hits(rates, n)))
    for mean, n in ((0.0, 12), (0.0, 100), (0.6, 100)):
        rows.append(("sign flips", f"means {mean / np.sqrt(2):.2g} σ apart, n = {n}", flips(mean, n)))
    for effects, words in (((0, 0), 6), ((2, 2), 6), ((0, 0), 25), ((2, 2), 25), ((2.5, 1), 25)):
        what = f"sets {effects[0]} σ and {effects[1]} σ apart, {words} words each"
        rows.append(("exchange", what, associations(effects, words)))
    lines = [[name, what, f"{100 * float((p < 0.05).mean()):.1f} %"] for name, what, p in rows]
    put(PAGE, "rates", markdown(["test", "two models with", "found different"], lines))


if __name__ == "__main__":
    main()
