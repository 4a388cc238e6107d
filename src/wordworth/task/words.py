"""Words of lexica, tests and bias lists in `Layers`: looked up, cut to one size, refused where too few are there."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.word_sets import PolarWords, load_word_set, polar_words
from wordworth.embedding import SAME_VECTOR, Layers, spellings
from wordworth.errors import WordworthError
from wordworth.results import Findings

UNBALANCED = "dropped at random to balance the sets"

Poles = tuple[Layers, Layers]
"""The high and the low pole, such as pleasant and unpleasant words."""


class TooFewWordsError(WordworthError):
    """A model lacks the words of a task, or cannot tell them apart; a task that was not asked for by name is then
    skipped and reported."""


Spelling = Callable[[str], Iterator[str]]


def spelling_of(
    language: str, settings: Any, stand_ins: Mapping[str, str] | None = None, names: Collection[str] = ()
) -> Spelling:
    """The spellings to try for a word: by the settings' `case`, then the word that may stand in for it."""
    usual = spellings(language, getattr(settings, "case", "fold"), names)

    def spelled(word: str) -> Iterator[str]:
        yield from usual(word)
        if stand_ins and word in stand_ins:
            yield stand_ins[word]

    return spelled


def word_sets(
    layers: Layers,
    sets: Mapping[str, Sequence[str]],
    language: str,
    settings: Any,
    what: str,
    spelled: Spelling | None = None,
) -> list[Layers]:
    """Return the distinct vectors of each set, cut at random to the smallest set where the settings say `balance`.

    A vector that two of the sets have under different spellings is refused. A word that both have as it is written is
    a published test's own, and is one of its remarks.
    """
    spelled = spelled or spelling_of(language, settings)
    chosen = [layers.select(words, spelled).distinct() for words in sets.values()]
    _refuse_shared(layers, dict(zip(sets, chosen, strict=True)), what)
    for (label, words), group in zip(sets.items(), chosen, strict=True):
        if len(group) < 2:
            why = next(iter(group.reasons.values()), "")
            hint = f"is it an embedding of {language} words, and spelled alike?" if layers.vocabulary else why
            raise TooFewWordsError(
                f"{layers.name} has {len(group)} of the {len(words)} words of {label} ({what}), and 2 are needed; "
                f"{hint}"
            )
    if not getattr(settings, "balance", False) or not layers.vocabulary:
        return chosen
    size = min(map(len, chosen))
    rng = np.random.default_rng(settings.seed)
    return [
        group.keep(np.sort(rng.choice(len(group), size, replace=False)), UNBALANCED) if len(group) > size else group
        for group in chosen
    ]


def _refuse_shared(layers: Layers, groups: Mapping[str, Layers], what: str) -> None:
    for (label, one), (other_label, other) in combinations(groups.items(), 2):
        theirs = dict(zip(other.resolved, other.words, strict=True))
        for word, form in zip(one.words, one.resolved, strict=True):
            if theirs.get(form, word) != word:
                raise TooFewWordsError(
                    f"{word!r} of {label} and {theirs[form]!r} of {other_label} ({what}) have one vector in "
                    f"{layers.name}; keep the word in one of the two"
                )


def rated_words(findings: Findings, layers: Layers, lexicon: Lexicon, settings: Any) -> tuple[Layers, Lexicon]:
    """Return the lexicon's words that have vectors, and the lexicon in which words of one vector are one row.

    `layers` are a whole vocabulary, or the lexicon's own words encoded.
    """
    spelled = spelling_of(lexicon.language, settings)
    words = layers.select(lexicon.words, spelled) if layers.vocabulary else layers
    merged = merge_words(findings, layers.name, lexicon, dict(zip(words.words, words.resolved, strict=True)))
    return (words if merged is lexicon else layers.select(merged.words, spelled)), merged


def merge_words(findings: Findings, model: str, lexicon: Lexicon, forms: Mapping[str, str]) -> Lexicon:
    """Average the ratings of words that a model has one vector for, and note how many there are."""
    merged = lexicon.merged(forms)
    if merged is not lexicon:
        findings.note(
            f"{model}: {len(lexicon) - len(merged)} words of {lexicon.name} were merged with another that has the same "
            f"vector; {merged.left_out[-1]}."
        )
    return merged


def poles_in(layers: Layers, polar: PolarWords, settings: Any) -> Poles:
    """The pleasant and the unpleasant words of a language."""
    sets = {"pleasant": polar.pleasant, "unpleasant": polar.unpleasant}
    high, low = word_sets(layers, sets, polar.language, settings, f"polar words of {polar.language}")
    return high, low


def record_set(findings: Findings, where: Mapping[str, Any], group: Layers, label: str) -> None:
    """An item for every word of a set: those used, and those left out with the reason."""
    if len(group):
        findings.item(**where, item=list(group.words), found_as=group.found_as(), group=label)
    record_missing(findings, where, group, label)


def record_missing(
    findings: Findings,
    where: Mapping[str, Any],
    group: Layers,
    label: str,
    ratings: Mapping[str, float] | None = None,
) -> None:
    """An item for every word that was asked for and has no vector, with the reason, and its rating where it has one."""
    missing = group.missing()
    same = [word for word, reason in missing if reason == SAME_VECTOR]
    if same:
        place = ", ".join(str(where[key]) for key in ("model", "dataset") if where.get(key))
        findings.note(f"{place}: {len(same)} words of {label} were {SAME_VECTOR}: {', '.join(same)}.")
    if missing:
        words, reasons = zip(*missing, strict=True)
        reference = None if ratings is None else [ratings[word] for word in words]
        findings.item(**where, item=list(words), group=label, reference=reference, left_out=list(reasons))


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
