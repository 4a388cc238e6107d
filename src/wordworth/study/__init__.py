"""The studies: each a grid over models, data and measures, and one function that returns its findings."""

from wordworth.study.findings import Findings
from wordworth.study.options import Options
from wordworth.study.valnorm import valnorm
from wordworth.study.weat import weat_study

__all__ = ["Findings", "Options", "valnorm", "weat_study"]
