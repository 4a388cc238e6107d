"""The sentences at the top say what the scores say, and only that."""

from collections.abc import Mapping

import pytest

from made_runs import Record, debiased, finish, random_predict, record
from wordworth.pages.answers import answers
from wordworth.pages.runs import read_runs
from wordworth.results.run import Run

MEANING, CONTEXT, TOP = "Does it know what words mean?", "Where does context take over?", "Does the top layer hide what"
INFERS, CHANGES = "What does it infer that does not follow?", "What does debiasing change?"


def sentences(run: Run, question: str) -> list[str]:
    """Return the answers to a question that begins like this, each with its lead and its model."""
    every = (some for one, some in answers(read_runs([run])).items() if one.startswith(question))
    return [f"{one.lead}|{one.model}|{one.text}" for some in every for one in some]


def test_vectors_are_compared_with_published_embeddings() -> None:
    run = record("valnorm", {"m": {"words": 5}})
    place = {"model": "m", "language": "english"}
    valence = {**place, "experiment": "valence", "measure": "valence"}
    run.score(**valence, dataset="anew", value=0.69, low=0.65, high=0.72, n=1029)
    run.score(**valence, dataset="bellezza", value=0.797, low=0.76, high=0.83, n=399)
    control = {**valence, "experiment": "control", "dataset": "bellezza", "control": "shuffled", "n": 399}
    run.score(**control, value=-0.001)
    run.score(**control, variant="above-control", value=0.798, p=0.001)
    pairs = {**place, "experiment": "similarity", "measure": "similarity", "dataset": "ws-353"}
    run.score(**pairs, value=0.503, low=0.41, high=0.59, n=353)
    assert sentences(finish(run), MEANING) == [
        (
            "|m|agrees with people on the valence of words by ρ = .80 [.76, .83] on bellezza (399 words), just below "
            "the .82–.88 of seven English embeddings (Toney and Caliskan 2021); shuffled ratings give .00. It has .69 "
            "on anew."
        ),
        (
            "|m|agrees with people on how similar words are by ρ = .50 [.41, .59] on ws-353 (353 pairs), below the "
            ".61–.68 of word2vec and GloVe (Bommasani et al. 2020)."
        ),
    ]


def test_a_lexicon_of_which_half_is_missing_is_not_the_papers() -> None:
    run = record("valnorm", {"m": {"words": 5}})
    place = {"experiment": "valence", "model": "m", "language": "english", "dataset": "bellezza"}
    run.score(**place, measure="valence", value=0.9, n=184, coverage=0.46)
    (sentence,) = sentences(finish(run), MEANING)
    assert sentence == "|m|agrees with people on the valence of words by ρ = .90† on bellezza (184 words)."


def layered(untrained: float, p: float) -> Run:
    """Layers 0 to 3, best in 2; in the top layer .20 raw and .60 with one component nullified."""
    run = record("vast", {"lm": {"family": "causal", "layers": 3}})
    place = {"model": "lm", "language": "english", "dataset": "bellezza", "measure": "valence"}
    for context, values in {"bleached": (0.5, 0.7, 0.88, 0.2), "misaligned": (0.5, 0.6, 0.86, 0.05)}.items():
        for layer, value in enumerate(values):
            where = {**place, "experiment": "contextualization", "context": context, "layer": layer}
            run.score(**where, value=value, low=value - 0.03, high=value + 0.02, n=399)
    best = {**place, "context": "bleached", "layer": 2}
    run.score(**best, experiment="contextualization", variant="held-out", value=0.87, n=199)
    control = {**best, "experiment": "control", "control": "untrained", "n": 399}
    run.score(**control, value=untrained)
    run.score(**control, variant="above-control", value=0.88 - untrained, p=p)
    for layer, values in {2: (0.88, 0.88, 0.89, 0.885), 3: (0.20, 0.5, 0.6, 0.4)}.items():
        for count, value in zip((None, 0, 1, 2), values, strict=True):
            slot = {"experiment": "isolation", "layer": layer, "components": count}
            run.score(**best | slot, value=value, n=399)
    return finish(run)


def test_the_best_layer_is_compared_with_a_control_and_a_paper() -> None:
    run = layered(0.2, 0.001)
    assert sentences(run, MEANING) == [
        (
            "|lm|reads valence best in layer 2 of 3: ρ = .88 [.85, .90] with people’s ratings of 399 words (bellezza, "
            "bleached), and .89 with 1 component nullified, within the .87–.89 of GPT-2 and GPT-Neo at best (Wolfe and "
            "Caliskan 2022); the same network untrained has .20. It has .87 on words that were not used to pick the "
            "layer."
        )
    ]
    assert sentences(run, CONTEXT) == [
        (
            "|lm|Valence depends least on the context in layer 2 (ρ differs by .02 between contexts, bellezza). From "
            "layer 3 of 3 on, vectors mostly reflect the context: ρ differs by .15 in the top layer."
        )
    ]
    assert sentences(run, TOP) == [
        "|lm|Yes: in the top layer nullifying 1 component raises ρ for valence from .20 to .60 (bellezza, bleached)."
    ]
    (sentence,) = sentences(layered(0.87, 0.4), MEANING)
    assert "; the same network untrained has as much (.87): training adds nothing. It has" in sentence


def test_words_never_predicted() -> None:
    (sentence,) = sentences(random_predict("tiny"), "Which words does it never predict?")
    never = "never has 2 of the text’s 4 different words among its 10 best guesses."
    assert sentence == f"|tiny|{never} The most frequent: “axolotl” (3 times), “sat” (3 times)."


def nli(change: tuple[float, float, float] | None, after: float) -> Run:
    """Net neutral .31 before, `after` with projection, .31 − .002 with random directions."""
    run = record("infer", {"nli": {"family": "nli"}})
    where = {"experiment": "gender", "model": "nli", "dataset": "gender", "measure": "net-neutral", "n": 20_000}
    run.score(**where, version="original", value=0.312, low=0.257, high=0.365)
    for version, draw, value in (("projection", None, after), ("random", None, 0.310), ("random", 1, 0.31)):
        run.score(**where, version=version, draw=draw, value=value)
    run.score(**where, version="original", subset="occupation=nurse", value=0.1)
    if change:
        value, low, high = change
        run.score(**where, variant="change", version="projection", value=value, low=low, high=high)
        run.score(**where, variant="change", version="random", value=-0.002, low=-0.004, high=0.0003)
    return finish(run)


@pytest.mark.parametrize(
    ("change", "after", "verdict"),
    [
        ((-0.0817, -0.149, -0.002), 0.230, "makes it worse: .23 (−.08 [−.15, −.002]; random directions: −.002)"),
        ((0.093, 0.02, 0.15), 0.405, "makes it better: .41 (+.09 [+.02, +.15]; random directions: −.002)"),
        ((0.01, -0.02, 0.05), 0.322, "makes no clear difference: .32 (+.01 [−.02, +.05]; random directions: −.002)"),
        (None, 0.230, "makes it worse: .23 (−.08; random directions: −.002)"),
    ],
)
def test_better_or_worse(change: tuple[float, float, float] | None, after: float, verdict: str) -> None:
    """Their Table 1: .387, .417 and .421; here the interval ends at .365."""
    assert sentences(nli(change, after), INFERS) == [
        (
            "|nli|gives neutral, the only right answer, a mean probability of .31 [.26, .36] on gender (20,000 pairs), "
            f"below the .39–.42 of GloVe, ELMo and BERT (Dev et al. 2020). Projection {verdict}."
        )
    ]


def changed(effects: Mapping[str, float], valences: Mapping[str, float]) -> Record:
    run = debiased("vectors", {"original": 1.5, "random": 1.4, **effects}, valences)
    where = {"experiment": "weat", "model": "vectors", "dataset": "weat6", "measure": "weat"}
    run.score(**where, version="random", draw=1, value=9.0)
    return run


@pytest.mark.parametrize(
    ("effect", "valence", "text"),
    [
        (0.5, 0.79, (".50 over 2 social association tests, from 1.50: better (random directions leave 1.40). "
                    "It keeps meaning: bellezza .80 → .79.")),
        (1.9, 0.60, ("1.90 over 2 social association tests, from 1.50: worse (random directions leave 1.40). "
                    "It costs meaning: bellezza .80 → .60.")),
    ],
)  # fmt: skip
def test_what_debiasing_changes(effect: float, valence: float, text: str) -> None:
    run = finish(changed({"projection": effect}, {"original": 0.8, "projection": valence}))
    assert sentences(run, CHANGES) == [f"|vectors|projection leaves a mean |d| of {text}"]
    assert not sentences(run, "Whom does it stereotype?")  # the debiased vectors are no second model
