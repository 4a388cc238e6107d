"""Declare how words are searched for, and how much of a text is read at once."""

from dataclasses import dataclass
from typing import Literal, get_args

from wordworth.errors import WordworthError
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.splitting import Punctuation
from wordworth.whole_words.units import Units
from wordworth.whole_words.words import MIN_LINE_WORDS

Boundary = Literal["required", "top-1", "ignored"]
Beginning = Literal["given", "guessed"]

MORE_UNITS = 8
"""Maximum number of units of a path beyond the tokenizer's own for the word."""
WINDOW = 2048
"""Maximum number of tokens in a window."""


def room(limit: int | None, around: int) -> int:
    """Return the tokens of text in a window of a model that reads `limit` tokens, `around` of them around the text."""
    if limit is None:
        return WINDOW
    text_tokens = limit - around - MORE_UNITS
    if text_tokens < 2:
        raise WordworthError(f"the model reads {limit} tokens, too few for a word, its context and {MORE_UNITS} more")
    return min(WINDOW, text_tokens)


@dataclass(frozen=True)
class PredictionRules:
    """Declare how words are searched for, and how much of a text is read at once."""

    k: int = 10
    """Number of best units in top-k. With 0, only probabilities are computed."""
    boundary: Boundary = "required"
    """Whether the word must end: the unit after a guess must begin a word, and so must one of the k best units after a
    path. With top-1, only a guess must end, as in the paper: there the search stops as soon as a path spells the word.
    If ignored, a word is predicted as soon as it is spelled."""
    beginning: Beginning = "given"
    """Whether it is given that a word begins, as for the word's probability: the first unit is then among the best of
    those that begin a word. If guessed, it is among the best of all units, and a guess may continue the word before, as
    in the printed algorithm."""
    punctuation: Punctuation = "apart"
    """Whether marks are words of their own, or belong to the words that they touch."""
    unspaced: bool = False
    """Whether the script has no spaces. No unit then shows the end of a word, so a word is predicted as soon as the
    decoded text begins with it, and its probability is the product over its units."""
    guesses: bool = True
    """Whether guesses are decoded to their end even if they cannot become the word. If not, wrong guesses are null,
    which saves about half of the time."""
    first_word: bool = False
    """Whether the first word of a text is predicted too, after the model's tokens before a text, such as BOS."""
    min_words: int = MIN_LINE_WORDS
    """Minimum number of words of a line that is predicted."""
    window: int | None = None
    """Tokens to read at once; by default as many as the model reads."""
    context: int | None = None
    """Minimum tokens of left context per word, if the text is longer than a window; by default a quarter of it."""

    def __post_init__(self) -> None:
        for name, literal in (("boundary", Boundary), ("beginning", Beginning), ("punctuation", Punctuation)):
            choices, choice = get_args(literal), getattr(self, name)
            if choice not in choices:
                raise WordworthError(f"there is no {name} {choice!r}; choose {' or '.join(choices)}")

    @property
    def guess_ends(self) -> bool:
        """Return whether a guess must end where the word ends."""
        return self.boundary != "ignored" and not self.unspaced

    @property
    def path_ends(self) -> bool:
        """Return whether one of the k best after a path must begin a word."""
        return self.boundary == "required" and not self.unspaced

    def units(self, model: WordModel) -> Units:
        """Return the model's units for these rules."""
        return model.units.adapt(self.punctuation, unspaced=self.unspaced)

    def sizes(self, model: WordModel) -> tuple[int, int]:
        """Return the tokens of a window and of the minimum context; raise if the model cannot follow these rules."""
        if not 0 <= self.k <= model.reader.width:
            raise WordworthError(f"k is {self.k}, but {model.name} has {model.reader.width:,} units; give 1 to as many")
        max_tokens = room(model.limit, model.around)
        size = max_tokens if self.window is None else self.window
        if not 2 <= size <= (max_tokens if model.limit else size):
            raise WordworthError(f"the window is {size} tokens, but {model.name} reads 2 to {max_tokens}")
        context = max(1, size // 4) if self.context is None else self.context
        if not 1 <= context < size:
            raise WordworthError(f"{context} tokens of context do not fit a window of {size}; give 1 to {size - 1}")
        return size, context
