"""The top of the page: what is missing in a box that cannot be missed, then the answers."""

import re

from wordworth.report.answers import Answer
from wordworth.report.glossary import glossed
from wordworth.report.markup import Markup, joined, tag
from wordworth.report.method import failed
from wordworth.report.missing import NOTHING, Missing, beside, missing
from wordworth.report.runs import Runs
from wordworth.report.sentences import Sentence


def box(runs: Runs) -> Markup:
    """What failed, what was not run, what is covered too little; one quiet line where nothing is amiss."""
    found, parts = missing(runs), failed(runs)
    quiet = [_unfolded(one.question, one.every, "beside") for one in beside(runs)]
    if not found:
        return tag("aside", tag("p", NOTHING.replace("Nothing: a", "A")), quiet, class_="all-there", id="missing")
    every = tag("details", tag("summary", "Every part that failed"), parts, id="failed") if parts else None
    title = tag("h2", "What is missing here")
    return joined(tag("aside", title, map(_kind, found), every, class_="box", id="missing"), quiet)


def _kind(one: Missing) -> Markup:
    """Many are counted, and can be unfolded."""
    sentences = tag("ul", (tag("li", _prose(sentence)) for sentence in one.first))
    return joined(tag("h3", one.question), sentences, _unfolded(f"{len(one.more):,} more", one.more))


def _unfolded(title: str, sentences: tuple[str, ...], class_: str | None = None) -> Markup | None:
    if not sentences:
        return None
    lines = tag("ul", (tag("li", _prose(sentence)) for sentence in sentences))
    return tag("details", tag("summary", title), lines, class_=class_)


def _prose(sentence: str) -> Markup:
    """With what is to be typed, which stands in backquotes, set as code."""
    parts = re.split(r"`([^`]+)`", sentence)
    return joined(tag("code", part) if at % 2 else glossed(part) for at, part in enumerate(parts))


def answered(every: list[Answer]) -> Markup:
    """Questions, and what the runs say to them."""
    entries = ((tag("dt", answer.question), map(_sentence, answer.sentences)) for answer in every)
    return tag("dl", entries, class_="answers")


def _sentence(sentence: Sentence) -> Markup:
    lead = tag("span", f"{sentence.lead}: ", class_="lead") if sentence.lead else None
    subject = [tag("b", sentence.model), ". " if sentence.whole else " "] if sentence.model else None
    link = tag("a", "see", href=f"#{sentence.figure}", aria_label=f"see {sentence.figure.replace('-', ' ')}")
    text = sentence.text.replace(" = ", "\u00a0=\u00a0").replace(" < ", "\u00a0<\u00a0")  # ρ = .86 on one line
    return tag("dd", lead, subject, glossed(text), "\u00a0", link)
