"""Association tests (Caliskan et al. 2017): the ten of WEAT, SEAT's, or a user's own from a TOML file."""

from dataclasses import dataclass

from wordworth.study.declaration import Study
from wordworth.study.embedding_settings import OfEmbeddings
from wordworth.task.settings import Sensitive, WordLookup


@dataclass(frozen=True, kw_only=True)
class WeatSettings(OfEmbeddings, WordLookup, Sensitive):
    """Blank tests are WEAT 1 to 10."""


STUDY = Study(
    name="weat",
    summary="Association tests (WEAT): effect size and permutation p; the ten of the paper, or your own.",
    function="wordworth.study.weat.study:weat",
    settings=WeatSettings,
    tables_function="wordworth.study.tables:score_tables",
    example="wordworth run weat glove-6b-50d --test weat6 --test weat7",
    main="tests",
    kinds=frozenset({"static", "sentence"}),
    papers=("caliskan2017",),
    languages="wordworth.catalog.read.association_tests:languages",
    method="WEAT. d = (mean s(x) − mean s(y)) / σ of s over X ∪ Y, with s(w) = mean cos(w, a) − mean cos(w, b); p is "
    "the share of partitions of X ∪ Y with as large a difference, the observed one among them, exact wherever they "
    "can be counted. The interval of d is over the words of the four sets.",
)
