"""The sentences that lead a section say what the scores say, and only that."""

from collections.abc import Mapping

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


@pytest.mark.parametrize(
    ("best", "layers", "count"),
    [
        ({"rg-65": 3, "ws-353": 0}, 12, "2 of 2"),
        ({"rg-65": 4, "ws-353": 0}, 12, "1 of 2"),
        ({"rg-65": 12, "ws-353": 7}, 12, "0 of 2"),
        ({"rg-65": 3, "ws-353": 0}, 24, ""),  # half of the layers were not measured
    ],
)
def test_the_first_quarter_is_best_only_where_it_is(best: Mapping[str, int], layers: int, count: str) -> None:
    """Bommasani et al.: layers 0 to 3 of 12. Other poolings and fewer sentences are not read."""
    run = record("static", {"lm": {"family": "masked", "layers": layers}})
    place = {"model": "lm", "language": "english", "experiment": "quality", "measure": "similarity", "n": 65}
    for dataset, at in best.items():
        for layer in range(13):
            slot = {**place, "dataset": dataset, "layer": layer, "context": "aggregated"}
            run.score(**slot, pooling="mean/mean", value=0.6 if layer == at else 0.5)
            run.score(**slot, pooling="max/mean", value=0.9 if layer == 1 else 0.5)
            run.score(**slot, pooling="mean/mean", sentences=100, value=0.9 if layer == 2 else 0.5)
    leads_of_layers = [lead for lead in sentences(finish(run), MEANING).get("lm", []) if "one of layers" in lead]
    text = f"In aggregated text, one of layers 0–3 of 12 is best on {count} sets of word pairs."
    assert leads_of_layers == ([text] if count else [])


@pytest.mark.parametrize(
    ("effects", "count"),
    [((0.1, 0.9), "0 of 2"), ((0.9, 0.2), "1 of 2"), ((0.9, 1.2), "2 of 2"), ((0.5, 1.0), "0 of 2")],  # .5, 1.0: equal
)
def test_tests_that_rise_are_counted(effects: tuple[float, float], count: str) -> None:
    """Raw .5 and 1.0 in the top layer; the effects are with the 2 components by which valence is best."""
    run = record("vast", {"lm": {"family": "causal", "layers": 3}})
    place = {"model": "lm", "language": "english", "context": "bleached", "n": 399}
    for components, value in ((None, 0.2), (1, 0.3), (2, 0.6)):
        slot = {"experiment": "isolation", "dataset": "bellezza", "measure": "valence", "layer": 3}
        run.score(**place, **slot, components=components, value=value)
    for dataset, raw, after in zip(("weat1", "weat6"), (0.5, 1.0), effects, strict=True):
        test = {**place, "experiment": "bias", "dataset": dataset, "measure": "weat"}
        run.score(**test, layer=2, value=0.0)
        for components, value in ((None, raw), (1, 9.0), (2, after)):
            run.score(**test, layer=3, components=components, value=value)
    *_, sentence = sentences(finish(run), "Stereotypes")["lm"]
    assert sentence == f"Without 2 components, d in the top layer is higher in {count} association tests."
