"""The word lists of the bias estimators (Bommasani et al. 2020, Appendix B)."""

from collections.abc import Mapping
from dataclasses import dataclass

from wordworth.catalog.read.word_sets import load_word_set, polar_words
from wordworth.embedding import Layers
from wordworth.run import Findings

CLASSES = {
    "gender": ("male", "female"),
    "race": ("white", "hispanic", "asian"),
    "religion": ("christian", "islam"),
}
TARGETS = ("professions", "adjectives")
POLES = ("pleasant", "unpleasant")

Sets = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class BiasLists:
    """Whose bias, towards whom, and how it is defined."""

    pairs: tuple[tuple[str, str], ...]
    """(female, male), as published."""
    classes: Mapping[str, Sets]
    """Attribute → class → words."""
    targets: Sets
    poles: Sets
    """Pleasant and unpleasant words, which sentiment is learnt from (rnsb)."""

    @property
    def words(self) -> tuple[str, ...]:
        """Every word of every list, once."""
        every = [word for pair in self.pairs for word in pair]
        every += [word for sets in self.classes.values() for words in sets.values() for word in words]
        every += [word for group in (self.targets, self.poles) for words in group.values() for word in words]
        return tuple(dict.fromkeys(every))

    def sets(self) -> dict[str, tuple[str, ...]]:
        """The lists by name, for the record."""
        pairs = {"gender pairs": tuple(" ".join(pair) for pair in self.pairs)}
        classes = {name: words for group in self.classes.values() for name, words in group.items()}
        return {**pairs, **self.targets, **self.poles, **classes}


def load_bias_lists() -> BiasLists:
    """The paper's lists, with the polar words of English."""
    polar = polar_words("english")
    return BiasLists(
        pairs=load_word_set("bommasani-gender_pairs").pairs,
        classes={
            attribute: {name: load_word_set(f"bommasani-{name}").words for name in names}
            for attribute, names in CLASSES.items()
        },
        targets={name: load_word_set(f"bommasani-{name}").words for name in TARGETS},
        poles=dict(zip(POLES, (polar.pleasant, polar.unpleasant), strict=True)),
    )


def restricted(findings: Findings, layers: Layers, lists: BiasLists) -> BiasLists:
    """The words that have vectors. What then lacks a class, or has fewer than two pairs, is left out and reported."""

    def known(sets: Sets) -> dict[str, tuple[str, ...]]:
        return {name: tuple(word for word in words if word in layers.index) for name, words in sets.items()}

    pairs = tuple(pair for pair in lists.pairs if all(word in layers.index for word in pair))
    classes = {attribute: known(sets) for attribute, sets in lists.classes.items()}
    targets, poles = known(lists.targets), known(lists.poles)
    for what, sets in (*classes.items(), ("targets", targets), ("sentiment", poles)):
        empty = [name for name, words in sets.items() if not words]
        if empty:
            findings.warn(f"{layers.name} has none of the words of {', '.join(empty)}; {what} is left out.")
    if len(pairs) < 2:
        findings.warn(f"{layers.name} has {len(pairs)} of the gender pairs; what needs pairs is left out.")
    return BiasLists(
        pairs=pairs if len(pairs) > 1 else (),
        classes={attribute: sets for attribute, sets in classes.items() if all(sets.values())},
        targets={name: words for name, words in targets.items() if words},
        poles=poles if all(poles.values()) else {},
    )
