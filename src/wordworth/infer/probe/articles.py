"""“a” or “an” before an English word: by its first sound, or by its first letter as the authors' code has it."""

import re

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
