"""Sentence templates: “The SUBJECT VERB a/an OBJECT.” with words in the place of the capitals."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from wordworth.errors import WordworthError

SUBJECT, VERB, OBJECT = "SUBJECT", "VERB", "OBJECT"
_SLOT = re.compile(r"\b(?:SUBJECT|VERB|OBJECT)\b")
_BEFORE_SUBJECT = re.compile(r"\b[Aa]/an (?=SUBJECT\b)")
_ARTICLE = re.compile(r"\b([Aa])/an (?=(\S+))")


@dataclass(frozen=True)
class Template:
    """A sentence with one SUBJECT, and at most one VERB and one OBJECT; “a/an” is settled by the word that follows."""

    text: str
    """With the plain names of the slots."""
    slots: frozenset[str]

    def around(self, verb: str, object_: str, article: Callable[[str], str]) -> tuple[str, str]:
        """What stands before and after the subject. An article before the subject itself is left to `form`."""
        filled = {SUBJECT: "\0", VERB: verb, OBJECT: object_}
        text = _SLOT.sub(lambda match: filled[match.group()], _BEFORE_SUBJECT.sub("", self.text))
        before, after = _ARTICLE.sub(lambda match: _chosen(match, article), text).split("\0")
        return before, after

    def form(self, subject: str, article: Callable[[str], str]) -> str:
        """The subject as it stands in the sentence: with its article, and with a capital where it begins it."""
        own = _BEFORE_SUBJECT.search(self.text)
        form = f"{article(subject)} {subject}" if own else subject
        begins = self.text.startswith(SUBJECT) or (own is not None and (own.start() == 0 or own.group()[0] == "A"))
        return form[0].upper() + form[1:] if begins else form


def _chosen(match: re.Match[str], article: Callable[[str], str]) -> str:
    chosen = article(match.group(2))
    return f"{chosen.capitalize() if match.group(1) == 'A' else chosen} "


def parse(text: object, label: str, where: str) -> Template:
    """A template as it is written; its subject's slot is SUBJECT, or the subjects' label in capitals (OCCUPATION)."""
    if not isinstance(text, str) or not text.strip():
        raise WordworthError(f"{where} must be a sentence such as “The SUBJECT VERB a/an OBJECT.”")
    plain = text.strip()
    if not re.search(rf"\b{SUBJECT}\b", plain):
        plain = re.sub(rf"\b{re.escape(label.upper())}\b", SUBJECT, plain)
    slots = [match.group() for match in _SLOT.finditer(plain)]
    if SUBJECT not in slots:
        own = f" or {label.upper()}" if label.upper() != SUBJECT else ""
        raise WordworthError(f"{where} is {text!r}, without SUBJECT{own}; write it where the subject stands")
    again = next((slot for slot in slots if slots.count(slot) > 1), None)
    if again is not None:
        raise WordworthError(f"{where} is {text!r}, with {again} more than once; write it once")
    return Template(plain, frozenset(slots))
