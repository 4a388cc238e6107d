"""What reading a language's text needs, declared in languages.toml."""

import unicodedata
from functools import cache

from wordworth.catalog.registry import toml_of


@cache
def is_spaced(language: str) -> bool:
    """Whether spaces part the words of a language."""
    return bool(toml_of("languages").get(language, {}).get("spaced", True))


@cache
def code_of(language: str) -> str:
    """The name in ICU of a language that is written without spaces."""
    return str(toml_of("languages")[language]["code"])


@cache
def abbreviations(language: str) -> frozenset[str]:
    """Lower-case words before a full stop that ends no sentence; a language without its own has those of English."""
    languages = toml_of("languages")
    listed = languages.get(language, {}).get("abbreviations") or languages["english"]["abbreviations"]
    return frozenset(listed.split())


def in_its_script(word: str, language: str) -> bool:
    """Whether a word has a letter that its language is written with; true of words without letters."""
    scripts = _scripts(language)
    letters = [unicodedata.name(letter, "") for letter in word if letter.isalpha()]
    return not scripts or not letters or any(name.startswith(scripts) for name in letters)


@cache
def _scripts(language: str) -> tuple[str, ...]:
    return tuple(toml_of("languages").get(language, {}).get("scripts", ()))
