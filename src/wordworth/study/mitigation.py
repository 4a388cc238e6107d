"""Take a bias out of word vectors: from the names of a bias to its subspace, and from a subspace to changed vectors."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from wordworth.catalog.read.tables import read_text, tidy
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import entry, knows
from wordworth.embedding import NOT_FOUND, Embedding
from wordworth.errors import WordworthError
from wordworth.results.findings import Findings
from wordworth.study.debias import HARD, DebiasSettings
from wordworth.study.shared_settings import BiasSubspace, TakenOut
from wordworth.transform import (
    Moments,
    NothingToRemoveError,
    Subspace,
    class_means,
    difference_direction,
    erase,
    fit_leace,
    hard_debias,
    join_subspaces,
    pair_components,
    random_directions,
    remove,
    set_components,
)


def list_learners(embedding: Embedding, settings: BiasSubspace) -> Iterator[Callable[[], Subspace]]:
    """Yield how each named subspace is learnt; he − she where none is named."""
    unit, components = not settings.raw, settings.bias_components
    for pair in settings.directions or (() if settings.is_named else (("he", "she"),)):
        yield partial(difference_direction, embedding, *pair, unit=unit)
    for pairs in settings.bias_pairs:
        yield partial(pair_components, embedding, load_pairs(pairs), components, unit=unit, name=_label(pairs))
    for one in settings.bias_words:
        yield partial(set_components, embedding, load_words(one), components, unit=unit, name=_label(one))
    for classes in settings.concept:
        words = {_label(one): load_words(one) for one in classes}
        yield partial(class_means, embedding, words, unit=unit, name=" / ".join(words))


def learn_removed(settings: TakenOut, vectors_of: Callable[[Sequence[str]], Embedding], seed: int) -> Subspace | None:
    """Return the subspace a network is trained without, learnt from vectors of words; None where none is named."""
    if settings.random_directions:
        if settings.is_named:
            raise WordworthError("--random-directions is the control of a bias that is named; give one of them")
        dim = vectors_of(["he", "she"]).dim
        return random_directions(dim, count=1, k=settings.random_directions, seed=seed)[0]
    if not settings.is_named:
        return None
    return join_subspaces(
        *(learn_one() for learn_one in list_learners(vectors_of(list_bias_words(settings)), settings))
    )


def list_bias_words(settings: BiasSubspace) -> list[str]:
    """Return all words that it is learnt from; he and she where none are named."""
    every = [*settings.directions, *(pair for pairs in settings.bias_pairs for pair in load_pairs(pairs))]
    several = [load_words(one) for one in (*settings.bias_words, *chain(*settings.concept))]
    return list(dict.fromkeys(chain(*every, *several))) or ["he", "she"]


def load_words(named: str | Path) -> tuple[str, ...]:
    """Load a word set of the catalog, or a file with one word per line."""
    if _is_word_set(named):
        return load_word_set(str(named)).words
    return tuple(dict.fromkeys(filter(None, map(tidy, _read_lines(named)))))


def load_pairs(named: str | Path) -> tuple[tuple[str, str], ...]:
    """Load a set of pairs of the catalog, or a file with two words per line."""
    if _is_word_set(named):
        if published := load_word_set(str(named)).pairs:
            return published
        raise WordworthError(f"{named} is a set of words, not of pairs; give it with --bias-words")
    pairs = []
    for number, line in enumerate(_read_lines(named), start=1):
        words = line.replace(",", " ").split()
        if len(words) == 2:
            pairs.append((words[0], words[1]))
        elif words:
            raise WordworthError(f"{named}, line {number}: {line.strip()!r} is not a pair; write two words per line")
    return tuple(pairs)


def _is_word_set(named: str | Path) -> bool:
    return isinstance(named, str) and knows(named, "word_sets")


def _read_lines(named: str | Path) -> list[str]:
    path = Path(named).expanduser()
    if not path.exists() and len(path.parts) == 1 and not path.suffix:
        entry(str(named), "word_sets")  # it reads like a name: the error gives the nearest ones
    return read_text(path).splitlines()


def _label(named: str | Path) -> str:
    return str(named) if _is_word_set(named) else Path(named).stem


SPECIFIC, EQUALIZE = "bolukbasi-gender_specific_full", "bolukbasi-equalize_pairs"
"""Lists of Bolukbasi et al. for gender, which hard debiasing takes where others are not given."""


Change = Callable[[Embedding], Embedding]


def equalized_words() -> list[str]:
    """Return the words of the published pairs in the cases that hard debiasing tries."""
    words = [word for pair in load_pairs(EQUALIZE) for word in pair]
    return [change(word) for word in words for change in (str, str.lower, str.title, str.upper)]


def without(subspace: Subspace) -> Change:
    """Return the projection that removes a subspace."""
    return partial(remove, basis=subspace.basis, name=subspace.name)


def learn(embedding: Embedding, settings: DebiasSettings, findings: Findings) -> Subspace:
    """Learn the subspace that the settings name, in an embedding, and record words that the embedding lacks.

    Of several, one whose words do not differ is skipped with a notice; without any, there is nothing to remove.
    LEACE's guarantee is about the vectors as they are, so it never learns from unit vectors.
    """
    if settings.mitigate == "leace":
        settings = settings.model_copy(update={"raw": True})
    parts: list[Subspace] = []
    nothing: list[NothingToRemoveError] = []
    for learn_one in list_learners(embedding, settings):
        try:
            parts.append(learn_one())
        except NothingToRemoveError as error:
            nothing.append(error)
    if not parts:
        raise nothing[0]
    for one in nothing:
        findings.notice("skipped", str(one), experiment="subspace", model=embedding.name)
    for part in parts:
        where = {"experiment": "subspace", "model": embedding.name, "dataset": part.name}
        if part.missing:
            findings.item("word_lists", **where, word=list(part.missing), skipped=NOT_FOUND)
    return join_subspaces(*parts)


@dataclass(frozen=True)
class Treatment:
    """What a method does to an embedding, and what it does with a random subspace in place of the bias."""

    subspace: Subspace
    """What is removed; the method may remove more."""
    treat: Change
    dimensions: int
    """Of the random subspaces."""
    control: Callable[[Subspace], Change] = without


def make_treatment(embedding: Embedding, subspace: Subspace, settings: DebiasSettings, findings: Findings) -> Treatment:
    """Return the method that the settings name, for a subspace of an embedding.

    What has to be learnt is learnt from the whole embedding; the treatment can then be given to some of its words.
    """
    where = {"experiment": "subspace", "model": embedding.name, "dataset": subspace.name, "version": settings.mitigate}
    if settings.mitigate == "projection":
        return Treatment(subspace, without(subspace), len(subspace))
    if settings.mitigate == HARD:
        return Treatment(
            subspace, partial(_hard, subspace=subspace, settings=settings, findings=findings), len(subspace)
        )
    if settings.mitigate == "leace":
        moments = Moments.of(embedding.matrix)

        def make_eraser(one: Subspace) -> Change:
            return partial(erase, eraser=fit_leace(one, moments))

        return Treatment(subspace, make_eraser(subspace), len(subspace), make_eraser)
    from wordworth.transform.inlp import inlp_along

    outcome = inlp_along(embedding, subspace, rounds=settings.rounds, seed=settings.seed)
    shares = {"before": outcome.accuracies[0], "after": outcome.accuracies[-1], "chance": outcome.majority}
    for variant, value in shares.items():
        findings.score(**where, measure="inlp", variant=variant, value=value, n=outcome.words)
    findings.score(**where, measure="dimensions", value=len(outcome.subspace))
    if not outcome.at_chance:
        reason = (
            f"after {settings.rounds} rounds a classifier still gets {outcome.accuracies[-1]:.0%} of the words right "
            f"(by guessing: {outcome.majority:.0%}); raise --rounds"
        )
        findings.notice("caution", reason, experiment="subspace", model=embedding.name)
    return Treatment(subspace, without(outcome.subspace), len(outcome.subspace))


def _hard(embedding: Embedding, *, subspace: Subspace, settings: DebiasSettings, findings: Findings) -> Embedding:
    published = set(load_word_set(SPECIFIC).words)
    if settings.specific is None and not published.issuperset(word.lower() for word in subspace.words):
        raise WordworthError(
            f"hard debiasing has word lists for gender only, and {subspace.name} needs its own: give --specific and "
            "--equalize to debias"
        )
    specific = load_words(settings.specific or SPECIFIC)
    after = hard_debias(embedding, subspace, specific, load_pairs(settings.equalize or EQUALIZE))
    reason = (
        f"hard-debias neutralized {after.neutralized:,} words and left {after.specific:,} as they were; it equalized "
        f"{len(after.equalized)} pairs, and {len(after.missing)} pairs are missing. Its vectors have length one, so "
        "garg-euclidean, ripa and rnsb, which grow with length, cannot be compared with before"
    )
    findings.notice("info", reason, model=embedding.name)
    return after.embedding
