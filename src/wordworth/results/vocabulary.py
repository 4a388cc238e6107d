"""The names that scores are recorded under: experiments, contexts, versions of a model, controls.

Measures are declared with their functions (`wordworth.measure`). A name that is not declared cannot be recorded.
"""

CONTEXTS = ("random", "bleached", "aligned", "misaligned", "decontextualized", "aggregated")
"""The text that a word is in: drawn from a corpus; “This is WORD”; text that agrees or disagrees with the word's
valence; the word alone; the mean over many sentences."""
CONTROLS = ("untrained", "shuffled", "poles-out", "swap")
"""The same network with random weights; ratings in random order; the lexicon without the polar words; sentence pairs
that differ in two words of one kind."""
ORIGINAL = "original"
"""A model or embedding as it was, compared with versions of it."""
RANDOM = "random"
"""A random subspace removed: the mean over draws, or one `draw`."""
VERSIONS = (ORIGINAL, "projection", "hard-debias", "inlp", "leace", RANDOM)
"""What was removed from a model. A network trained on changed vectors is a version under its own name."""
HARMLESS = ("weat1", "weat2")
"""Tests whose positive effect is what people share, not a stereotype of a group of people."""

EXPERIMENTS = {
    "valence": "Agreement of words' associations with rated valence.",
    "weat": "Association tests.",
    "sensitivity": "A number under other choices; every variant is an item.",
    "similarity": "Agreement of cosines with rated similarity.",
    "analogy": "Analogy questions.",
    "raters": "Agreement of people's ratings of the same words.",
    "corpus-size": "Vectors trained on samples of a corpus.",
    "neighbours": "Nearest words, as items.",
    "contextualization": "Valence by layer and context.",
    "control": "Valence of a control.",
    "tokenization": "Valence of words of one token and of several.",
    "isolation": "Valence with principal components nullified.",
    "probes": "Acceptability and part of speech from vectors.",
    "validation": "Word similarity, raw and isolated.",
    "bias": "Bias in every layer: association tests, or estimators.",
    "languages": "Valence in the paper's languages.",
    "quality": "Word similarity by layer, pooling and number of sentences.",
    "agreement": "Rank correlation of estimators over layers.",
    "prediction": "Whole words predicted.",
    "coverage": "Whole words predicted, by frequency.",
    "soft-match": "Near misses.",
    "confusion": "Misses by the band of the guess.",
    "instead": "What is predicted instead, as items.",
    "confused": "Words mistaken for others, as items.",
    "never-predicted": "Types that are never predicted.",
    "paraphrase": "Rare words in use.",
    "gender": "Neutrality on the sentence pairs of a probe.",
    "nationality": "Neutrality on the sentence pairs of a probe.",
    "religion": "Neutrality on the sentence pairs of a probe.",
    "accuracy": "Accuracy on labelled pairs.",
    "subspace": "What is removed.",
    "stability": "How well defined a subspace is.",
}
"""Experiment → what it is. A user's own probe of inference is an experiment under its own name."""
