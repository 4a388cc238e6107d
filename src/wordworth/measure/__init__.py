"""Measures: pure functions over arrays, one measure a file."""

from wordworth.measure.analogy import analogies
from wordworth.measure.correlation import Correlation, pearson, spearman
from wordworth.measure.cosine import cosines, unit_rows
from wordworth.measure.permutation import PermutationTest, permutation_test
from wordworth.measure.similarity import similarity
from wordworth.measure.valence import valence, valence_spearman
from wordworth.measure.weat import association, sc_weat, sc_weat_p, weat, weat_p

MEASURES: dict[str, str] = {
    "sc-weat": "Effect size of one word: (mean cos(w, A) − mean cos(w, B)) / σ of cos(w, A ∪ B).",
    "weat": "Effect size of two word sets: (mean s(x, A, B) − mean s(y, A, B)) / σ of s over X ∪ Y, with s(w, A, B) = "
    "mean cos(w, A) − mean cos(w, B).",
    "valence": "Pearson's ρ between the words' sc-weat effect sizes and their rated valence.",
    "valence:spearman": "Spearman's ρ between the words' sc-weat effect sizes and their rated valence.",
    "similarity": "Spearman's ρ between the cosine of two words and their rated similarity.",
    "analogy": "Share of questions a : b :: c : d with d = argmax cos(v, b) − cos(v, a) + cos(v, c) (3CosAdd).",
    "analogy:3cosmul": "Share of questions a : b :: c : d with d = argmax cos'(v, b) cos'(v, c) / (cos'(v, a) + 0.001) "
    "and cos' = (1 + cos) / 2 (3CosMul).",
}
"""The name that tables hold → what it is."""

__all__ = [
    "MEASURES",
    "Correlation",
    "PermutationTest",
    "analogies",
    "association",
    "cosines",
    "pearson",
    "permutation_test",
    "sc_weat",
    "sc_weat_p",
    "similarity",
    "spearman",
    "unit_rows",
    "valence",
    "valence_spearman",
    "weat",
    "weat_p",
]
