"""Word sets in `Layers`: looked up, cut to one size where that is asked, and refused where too few words are there."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from wordworth.catalog.read.word_sets import PolarWords
from wordworth.embedding import Layers, spellings
from wordworth.errors import WordworthError
from wordworth.run import Findings

UNBALANCED = "dropped at random to balance the sets"

Poles = tuple[Layers, Layers]
"""The high and the low pole, such as pleasant and unpleasant words."""


class TooFewWordsError(WordworthError):
    """A model lacks the words of a task; a task that was not asked for by name is then skipped and reported."""


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
    """Each set's words, cut at random to the size of the smallest set where the settings say `balance`."""
    chosen = [layers.select(words, spelled or spelling_of(language, settings)) for words in sets.values()]
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
    if missing:
        words, reasons = zip(*missing, strict=True)
        reference = None if ratings is None else [ratings[word] for word in words]
        findings.item(**where, item=list(words), group=label, reference=reference, left_out=list(reasons))
