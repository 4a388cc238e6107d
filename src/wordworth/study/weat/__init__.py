"""Run association tests (Caliskan et al. 2017): the ten of WEAT, SEAT's, or a user's own from a TOML file."""

from wordworth.study.base import Study
from wordworth.study.shared_settings import OfEmbeddings
from wordworth.task.settings import Sensitive, WordLookup

PAPER_TESTS = ("weat1", "weat2", "weat3", "weat4", "weat5", "weat6", "weat7", "weat8", "weat9", "weat10")


class WeatSettings(OfEmbeddings, WordLookup, Sensitive):
    """Set the tests, WEAT 1 to 10 unless given."""


def _list_languages() -> list[str] | None:
    """Return the languages, in addition to English, in which its words are available."""
    from wordworth.catalog.read.word_sets import xweat_languages

    return xweat_languages()


STUDY = Study(
    name="weat",
    summary="Run association tests (WEAT): effect size and permutation p, for the ten of the paper or your own.",
    settings=WeatSettings,
    example="wordworth run weat glove-6b-50d --test weat6 --test weat7",
    main="tests",
    kinds=frozenset({"static", "sentence"}),
    papers=("caliskan2017",),
    method=(
        "WEAT. s(w) = mean cos(w, a) − mean cos(w, b). d = (mean s(x) − mean s(y)) / σ of s over X ∪ Y. p is the share "
        "of partitions of X ∪ Y with as large a difference, including the observed one. It is exact wherever "
        "partitions can be counted. The interval of d is over the words of the four sets."
    ),
    languages=_list_languages,
)
