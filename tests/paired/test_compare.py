"""Two models on the same items: what is tested, what is refused, and what is said of it."""

from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import pearsonr, spearmanr

from wordworth.errors import WordworthError
from wordworth.paired import Comparison, ComparisonSettings, compare, sides, verdicts
from wordworth.paired.verdict import care, cells
from wordworth.results import Run, read_run
from wordworth.statistics import sign_flip, weat_difference
from wordworth.statistics.paired_correlation import williams

WORDS = [f"word{number}" for number in range(200)]
RNG = np.random.default_rng(0)
RATINGS = RNG.normal(5, 2, len(WORDS))


def valence(model: str, noise: float, words: int = 200, **more: Any) -> dict[str, Any]:
    values = RATINGS + np.random.default_rng(len(model)).normal(0, noise, len(WORDS))
    return {
        "experiment": "valence",
        "model": model,
        "language": "english",
        "dataset": "bellezza",
        "group": "lexicon",
        "item": WORDS[:words],
        "reference": RATINGS[:words].tolist(),
        "value": values[:words].tolist(),
        **more,
    }


def compared(*runs: Run, models: Any = None, settings: Any = None, **chosen: Any) -> Comparison:
    return compare(*sides(list(runs), models, settings), ComparisonSettings(resamples=200, permutations=999, **chosen))


def test_valence_of_two_runs(make_run: Any) -> None:
    one, two = valence("good", 1), valence("poor one", 4, 150)
    found = compared(make_run("a", "valnorm", ["good"], [one]), make_run("b", "valnorm", ["poor one"], [two]))
    (difference,) = found.differences
    kept = slice(0, 150)
    r = [pearsonr(of["value"][kept], RATINGS[kept]).statistic for of in (one, two)]
    between = pearsonr(one["value"][kept], two["value"]).statistic
    assert (difference.first, difference.second) == pytest.approx(tuple(r))
    assert difference.p == pytest.approx(float(williams(*r, between, 150)[1]))
    assert difference.p_holm == difference.p  # of one test
    assert (difference.n, difference.only_first, difference.only_second) == (150, 50, 0)
    assert difference.low > 0
    (told,) = verdicts(found)
    assert told.startswith("good knows the valence of words better than poor one on bellezza (.")
    assert told.endswith("p < .001).")


def test_a_difference_on_few_items_is_marked(make_run: Any) -> None:
    """12 items, which are all that one side has: eight per cent of the other's 150."""
    runs = [make_run(name, "valnorm", [name], [valence(name, 1, n)]) for name, n in (("all", 150), ("some", 12))]
    found = compared(*runs)
    assert found.differences[0].flags == "n=12; coverage 8% of the items of either"
    assert cells(found.differences[0])[6] == "12†"
    assert (
        care(found)
        == "† to be read with care: n=12 (valence bellezza); coverage 8% of the items of either (valence bellezza)"
    )
    assert found.as_table()["differences"][0]["flags"] == found.differences[0].flags
    firm = compared(*(make_run(f"{name} too", "valnorm", [name], [valence(name, 1)]) for name in ("a", "bb")))
    assert (firm.differences[0].flags, care(firm)) == (None, "")


def test_equal_models_are_not_told_apart(make_run: Any) -> None:
    twins = [valence("one", 2), valence("two", 2)]
    twins[1]["value"] = (np.array(twins[0]["value"]) + RNG.normal(0, 0.1, 200)).tolist()
    found = compared(make_run("a", "valnorm", ["one", "two"], twins))
    assert not found.differences[0].real
    assert verdicts(found)[0].startswith("No difference found in valence on bellezza (.")


def test_similarity_is_of_ranks_and_pairs_may_repeat(make_run: Any) -> None:
    items = []
    for model, noise in (("a", 1.0), ("b", 5.0)):
        values = RATINGS + np.random.default_rng(9).normal(0, noise, 200)
        pair = [f"{word} thing" for word in WORDS[:199]] + ["word0 thing"]  # listed twice, with two ratings
        items.append({"experiment": "similarity", "model": model, "dataset": "men", "item": pair})
        items[-1] |= {"reference": RATINGS.tolist(), "value": values.tolist()}
    (difference,) = compared(make_run("r", "valnorm", ["a", "b"], items)).differences
    assert difference.measure == "similarity"
    assert difference.n == 200
    assert difference.first == pytest.approx(spearmanr(items[0]["value"], RATINGS).statistic)


def test_holm_runs_over_all_tests(make_run: Any) -> None:
    items = [valence(model, noise) for model, noise in (("a", 3.0), ("bb", 3.0))]
    items += [one | {"dataset": "anew"} for one in items]
    found = compared(make_run("r", "valnorm", ["a", "bb"], items)).differences
    assert len(found) == 2
    assert [one.p_holm for one in found] == pytest.approx([min(1, 2 * one.p) for one in found])


def weat_items(model: str, strength: float, scale: float) -> list[dict[str, Any]]:
    rng = np.random.default_rng(4)
    where = {"experiment": "weat", "model": model, "dataset": "weat1"}
    common = rng.normal(size=(2, 20))
    return [
        where
        | {
            "group": f"{side}: {label}",
            "item": [f"{label}{n}" for n in range(20)],
            "value": (scale * (sign * strength + common[at])).tolist(),
        }
        for at, (side, label, sign) in enumerate((("X", "flower", 1), ("Y", "insect", -1)))
    ]


def test_weat(make_run: Any) -> None:
    items = [*weat_items("a", 1.5, 0.1), *weat_items("b", 0.2, 3.0)]
    items.append({"experiment": "weat", "model": "a", "dataset": "weat1", "group": "A: nice", "item": ["joy"]})
    items.append(items[-1] | {"model": "b", "left_out": "not in vocabulary"})
    found = compared(make_run("r", "weat", ["a", "b"], items))
    (difference,) = found.differences
    s = np.array([[*items[0]["value"], *items[1]["value"]], [*items[2]["value"], *items[3]["value"]]])
    effects, _ = weat_difference(s, 20, permutations=999)
    assert (difference.first, difference.second) == pytest.approx(tuple(effects))
    assert difference.p <= 0.01
    assert difference.notes == ("1 polar or attribute word in one model only",)
    assert verdicts(found)[0].startswith("a associates more strongly than b on weat1, flower v insect (1.")


def test_prediction(make_run: Any) -> None:
    """Of 400 words: 40 only the first guesses at once, 10 only the second; sixty lines of text."""
    ranks: NDArray[np.object_] = np.full((2, 400), None, dtype=object)
    ranks[:, 100:200] = 1
    ranks[0, :40] = 1
    ranks[1, 40:50] = 1
    ranks[:, 300:] = 10
    items = []
    for at, model in enumerate(("a", "b")):
        bits = RNG.normal(5 + at, 1, 400)
        items.append({"experiment": "prediction", "model": model, "dataset": "wiki", "item": ["the"] * 400})
        items[-1] |= {"place": [f"{n % 60}:{n}" for n in range(400)], "rank": ranks[at].tolist()}
        items[-1] |= {"value": bits.tolist(), "group": "high"}
    found = {one.measure: one for one in compared(make_run("r", "predict", ["a", "b"], items)).differences}
    assert found.keys() == {"top-1", "top-10", "bits-per-word"}
    assert (found["top-1"].first, found["top-1"].second) == (140 / 400, 110 / 400)
    below = sum(comb(50, count) for count in range(11))
    assert found["top-1"].p == pytest.approx((2 * below - comb(50, 10)) / 2**50)  # mid-p
    assert found["top-10"].difference == pytest.approx(30 / 400)
    by_line = np.zeros(60)
    np.add.at(by_line, np.arange(400) % 60, np.array(items[0]["value"]) - np.array(items[1]["value"]))
    assert found["bits-per-word"].test == "sign-flip:monte-carlo over 60 clusters"
    assert found["bits-per-word"].p == sign_flip(by_line, permutations=999).p
    told = " ".join(verdicts(compared(make_run("r2", "predict", ["a", "b"], items))))
    assert "a predicts words better (top-1) than b on wiki" in told
    assert "a is less surprised by words than b on wiki" in told


def test_inference_before_and_after(make_run: Any) -> None:
    subjects = [f"job{n} → {other}" for n in range(30) for other in ("man", "woman")]
    where = {"experiment": "gender", "model": "nli", "dataset": "gender", "item": subjects}
    items = [
        where | {"setting": setting, "value": (RNG.uniform(0, 0.1, 60) + level).tolist(), "entailment": [0.1] * 60}
        for setting, level in (("original", 0.3), ("projection", 0.6))
    ]
    # The worst pairs are listed too, and are not subjects.
    items.append(items[0] | {"item": ["a ⇒ b"] * 2, "value": [0.0, 0.0], "entailment": [1.0, 1.0]})
    found = compared(make_run("r", "infer", ["nli"], items), settings=("projection", "original"))
    (difference,) = found.differences
    assert difference.n == 60
    assert difference.test == "sign-flip:monte-carlo over 30 clusters"
    assert difference.difference == pytest.approx(0.3, abs=0.02)
    assert "nli (projection) infers more neutrally than nli (original) on gender" in verdicts(found)[0]


def test_association_before_and_after(make_run: Any) -> None:
    """One vocabulary: a word that is not in it is told once, and is no difference between the settings."""
    items = [one | {"setting": "original"} for one in weat_items("a", 1.5, 0.1)]
    items += [one | {"setting": "projection"} for one in weat_items("a", 0.1, 0.1)]
    items.append(items[0] | {"group": "A: nice", "item": ["joy"], "value": None, "left_out": "not in vocabulary"})
    found = compared(make_run("r", "debias", ["a"], items), settings=("original", "projection"))
    assert found.differences[0].notes == ()
    assert verdicts(found)[0].startswith("a (original) associates more strongly than a (projection) on weat1")


def layered(model: str, best: int, layers: int) -> list[dict[str, Any]]:
    noise = np.random.default_rng(best).normal(size=len(WORDS))
    return [
        valence(model, 0)
        | {"experiment": "contextualization", "setting": "bleached", "pooling": "last", "layer": layer}
        | {"value": (RATINGS + (1 + abs(layer - best)) * noise).tolist()}
        for layer in range(layers + 1)
    ]


def test_the_best_layer_is_picked_on_other_items_than_are_compared(make_run: Any) -> None:
    run = make_run("r", "vast", ["a", "b"], [*layered("a", 3, 6), *layered("b", 7, 12)])
    (difference,) = compared(run).differences
    assert difference.layers == (3, 7)
    assert difference.n == 100
    assert difference.notes == ("layers 3 and 7, picked on 100 of the items and compared on the other 100",)
    (same,) = compared(run, layer=5).differences
    assert (same.layers, same.n) == ((5, 5), 200)
    (top,) = compared(run, layer="top").differences
    assert top.layers == (6, 12)
    with pytest.raises(WordworthError, match=r"layer 9 of a is not among the items"):
        compared(run, layer=9)


def test_association_in_a_language_model_takes_the_layer_that_the_run_picked(make_run: Any) -> None:
    items, scores = [], []
    for model, best in (("a", 2), ("b", 4)):
        for layer in range(6):
            items += [one | {"experiment": "bias", "layer": layer} for one in weat_items(model, layer / 2, 1)]
        scores += [{"experiment": "bias", "model": model, "layer": layer, "pcs": 0} for layer in (best, 5)]
    (difference,) = compared(make_run("r", "vast", ["a", "b"], items, scores=scores)).differences
    assert difference.layers == (2, 4)


def test_estimators_are_compared_a_quarter_of_the_way_up(make_run: Any) -> None:
    items = []
    for model, layers in (("a", 8), ("b", 12)):
        for layer in range(layers + 1):
            values = np.abs(RNG.normal(layer / 10, 0.01, 50))
            items.append({"experiment": "bias", "model": model, "dataset": "gender/adjectives", "layer": layer})
            items[-1] |= {"group": "direct-bias", "item": WORDS[:50], "value": values.tolist()}
    models = [{"name": "a", "layers": 8}, {"name": "b", "layers": 12}]
    found = compared(make_run("r", "static", models, items))
    assert found.differences[0].layers == (2, 3)
    assert "b has a larger direct-bias than a on gender/adjectives" in verdicts(found)[0]


def test_a_static_embedding_beside_a_language_model(make_run: Any) -> None:
    items = [valence("vectors", 2), *(one | {"experiment": "valence"} for one in layered("model", 3, 6))]
    (difference,) = compared(make_run("r", "static", ["vectors", "model"], items)).differences
    assert difference.setting == "bleached"
    assert difference.layers == (None, 3)


CHANGED = [
    ({"study": "weat"}, "they are of the studies valnorm and weat"),
    ({"seed": 1}, r"what was drawn at random is not the same \(seeds 0 and 1\)"),
    ({"settings": {"contexts": "reddit"}}, "the setting contexts was 'enwiki-sample' in one and 'reddit' in the other"),
    ({"settings": {"contexts": "enwiki-sample", "templates": "mine"}}, "the setting templates was None"),
    ({"data": {"polar words, english": "2"}}, "'polar words, english' is not the same data in both"),
    ({"data": {"bellezza": "2"}}, "bellezza is not the same data in both"),
]


@pytest.mark.parametrize(("change", "reason"), CHANGED)
def test_refusals(make_run: Any, change: dict[str, Any], reason: str) -> None:
    given = {"settings": {"contexts": "enwiki-sample"}, "data": {"polar words, english": "1", "bellezza": "1"}}
    one = make_run("a", "valnorm", ["a"], [valence("a", 1)], **given)
    change = given | change
    two = make_run("b", change.pop("study", "valnorm"), ["b"], [valence("b", 1)], **change)
    with pytest.raises(WordworthError, match=reason):
        compared(one, two)


def test_what_differs_only_in_how_it_was_computed_can_be_compared(make_run: Any) -> None:
    """The study says which settings those are; one of the two runs may be of a version that did not say it."""
    settings = [{"resamples": 10, "random": 2, "sample": 5}, {"resamples": 20, "random": 8, "sample": 5}]
    one = make_run("a", "debias", ["a"], [valence("a", 1)], settings=settings[0], may_differ=["resamples", "random"])
    two = make_run("b", "debias", ["b"], [valence("b", 1)], settings=settings[1])
    assert compared(one, two).differences
    other = make_run("c", "debias", ["b"], [valence("b", 1)], settings=settings[1] | {"sample": 6})
    with pytest.raises(WordworthError, match="the setting sample was 5 in one and 6 in the other"):
        compared(one, other)


def test_the_same_folder_twice_is_one_run(make_run: Any) -> None:
    run = make_run("r", "valnorm", ["a"], [valence("a", 1)])
    with pytest.raises(WordworthError, match="cannot be compared with itself"):
        sides([run, read_run(run.folder)])


def test_one_task_may_be_refused_and_the_rest_compared(make_run: Any) -> None:
    runs = []
    for model in ("a", "b"):
        items = [valence(model, 1), valence(model, 1, dataset="anew"), valence(model, 1, words=3, dataset="few")]
        runs.append(make_run(model, "valnorm", [model], items, data={"anew": model}))
    found = compared(*runs)
    assert [one.dataset for one in found.differences] == ["bellezza"]
    assert found.refused == (
        ("valence anew", "anew is not the same data in both (its sha256 differs)"),
        ("valence few", "3 items in common, and 4 are needed"),
    )


def test_which_models(make_run: Any) -> None:
    items = [valence(model, 1) for model in ("a", "b", "c")]
    three, one = make_run("three", "valnorm", ["a", "b", "c"], items), make_run("one", "valnorm", ["a"], items[:1])
    with pytest.raises(WordworthError, match=r"three has 3 models \(a, b, c\); say which two with --models A B"):
        sides([three])
    with pytest.raises(WordworthError, match="say which with --models A B, A of the first run"):
        sides([three, one])
    with pytest.raises(WordworthError, match="one has no model 'z'; it has a"):
        sides([three, one], ("b", "z"))
    with pytest.raises(WordworthError, match=r"a of .*three cannot be compared with itself"):
        sides([three], ("a", "a"))
    assert [side.label for side in sides([three], ("c", "a"))] == ["c", "a"]
    assert [side.label for side in sides([three, one], ("a", "a"))] == ["a [three]", "a [one]"]
