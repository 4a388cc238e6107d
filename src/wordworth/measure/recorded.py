"""Measures that are a count, a library's number or a transform's: there is no function of ours to stand beside."""

from wordworth.measure.declaration import Measure, declare

PROBES = {
    "acceptability": "whether a sentence is acceptable",
    "noun": "whether a word is a noun",
    "part-of-speech": "a word's part of speech",
}
REPRESENTATIONS = {
    "": "from a vector",
    ":components": "from a vector's part along its first components",
    ":rest": "from a vector without its first components",
}

COUNTED = (
    Measure("coverage", "Share of a data set's items whose words all have vectors.", "", "higher"),
    # Prediction: what is said instead of a word, and which words are told from their paraphrases.
    Measure("share", "Share of a band's misses that were answered by a word of the other band.", "dudy2020"),
    Measure("types", "Share of the text's types that were never among the best guesses.", "dudy2020", "lower"),
    Measure("hits", "Sentences that lie nearer to their paraphrase than to the other sentence.", "dudy2020", "higher"),
    Measure("chi2", "χ² of the hits of two sets, without continuity correction.", "dudy2020"),
    Measure("exact", "Odds ratio of the hits of two sets, with Fisher's exact p.", "dudy2020"),
    # Subspaces: how well-defined they are, and what a classifier still knows after each round.
    Measure("dimensions", "Dimensions of the subspace that is taken out."),
    Measure("principal:{nth}", "The {nth} principal value of a bias's words over the first.", "dev2020"),
    Measure("cosine", "|cos| between the first component of all words of a bias and what is taken out.", "dev2020"),
    Measure("inlp:before", "Accuracy of a linear classifier on words held out, before any projection.", "ravfogel2020"),
    Measure("inlp:after", "Accuracy of a linear classifier on words held out, after the last one.", "ravfogel2020"),
    Measure("inlp:chance", "Share of the largest class among the words held out.", "ravfogel2020"),
    *(
        Measure(name + of, f"Weighted F1 of a logistic regression that tells {what} {source}.", "wolfe2022", "higher")
        for name, what in PROBES.items()
        for of, source in REPRESENTATIONS.items()
    ),
)
declare(*COUNTED)
