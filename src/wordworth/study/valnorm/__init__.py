"""Measure static embeddings by the valence of their words: ValNorm (Toney & Caliskan 2021)."""

from wordworth.study.base import Study
from wordworth.study.shared_settings import LEXICA_SETTING, PAIRS_SETTING, OfEmbeddings
from wordworth.task.settings import CORPUS, HOW, LEXICON, MEASURED, ON, Name, Sensitive, WordLookup, setting
from wordworth.task.settings import PAIRS as RATED_PAIRS

VALNORM_EXPERIMENTS = ("valence", "weat", "similarity", "analogy", "corpus-size")
RATERS = "raters"
"""The experiment on people's ratings, which needs no model and runs only on request."""
CORPUS_PERCENTS = (100.0, 50.0, 10.0, 1.0, 0.1, 0.001)
"""Percent of the corpus's lines; the paper's five and the whole."""


class ValnormSettings(OfEmbeddings, WordLookup, Sensitive):
    """Set lexica, pairs and tests (the paper's by default), and experiments (all that apply)."""

    lexica: tuple[Name, ...] = setting(
        (),
        f"{LEXICON}. Bellezza, ANEW and Warriner unless given; in other languages Bellezza's "
        "words there and the language's own lexicon.",
        **LEXICA_SETTING,
    )
    experiments: tuple[str, ...] = setting(
        (),
        "What is run; all that apply to a model if none. raters needs no model: how well people's ratings agree.",
        MEASURED,
        option="experiment",
        choices=(*VALNORM_EXPERIMENTS, RATERS),
    )
    pairs: tuple[Name, ...] = setting(
        (),
        f"{RATED_PAIRS}. WordSim, RareWord, MEN, SimLex and SimVerb unless given; Multi-SimLex in other languages.",
        **PAIRS_SETTING,
    )
    corpus: tuple[Name, ...] = setting(
        (), f"{CORPUS}, for corpus-size; of several, such as the slices of a time, each.", ON, catalog="corpora",
        may_differ=True,
    )  # fmt: skip
    shares: tuple[float, ...] = setting(
        CORPUS_PERCENTS,
        "Percent of the corpus's lines that vectors are trained on.",
        ON,
        option="share",
        least=0,
        most=100,
        may_differ=True,
    )
    dimensions: int = setting(300, "Dimensions of the vectors that corpus-size trains.", HOW, least=1, most=65_536)
    word_column: str | None = setting(None, "Column of the words in your own lexicon.", ON)
    rating_column: str | None = setting(None, "Column of the ratings in your own lexicon.", ON)
    analogy_vocabulary: int = setting(
        300_000, "First words (by custom the most frequent) among which analogies are sought; 0: all.", HOW, least=0
    )


def _list_languages() -> list[str] | None:
    """Return the languages, in addition to English, in which its words are available."""
    from wordworth.catalog.read.word_sets import polar_languages

    return polar_languages()


STUDY = Study(
    name="valnorm",
    summary="Quality of static embeddings by valence (ValNorm), and by WEAT, similarity and analogies.",
    settings=ValnormSettings,
    main="lexica",
    kinds=frozenset({"static", "sentence"}),
    papers=("toney2021", "caliskan2017"),
    method=(
        "ValNorm. For a word w, d(w) = (mean cos(w, a) − mean cos(w, b)) / σ. A are pleasant words, B unpleasant "
        "ones, and σ is the sample deviation of cos(w, x) over both. Valence is Pearson’s ρ between d and the human "
        "ratings of a lexicon. Similarity is Spearman’s ρ between cosine and rating. Intervals are bootstrapped."
    ),
    example="wordworth run valnorm glove-6b-50d --lexicon bellezza --experiment valence",
    quick={
        "lexica": ("bellezza",),
        "experiments": ("valence", "weat", "similarity"),
        "pairs": ("ws-353", "simlex-999", "men"),
    },
    languages=_list_languages,
)
