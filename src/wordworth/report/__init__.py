"""A report of one run or many: HTML that needs nothing else, Markdown, or LaTeX tables."""

from wordworth.report.answers import plain_answers
from wordworth.report.card import Card, card_of, card_text, write_card
from wordworth.report.page import write_report
from wordworth.report.runs import Runs, read_runs
