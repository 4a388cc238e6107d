"""Two models on the same items: what is tested, what is refused, and the sentences about it."""

from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import pearsonr, spearmanr

from wordworth.errors import WordworthError
from wordworth.paired import Comparison, ComparisonSettings, compare, compare_scores, sides, verdicts
from wordworth.results.run import Run, read_run
from wordworth.results.vocabulary import Caution
from wordworth.statistics.correlation import williams
from wordworth.statistics.effect_size import sign_flip, weat_difference

WORDS = [f"word{number}" for number in range(200)]
RNG = np.random.default_rng(0)
RATINGS = RNG.normal(5, 2, len(WORDS))


def valence(model: str, noise: float, words: int = 200, **more: Any) -> dict[str, Any]:
    values = RATINGS + np.random.default_rng(len(model)).normal(0, noise, len(WORDS))
    return {
        "table": "rated_words",
        "measures": ["valence"],
        "experiment": "valence",
        "model": model,
        "language": "english",
        "dataset": "bellezza",
        "word": WORDS[:words],
        "rating": RATINGS[:words].tolist(),
        "value": values[:words].tolist(),
        **more,
    }


def compare_sides(*runs: Run, models: Any = None, version: Any = None, **chosen: Any) -> Comparison:
    settings = ComparisonSettings(resamples=200, permutations=999, **chosen)
    return compare(*sides(list(runs), models, version=version), settings)


def test_valence_of_two_runs(make_run: Any) -> None:
    one, two = valence("good", 1), valence("poor one", 4, 150)
    runs = make_run("valnorm", ["good"], [one]), make_run("valnorm", ["poor one"], [two])
    comparison = compare_sides(*runs)
    (difference,) = comparison.differences
    tested = difference.test
    kept = slice(0, 150)
    r = [pearsonr(of["value"][kept], RATINGS[kept]).statistic for of in (one, two)]
    between = pearsonr(one["value"][kept], two["value"]).statistic
    assert (tested.first, tested.second) == pytest.approx(tuple(r))
    assert tested.p == pytest.approx(float(williams(*r, between, 150)[1]))
    assert difference.p_holm == tested.p  # of one test
    assert (tested.n, difference.only_first, difference.only_second) == (150, 50, 0)
    assert tested.low > 0
    (sentence,) = verdicts(comparison)
    assert sentence.startswith("good knows the valence of words better than poor one on bellezza (.")
    assert sentence.endswith("p < .001).")
    scores = [(run, run.scores.row(0, named=True)) for run in runs]
    assert compare_scores(scores[0], scores[1], ComparisonSettings(resamples=200)) == tested


def test_a_difference_on_few_items_is_marked(make_run: Any) -> None:
    """12 items, which are all that one side has: eight per cent of the other's 150."""
    found = compare_sides(
        *(make_run("valnorm", [name], [valence(name, 1, n)]) for name, n in (("all", 150), ("some", 12)))
    )
    assert found.differences[0].cautions == [Caution.FEW_ITEMS, Caution.LOW_COVERAGE]
    assert found.table.rows[0].cells[2].cautions == tuple(found.differences[0].cautions)
    assert found.table.note.startswith("†")
    assert found.as_table()["differences"][0]["cautions"] == ["few-items", "low-coverage"]
    firm = compare_sides(*(make_run("valnorm", [name], [valence(name, 1)]) for name in ("a", "bb")))
    assert (firm.differences[0].cautions, firm.table.note) == ([], "")


def test_similarity_is_of_ranks_and_pairs_may_repeat(make_run: Any) -> None:
    items = []
    for model, noise in (("a", 1.0), ("b", 5.0)):
        values = RATINGS + np.random.default_rng(9).normal(0, noise, 200)
        first = [*WORDS[:199], "word0"]  # one pair is listed twice, with two ratings
        items.append({"table": "word_pairs", "measures": ["similarity"], "experiment": "similarity", "model": model})
        items[-1] |= {"dataset": "men", "first": first, "second": "thing"}
        items[-1] |= {"rating": RATINGS.tolist(), "value": values.tolist()}
    (difference,) = compare_sides(make_run("valnorm", ["a", "b"], items)).differences
    assert difference.columns["measure"] == "similarity"
    assert difference.test.n == 200
    assert difference.test.first == pytest.approx(spearmanr(items[0]["value"], RATINGS).statistic)


def test_holm_runs_over_all_tests(make_run: Any) -> None:
    items = [valence(model, noise) for model, noise in (("a", 3.0), ("bb", 3.0))]
    items += [one | {"dataset": "anew"} for one in items]
    found = compare_sides(make_run("valnorm", ["a", "bb"], items)).differences
    assert len(found) == 2
    assert [one.p_holm for one in found] == pytest.approx([min(1, 2 * one.test.p) for one in found])


def weat_items(model: str, strength: float, scale: float, **more: Any) -> list[dict[str, Any]]:
    rng = np.random.default_rng(4)
    where = {"table": "association_words", "experiment": "weat", "model": model, "dataset": "weat1", **more}
    common = rng.normal(size=(2, 20))
    return [
        where
        | {
            "measures": ["weat"] if role == "X" else [],
            "role": role,
            "set": label,
            "word": [f"{label}{n}" for n in range(20)],
            "value": (scale * (sign * strength + common[at])).tolist(),
        }
        for at, (role, label, sign) in enumerate((("X", "flower", 1), ("Y", "insect", -1)))
    ]


def missing_attribute(one: dict[str, Any]) -> dict[str, Any]:
    return one | {"measures": [], "role": "A", "set": "nice", "word": ["joy"], "value": None, "skipped": "not there"}


def test_weat(make_run: Any) -> None:
    items = [*weat_items("a", 1.5, 0.1), *weat_items("b", 0.2, 3.0)]
    items += [missing_attribute(items[0]) | {"skipped": None}, missing_attribute(items[2])]
    found = compare_sides(make_run("weat", ["a", "b"], items))
    (difference,) = found.differences
    s = np.array([[*items[0]["value"], *items[1]["value"]], [*items[2]["value"], *items[3]["value"]]])
    effects, _ = weat_difference(s, 20, permutations=999)
    assert (difference.test.first, difference.test.second) == pytest.approx(tuple(effects))
    assert difference.test.p <= 0.01
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
        measures = [{"measure": "top", "k": 1}, {"measure": "top", "k": 10}, "bits-per-word"]
        items.append({"table": "predictions", "measures": measures, "experiment": "prediction", "model": model})
        items[-1] |= {"dataset": "wiki", "word": "the", "rank": ranks[at].tolist()}
        items[-1] |= {"line": [n % 60 for n in range(400)], "position": list(range(400))}
        items[-1] |= {"bits": RNG.normal(5 + at, 1, 400).tolist(), "band": "high"}
    comparison = compare_sides(make_run("predict", ["a", "b"], items))
    found = {(one.columns["measure"], one.columns["k"]): one.test for one in comparison.differences}
    assert [*found] == [("top", 1), ("top", 10), ("bits-per-word", None)]
    first = found["top", 1]
    assert (first.first, first.second) == (140 / 400, 110 / 400)
    below = sum(comb(50, count) for count in range(11))
    assert first.p == pytest.approx((2 * below - comb(50, 10)) / 2**50)  # mid-p
    assert found["top", 10].difference == pytest.approx(30 / 400)
    by_line = np.zeros(60)
    np.add.at(by_line, np.arange(400) % 60, np.array(items[0]["bits"]) - np.array(items[1]["bits"]))
    bits = found["bits-per-word", None]
    assert (bits.test, bits.p_method, bits.clusters) == ("sign-flip", "monte-carlo", 60)
    assert bits.p == sign_flip(by_line, permutations=999).p
    sentences = " ".join(verdicts(comparison))
    assert "a predicts words better (top-1) than b on wiki" in sentences
    assert "a is less surprised by words than b on wiki" in sentences


def test_inference_before_and_after(make_run: Any) -> None:
    where = {"table": "subject_pairs", "measures": ["net-neutral"], "experiment": "gender", "model": "nli"}
    where |= {"dataset": "gender", "premise": [f"job{n}" for n in range(30) for _ in range(2)]}
    where |= {"hypothesis": ["man", "woman"] * 30}
    items = [
        where | {"version": version, "neutral": (RNG.uniform(0, 0.1, 60) + level).tolist(), "entailment": 0.1}
        for version, level in (("original", 0.3), ("projection", 0.6))
    ]
    found = compare_sides(make_run("infer", ["nli"], items), version=("projection", "original"))
    (difference,) = found.differences
    assert (difference.test.n, difference.test.clusters) == (60, 30)
    assert difference.test.difference == pytest.approx(0.3, abs=0.02)
    assert "nli (projection) infers more neutrally than nli (original) on gender" in verdicts(found)[0]
    with pytest.raises(WordworthError, match="no version 'projektion'; did you mean projection"):
        compare_sides(make_run("infer", ["nli"], items), version=("projektion", "original"))


def make_layered(model: str, best: int, layers: int) -> list[dict[str, Any]]:
    noise = np.random.default_rng(best).normal(size=len(WORDS))
    return [
        valence(model, 0)
        | {"experiment": "contextualization", "context": "bleached", "pooling": "last", "layer": layer}
        | {"value": (RATINGS + (1 + abs(layer - best)) * noise).tolist()}
        for layer in range(layers + 1)
    ]


def test_the_best_layer_is_picked_on_other_items_than_are_compared(make_run: Any) -> None:
    run = make_run("vast", ["a", "b"], [*make_layered("a", 3, 6), *make_layered("b", 7, 12)])
    (difference,) = compare_sides(run).differences
    assert difference.layers == (3, 7)
    assert difference.test.n == 100
    assert difference.notes == ("layers 3 and 7 (picked on 100 of the items and compared on the other 100)",)
    (same,) = compare_sides(run, layer=5).differences
    assert (same.layers, same.test.n) == ((5, 5), 200)
    (top,) = compare_sides(run, layer="top").differences
    assert top.layers == (6, 12)
    with pytest.raises(WordworthError, match=r"layer 9 of a is not among the items"):
        compare_sides(run, layer=9)


def test_a_question_of_two_experiments_is_tested_once(make_run: Any) -> None:
    """Isolation repeats, without components nullified, two layers of contextualization."""
    items = [*make_layered("a", 3, 6), *make_layered("b", 7, 12)]
    items += [one | {"experiment": "isolation", "components": n} for one in items for n in (None, 1)]
    run = make_run("vast", ["a", "b"], items)
    assert [one.columns["experiment"] for one in compare_sides(run).differences] == ["contextualization"]
    assert [one.columns["experiment"] for one in compare_sides(run, components=1).differences] == ["isolation"]


def test_association_in_a_language_model_takes_the_layer_that_the_run_picked(make_run: Any) -> None:
    items, scores = [], []
    for model, best in (("a", 2), ("b", 4)):
        for layer in range(6):
            items += weat_items(model, layer / 2, 1, experiment="bias", layer=layer)
        place = {"experiment": "bias", "model": model, "measure": "weat", "components": 0}
        scores += [{**place, "layer": layer} for layer in (best, 5)]
    (difference,) = compare_sides(make_run("vast", ["a", "b"], items, scores=scores)).differences
    assert difference.layers == (2, 4)


def test_estimators_are_compared_a_quarter_of_the_way_up(make_run: Any) -> None:
    items = []
    for model, layers in (("a", 8), ("b", 12)):
        for layer in range(layers + 1):
            values = np.abs(RNG.normal(layer / 10, 0.01, 50))
            where = {"table": "bias_words", "measures": ["direct-bias"], "experiment": "bias", "model": model}
            items.append(where | {"dataset": "gender", "subset": "adjectives", "layer": layer})
            items[-1] |= {"measure": "direct-bias", "word": WORDS[:50], "value": values.tolist()}
            items.append(items[-1] | {"measures": [], "measure": "manzini"})  # whose score is not there
    models = [{"name": "a", "layers": 8}, {"name": "b", "layers": 12}]
    found = compare_sides(make_run("static", models, items))
    assert found.differences[0].layers == (2, 3)
    assert "b has a larger direct-bias than a on gender adjectives" in verdicts(found)[0]


def test_a_static_embedding_and_a_language_model(make_run: Any) -> None:
    items = [valence("vectors", 2), *(one | {"experiment": "valence"} for one in make_layered("model", 3, 6))]
    (difference,) = compare_sides(make_run("static", ["vectors", "model"], items)).differences
    assert difference.columns["context"] == "bleached"
    assert difference.layers == (None, 3)


CHANGED = [
    ({"study": "weat"}, "their studies are valnorm and weat"),
    ({"seed": 1}, r"seeds 0 and 1"),
    ({"settings": {"contexts": "reddit"}}, "the setting contexts was 'enwiki-sample' in one and 'reddit' in the other"),
    ({"settings": {"contexts": "enwiki-sample", "templates": "mine"}}, "the setting templates was None"),
    ({"data": {"polar words, english": "2"}}, "'polar words, english' is not the same data in both"),
    ({"data": {"bellezza": "2"}}, "bellezza is not the same data in both"),
]


@pytest.mark.parametrize(("change", "reason"), CHANGED)
def test_refusals(make_run: Any, change: dict[str, Any], reason: str) -> None:
    given = {"settings": {"contexts": "enwiki-sample"}, "data": {"polar words, english": "1", "bellezza": "1"}}
    one = make_run("valnorm", ["a"], [valence("a", 1)], **given)
    change = given | change
    two = make_run(change.pop("study", "valnorm"), ["b"], [valence("b", 1)], **change)
    with pytest.raises(WordworthError, match=reason):
        compare_sides(one, two)


def test_one_question_may_be_refused_and_the_rest_compared(make_run: Any) -> None:
    runs = []
    for model in ("a", "b"):
        items = [valence(model, 1), valence(model, 1, dataset="anew"), valence(model, 1, words=3, dataset="few")]
        runs.append(make_run("valnorm", [model], items, data={"anew": model}))
    found = compare_sides(*runs)
    assert [one.columns["dataset"] for one in found.differences] == ["bellezza"]
    assert found.refused == (
        ("valence anew", "anew is not the same data in both (its sha256 differs)"),
        ("valence few", "3 items in common, and 4 are needed"),
    )


def test_which_models(make_run: Any, tmp_path: Any) -> None:
    items = [valence(model, 1) for model in ("a", "b", "c")]
    three, one = make_run("valnorm", ["a", "b", "c"], items), make_run("valnorm", ["a"], items[:1])
    three.save(tmp_path / "three")
    with pytest.raises(WordworthError, match=r"three has 3 models \(a, b, c\); say which two with --models A B"):
        sides([three])
    with pytest.raises(WordworthError, match="say which with --models A B, A of the first run"):
        sides([three, one])
    with pytest.raises(WordworthError, match="the run of valnorm has no model 'z'; it has a"):
        sides([three, one], ("b", "z"))
    for again in ([three], [three, read_run(tmp_path / "three")]):
        with pytest.raises(WordworthError, match=r"a of .*three cannot be compared with itself"):
            sides(again, ("a", "a"))
    assert [side.label for side in sides([three], ("c", "a"))] == ["c", "a"]
    assert [side.label for side in sides([three, one], ("a", "a"))] == ["a [three]", "a [run 2]"]
