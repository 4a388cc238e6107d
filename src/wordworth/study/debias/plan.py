"""What to take out and how, from names to a subspace and from a subspace to a debiased embedding."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wordworth.catalog.read.tables import read_text, tidy
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import entry, knows
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError, nearest
from wordworth.study.findings import Findings
from wordworth.transform import (
    Subspace,
    difference_direction,
    hard_debias,
    joined,
    pair_components,
    remove,
    set_components,
    two_means,
)

METHODS = ("projection", "hard-debias", "inlp")
SPECIFIC, EQUALIZE = "bolukbasi-gender_specific_full", "bolukbasi-equalize_pairs"
"""Lists of Bolukbasi et al. for gender, which hard debiasing takes where others are not given."""


@dataclass(frozen=True)
class Plan:
    """The subspace is the span of all that is named; he − she where nothing is."""

    directions: tuple[tuple[str, str], ...] = ()
    """Two words each: unit(unit(a) − unit(b))."""
    pairs: tuple[str | Path, ...] = ()
    """Word sets of pairs, or files with two words a line: their first components."""
    components_of: tuple[str | Path, ...] = ()
    """Word sets, or files with a word a line: their first components."""
    components: int = 1
    """Of each of the two kinds above."""
    two_means: tuple[tuple[str, str], ...] = ()
    """Two word sets each: the difference of their means."""
    unit: bool = True
    """Whether vectors are made unit length before a subspace is learnt from them, as in the authors' code."""
    method: str = "projection"
    specific: str | Path | None = None
    """Hard debiasing: words that keep their part in the subspace."""
    equalize: str | Path | None = None
    """Hard debiasing: pairs that are made equally far from every other word."""
    rounds: int = 35
    """Iterative projection: at most so many classifiers."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            close = nearest(self.method, list(METHODS)) or f"; there are {', '.join(METHODS)}"
            raise WordworthError(f"there is no method {self.method!r}{close}")
        if (self.specific or self.equalize) and self.method != "hard-debias":
            raise WordworthError("--specific and --equalize are for --method hard-debias; leave them out")
        for option, value in (("components", self.components), ("rounds", self.rounds)):
            if value < 1:
                raise WordworthError(f"--{option} is {value}; it must be a whole number from 1 up")


def learn(embedding: Embedding, plan: Plan, findings: Findings) -> Subspace:
    """The subspace of a plan in an embedding; words that the embedding lacks are told."""
    parts: list[Subspace] = []
    for first, second in plan.directions:
        parts.append(difference_direction(embedding, first, second, unit=plan.unit))
    for named in plan.pairs:
        pairs = pairs_named(named)
        parts.append(pair_components(embedding, pairs, plan.components, unit=plan.unit, name=_label(named)))
    for named in plan.components_of:
        words = words_named(named)
        parts.append(set_components(embedding, words, plan.components, unit=plan.unit, name=_label(named)))
    for one, other in plan.two_means:
        name = f"means of {one} − {other}"
        parts.append(two_means(embedding, words_named(one), words_named(other), unit=plan.unit, name=name))
    parts = parts or [difference_direction(embedding, "he", "she", unit=plan.unit)]
    for part in parts:
        if part.missing:
            where = {"experiment": "subspace", "model": embedding.name, "dataset": part.name}
            findings.item(**where, item=list(part.missing), left_out="not in vocabulary")
    return joined(*parts) if len(parts) > 1 else parts[0]


def treatment(
    embedding: Embedding, subspace: Subspace, plan: Plan, findings: Findings, seed: int
) -> tuple[Callable[[Embedding], Embedding], int]:
    """What the method does to an embedding, and of how many dimensions the random control shall be.

    What has to be learnt is learnt from the whole embedding; the treatment can then be given to some of its words.
    """
    where = {"experiment": "subspace", "model": embedding.name, "dataset": subspace.name, "setting": plan.method}
    if plan.method == "projection":
        return partial(remove, basis=subspace.basis, name=subspace.name), len(subspace)
    if plan.method == "hard-debias":
        return partial(_hard, subspace=subspace, plan=plan, findings=findings), len(subspace)
    from wordworth.transform.inlp import inlp, leaning_words

    if len(subspace) > 1:
        raise WordworthError(
            f"{subspace.name} has {len(subspace)} dimensions, and iterative projection learns from the words that lean "
            "to either side of one; name a single direction"
        )
    vectors, labels = leaning_words(embedding, subspace.basis[0])
    found = inlp(vectors, labels, rounds=plan.rounds, seed=seed, name=f"inlp along {subspace.name}")
    for measure, value in (("inlp:before", found.accuracies[0]), ("inlp:after", found.accuracies[-1])):
        findings.score(**where, measure=measure, value=value, n=len(labels))
    findings.score(**where, measure="inlp:chance", value=found.majority, n=len(labels))
    findings.score(**where, measure="dimensions", value=len(found.subspace))
    if not found.at_chance:
        findings.warn(
            f"After {plan.rounds} rounds a classifier still tells {found.accuracies[-1]:.0%} of the words right "
            f"(guessing: {found.majority:.0%}); raise --rounds."
        )
    return partial(remove, basis=found.subspace.basis, name=found.subspace.name), len(found.subspace)


def _hard(embedding: Embedding, *, subspace: Subspace, plan: Plan, findings: Findings) -> Embedding:
    published = set(load_word_set(SPECIFIC).words)
    if plan.specific is None and not published.issuperset(word.lower() for word in subspace.words):
        raise WordworthError(
            f"hard debiasing of {subspace.name} needs the words that it belongs to the meaning of: give --specific and "
            "--equalize (the lists at hand are for gender)"
        )
    specific = words_named(plan.specific or SPECIFIC)
    found = hard_debias(embedding, subspace, specific, pairs_named(plan.equalize or EQUALIZE))
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
            raise WordworthError(f"{named} is a set of words, not of pairs; give it with --components-of")
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
