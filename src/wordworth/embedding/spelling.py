"""How a word of a list may be spelled in a vocabulary: as written first, then by rules that are counted and shown."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from typing import Literal

Case = Literal["fold", "exact"]
CASED_SHARE = 0.01
"""A vocabulary is cased where so many of its words have a capital; GloVe’s have none, Google News’s a half."""
SAMPLE_WORDS = 20_000
"""Words, evenly spaced, that this is judged by."""


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


def is_cased(words: Sequence[str]) -> bool:
    """Whether a vocabulary tells a name from a noun by its capital, or was put into lower case."""
    looked_at = range(0, len(words), max(1, len(words) // SAMPLE_WORDS))
    return sum(words[at] != words[at].lower() for at in looked_at) >= max(1, CASED_SHARE * len(looked_at))


def spellings(
    language: str = "english", case: Case = "fold", names: Collection[str] = ()
) -> Callable[[str], Iterator[str]]:
    """Spellings to try, best first: as written; lower case; capitalised; with `_` for spaces; other Chinese script.

    `names` are never put into lower case: Heather is not heather. `case="exact"` leaves the letters alone, as the
    ValNorm authors' code does. Chinese goes through OpenCC to Simplified, then to Traditional, since lexicon and
    vectors need not share a script.
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
            forms += [capital] if word in names else [low, capital]
            yield from forms[1:]
        if " " in word:
            yield from (form.replace(" ", "_") for form in forms)

    return spelled
