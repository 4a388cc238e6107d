"""What taking a bias out costs and brings, on one version of an embedding: valence, similarity, WEAT, estimators."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wordworth.catalog.read.association_tests import AssociationTest, load_tests
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.pairs import Pairs, load_pairs
from wordworth.catalog.read.word_sets import PolarWords, polar_words
from wordworth.embedding import Embedding, Layers, spellings
from wordworth.run import Findings
from wordworth.study.debias import DebiasSettings
from wordworth.task.association import association
from wordworth.task.bias import bias
from wordworth.task.similarity import similarity, words_of
from wordworth.task.valence import valence
from wordworth.task.words import BiasLists, TooFewWordsError, load_bias_lists, poles_in

TESTS = tuple(f"weat{number}" for number in range(1, 11))
LANGUAGE = "english"


@dataclass(frozen=True)
class TaskData:
    """Data of the tasks that are run; empty where one is not."""

    lexica: Sequence[Lexicon]
    pairs: Sequence[Pairs]
    tests: Sequence[AssociationTest]
    lists: BiasLists | None
    polar: PolarWords

    def words(self) -> list[str]:
        """Every word that a task looks up, as the data spells it."""
        words = [*self.polar.pleasant, *self.polar.unpleasant]
        words += [word for lexicon in self.lexica for word in lexicon.words]
        words += [word for pairs in self.pairs for word in words_of(pairs)]
        words += [word for test in self.tests for group in test.groups for word in group]
        words += [word for test in self.tests for word in test.stand_ins.values()]
        words += self.lists.words if self.lists else ()
        return list(dict.fromkeys(words))

    def forms(self) -> Iterable[str]:
        """Every spelling of them."""
        spelled = spellings(LANGUAGE)
        return (form for word in self.words() for form in spelled(word))


def load_task_data(findings: Findings, settings: DebiasSettings) -> TaskData:
    """The data that is asked for; the defaults all come with the package."""
    wanted = settings.wanted
    data = TaskData(
        lexica=[load_lexicon(name) for name in settings.lexica] if "valence" in wanted else [],
        pairs=[load_pairs(name) for name in settings.pairs] if "similarity" in wanted else [],
        tests=[test for name in settings.tests or TESTS for test in load_tests(name)] if "weat" in wanted else [],
        lists=load_bias_lists() if "bias" in wanted else None,
        polar=polar_words(LANGUAGE),
    )
    for lexicon in data.lexica:
        findings.used_data(lexicon, len(lexicon))
    for pairs in data.pairs:
        findings.used_data(pairs, len(pairs))
    if data.lists is not None:
        findings.used_words("Bommasani et al.", data.lists.sets(), "bommasani2020")
    return data


def measure(version: Embedding | Layers, data: TaskData, settings: DebiasSettings) -> Findings:
    """Every task on one version. A task whose words it lacks is reported and left out."""
    findings, layers = Findings(), Layers.of(version) if isinstance(version, Embedding) else version
    name = layers.provenance.name
    for lexicon in data.lexica:
        with findings.part(TooFewWordsError, model=name, dataset=lexicon.name):
            polar = {"pleasant": data.polar.pleasant, "unpleasant": data.polar.unpleasant}
            findings.used_words(f"polar words, {LANGUAGE}", polar)
            poles = poles_in(layers, data.polar, settings)
            rated = layers if layers.vocabulary else layers.select(lexicon.words)
            findings.add(valence(rated, poles, lexicon, settings), experiment="valence")
    for pairs in data.pairs:
        with findings.part(TooFewWordsError, model=name, dataset=pairs.name):
            findings.add(similarity(layers, pairs, settings), experiment="similarity")
    for test in data.tests:
        with findings.part(TooFewWordsError, model=name, dataset=test.name):
            findings.add(association(layers, test, settings), experiment="weat")
    if data.lists is not None:
        findings.add(bias(layers, data.lists, settings), experiment="bias")
    return findings
