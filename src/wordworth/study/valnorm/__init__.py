"""ValNorm (Toney & Caliskan 2021): the quality of static embeddings by the valence of their words."""

from wordworth.study.base import Study
from wordworth.study.shared_settings import LEXICA, PAIRS, OfEmbeddings
from wordworth.task.settings import CORPUS, HOW, LEXICON, MEASURED, ON, Named, Sensitive, WordLookup, setting
from wordworth.task.settings import PAIRS as RATED_PAIRS

EXPERIMENTS = ("valence", "weat", "similarity", "analogy", "corpus-size")
RATERS = "raters"
"""The experiment that is about people and needs no model: it is run when it is asked for."""
SHARES = (100.0, 50.0, 10.0, 1.0, 0.1, 0.001)
"""Percent of the corpus's lines; the paper's five and the whole."""


class ValnormSettings(OfEmbeddings, WordLookup, Sensitive):
    """Blank lexica, pairs and tests are the paper's; blank experiments are all that apply."""

    lexica: tuple[Named, ...] = setting(
        (),
        f"{LEXICON}. Bellezza, ANEW and Warriner if not given; in other languages Bellezza's "
        "words there and the language's own lexicon.",
        **LEXICA,
    )
    experiments: tuple[str, ...] = setting(
        (),
        "What is run; all that apply to a model if none. raters needs no model: how well people's ratings agree.",
        MEASURED,
        option="experiment",
        choices=(*EXPERIMENTS, RATERS),
    )
    pairs: tuple[Named, ...] = setting(
        (),
        f"{RATED_PAIRS}. WordSim, RareWord, MEN, SimLex and SimVerb if not given; Multi-SimLex in other languages.",
        **PAIRS,
    )
    corpus: tuple[Named, ...] = setting(
        (), f"{CORPUS}, for corpus-size; of several, such as the slices of a time, each.", ON, catalog="corpora",
        may_differ=True,
    )  # fmt: skip
    shares: tuple[float, ...] = setting(
        SHARES,
        "Percent of the corpus's lines that vectors are trained on.",
        ON,
        option="share",
        least=0,
        most=100,
        may_differ=True,
    )
    dimensions: int = setting(300, "Of the vectors that corpus-size trains.", HOW, least=1, most=65_536)
    word_column: str | None = setting(None, "Column of the words in your own lexicon.", ON)
    rating_column: str | None = setting(None, "Column of the ratings in your own lexicon.", ON)
    analogy_vocabulary: int = setting(
        300_000, "First words (by custom the most frequent) among which analogies are sought; 0: all.", HOW, least=0
    )


def _list_languages() -> list[str] | None:
    """Return the languages, besides English, that its words can be had in."""
    from wordworth.catalog.read.word_sets import polar_languages

    return polar_languages()


STUDY = Study(
    name="valnorm",
    summary="Quality of static embeddings by valence (ValNorm), with WEAT, similarity and analogies beside it.",
    settings=ValnormSettings,
    main="lexica",
    kinds=frozenset({"static", "sentence"}),
    papers=("toney2021", "caliskan2017"),
    method=(
        "ValNorm. For a word w with A the pleasant and B the unpleasant words, d(w) = (mean cos(w, a) − mean "
        "cos(w, b)) / σ of cos(w, x) over A ∪ B (sample deviation). Valence is Pearson’s ρ between d and the human "
        "ratings of a lexicon; similarity is Spearman’s ρ between cosine and rating; intervals are bootstrapped."
    ),
    example="wordworth run valnorm glove-6b-50d --lexicon bellezza --experiment valence",
    quick={
        "lexica": ("bellezza",),
        "experiments": ("valence", "weat", "similarity"),
        "pairs": ("ws-353", "simlex-999", "men"),
    },
    languages=_list_languages,
)
