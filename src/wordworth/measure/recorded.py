"""Measures that are a count, a library's number or a transform's: there is no function of ours to stand beside."""

from wordworth.measure.declaration import declare

declare(
    "contexts",
    "Contexts that words were aggregated over: sentences, counted once for each word in them.",
    "bommasani2020",
)
declare("coverage", "Share of a data set's items whose words all have vectors.", "", "higher")
# Prediction: what is said instead of a word, and whether paraphrases lie near.
declare("share", "Share of a band's misses that were answered by a word of the other band.", "dudy2020")
declare("types", "Share of the text's types that were never among the best guesses.", "dudy2020", "lower")
declare("hits", "Sentences that lie nearer to their paraphrase than to the other sentence.", "dudy2020", "higher")
declare("chi2", "χ² of the hits of two sets, without continuity correction.", "dudy2020")
declare("exact", "Odds ratio of the hits of two sets, with Fisher's exact p.", "dudy2020")
# Subspaces: how well-defined they are, and what a classifier still knows after each round.
declare("dimensions", "Dimensions of the subspace that is taken out.")
declare("principal:{nth}", "The {nth} principal value of a bias's words over the first.", "dev2020")
declare("cosine", "|cos| between the first component of all words of a bias and what is taken out.", "dev2020")
declare("inlp:before", "Accuracy of a linear classifier on words held out, before any projection.", "ravfogel2020")
declare("inlp:after", "Accuracy of a linear classifier on words held out, after the last one.", "ravfogel2020")
declare("inlp:chance", "Share of the largest class among the words held out.", "ravfogel2020")
