"""Sentence templates: “The SUBJECT VERB a/an OBJECT.” with words in the place of the capitals, and their articles."""

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
        before, after = _ARTICLE.sub(lambda match: _choose_article(match, article), text).split("\0")
        return before, after

    def form(self, subject: str, article: Callable[[str], str]) -> str:
        """The subject as it stands in the sentence: with its article, and with a capital where it begins it."""
        own = _BEFORE_SUBJECT.search(self.text)
        form = f"{article(subject)} {subject}" if own else subject
        begins = self.text.startswith(SUBJECT) or (own is not None and (own.start() == 0 or own.group()[0] == "A"))
        return form[0].upper() + form[1:] if begins else form


def _choose_article(match: re.Match[str], article: Callable[[str], str]) -> str:
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


# Vowel letters that sound like a consonant: “you” (unit, user, Ukrainian, European, ewe) and “w” (one, once, ouija).
_CONSONANT = re.compile(
    r"eu(?!ler)|ew|uni(?:c|di|f|l(?!l)|mod|o|p|q|s[eo]|t|v)|us[aeu]|ut(?:ah|e|il|o)|ur(?:a|e|i[cn]|o|u)|"
    r"ubiq|ugan|uk[ru]|uly|uv|u\b|on(?:e|ce)\b|ouija",
    re.IGNORECASE,
)
# A silent h; hourglass, heiress, honesty and honourable with them.
_SILENT_H = re.compile(r"hour|heir|honest|honou?r", re.IGNORECASE)
# Letters whose name begins with a vowel: an SUV, an MP; but a TV, a UFO.
_SPELLED_WITH_VOWEL = frozenset("AEFHILMNORSX")
# Abbreviations that are read as a word.
_READ_AS_WORD = frozenset(
    {"NASA", "NATO", "NAFTA", "FIFA", "LASER", "RADAR", "SCUBA", "SIM", "ROM", "RAM", "MASH", "FEMA"}
)
_NUMBER = re.compile(r"\d[\d,]*")


def by_sound(word: str) -> str:
    """The article by how the word begins to sound: an hour, a unit, an SUV, a TV, an urchin, an 8, an X-ray."""
    first = re.split(r"[\s\-–'’./]", word.strip(), maxsplit=1)[0] if word.strip() else ""
    if not first:
        return "a"
    if number := _NUMBER.match(first):
        return "an" if _number_sounds_open(number.group().replace(",", "")) else "a"
    if first.isupper() and first not in _READ_AS_WORD:
        return "an" if first[0] in _SPELLED_WITH_VOWEL else "a"
    if first[0].lower() in "aeiouàáâäéèêëíìîïóòôöúùûü":
        return "a" if _CONSONANT.match(word.strip()) else "an"
    return "an" if _SILENT_H.match(first) else "a"


def _number_sounds_open(digits: str) -> bool:
    """Eight, eleven, eighteen, and what begins with them: 8, 80, 800, 11, 18, 11,000, 18,000."""
    leading = digits[: (len(digits) - 1) % 3 + 1]
    return leading.startswith("8") or leading in ("11", "18")


def by_letter(word: str) -> str:
    """The article of the authors' code: “an” before a, e, i, o, u, whatever the sound (a SUV)."""
    return "an" if word[:1].lower() in "aeiou" and word else "a"


ARTICLES = {"sound": by_sound, "letter": by_letter}
