"""`Context`: a word standing in a text."""

from dataclasses import dataclass

from wordworth.catalog.read.templates import SLOT
from wordworth.errors import WordworthError


@dataclass(frozen=True, slots=True)
class Context:
    """`text[start:end]` is where `word` stands; its spelling there may differ from `word` (a capital, another script).

    Several contexts may share one text: the encoder runs it once for all of them.
    """

    word: str
    text: str
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end <= len(self.text):
            raise WordworthError(
                f"the span {self.start}–{self.end} of {self.word!r} is not inside its text of {len(self.text)} letters"
            )


def in_template(template: str, word: str) -> Context:
    """The word in the place of WORD."""
    start = template.index(SLOT)
    text = template[:start] + word + template[start + len(SLOT) :]
    return Context(word, text, start, start + len(word))
