"""What a shell offers when a word is begun: choices, and names of the catalog. Nothing heavy is imported for it."""

from collections.abc import Callable, Collection, Sequence

LANGUAGES = "languages"
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

    `models/static` is a kind with its family, `languages` are those that words are to be had in. A path is left to the
    shell, as is what stands behind `LABEL=`.
    """
    kind, _, family = kind.partition("/")
    families = [family] if family else families

    def complete(incomplete: str) -> list[tuple[str, str]]:
        from wordworth.catalog.registry import entries

        if kind == LANGUAGES:
            known = dict.fromkeys(one.language for one in entries() if one.language.startswith(incomplete))
            return [(language, "") for language in known if language != "several"]
        return [
            (one.name, one.title)
            for one in entries(kind or None)
            if one.name.startswith(incomplete) and (not families or one.details.get("family") in families)
        ]

    return complete
