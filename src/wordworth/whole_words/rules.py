"""How words are searched for, and how much of a text is read at once."""

from dataclasses import dataclass
from typing import Literal, get_args

from wordworth.errors import WordworthError
from wordworth.whole_words.model import WordModel
from wordworth.whole_words.parting import Punctuation
from wordworth.whole_words.units import Units
from wordworth.whole_words.words import MIN_LINE_WORDS

Boundary = Literal["required", "top-1", "ignored"]
Beginning = Literal["given", "guessed"]

MORE_UNITS = 8
"""No path is followed further than so many units beyond the tokenizer's own number for the word."""
WINDOW = 2048
"""Tokens in a window where the model admits more."""


def room(limit: int | None, around: int) -> int:
    """Return the tokens of text in a window, where the model admits `limit` and `around` are around the text."""
    if limit is None:
        return WINDOW
    least = limit - around - MORE_UNITS
    if least < 2:
        raise WordworthError(f"the model admits {limit} tokens, too few for a word, its context and {MORE_UNITS} more")
    return min(WINDOW, least)


@dataclass(frozen=True)
class PredictionRules:
    """How words are searched for, and how much of a text is read at once."""

    k: int = 10
    """Units that count as the best. With 0, nothing is searched for: only probabilities are computed."""
    boundary: Boundary = "required"
    """Whether the end of the word is required: of a guess, that the next greedy unit begins a word; of a path, that one
    of the k best after it does. With top-1, only that of a guess, as in the paper: its text has a guess end with the
    word, and its search of paths stops as soon as one spells it. If ignored, a word is predicted as soon as it is
    spelled."""
    beginning: Beginning = "given"
    """Whether it is given that a word begins, as for the word's probability: the first unit of a guess or of a path is
    among the best of those that begin one. If guessed, among the best of all, and a guess may only go on with the word
    before: the algorithm as printed."""
    punctuation: Punctuation = "apart"
    """Whether marks are words of their own, or stay with the words that they touch."""
    unspaced: bool = False
    """The text is of a script without spaces. Nothing shows there where a word ends, so a word is predicted as soon as
    what is said begins with it, and its probability is the plain product over its units."""
    guesses: bool = True
    """Guesses are decoded to their end also where they cannot become the word. Without it, the guess of a word that
    greedy decoding misses stays null, which saves about half of the work."""
    first_word: bool = False
    """The first word of a text is predicted too, after what the model has before a text, such as BOS."""
    min_words: int = MIN_LINE_WORDS
    """Words of a line whose words are predicted, at the least."""
    window: int | None = None
    """Tokens that are read at once; as many as the model admits by default."""
    context: int | None = None
    """Tokens of left context that each word has at least, where the text is longer than a window; a quarter of the
    window by default."""

    def __post_init__(self) -> None:
        for name, kind in (("boundary", Boundary), ("beginning", Beginning), ("punctuation", Punctuation)):
            choices, choice = get_args(kind), getattr(self, name)
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
        """Return the model's units for words that are parted so."""
        return model.units.adapt(self.punctuation, unspaced=self.unspaced)

    def sizes(self, model: WordModel) -> tuple[int, int]:
        """Return the tokens of a window and of the least context; raise where the model cannot go by these rules."""
        if not 0 <= self.k <= model.reader.width:
            raise WordworthError(f"k is {self.k}, and {model.name} has {model.reader.width:,} units; give 1 to as many")
        admitted = room(model.limit, model.around)
        size = admitted if self.window is None else self.window
        if not 2 <= size <= (admitted if model.limit else size):
            raise WordworthError(f"the window is {size} tokens, and {model.name} admits 2 to {admitted}")
        context = max(1, size // 4) if self.context is None else self.context
        if not 1 <= context < size:
            raise WordworthError(f"{context} tokens of context do not fit a window of {size}; give 1 to {size - 1}")
        return size, context
