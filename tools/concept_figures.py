"""Draw the figures of docs/concepts.md from real vectors: `python -m tools.concept_figures`."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import altair as alt
import numpy as np
import polars as pl
import vl_convert

from tools.pages import DOCS
from wordworth.catalog.models import load_embedding
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import load_test, polar_words
from wordworth.embedding import Embedding
from wordworth.measure.weat import sc_weat
from wordworth.statistics.correlation import pearson

VECTORS, LEXICON, TEST = "glove-6b-50d", "bellezza", "weat6"
WORDS = ("joy", "holiday", "music", "table", "winter", "spider", "cancer", "murder", "puppy")
SAMPLES = (25, 50, 100, 200, 399)
"""Numbers of rated words in the figure on intervals."""
SHUFFLES = 2000
BLUE, ORANGE, GREY = "#0067a5", "#c2500a", "#8a8780"


def draw_poles() -> alt.Chart:
    """Draw words by their mean cosine with pleasant and with unpleasant words."""
    embedding, (pleasant, unpleasant) = load_embedding(VECTORS), _load_poles()
    words = _unit_vectors(embedding, WORDS)
    means = (words @ pleasant.T).mean(axis=1), (words @ unpleasant.T).mean(axis=1)
    rows = pl.DataFrame({"word": WORDS, "pleasant": means[0], "unpleasant": means[1]})
    axes = {
        "x": alt.X("unpleasant").title("mean cosine with unpleasant words").scale(zero=False, padding=30),
        "y": alt.Y("pleasant").title("mean cosine with pleasant words").scale(zero=False, padding=20),
    }
    dots = alt.Chart(rows).mark_circle(size=60, color=BLUE).encode(**axes)
    return dots + alt.Chart(rows).mark_text(align="left", dx=7).encode(**axes, text="word")


def draw_permutations() -> alt.Chart:
    """Draw the statistic of WEAT 6 over every way to divide its sixteen names, and the observed value."""
    embedding, test = load_embedding(VECTORS), load_test(TEST)
    X, Y, A, B = (_unit_vectors(embedding, words) for words in (test.X, test.Y, test.A, test.B))
    names = np.concatenate([X, Y])
    scores = (names @ A.T).mean(axis=1) - (names @ B.T).mean(axis=1)
    halves = np.array(list(combinations(range(len(names)), len(X))))
    differences = 2 * scores[halves].mean(axis=1) - scores.sum() / len(X)
    observed = scores[: len(X)].mean() - scores[len(X) :].mean()
    return _draw_histogram(differences, observed, "difference of mean associations", "partitions of the names")


def draw_intervals() -> alt.Chart:
    """Draw ρ and its interval for samples of rated words of growing size."""
    d, ratings = _rate_words()
    rng = np.random.default_rng(0)
    rows = []
    for count in SAMPLES:
        chosen = np.sort(rng.permutation(len(d))[:count])
        rho = pearson(d[chosen], ratings[chosen])
        rows.append(
            {"words": str(len(chosen)), "rho": float(rho.value), "low": float(rho.low), "high": float(rho.high)}
        )
    base = alt.Chart(pl.DataFrame(rows)).encode(alt.Y("words:N", sort=None).title("rated words"))
    limits = alt.X("low").title("ρ with its 95 % interval").scale(domain=[0, 1])
    return base.mark_rule(color=BLUE, size=2).encode(limits, x2="high") + base.mark_circle(
        size=80, color=BLUE, opacity=1
    ).encode(x="rho")


def draw_control() -> alt.Chart:
    """Draw ρ with people's ratings next to ρ with the same ratings in random order."""
    d, ratings = _rate_words()
    rng = np.random.default_rng(0)
    chance = np.array([np.corrcoef(d, rng.permutation(ratings))[0, 1] for _ in range(SHUFFLES)])
    return _draw_histogram(chance, float(np.corrcoef(d, ratings)[0, 1]), "ρ", "orders of the ratings")


def _rate_words() -> tuple[np.ndarray, np.ndarray]:
    """Return the effect size and the rating of each word of the lexicon that has a vector."""
    embedding, lexicon = load_embedding(VECTORS), load_lexicon(LEXICON)
    pairs = [(word.lower(), rating) for word, rating in zip(lexicon.words, lexicon.valence, strict=True)]
    rated = [(word, rating) for word, rating in pairs if word in embedding]
    d = sc_weat(_unit_vectors(embedding, [word for word, _ in rated]), *_load_poles())
    return np.asarray(d), np.array([rating for _, rating in rated])


def _load_poles() -> tuple[np.ndarray, np.ndarray]:
    embedding, poles = load_embedding(VECTORS), polar_words()
    return _unit_vectors(embedding, poles.pleasant), _unit_vectors(embedding, poles.unpleasant)


def _unit_vectors(embedding: Embedding, words: Sequence[str]) -> np.ndarray:
    rows = np.array([embedding[word.lower()] for word in words])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _draw_histogram(values: np.ndarray, observed: float, title: str, count: str) -> alt.Chart:
    heights, edges = np.histogram(values, bins=50)
    rows = pl.DataFrame({"low": edges[:-1], "high": edges[1:], "count": heights})
    bars = (
        alt.Chart(rows)
        .mark_bar(color=GREY)
        .encode(alt.X("low").bin("binned").title(title), x2="high", y=alt.Y("count").title(count))
    )
    line = alt.Chart(pl.DataFrame({"observed": [observed], "label": ["observed"]})).encode(x="observed")
    label = line.mark_text(align="right", dx=-6, color=ORANGE, fontWeight="bold").encode(text="label", y=alt.value(10))
    return bars + line.mark_rule(color=ORANGE, size=3) + label


def main() -> None:
    """Write every figure into docs/figures/."""
    for name, chart in _draw_all():
        svg = vl_convert.vegalite_to_svg(chart.properties(width=460, height=200, background="white").to_dict())
        (DOCS / "figures" / f"concept-{name}.svg").write_text(svg, encoding="utf-8")


def _draw_all() -> Iterator[tuple[str, alt.Chart]]:
    yield "poles", draw_poles()
    yield "permutations", draw_permutations()
    yield "intervals", draw_intervals()
    yield "control", draw_control()


if __name__ == "__main__":
    main()
