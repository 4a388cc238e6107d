"""From the names of a bias to its subspace."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from wordworth.catalog.read.tables import read_text, tidy
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import entry, knows
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.study.bias_subspace import BiasSubspace, TakenOut
from wordworth.transform import (
    Subspace,
    class_means,
    difference_direction,
    joined,
    pair_components,
    random_directions,
    set_components,
)


def ways(embedding: Embedding, settings: BiasSubspace) -> Iterator[Callable[[], Subspace]]:
    """How each of the subspaces that are named is learnt; he − she where none is."""
    unit, components = not settings.raw, settings.bias_components
    for pair in settings.directions or (() if settings.named else (("he", "she"),)):
        yield partial(difference_direction, embedding, *pair, unit=unit)
    for pairs in settings.bias_pairs:
        yield partial(pair_components, embedding, pairs_named(pairs), components, unit=unit, name=_label(pairs))
    for one in settings.bias_words:
        yield partial(set_components, embedding, words_named(one), components, unit=unit, name=_label(one))
    for classes in settings.concept:
        words = {_label(one): words_named(one) for one in classes}
        yield partial(class_means, embedding, words, unit=unit, name=" / ".join(words))


def taken_out(settings: TakenOut, vectors_of: Callable[[Sequence[str]], Embedding], seed: int) -> Subspace | None:
    """What a network is trained without, learnt from the vectors of words; None where nothing is named."""
    if settings.random_directions:
        if settings.named:
            raise WordworthError("--random-directions is the control of a bias that is named; give one of them")
        dim = vectors_of(["he", "she"]).dim
        return random_directions(dim, count=1, k=settings.random_directions, seed=seed)[0]
    if not settings.named:
        return None
    parts = [way() for way in ways(vectors_of(named_words(settings)), settings)]
    return joined(*parts) if len(parts) > 1 else parts[0]


def named_words(settings: BiasSubspace) -> list[str]:
    """All words that it is learnt from; he and she where none are named."""
    every = [*settings.directions, *(pair for pairs in settings.bias_pairs for pair in pairs_named(pairs))]
    several = [words_named(one) for one in (*settings.bias_words, *chain(*settings.concept))]
    return list(dict.fromkeys(chain(*every, *several))) or ["he", "she"]


def words_named(named: str | Path) -> tuple[str, ...]:
    """A word set of the catalog, or a file with a word a line."""
    if isinstance(named, str) and knows(named, "word_sets"):
        return load_word_set(named).words
    lines = [tidy(line) for line in _lines(named)]
    return tuple(dict.fromkeys(line for line in lines if line))


def pairs_named(named: str | Path) -> tuple[tuple[str, str], ...]:
    """A word set of pairs of the catalog, or a file with two words a line."""
    if isinstance(named, str) and knows(named, "word_sets"):
        found = load_word_set(named).pairs
        if not found:
            raise WordworthError(f"{named} is a set of words, not of pairs; give it with --bias-words")
        return found
    pairs = []
    for number, line in enumerate(_lines(named), start=1):
        words = line.replace(",", " ").split()
        if not words:
            continue
        if len(words) != 2:
            raise WordworthError(f"{named}, line {number}: {line.strip()!r} is not a pair; write two words a line")
        pairs.append((words[0], words[1]))
    return tuple(pairs)


def _lines(named: str | Path) -> list[str]:
    path = Path(named).expanduser()
    if not path.exists() and len(path.parts) == 1 and not path.suffix:
        entry(str(named), "word_sets")  # it reads like a name: the error gives the nearest ones
    return read_text(path).splitlines()


def _label(named: str | Path) -> str:
    return str(named) if isinstance(named, str) and knows(named, "word_sets") else Path(named).stem
