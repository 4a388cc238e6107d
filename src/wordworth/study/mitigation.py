"""Learn the subspace of a named bias, and remove it from word vectors."""

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
    """Yield a function that learns each named subspace; he − she if none is named."""
    unit, components = not settings.raw, settings.bias_components
    for pair in settings.directions or (() if settings.is_named else (("he", "she"),)):
        yield partial(difference_direction, embedding, *pair, unit=unit)
    for pairs in settings.bias_pairs:
        yield partial(pair_components, embedding, load_pairs(pairs), components, unit=unit, name=_label(pairs))
    for word_set in settings.bias_words:
        yield partial(set_components, embedding, load_words(word_set), components, unit=unit, name=_label(word_set))
    for classes in settings.concept:
        words = {_label(word_set): load_words(word_set) for word_set in classes}
        yield partial(class_means, embedding, words, unit=unit, name=" / ".join(words))


def learn_removed(settings: TakenOut, vectors_of: Callable[[Sequence[str]], Embedding], seed: int) -> Subspace | None:
    """Learn the subspace that a network is trained without, from vectors of words; None if none is named."""
    if settings.random_directions:
        if settings.is_named:
            raise WordworthError("--random-directions is the control of a bias that is named; give one of them")
        dim = vectors_of(["he", "she"]).dim
        return random_directions(dim, count=1, k=settings.random_directions, seed=seed)[0]
    if not settings.is_named:
        return None
    learners = list_learners(vectors_of(list_bias_words(settings)), settings)
    return join_subspaces(*(learn() for learn in learners))


def list_bias_words(settings: BiasSubspace) -> list[str]:
    """Return all words that a subspace is learnt from; he and she if none are named."""
    word_tuples = [*settings.directions, *(pair for pairs in settings.bias_pairs for pair in load_pairs(pairs))]
    word_sets = [load_words(word_set) for word_set in (*settings.bias_words, *chain(*settings.concept))]
    return list(dict.fromkeys(chain(*word_tuples, *word_sets))) or ["he", "she"]


def load_words(name_or_path: str | Path) -> tuple[str, ...]:
    """Load a word set of the catalog, or a file with one word per line."""
    if _is_word_set(name_or_path):
        return load_word_set(str(name_or_path)).words
    return tuple(dict.fromkeys(filter(None, map(tidy, _read_lines(name_or_path)))))


def load_pairs(name_or_path: str | Path) -> tuple[tuple[str, str], ...]:
    """Load a set of pairs of the catalog, or a file with two words per line."""
    if _is_word_set(name_or_path):
        if published_pairs := load_word_set(str(name_or_path)).pairs:
            return published_pairs
        raise WordworthError(f"{name_or_path} is a set of words, not of pairs; give it with --bias-words")
    pairs = []
    for i, line in enumerate(_read_lines(name_or_path), start=1):
        words = line.replace(",", " ").split()
        if len(words) == 2:
            pairs.append((words[0], words[1]))
        elif words:
            raise WordworthError(f"{name_or_path}, line {i}: {line.strip()!r} is not a pair; write two words per line")
    return tuple(pairs)


def _is_word_set(name_or_path: str | Path) -> bool:
    return isinstance(name_or_path, str) and knows(name_or_path, "word_sets")


def _read_lines(name_or_path: str | Path) -> list[str]:
    path = Path(name_or_path).expanduser()
    if not path.exists() and len(path.parts) == 1 and not path.suffix:
        entry(str(name_or_path), "word_sets")  # it looks like a name: the error gives the nearest ones
    return read_text(path).splitlines()


def _label(name_or_path: str | Path) -> str:
    return str(name_or_path) if _is_word_set(name_or_path) else Path(name_or_path).stem


SPECIFIC, EQUALIZE = "bolukbasi-gender_specific_full", "bolukbasi-equalize_pairs"
DEFINITIONAL = "bolukbasi-definitional_pairs"
"""Word sets of Bolukbasi et al. for gender, the defaults of hard debiasing."""


Change = Callable[[Embedding], Embedding]


def equalized_words() -> list[str]:
    """Return the words of the published pairs in the cases that hard debiasing tries."""
    words = [word for pair in load_pairs(EQUALIZE) for word in pair]
    return [change(word) for word in words for change in (str, str.lower, str.title, str.upper)]


def without(subspace: Subspace) -> Change:
    """Return the projection that removes a subspace."""
    return partial(remove, basis=subspace.basis, name=subspace.name)


def learn(embedding: Embedding, settings: DebiasSettings, findings: Findings) -> Subspace:
    """Learn the subspace that the settings name in an embedding, and record the missing words.

    A subspace whose words do not differ is skipped with a notice; raise if none is left. LEACE's guarantee is about the
    vectors as they are, so it never learns from unit vectors.
    """
    if settings.mitigate == "leace":
        settings = settings.model_copy(update={"raw": True})
    subspaces: list[Subspace] = []
    errors: list[NothingToRemoveError] = []
    for learn_one in list_learners(embedding, settings):
        try:
            subspaces.append(learn_one())
        except NothingToRemoveError as error:
            errors.append(error)
    if not subspaces:
        raise errors[0]
    for one in errors:
        findings.notice("skipped", str(one), experiment="subspace", model=embedding.name)
    for subspace in subspaces:
        place = {"experiment": "subspace", "model": embedding.name, "dataset": subspace.name}
        if subspace.missing:
            findings.item("word_lists", **place, word=list(subspace.missing), skipped=NOT_FOUND)
    return join_subspaces(*subspaces)


@dataclass(frozen=True)
class Treatment:
    """Hold what a method does to an embedding, and the same with a random subspace instead of the bias."""

    subspace: Subspace
    """The subspace of the bias; the method may remove more."""
    treat: Change
    dimensions: int
    """The dimensions of the random subspaces."""
    control: Callable[[Subspace], Change] = without


def make_treatment(embedding: Embedding, subspace: Subspace, settings: DebiasSettings, findings: Findings) -> Treatment:
    """Return the method that the settings name, for a subspace of an embedding.

    The method learns from the whole embedding; the treatment can then be applied to some of its words.
    """
    place = {"experiment": "subspace", "model": embedding.name, "dataset": subspace.name, "version": settings.mitigate}
    if settings.mitigate == "projection":
        return Treatment(subspace, without(subspace), len(subspace))
    if settings.mitigate == HARD:
        treat = partial(_hard, subspace=subspace, settings=settings, findings=findings)
        return Treatment(subspace, treat, len(subspace))
    if settings.mitigate == "leace":
        moments = Moments.of(embedding.matrix)

        def make_eraser(erased_subspace: Subspace) -> Change:
            return partial(erase, eraser=fit_leace(erased_subspace, moments))

        return Treatment(subspace, make_eraser(subspace), len(subspace), make_eraser)
    from wordworth.transform.inlp import inlp_along

    outcome = inlp_along(embedding, subspace, rounds=settings.rounds, seed=settings.seed)
    shares = {"before": outcome.accuracies[0], "after": outcome.accuracies[-1], "chance": outcome.majority}
    for variant, value in shares.items():
        findings.score(**place, measure="inlp", variant=variant, value=value, n=outcome.words)
    findings.score(**place, measure="dimensions", value=len(outcome.subspace))
    if not outcome.at_chance:
        reason = (
            f"after {settings.rounds} rounds a classifier still gets {outcome.accuracies[-1]:.0%} of the words right "
            f"(by guessing: {outcome.majority:.0%}); raise --rounds"
        )
        findings.notice("caution", reason, experiment="subspace", model=embedding.name)
    return Treatment(subspace, without(outcome.subspace), len(outcome.subspace))


def _hard(embedding: Embedding, *, subspace: Subspace, settings: DebiasSettings, findings: Findings) -> Embedding:
    gender_words = {word.lower() for name in (SPECIFIC, DEFINITIONAL) for word in load_word_set(name).words}
    if settings.specific is None and not gender_words.issuperset(word.lower() for word in subspace.words):
        raise WordworthError(
            f"hard debiasing has word lists for gender only, and {subspace.name} needs its own: give --specific and "
            "--equalize to debias"
        )
    specific = load_words(settings.specific or SPECIFIC)
    debiased = hard_debias(embedding, subspace, specific, load_pairs(settings.equalize or EQUALIZE))
    reason = (
        f"hard-debias neutralized {debiased.neutralized:,} words and left {debiased.specific:,} as they were; it "
        f"equalized {len(debiased.equalized)} pairs, and {len(debiased.missing)} pairs are missing. Its vectors have "
        "length one, so garg-euclidean, ripa and rnsb, which grow with length, cannot be compared with before"
    )
    findings.notice("info", reason, model=embedding.name)
    return debiased.embedding
