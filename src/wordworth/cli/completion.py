"""What a shell offers when a word is begun: choices, and names of the catalog. Nothing heavy is imported for it."""

from collections.abc import Callable, Collection, Sequence

Complete = Callable[[str], list[tuple[str, str]]]


def beginning(choices: Sequence[str]) -> Complete | None:
    """The choices that begin so; none where there are none."""
    if not choices:
        return None

    def complete(incomplete: str) -> list[tuple[str, str]]:
        return [(choice, "") for choice in choices if choice and choice.startswith(incomplete)]

    return complete


def named(kind: str = "", families: Collection[str] = ()) -> Complete:
    """The entries of a kind in the catalog that begin so, or of all; of models, those of some families.

    A path is left to the shell, as is what stands behind `LABEL=`.
    """

    def complete(incomplete: str) -> list[tuple[str, str]]:
        from wordworth.catalog.registry import entries

        return [
            (one.name, one.title)
            for one in entries(kind or None)
            if one.name.startswith(incomplete) and (not families or one.details.get("family") in families)
        ]

    return complete
