"""Take a bias out of word vectors: from the names of a bias to its subspace, and from a subspace to changed vectors."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

from wordworth.catalog.read.tables import read_text, tidy
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import entry, knows
from wordworth.embedding import NOT_FOUND, Embedding
from wordworth.errors import WordworthError
from wordworth.results import Findings
from wordworth.study.debias import HARD, DebiasSettings
from wordworth.study.shared_settings import BiasSubspace, TakenOut
from wordworth.transform import (
    Moments,
    NothingToRemoveError,
    Subspace,
    class_means,
    difference_direction,
    erased,
    hard_debias,
    joined,
    leace_of,
    pair_components,
    random_directions,
    remove,
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


SPECIFIC, EQUALIZE = "bolukbasi-gender_specific_full", "bolukbasi-equalize_pairs"
"""Lists of Bolukbasi et al. for gender, which hard debiasing takes where others are not given."""


Change = Callable[[Embedding], Embedding]


def equalized_words() -> list[str]:
    """Return the words of the published pairs in the cases that hard debiasing tries."""
    words = [word for pair in pairs_named(EQUALIZE) for word in pair]
    return [change(word) for word in words for change in (str, str.lower, str.title, str.upper)]


def without(subspace: Subspace) -> Change:
    """The projection."""
    return partial(remove, basis=subspace.basis, name=subspace.name)


def learn(embedding: Embedding, settings: DebiasSettings, findings: Findings) -> Subspace:
    """The subspace that the settings name, in an embedding; words that the embedding lacks are recorded.

    Of several, one whose words do not differ is left out and said; where none is left, there is nothing to take out.
    What LEACE promises is of the vectors as they are, so that it never learns from unit ones.
    """
    parts: list[Subspace] = []
    nothing: list[NothingToRemoveError] = []
    for way in ways(embedding, replace(settings, raw=True) if settings.mitigate == "leace" else settings):
        try:
            parts.append(way())
        except NothingToRemoveError as error:
            nothing.append(error)
    if not parts:
        raise nothing[0]
    for one in nothing:
        findings.warn(f"Left out of what is taken out: {one}.")
    for part in parts:
        if part.missing:
            where = {"experiment": "subspace", "model": embedding.name, "dataset": part.name}
            findings.item(**where, item=list(part.missing), left_out=NOT_FOUND)
    return joined(*parts) if len(parts) > 1 else parts[0]


@dataclass(frozen=True)
class Treatment:
    """What a method does to an embedding, and what it does with a random subspace in place of the bias."""

    treat: Change
    dimensions: int
    """Of the random subspaces."""
    control: Callable[[Subspace], Change] = without


def treatment(embedding: Embedding, subspace: Subspace, settings: DebiasSettings, findings: Findings) -> Treatment:
    """The method that the settings name, for a subspace of an embedding.

    What has to be learnt is learnt from the whole embedding; the treatment can then be given to some of its words.
    """
    where = {"experiment": "subspace", "model": embedding.name, "dataset": subspace.name, "setting": settings.mitigate}
    if settings.mitigate == "projection":
        return Treatment(without(subspace), len(subspace))
    if settings.mitigate == HARD:
        return Treatment(partial(_hard, subspace=subspace, settings=settings, findings=findings), len(subspace))
    if settings.mitigate == "leace":
        moments = Moments.of(embedding.matrix)
        erase = partial(_erase, moments=moments)
        return Treatment(erase(subspace), len(subspace), erase)
    from wordworth.transform.inlp import inlp_along

    found = inlp_along(embedding, subspace, rounds=settings.rounds, seed=settings.seed)
    for measure, value in (("inlp:before", found.accuracies[0]), ("inlp:after", found.accuracies[-1])):
        findings.score(**where, measure=measure, value=value, n=found.words)
    findings.score(**where, measure="inlp:chance", value=found.majority, n=found.words)
    findings.score(**where, measure="dimensions", value=len(found.subspace))
    if not found.at_chance:
        findings.warn(
            f"After {settings.rounds} rounds a classifier still tells {found.accuracies[-1]:.0%} of the words right "
            f"(guessing: {found.majority:.0%}); raise --rounds."
        )
    return Treatment(without(found.subspace), len(found.subspace))


def _erase(subspace: Subspace, moments: Moments) -> Change:
    return partial(erased, eraser=leace_of(subspace, moments))


def _hard(embedding: Embedding, *, subspace: Subspace, settings: DebiasSettings, findings: Findings) -> Embedding:
    published = set(load_word_set(SPECIFIC).words)
    if settings.specific is None and not published.issuperset(word.lower() for word in subspace.words):
        raise WordworthError(
            f"hard debiasing has word lists for gender only, and {subspace.name} needs its own: give --specific and "
            "--equalize to debias"
        )
    specific = words_named(settings.specific or SPECIFIC)
    found = hard_debias(embedding, subspace, specific, pairs_named(settings.equalize or EQUALIZE))
    findings.note(
        f"hard-debias: {found.neutralized:,} words neutralized, {found.specific:,} left as they were, of which "
        f"{len(found.equalized)} pairs were equalized and {len(found.missing)} pairs were not there. Vectors are of "
        "length one after it, so garg-euclidean, ripa and rnsb, which grow with length, do not compare with before."
    )
    return found.embedding
