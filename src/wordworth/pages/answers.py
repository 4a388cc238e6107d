"""The answers at the top of a report, in plain words; each points to the figure that shows it."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from wordworth.pages import behaviour_answers as behaviour
from wordworth.pages import meaning_answers as meaning
from wordworth.pages.missing import plain_missing
from wordworth.pages.naming import Sentence
from wordworth.pages.runs import Runs, ended
from wordworth.results.numbers import format_list

MAX_SEPARATE = 4
"""Up to this many models have a sentence each; of more, only the first and the last."""


def answers(runs: Runs) -> dict[str, list[Sentence]]:
    """Answer the questions that these runs can answer; of a model in training, for its last step."""
    last = ended(runs)
    every = {
        question: [sentence for write in writers for sentence in _select(list(write(last)))]
        for question, writers in QUESTIONS.items()
    }
    return {question: sentences for question, sentences in every.items() if sentences}


def plain_answers(runs: Runs) -> dict[str, list[str]]:
    """Return question → sentences, as a terminal shows them: what is missing first, then the answers."""
    return plain_missing(runs) | {question: list(map(str, some)) for question, some in answers(runs).items()}


def _select(sentences: list[Sentence]) -> list[Sentence]:
    """Return all, or of many models the highest and the lowest."""
    models = {sentence.model for sentence in sentences if sentence.model}
    if len(models) <= MAX_SEPARATE:
        return sentences
    ordered = sorted(sentences, key=lambda sentence: sentence.order, reverse=True)
    ends = zip((ordered[0], ordered[-1]), ordered[0].ends, strict=True)
    return [replace(sentence, lead=f"{name} of {len(models)} models") for sentence, name in ends]


def _skipped(runs: Runs) -> Iterator[Sentence]:
    counts = sorted(runs.skipped.items(), key=lambda pair: -pair[1])
    reasons = format_list([f"{count:,} {reason}" for reason, count in counts], most=3)
    text = f"Items without a number: {reasons}." if counts else "Every item has a number."
    yield Sentence(text, "skipped", "", 0.0, whole=True)


QUESTIONS: dict[str, tuple[Callable[[Runs], Iterator[Sentence]], ...]] = {
    "Does it know what words mean?": (meaning.in_layers, meaning.of_vectors),
    "Where does context take over?": (meaning.context,),
    "Does the top layer hide what it knows?": (meaning.nullified,),
    "Whom does it stereotype?": (meaning.stereotypes,),
    "How far does that depend on choices?": (behaviour.sensitivity,),
    "Which words does it never predict?": (behaviour.never_predicted,),
    "What does it infer that does not follow?": (behaviour.inferred,),
    "What does debiasing change?": (behaviour.debiased,),
    "Which items were skipped?": (_skipped,),
}
