"""A report of one run or many: HTML that needs nothing else, Markdown, or LaTeX tables."""

from wordworth.report.answers import said
from wordworth.report.runs import Gathered, gather
from wordworth.report.writing import FORMATS, default_place, write_report

__all__ = ["FORMATS", "Gathered", "default_place", "gather", "said", "write_report"]
