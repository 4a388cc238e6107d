"""How a word of a list may be spelled in a vocabulary: as written first, then by rules that are counted and shown."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Literal

Case = Literal["fold", "exact"]


@cache
def _converter(config: str) -> Callable[[str], str]:
    # Loaded on first use: only Chinese needs it.
    from opencc import OpenCC

    convert: Callable[[str], str] = OpenCC(config).convert
    return convert


def lower(word: str, language: str) -> str:
    """Lower case; in Turkish İ → i and I → ı."""
    if language == "turkish":
        word = word.replace("İ", "i").replace("I", "ı")
    return word.lower()


def in_script(word: str, script: str) -> str:
    """A Chinese word in `simplified` or `traditional` script; one that is in it already stays."""
    return _converter("t2s" if script == "simplified" else "s2t")(word)


def spellings(language: str = "english", case: Case = "fold") -> Callable[[str], Iterator[str]]:
    """Spellings to try, best first: as written; lower case; capitalised; with `_` for spaces; other Chinese script.

    `case="exact"` leaves the letters alone, as the ValNorm authors' code does. Chinese goes through OpenCC to
    Simplified, then to Traditional, since lexicon and vectors need not share a script.
    """

    def spelled(word: str) -> Iterator[str]:
        yield word
        if language == "chinese":
            yield _converter("t2s")(word)
            yield _converter("s2t")(word)
            return
        forms = [word]
        if case == "fold":
            low = lower(word, language)
            capital = "İ" + low[1:] if language == "turkish" and low[:1] == "i" else low[:1].upper() + low[1:]
            forms += [low, capital]
            yield low
            yield capital
        if " " in word:
            yield from (form.replace(" ", "_") for form in forms)

    return spelled
