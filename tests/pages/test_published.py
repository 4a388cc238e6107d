"""The papers' numbers: whole, well-formed, and beside the right ones of ours."""

from pathlib import Path

import pytest

from made_runs import MadeRun
from wordworth.catalog.registry import references
from wordworth.pages.comparisons import Comparison, comparison_row, comparisons
from wordworth.pages.published import citation, nearest, published, published_models
from wordworth.pages.runs import read_runs


def _one(**wanted: object) -> float | None:
    found = [one for one in published() if all(getattr(one, key) == value for key, value in wanted.items())]
    assert len(found) == 1, found
    return found[0].value


def test_every_number_has_its_paper_place_and_model() -> None:
    for one in published():
        assert citation(one.paper) != one.paper
        assert one.place
        assert one.measure
        assert one.model in published_models() or one.measure in ("weat:variance", "raters")
        assert (one.value is None) == (one.low is not None and one.high is not None)
        assert one.layer in ("", "top", "top-1", "best", "quarter") or one.layer.isdigit()
        if one.measure.startswith(("valence", "similarity", "T", "top", "net", "fraction", "threshold", "accuracy")):
            assert all(0 <= value <= 1 for value in (one.value, one.low, one.high) if value is not None)


def test_papers_of_the_catalog_are_called_alike() -> None:
    assert {one.paper for one in published()} - {"dudy2020"} <= set(references())


def test_no_number_stands_twice() -> None:
    keys = [(one.model, *one.quantity, one.paper, one.place) for one in published()]
    assert len(keys) == len(set(keys))


def test_counts_of_the_papers_tables() -> None:
    """Bommasani et al.: 11 models × 11 columns in Tables 3 and 8; 4 pair sets in each line of Tables 1 and 4 to 7."""
    tables = [one.place for one in published() if one.paper == "bommasani2020"]
    assert tables.count("Table 3") == tables.count("Table 8") == 121
    assert tables.count("Table 1") == 4 * (2 + 4 + 3)
    assert [tables.count(f"Table {number}") for number in (4, 5, 6, 7)] == [24, 40, 40, 20]
    assert sum(one.paper == "dudy2020" and one.place == "Table 1" for one in published()) == 20
    assert [one.dataset for one in published() if one.model == "glove-840b-300d"] == [f"weat{n}" for n in range(1, 11)]


def test_spot_values() -> None:
    """Read in the papers."""
    table1 = {"paper": "wolfe2022", "place": "Table 1", "setting": "misaligned"}
    assert (_one(**table1, pcs=None), _one(**table1, pcs=8)) == (0.14, 0.54)
    gpt2 = {"model": "gpt2", "place": "Table 3", "dataset": "gender-pairs/professions"}
    assert _one(**gpt2, measure="garg-euclidean") == 25.8743
    assert (
        _one(model="distilbert-base-uncased", place="Table 8", measure="manzini:centroid", dataset="race/adjectives")
        == 0.2603
    )
    wide = {"model": "xlnet-large-cased", "setting": "aggregated:1000000", "dataset": "simverb-3500"}
    assert _one(**wide) == 0.525
    projected = {"place": "Table 8", "setting": "retrained:gender", "paper": "dev2020"}
    assert _one(**projected, measure="threshold:0.7") == 0.297
    assert _one(model="roberta-base", measure="T10:code") == 0.4263
    assert _one(model="openai-gpt", measure="ppx@10") == 37.9
    assert _one(paper="toney2021", dataset="bellezza-turkish") == 0.73
    assert _one(place="Table 7", dataset="adherents", measure="cosine") == 0.72
    names = {"paper": "caliskan2017", "dataset": "weat6"}
    assert (_one(**names, place="Table 1"), _one(**names, place="Supplementary Table 1")) == (1.81, 1.89)


def test_the_same_model_comes_before_its_kin_and_its_kind() -> None:
    candidates = [one for one in published() if one.measure == "T1:code"]
    assert nearest("gpt2", "causal", candidates) == (candidates[0], "same model")
    assert nearest("openai-community/gpt2", "causal", candidates) == (candidates[0], "same model")
    kin = nearest("gpt2-xl", "causal", candidates)
    assert kin is not None
    assert (kin[0].model, kin[1]) == ("gpt2", "nearest: gpt2")
    kind = nearest("something", "masked", candidates)
    assert kind is not None
    assert (kind[0].model, kind[1]) == ("roberta-base", "nearest: masked")


def test_a_language_model_is_not_held_against_static_vectors() -> None:
    valence = [one for one in published() if one.paper == "toney2021" and one.measure == "valence"]
    assert nearest("something", "causal", valence) is None


def test_differences_are_ours_less_theirs(tmp_path: Path) -> None:
    run = MadeRun("vast")
    run.model("gpt2", family="causal")
    where = {"model": "gpt2", "language": "english", "dataset": "bellezza", "measure": "valence", "pooling": "last"}
    for layer, value in enumerate((0.2, 0.8, 0.7, 0.4)):
        run.score(experiment="contextualization", **where, setting="bleached", layer=layer, value=value, n=399)
    run.score(experiment="isolation", **where, setting="bleached", layer=1, pcs=2, value=0.9)
    found = {
        one.published.layer + str(one.published.pcs): one for one in comparisons(read_runs([run.write(tmp_path / "r")]))
    }
    assert found["topNone"].difference == pytest.approx(0.4 - 0.32)
    assert found["top-1None"].difference == pytest.approx(0.7 - 0.76)
    assert found["best2"].difference == pytest.approx(0.9 - 0.87)  # the best layer is 1
    assert {one.nearness for one in found.values()} == {"same model"} | {found["bestNone"].nearness}


def test_the_highest_of_some_layers_is_not_the_top(tmp_path: Path) -> None:
    run = MadeRun("vast")
    run.model("gpt2", family="causal", layers=12)
    where = {"model": "gpt2", "language": "english", "dataset": "bellezza", "measure": "valence", "pooling": "last"}
    for layer in (0, 8):
        run.score(experiment="contextualization", **where, setting="bleached", layer=layer, value=0.5, n=399)
    found = comparisons(read_runs([run.write(tmp_path / "r")]))
    assert not {one.published.layer for one in found} & {"top", "top-1", "quarter"}


def test_a_range_is_a_distance(tmp_path: Path) -> None:
    differences = {}
    for name, value in (("inside", 0.85), ("above", 0.9), ("below", 0.8)):
        run = MadeRun("valnorm")
        run.model("m", words=10)
        told = {"model": "m", "language": "english", "dataset": "bellezza", "measure": "valence", "value": value}
        run.score(experiment="valence", **told, n=399)
        (one,) = comparisons(read_runs([run.write(tmp_path / name)]))
        differences[name] = one.difference
    assert differences == pytest.approx({"inside": 0.0, "above": 0.02, "below": -0.02})


def _compared(
    tmp_path: Path, model: str, facts: dict[str, object], *scores: dict[str, object]
) -> dict[str, Comparison]:
    run = MadeRun("static")
    run.model(model, **facts)
    for score in scores:
        run.score(**{"model": model, "language": "english", "n": 300, **score})
    found = comparisons(read_runs([run.write(tmp_path / "run")]))
    return {one.published.setting or one.ours["measure"]: one for one in found}


def test_tables_that_the_authors_code_made_stand_beside_what_it_computes(tmp_path: Path) -> None:
    """Bommasani et al. print a formula for Manzini's bias; their tables hold the cosine with a class's mean."""
    where = {"experiment": "bias", "dataset": "gender-pairs/professions"}
    measures = {"manzini": 0.161, "manzini:centroid": 0.243, "direct-bias": 0.079, "direct-bias:centred": 0.041}
    scores = [{**where, "measure": measure, "value": value} for measure, value in measures.items()]
    found = _compared(tmp_path, "word2vec_googlenews_subset", {"words": 10}, *scores)
    assert set(found) == {"manzini:centroid", "direct-bias:centred"}
    assert found["manzini:centroid"].difference == pytest.approx(0.243 - 0.2403)
    assert "the authors’ code: cosine with a class’s mean" in comparison_row(found["manzini:centroid"])[4]


@pytest.mark.parametrize(("model", "like"), [("word2vec_googlenews_subset", True), ("word2vec-mine", False)])
def test_what_has_no_like_here_has_no_difference(tmp_path: Path, model: str, like: bool) -> None:
    score = {"experiment": "bias", "dataset": "gender-pairs/professions", "measure": "garg-euclidean", "value": 0.06}
    row = comparison_row(_compared(tmp_path, model, {"words": 10}, score)["garg-euclidean"])
    assert row[3] == ("−.12" if like else "not comparable: distances grow with the length of a model’s vectors")


@pytest.mark.parametrize(
    ("sentences", "told"),
    [(90_000, "+.10"), (None, "+.10"), (38_000, "not comparable: 38,000 sentences here, 100,000 there")],
)
def test_as_many_sentences_are_held_against_each_other(tmp_path: Path, sentences: int | None, told: str) -> None:
    """N of the authors' code is `len(data)`, sentences; each is a context of 2.6 words on average."""
    where = {"experiment": "quality", "setting": "aggregated"}
    best = {**where, "dataset": "rg-65", "pooling": "mean/mean", "layer": 3, "measure": "similarity:best"}
    published_value = _one(model="gpt2", setting="aggregated:100000", dataset="rg-65", place="Table 4")
    scores = [{**best, "value": (published_value or 0) + 0.1}]
    if sentences:
        scores.append({**where, "measure": "contexts", "value": 2.6 * sentences, "n": sentences})
    row = comparison_row(_compared(tmp_path, "gpt2", {"family": "causal"}, *scores)["aggregated:100000"])
    assert row[3] == told
