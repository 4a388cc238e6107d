"""What the tests of VAST read from a run, and the words of a model as its experiments share them."""

import polars as pl

from wordworth.catalog.read.word_sets import polar_words
from wordworth.contexts import load_templates
from wordworth.encode import LanguageModel
from wordworth.results.findings import Findings
from wordworth.results.run import Run
from wordworth.study.vast import VastSettings
from wordworth.study.vast.words import EncodedWords

QUICK = {"resamples": 20, "permutations": 200}


def rows(run: Run | Findings, table: str = "", **columns: object) -> pl.DataFrame:
    """Return the scores, or the items of a table, with these values; None is blank."""
    frame = run.items[table].collect() if table else run.scores
    return frame.filter(True, *(pl.col(name).eq_missing(pl.lit(value)) for name, value in columns.items()))


def words_of(model: LanguageModel, **chosen: object) -> EncodedWords:
    settings = VastSettings(**{"components": 4, **QUICK, **chosen})
    return EncodedWords(model, "english", load_templates(), None, polar_words(), ("bleached",), "last", settings)
