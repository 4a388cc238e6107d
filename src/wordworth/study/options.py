"""What the experiments on embeddings share: seed, spelling, the tests' sides and sizes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding import Embedding, Lookup, spellings
from wordworth.embedding.spelling import Case
from wordworth.errors import WordworthError
from wordworth.statistics.bootstrap import RESAMPLES
from wordworth.statistics.permutation import PERMUTATIONS, Method, Sides

NOT_FOUND = "not in vocabulary"
UNBALANCED = "dropped at random to balance the sets"


class TooFewWordsError(WordworthError):
    """An embedding lacks the words of a task; a task that was not asked for by name is then passed over, and told."""


@dataclass(frozen=True)
class Options:
    """Options of the studies of static embeddings."""

    seed: int = 0
    case: Case = "fold"
    """“fold” also tries lower case and a capital; “exact” takes words as they are written."""
    sides: Sides = "one"
    method: Method = "auto"
    """How p is come by: exact where it can be enumerated, else Monte Carlo; “normal” is the ValNorm authors' code."""
    permutations: int = PERMUTATIONS
    resamples: int = RESAMPLES
    balance: bool = False
    """Whether polar and target sets are cut, at random, to the size of the shorter one."""
    analogy_vocabulary: int = 300_000
    """Analogies are sought among this many first words (by custom the most frequent); 0 is all."""

    def __post_init__(self) -> None:
        least = {"seed": 0, "permutations": 1, "resamples": 1, "analogy_vocabulary": 0}
        for name, bound in least.items():
            if getattr(self, name) < bound:
                option = name.replace("_", "-")
                raise WordworthError(f"--{option} is {getattr(self, name)}; it must be a whole number from {bound} up")


@dataclass(frozen=True)
class FoundSet:
    """One word set in one embedding: which words serve, and why the others do not."""

    label: str
    words: tuple[str, ...]
    lookup: Lookup
    kept: tuple[int, ...]
    """Positions in `lookup` that are used."""

    def reasons(self) -> list[str | None]:
        """For every word of the set, why it is left out, or None."""
        kept = {int(self.lookup.positions[at]) for at in self.kept}
        found = set(self.lookup.positions.tolist())
        return [None if i in kept else UNBALANCED if i in found else NOT_FOUND for i in range(len(self.words))]

    def vectors(self, embedding: Embedding) -> NDArray[np.float64]:
        return embedding.vectors(self.lookup.rows[list(self.kept)])


def found_as(words: tuple[str, ...], lookup: Lookup) -> list[str | None]:
    """For every word asked for, how the vocabulary spells it where that differs."""
    forms: list[str | None] = [None] * len(words)
    for position, word, form in zip(lookup.positions.tolist(), lookup.words, lookup.forms, strict=True):
        if form != word:
            forms[position] = form
    return forms


def find_sets(
    embedding: Embedding,
    sets: dict[str, tuple[str, ...]],
    language: str,
    options: Options,
    what: str,
    spelled: Callable[[str], Iterator[str]] | None = None,
) -> list[FoundSet]:
    """Looks sets of words up, cutting them to one size where that is asked; too few words left is an error."""
    spelled = spelled or spellings(language, options.case)
    lookups = [embedding.find(words, spelled) for words in sets.values()]
    sizes = [len(lookup.words) for lookup in lookups]
    for (label, words), size in zip(sets.items(), sizes, strict=True):
        if size < 2:
            raise TooFewWordsError(
                f"{embedding.name} has {size} of the {len(words)} words of {label} ({what}), and 2 are needed; "
                f"is it an embedding of {language} words, and spelled alike?"
            )
    size = min(sizes)
    rng = np.random.default_rng(options.seed)
    found = []
    for (label, words), lookup in zip(sets.items(), lookups, strict=True):
        kept = np.arange(len(lookup.words))
        if options.balance and len(kept) > size:
            kept = np.sort(rng.choice(kept, size, replace=False))
        found.append(FoundSet(label, words, lookup, tuple(kept.tolist())))
    return found
