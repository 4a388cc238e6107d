"""Isotropy (Ethayarajh 2019, Mu & Viswanath 2018): how evenly word vectors fill their space, layer by layer."""

from dataclasses import dataclass

from wordworth.run.vocabulary import Experiment
from wordworth.study.declaration import Study
from wordworth.task.settings import (
    COMPONENTS,
    CORPUS,
    HOW,
    LEXICON,
    MEASURED,
    ON,
    POOLING,
    ByLayer,
    Named,
    Seeded,
    setting,
)

SETTINGS = ("random", "bleached", "decontextualized")


@dataclass(frozen=True, kw_only=True)
class IsotropySettings(ByLayer, Seeded):
    """Word vectors in a file have no contexts: of them only the lexica and the components count."""

    lexica: tuple[Named, ...] = setting(
        ("bellezza",),
        f"{LEXICON}; it is its words that are looked at.",
        MEASURED,
        option="lexicon",
        catalog="lexica",
        may_differ=True,
    )
    settings: tuple[str, ...] = setting(
        ("random", "bleached"),
        "Contextual setting of the words, in a language model.",
        MEASURED,
        option="setting",
        choices=SETTINGS,
        may_differ=True,
    )
    language: str = setting("english", "Language of the words.", ON, catalog="languages")
    corpus: Named = setting(
        "enwiki-sample",
        f"{CORPUS} that random contexts are drawn from, or none.",
        ON,
        metavar="NAME|FILE|none",
        catalog="corpora",
    )
    pooling: str = setting("", group=HOW, **POOLING)
    components: int = setting(12, group=HOW, **COMPONENTS)


STUDY = Study(
    name="isotropy",
    summary="How evenly word vectors fill their space, by layer and by components nullified.",
    function="wordworth.study.isotropy.study:isotropy",
    settings=IsotropySettings,
    tables_function="wordworth.study.isotropy.tables:isotropy_tables",
    kinds=frozenset({"static", "causal", "masked", "encoder", "sentence"}),
    papers=("ethayarajh2019a", "mu2018"),
    method="Isotropy. In every layer, over the words of a lexicon: the mean cosine of two words, the share of a "
    "vector’s length that its largest neurons hold, and the share of the variance along each principal component; the "
    "mean cosine again with the mean and 0, 1, … of the components taken out.",
    experiments={"isotropy": Experiment("How evenly vectors fill their space.", SETTINGS)},
    example="wordworth run isotropy minilm-l6 glove-6b-50d --lexicon bellezza",
    main="lexica",
    audited=False,
    takes_loaded=True,
)
