"""Agreement with people: valence (ValNorm), and word similarity."""

from collections.abc import Sequence

from wordworth.embedding.cosine import Vectors
from wordworth.measure.declaration import declare
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.correlation import Correlation, pearson, spearman

RHO = "between the words' sc-weat effect sizes and their rated valence."
VALENCE, SIMILARITY = "valence", "similarity"
declare(
    VALENCE,
    f"Pearson's ρ {RHO}",
    "toney2021",
    "higher",
    verdict="knows the valence of words better",
    items="rated_words",
    paired_test="pearson",
    is_main=True,
)
declare(VALENCE, f"Spearman's ρ {RHO}", "toney2021", "higher", "spearman", items="rated_words")
declare(
    VALENCE,
    "Valence over one half of the words, in the layer (and with the components) that is best on the other half.",
    "",
    "higher",
    "held-out",
)
declare(VALENCE, "Mean of valence over the languages.", "wolfe2022", "higher", "mean")
declare(VALENCE, "Valence minus that of the control that `control` names.", "", "higher", "above-control")
declare(VALENCE, "Spearman's ρ between the words' effect sizes and 1 − their p.", "toney2021", "", "p-against-d")
declare(VALENCE, "Valence with poles that the model splits into tokens.", "wolfe2022", "higher", "multiple-poles")
declare(
    "raters",
    "Pearson's ρ between two groups of people's mean ratings of the same words.",
    "toney2021",
    "higher",
    items="rated_words",
    paired_test="pearson",
    is_main=True,
)
for _affect in ("arousal", "dominance"):
    _formula = f"Pearson's ρ of the same with poles of {_affect} and rated {_affect}."
    declare(_affect, _formula, "wolfe2022", "higher", is_main=True)


declare(
    SIMILARITY,
    "Spearman's ρ between the cosine of two words and their rated similarity.",
    "",
    "higher",
    verdict="knows the similarity of words better",
    items="word_pairs",
    paired_test="spearman",
    is_main=True,
)
declare(SIMILARITY, "The largest similarity over the layers.", "bommasani2020", "higher", "best", items="word_pairs")


def valence(
    effect_sizes: Vectors,
    ratings: Vectors,
    *,
    ranked: bool = False,
    items: Sequence[str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Correlation:
    """Return ρ between SC-WEAT effect sizes (..., words) and ratings (words): Pearson's, or Spearman's if `ranked`.

    With the names of the `items` the interval does not depend on their order (Toney & Caliskan 2021).
    """
    return (spearman if ranked else pearson)(effect_sizes, ratings, items=items, resamples=resamples, seed=seed)


similarity = spearman
"""ρ between the cosines of pairs (..., pairs) and human scores (pairs)."""
