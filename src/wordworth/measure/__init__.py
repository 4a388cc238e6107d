"""Measures: pure functions over arrays, one measure a file."""

from wordworth.embedding.cosine import cosines, unit_rows
from wordworth.measure.accuracy import accuracy
from wordworth.measure.analogy import analogies
from wordworth.measure.bert_score import BertScore, bert_score
from wordworth.measure.direct_bias import Direction, direct_bias, pair_direction
from wordworth.measure.diversity import type_coverage
from wordworth.measure.garg import garg_cosine, garg_euclidean
from wordworth.measure.mac import mac
from wordworth.measure.manzini import manzini, manzini_centroid
from wordworth.measure.perplexity import bits_per, perplexity
from wordworth.measure.ripa import ripa
from wordworth.measure.rnsb import rnsb
from wordworth.measure.similarity import similarity
from wordworth.measure.soft_match import neighbour_ranks
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
    "direct-bias": "Mean |cos(w, g)|, g the first principal component of the pairs' differences (Bolukbasi).",
    "direct-bias:centred": "Mean |cos(w, g)|, g the first component of the differences about their mean.",
    "direct-bias:explained": "Share of the differences' variance along g; where it is low, direct-bias means little.",
    "garg-euclidean": "Mean |‖w − μ₁‖ − ‖w − μ₂‖| with μ the mean of a class.",
    "garg-cosine": "Mean |cos(w, μ₁) − cos(w, μ₂)| with μ the mean of a class.",
    "manzini": "Mean |mean over classes of mean cos(w, a)|.",
    "manzini:centroid": "Mean |mean over classes of cos(w, μ)| with μ the mean of a class.",
    "ripa": "Mean |⟨w, (x − y) / ‖x − y‖⟩|, averaged over pairs (x, y) before the absolute value.",
    "rnsb": "KL divergence from uniform of the class words' normalised probabilities of being negative.",
    "mac": "Mean cosine distance of the classes' words from the attribute words.",
    "soft-match@k": "Share of words whose guess is among the k nearest words by cosine, the word itself first.",
    "bert-score": "Harmonic mean of the two mean cosines of each token of a sentence with its best match in the other.",
}
"""The name that tables hold → what it is: the measures of vectors."""

MEASURES_OF_PREDICTION: dict[str, str] = {
    "top-1": "Share of words that the model's first guess is.",
    "top-k": "Share of words that some path of units spells, each among the model's k best at its step.",
    "T1": "Share of the text's types that were the first guess at least once where they stand.",
    "Tk": "Share of the text's types that were among the k best at least once where they stand.",
    "perplexity": "exp of the mean −ln p(word), the end of the word included.",
    "perplexity:naive": "exp of the mean −ln of the plain product over the word's units.",
    "bits-per-word": "Mean −log₂ p(word).",
    "bits-per-character": "Σ −log₂ p(word) / Σ characters, the space that ends a word counted.",
    "bits-per-byte": "Σ −log₂ p(word) / Σ UTF-8 bytes, the space that ends a word counted.",
}
"""The name that tables hold → what it is: the measures of whole-word prediction, all with intervals over lines or
documents."""

__all__ = [
    "MEASURES",
    "MEASURES_OF_PREDICTION",
    "BertScore",
    "Direction",
    "accuracy",
    "analogies",
    "association",
    "bert_score",
    "bits_per",
    "cosines",
    "direct_bias",
    "garg_cosine",
    "garg_euclidean",
    "mac",
    "manzini",
    "manzini_centroid",
    "neighbour_ranks",
    "pair_direction",
    "perplexity",
    "ripa",
    "rnsb",
    "sc_weat",
    "sc_weat_p",
    "similarity",
    "type_coverage",
    "unit_rows",
    "valence",
    "valence_spearman",
    "weat",
    "weat_p",
]
