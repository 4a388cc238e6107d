"""One sentence of an answer."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sentence:
    """A sentence, the figure that shows it, and the model that it is about."""

    text: str
    figure: str
    """The id of a figure or a section of the report."""
    model: str
    order: float
    """Models are ranked by this where they are too many to be spoken of one by one."""
    whole: bool = False
    """Whether the sentence stands for itself; else it begins with the model's name."""
    ends: tuple[str, str] = ("Highest", "Lowest")
    """What the first and the last of many are called."""
    lead: str = ""
    """“Highest of 6 models”, where it stands for many."""
