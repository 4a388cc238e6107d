"""Where a bias is taken to lie, as a user names it: one declaration for all that takes a subspace out."""

from dataclasses import dataclass

from wordworth.errors import WordworthError
from wordworth.task.settings import HOW, ON, Named, Settings, comma_pair, setting


def comma_names(text: str) -> tuple[str, ...]:
    """`A,B,C` as names, two or more."""
    parts = tuple(part.strip() for part in text.split(","))
    if len(parts) < 2 or not all(parts):
        raise WordworthError(f"{text!r} is not two or more names with commas between, such as male,female")
    return parts


@dataclass(frozen=True, kw_only=True)
class BiasSubspace(Settings):
    """The span of all that is named."""

    directions: tuple[tuple[str, str], ...] = setting(
        (),
        "Bias direction: two words, such as he,she; it is unit(unit(a) − unit(b)).",
        ON,
        option="direction",
        metavar="A,B",
        parse=comma_pair,
    )
    bias_pairs: tuple[Named, ...] = setting(
        (),
        "Word pairs whose first components are the bias: a word set or a file.",
        ON,
        catalog="word_sets",
    )
    bias_words: tuple[Named, ...] = setting(
        (),
        "Words whose first components are the bias: a word set or a file.",
        ON,
        catalog="word_sets",
    )
    bias_components: int = setting(1, "How many first components of each of the two above.", ON, least=1, most=1_000)
    concept: tuple[tuple[str, ...], ...] = setting(
        (),
        "Two or more classes of words, each a word set or a file: the span of their means is the bias.",
        ON,
        metavar="SET,SET,…",
        parse=comma_names,
    )
    raw: bool = setting(False, "Learn from vectors as they are, not made unit length as in the authors' code.", HOW)

    def __post_init__(self) -> None:
        super().__post_init__()
        for classes in self.concept:
            if isinstance(classes, str) or len(classes) < 2:
                named = classes if isinstance(classes, str) else ", ".join(map(str, classes))
                raise WordworthError(f"--concept is {named}: a concept has two or more classes; name them all, as A,B")

    @property
    def named(self) -> bool:
        """Whether anything is."""
        return bool(self.directions or self.bias_pairs or self.bias_words or self.concept)


@dataclass(frozen=True, kw_only=True)
class TakenOut(BiasSubspace):
    """What is taken out of the vectors that a network is trained on, or random directions in its place."""

    random_directions: int = setting(
        0, "Random directions taken out in training, drawn by the seed: the control.", HOW, least=0, most=1_000
    )
