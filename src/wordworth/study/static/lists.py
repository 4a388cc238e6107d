"""The word lists of the bias experiments (Bommasani et al. 2020, Appendix B), and the vectors of their words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.word_sets import load_word_set, polar_words
from wordworth.embedding import Embedding, spellings
from wordworth.study.findings import Findings
from wordworth.study.options import NOT_FOUND
from wordworth.study.static.reduction import Reduction

CLASSES = {
    "gender": ("male", "female"),
    "race": ("white", "hispanic", "asian"),
    "religion": ("christian", "islam"),
}
TARGETS = ("professions", "adjectives")
POLES = ("pleasant", "unpleasant")


@dataclass(frozen=True)
class Lists:
    """Words only."""

    pairs: tuple[tuple[str, str], ...]
    """(female, male), as published."""
    classes: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Attribute → class → words."""
    targets: Mapping[str, tuple[str, ...]]
    poles: Mapping[str, tuple[str, ...]]
    """Pleasant and unpleasant words, which sentiment is learnt from (rnsb)."""

    @property
    def words(self) -> tuple[str, ...]:
        every = [word for pair in self.pairs for word in pair]
        every += [word for sets in self.classes.values() for words in sets.values() for word in words]
        every += [word for group in (self.targets, self.poles) for words in group.values() for word in words]
        return tuple(dict.fromkeys(every))


def load_lists(findings: Findings) -> Lists:
    polar = polar_words("english")
    lists = Lists(
        pairs=load_word_set("bommasani-gender_pairs").pairs,
        classes={
            attribute: {name: load_word_set(f"bommasani-{name}").words for name in names}
            for attribute, names in CLASSES.items()
        },
        targets={name: load_word_set(f"bommasani-{name}").words for name in TARGETS},
        poles=dict(zip(POLES, (polar.pleasant, polar.unpleasant), strict=True)),
    )
    sets = {"gender pairs": tuple(" ".join(pair) for pair in lists.pairs), **lists.targets, **lists.poles}
    sets |= {name: words for group in lists.classes.values() for name, words in group.items()}
    findings.used_words("Bommasani et al.", sets, "bommasani2020")
    return lists


@dataclass(frozen=True, eq=False)
class Space:
    """Vectors of the lists' words in every layer of one model."""

    model: str
    layers: tuple[int | None, ...]
    """None for a static embedding."""
    vectors: NDArray[np.float64]
    """layers × words × dim, of the words that have a vector."""
    row_of: Mapping[str, int]

    def of(self, words: Sequence[str]) -> NDArray[np.float64]:
        """layers × words × dim of words that are there."""
        return self.vectors[:, [self.row_of[word] for word in words]]

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(male, female) vectors."""
        female, male = zip(*pairs, strict=True)
        return self.of(male), self.of(female)


def restricted(findings: Findings, space: Space, lists: Lists) -> Lists:
    """The words that have vectors. What then lacks a class, or has fewer than two pairs, is left out and told."""

    def known(sets: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return {name: tuple(word for word in words if word in space.row_of) for name, words in sets.items()}

    pairs = tuple(pair for pair in lists.pairs if all(word in space.row_of for word in pair))
    classes = {attribute: known(sets) for attribute, sets in lists.classes.items()}
    targets, poles = known(lists.targets), known(lists.poles)
    for what, sets in (*classes.items(), ("targets", targets), ("sentiment", poles)):
        empty = [name for name, words in sets.items() if not words]
        if empty:
            findings.warn(f"{space.model} has none of the words of {', '.join(empty)}; {what} is left out.")
    if len(pairs) < 2:
        findings.warn(f"{space.model} has {len(pairs)} of the gender pairs; what needs pairs is left out.")
    return Lists(
        pairs=pairs if len(pairs) > 1 else (),
        classes={attribute: sets for attribute, sets in classes.items() if all(sets.values())},
        targets={name: words for name, words in targets.items() if words},
        poles=poles if all(poles.values()) else {},
    )


def space_of(reduction: Reduction) -> Space:
    """mean/mean over the contexts, every layer; words without any vector are left out."""
    stacked = np.stack([reduction.aggregated(layer, "mean/mean") for layer in reduction.layers])
    there = ~np.isnan(stacked[0, :, 0])
    words = [word for word, has in zip(reduction.words, there.tolist(), strict=True) if has]
    return Space(
        reduction.model.name,
        reduction.layers,
        stacked[:, there].astype(np.float64),
        {word: row for row, word in enumerate(words)},
    )


def space_of_embedding(findings: Findings, embedding: Embedding, lists: Lists) -> Space:
    """A static embedding as a space of one layer."""
    found = embedding.find(lists.words, spellings("english", "fold"))
    if found.missing:
        where = {"experiment": "bias", "model": embedding.name}
        findings.item(**where, item=list(found.missing), left_out=NOT_FOUND)
    row_of = {word: row for row, word in enumerate(found.words)}
    return Space(embedding.name, (None,), embedding.vectors(found.rows)[None], row_of)
