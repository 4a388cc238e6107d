"""The sentences that lead a section say what the scores say, and only that."""

import pytest

from made_runs import finish, layered, random_predict, record
from wordworth.pages.leads import MAX_MODELS, leads
from wordworth.results.run import Run
from wordworth.results.runs import read_runs

MEANING, BEHAVIOUR = "Word meaning", "Inferences"


def sentences(run: Run, chapter: str) -> dict[str, list[str]]:
    return leads(read_runs([run]))[chapter]


def test_the_best_layer_its_controls_and_what_changes_it() -> None:
    assert sentences(finish(layered(0.2, 0.001)), MEANING) == {
        "lm": [
            "Valence is best in layer 2 of 3: ρ = .86 [.83, .88] on bellezza.",
            "On words not used to pick the layer, ρ is .85.",
            "Untrained, the same network has ρ = .20.",
        ]
    }
    assert (
        "Untrained, the same network has ρ = .85, not significantly less."
        in sentences(finish(layered(0.85, 0.4)), MEANING)["lm"]
    )


def test_words_never_predicted() -> None:
    assert sentences(random_predict("tiny"), "Words it predicts") == {
        "tiny": [
            "2 of the text’s 4 different words are never among its 10 best guesses.",
            "The most frequent of these: “axolotl” (3 times), “sat” (3 times).",
        ]
    }


def changed(change: tuple[float, float, float]) -> Run:
    run = record("infer", {"nli": {"family": "nli"}})
    where = {"experiment": "gender", "model": "nli", "dataset": "gender", "measure": "net-neutral", "variant": "change"}
    value, low, high = change
    run.score(**where, version="projection", value=value, low=low, high=high)
    run.score(**where, version="random", value=-0.002, low=-0.004, high=0.0003)
    return finish(run)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ((-0.0817, -0.149, -0.002), "−.08 [−.15, −.002], worse"),
        ((0.093, 0.02, 0.15), "+.09 [+.02, +.15], better"),
        ((0.01, -0.02, 0.05), "+.01 [−.02, +.05], no clear difference"),
    ],
)
def test_better_or_worse(change: tuple[float, float, float], text: str) -> None:
    (sentence,) = sentences(changed(change), BEHAVIOUR)["nli"]
    assert sentence == f"On gender, projection changes neutral by {text}; random directions by −.002."


def test_many_models_are_left_to_the_tables() -> None:
    run = record("weat", {f"m{at}": {} for at in range(MAX_MODELS + 1)})
    for at in range(MAX_MODELS + 1):
        where = {"experiment": "weat", "model": f"m{at}", "language": "english", "dataset": "weat6", "measure": "weat"}
        run.score(**where, value=1.0, low=0.5, high=1.5, p=0.001, n=16)
    assert sentences(finish(run), "Stereotypes") == {}
