"""What to take out and how, from names to a subspace and from a subspace to a debiased embedding."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

from wordworth.catalog.read.tables import read_text, tidy
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import entry, knows
from wordworth.embedding import NOT_FOUND, Embedding
from wordworth.errors import WordworthError
from wordworth.run import Findings
from wordworth.study.debias import DebiasSettings
from wordworth.transform import (
    NothingToRemoveError,
    Subspace,
    difference_direction,
    hard_debias,
    joined,
    pair_components,
    remove,
    set_components,
    two_means,
)

SPECIFIC, EQUALIZE = "bolukbasi-gender_specific_full", "bolukbasi-equalize_pairs"
"""Lists of Bolukbasi et al. for gender, which hard debiasing takes where others are not given."""


def check_named(settings: DebiasSettings) -> None:
    """Stops, before an embedding is read, at words that are named and are not there."""
    for pairs in (*settings.bias_pairs, settings.equalize):
        if pairs is not None:
            pairs_named(pairs)
    for words in (*settings.bias_words, *chain(*settings.two_means), settings.specific):
        if words is not None:
            words_named(words)


def learn(embedding: Embedding, settings: DebiasSettings, findings: Findings) -> Subspace:
    """The subspace that the settings name, in an embedding; words that the embedding lacks are recorded.

    Of several, one whose words do not differ is left out and said; where none is left, there is nothing to take out.
    """
    parts: list[Subspace] = []
    nothing: list[NothingToRemoveError] = []
    for way in _ways(embedding, settings):
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


def _ways(embedding: Embedding, settings: DebiasSettings) -> Iterator[Callable[[], Subspace]]:
    """How each of the subspaces that are named is learnt; he − she where none is."""
    unit, components = not settings.raw, settings.bias_components
    named = settings.bias_pairs or settings.bias_words or settings.two_means
    for words in settings.directions or (() if named else (("he", "she"),)):
        yield partial(difference_direction, embedding, *words, unit=unit)
    for pairs in settings.bias_pairs:
        yield partial(pair_components, embedding, pairs_named(pairs), components, unit=unit, name=_label(pairs))
    for one in settings.bias_words:
        yield partial(set_components, embedding, words_named(one), components, unit=unit, name=_label(one))
    for first, second in settings.two_means:
        name = f"means of {first} − {second}"
        yield partial(two_means, embedding, words_named(first), words_named(second), unit=unit, name=name)


def treatment(
    embedding: Embedding, subspace: Subspace, settings: DebiasSettings, findings: Findings
) -> tuple[Callable[[Embedding], Embedding], int]:
    """What the method does to an embedding, and of how many dimensions the random control shall be.

    What has to be learnt is learnt from the whole embedding; the treatment can then be given to some of its words.
    """
    where = {"experiment": "subspace", "model": embedding.name, "dataset": subspace.name, "setting": settings.mitigate}
    if settings.mitigate == "projection":
        return partial(remove, basis=subspace.basis, name=subspace.name), len(subspace)
    if settings.mitigate == "hard-debias":
        return partial(_hard, subspace=subspace, settings=settings, findings=findings), len(subspace)
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
    return partial(remove, basis=found.subspace.basis, name=found.subspace.name), len(found.subspace)


def _hard(embedding: Embedding, *, subspace: Subspace, settings: DebiasSettings, findings: Findings) -> Embedding:
    published = set(load_word_set(SPECIFIC).words)
    if settings.specific is None and not published.issuperset(word.lower() for word in subspace.words):
        raise WordworthError(
            f"hard debiasing of {subspace.name} needs the words that it belongs to the meaning of: give --specific and "
            "--equalize (the lists at hand are for gender)"
        )
    specific = words_named(settings.specific or SPECIFIC)
    found = hard_debias(embedding, subspace, specific, pairs_named(settings.equalize or EQUALIZE))
    findings.note(
        f"hard-debias: {found.neutralized:,} words neutralized, {found.specific:,} left as they were, of which "
        f"{len(found.equalized)} pairs were equalized and {len(found.missing)} pairs were not there. Vectors are of "
        "length one after it, so garg-euclidean, ripa and rnsb, which grow with length, do not compare with before."
    )
    return found.embedding


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
