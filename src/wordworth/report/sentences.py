"""One sentence of an answer."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Saying:
    """A sentence, the figure that shows it, and the model that it is about."""

    text: str
    figure: str
    """The id of a figure or a section of the report."""
    model: str
    order: float
    """Models are ranked by this where they are too many to be told one by one."""
    whole: bool = False
    """Whether the sentence stands for itself; else it begins with the model's name."""
    ends: tuple[str, str] = ("Highest", "Lowest")
    """What the first and the last of many are called."""
    lead: str = ""

    def introduced(self, lead: str) -> "Saying":
        """The same, said to be the highest or lowest of many."""
        return replace(self, lead=lead)
