"""What taking a bias out costs and brings, on one version of an embedding: valence, similarity, WEAT, estimators."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wordworth.catalog.read.association_tests import AssociationTest, load_tests
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.pairs import Pairs, load_pairs
from wordworth.catalog.read.word_sets import PolarWords, polar_words
from wordworth.embedding import Embedding, spellings
from wordworth.study.association import run_test
from wordworth.study.findings import Findings
from wordworth.study.intrinsic import similarity_of, valence_of
from wordworth.study.options import Options, TooFewWordsError
from wordworth.study.static.bias import bias
from wordworth.study.static.lists import Lists, load_lists, restricted, space_of_embedding

LEXICA = ("bellezza",)
PAIRS = ("ws-353", "simlex-999", "men")
TESTS = tuple(f"weat{number}" for number in range(1, 11))
LANGUAGE = "english"


@dataclass(frozen=True)
class Tasks:
    """Data of the tasks that are run; empty where one is not."""

    lexica: Sequence[Lexicon]
    pairs: Sequence[Pairs]
    tests: Sequence[AssociationTest]
    lists: Lists | None
    polar: PolarWords

    def forms(self) -> Iterable[str]:
        """Every spelling of every word that a task may look up."""
        words = [*self.polar.pleasant, *self.polar.unpleasant]
        words += [word for lexicon in self.lexica for word in lexicon.words]
        words += [word for pairs in self.pairs for side in (pairs.first, pairs.second) for word in side]
        words += [word for test in self.tests for group in test.groups for word in group]
        words += [word for test in self.tests for word in test.stand_ins.values()]
        words += self.lists.words if self.lists else ()
        spelled = spellings(LANGUAGE)
        return (form for word in dict.fromkeys(words) for form in spelled(word))


def load_tasks(
    findings: Findings,
    wanted: Sequence[str],
    lexica: Sequence[str | Path],
    pairs: Sequence[str | Path],
    tests: Sequence[str | Path],
) -> Tasks:
    """The data that is asked for; the defaults all come with the package."""
    tasks = Tasks(
        lexica=[load_lexicon(name) for name in lexica or LEXICA] if "valence" in wanted else [],
        pairs=[load_pairs(name) for name in pairs or PAIRS] if "similarity" in wanted else [],
        tests=[test for name in tests or TESTS for test in load_tests(name)] if "weat" in wanted else [],
        lists=load_lists(findings) if "bias" in wanted else None,
        polar=polar_words(LANGUAGE),
    )
    for lexicon in tasks.lexica:
        findings.used_data(lexicon, len(lexicon))
    for judged in tasks.pairs:
        findings.used_data(judged, len(judged))
    return tasks


def measure(findings: Findings, embedding: Embedding, tasks: Tasks, options: Options) -> None:
    """Every task on one version. A test whose words the embedding lacks is told and left out."""
    for lexicon in tasks.lexica:
        _told(findings, partial(valence_of, findings, embedding, lexicon, tasks.polar, options))
    for pairs in tasks.pairs:
        _told(findings, partial(similarity_of, findings, embedding, pairs, options))
    for test in tasks.tests:
        _told(findings, partial(run_test, findings, embedding, test, options))
    if tasks.lists is not None:
        space = space_of_embedding(findings, embedding, tasks.lists)
        bias(findings, space, restricted(findings, space, tasks.lists), options)


def _told(findings: Findings, task: Callable[[], object]) -> None:
    try:
        task()
    except TooFewWordsError as error:
        findings.warn(f"Not run: {error}")
