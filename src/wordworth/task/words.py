"""Select the words of lexica, tests and bias lists from `Layers`, balance them, and refuse sets that are too small."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.word_sets import PolarWords, load_word_set, polar_words
from wordworth.embedding import SAME_VECTOR, Layers, spellings
from wordworth.errors import WordworthError
from wordworth.results.findings import Findings, Keys

TO_BALANCE = "dropped at random to balance the sets"

Poles = tuple[Layers, Layers]
"""The high and the low pole, such as pleasant and unpleasant words."""


class TooFewWordsError(WordworthError):
    """A model lacks the words of a task, or has one vector for two of them.

    A task that the user did not name is then skipped and reported.
    """


Spelling = Callable[[str], Iterator[str]]


def choose_spellings(
    language: str, settings: Any, stand_ins: Mapping[str, str] | None = None, names: Collection[str] = ()
) -> Spelling:
    """Return what gives the spellings to try for a word: by the settings' `case`, then its substitute."""
    usual = spellings(language, getattr(settings, "case", "fold"), names)

    def spell(word: str) -> Iterator[str]:
        yield from usual(word)
        if stand_ins and word in stand_ins:
            yield stand_ins[word]

    return spell


def select_word_sets(
    layers: Layers,
    sets: Mapping[str, Sequence[str]],
    language: str,
    settings: Any,
    what: str,
    spelling: Spelling | None = None,
) -> list[Layers]:
    """Return the distinct vectors of each set, cut at random to the smallest set where the settings say `balance`.

    A vector that two sets share under different spellings is refused. A word that a published test lists in both sets
    is kept; the test's remarks name it.
    """
    spelling = spelling or choose_spellings(language, settings)
    groups = [layers.select(words, spelling).distinct() for words in sets.values()]
    _refuse_shared(layers, dict(zip(sets, groups, strict=True)), what)
    for (label, words), group in zip(sets.items(), groups, strict=True):
        if len(group) < 2:
            why = next(iter(group.reasons.values()), "")
            hint = f"is it an embedding of {language} words, in the same spelling?" if layers.vocabulary else why
            raise TooFewWordsError(
                f"{layers.name} has {len(group)} of the {len(words)} words of {label} ({what}), and 2 are needed; "
                f"{hint}"
            )
    if not getattr(settings, "balance", False) or not layers.vocabulary:
        return groups
    size = min(map(len, groups))
    rng = np.random.default_rng(settings.seed)
    return [
        group.keep(np.sort(rng.choice(len(group), size, replace=False)), TO_BALANCE) if len(group) > size else group
        for group in groups
    ]


def _refuse_shared(layers: Layers, groups: Mapping[str, Layers], what: str) -> None:
    for (label, one), (other_label, other) in combinations(groups.items(), 2):
        theirs = dict(zip(other.matched_words, other.words, strict=True))
        for word, form in zip(one.words, one.matched_words, strict=True):
            if theirs.get(form, word) != word:
                raise TooFewWordsError(
                    f"{word!r} of {label} and {theirs[form]!r} of {other_label} ({what}) have one vector in "
                    f"{layers.name}; keep the word in one of the two"
                )


def match_rated_words(findings: Findings, layers: Layers, lexicon: Lexicon, settings: Any) -> tuple[Layers, Lexicon]:
    """Return the lexicon's words that have vectors, and the lexicon in which words of one vector are one row.

    `layers` are a whole vocabulary, or the lexicon's own words encoded.
    """
    spelling = choose_spellings(lexicon.language, settings)
    words = layers.select(lexicon.words, spelling) if layers.vocabulary else layers
    forms = dict(zip(words.words, words.matched_words, strict=True))
    merged_lexicon = merge_words(findings, layers.name, lexicon, forms)
    return (words if merged_lexicon is lexicon else layers.select(merged_lexicon.words, spelling)), merged_lexicon


def merge_words(findings: Findings, model: str, lexicon: Lexicon, forms: Mapping[str, str]) -> Lexicon:
    """Average the ratings of words that a model has one vector for, and record how many there are."""
    merged_lexicon = lexicon.merge_forms(forms)
    if merged_lexicon is not lexicon:
        count = len(lexicon) - len(merged_lexicon)
        reason = f"words were merged with another that has the same vector; {merged_lexicon.left_out[-1]}"
        findings.notice("info", reason, count=count, total=len(lexicon), model=model, dataset=lexicon.name)
    return merged_lexicon


def select_poles(layers: Layers, polar: PolarWords, settings: Any) -> Poles:
    """Return the pleasant and the unpleasant words of a language."""
    sets = {"pleasant": polar.pleasant, "unpleasant": polar.unpleasant}
    high, low = select_word_sets(layers, sets, polar.language, settings, f"polar words of {polar.language}")
    return high, low


def record_set(findings: Findings, table: str, where: Keys, group: Layers, **columns: Any) -> None:
    """Record an item for each word of a set: those used, and those skipped with the reason."""
    if len(group):
        findings.item(table, **where, **columns, word=list(group.words), spelling=group.found_as())
    record_missing(findings, table, where, group, **columns)


def record_missing(
    findings: Findings,
    table: str,
    where: Keys,
    group: Layers,
    ratings: Mapping[str, float] | None = None,
    **columns: Any,
) -> None:
    """Record an item for each word that was asked for and has no vector, with the reason, and its rating if rated."""
    missing = group.missing()
    merged = [word for word, reason in missing if reason == SAME_VECTOR]
    if merged:
        label = columns.get("set") or columns.get("list")
        reason = f"words {f'of {label} ' if label else ''}were {SAME_VECTOR}: {', '.join(merged)}"
        place = {name: where.get(name) for name in ("model", "dataset")}
        findings.notice("info", reason, count=len(merged), **place)
    if missing:
        words, reasons = zip(*missing, strict=True)
        rated = {} if ratings is None else {"rating": [ratings[word] for word in words]}
        findings.item(table, **where, **columns, **rated, word=list(words), skipped=list(reasons))


CLASSES = {"gender": ("male", "female"), "race": ("white", "hispanic", "asian"), "religion": ("christian", "islam")}
TARGETS = ("professions", "adjectives")
POLES = ("pleasant", "unpleasant")

WordSets = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class BiasLists:
    """The word lists that define a bias: whose, and towards whom."""

    pairs: tuple[tuple[str, str], ...]
    """(female, male), as published."""
    classes: Mapping[str, WordSets]
    """Attribute → class → words."""
    targets: WordSets
    poles: WordSets
    """Pleasant and unpleasant words, which sentiment is learnt from (rnsb)."""

    @property
    def words(self) -> tuple[str, ...]:
        """Return each word of all lists once."""
        listed_words = [word for pair in self.pairs for word in pair]
        listed_words += [word for sets in self.classes.values() for words in sets.values() for word in words]
        listed_words += [word for group in (self.targets, self.poles) for words in group.values() for word in words]
        return tuple(dict.fromkeys(listed_words))

    def sets(self) -> dict[str, tuple[str, ...]]:
        """Return the lists by name, to record them."""
        pairs = {"gender pairs": tuple(" ".join(pair) for pair in self.pairs)}
        classes = {name: words for group in self.classes.values() for name, words in group.items()}
        return {**pairs, **self.targets, **self.poles, **classes}


def load_bias_lists() -> BiasLists:
    """Load the paper's lists, with the polar words of English."""
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


def keep_known_words(findings: Findings, layers: Layers, lists: BiasLists) -> BiasLists:
    """Return the lists without words that have no vector.

    An attribute that then lacks a class, and fewer than two pairs, are dropped and recorded.
    """

    def select_known(sets: WordSets) -> dict[str, tuple[str, ...]]:
        return {name: tuple(word for word in words if word in layers.index) for name, words in sets.items()}

    pairs = tuple(pair for pair in lists.pairs if all(word in layers.index for word in pair))
    classes = {attribute: select_known(sets) for attribute, sets in lists.classes.items()}
    targets, poles = select_known(lists.targets), select_known(lists.poles)
    for what, sets in (*classes.items(), ("targets", targets), ("sentiment", poles)):
        empty = [name for name, words in sets.items() if not words]
        if empty:
            reason = f"it has none of the words of {', '.join(empty)}"
            findings.notice("skipped", reason, model=layers.name, dataset=what)
    if len(pairs) < 2:
        reason = "gender pairs have vectors, and estimators by pairs need two"
        findings.notice("skipped", reason, count=len(pairs), total=len(lists.pairs), model=layers.name)
    return BiasLists(
        pairs=pairs if len(pairs) > 1 else (),
        classes={attribute: sets for attribute, sets in classes.items() if all(sets.values())},
        targets={name: words for name, words in targets.items() if words},
        poles=poles if all(poles.values()) else {},
    )
