"""A report of one run or many: HTML that needs nothing else, Markdown, or LaTeX tables."""

from wordworth.pages.answers import plain_answers, sentences_of
from wordworth.pages.card import Card, card_of, card_text, write_card
from wordworth.pages.headlines import headlines
from wordworth.pages.page import write_report
from wordworth.pages.runs import Runs, read_runs
