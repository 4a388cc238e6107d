"""The studies: each a grid over models, data and measures, and one function that returns its findings."""

from wordworth.study.findings import Findings

__all__ = ["Findings"]
