"""The papers' numbers: whole, well-formed, and next to the right ones of ours; like is compared with like."""

from collections.abc import Mapping
from typing import Any

import pytest

from made_runs import Record, finish, record
from wordworth.pages.profile import profile
from wordworth.papers.comparisons import Comparison, comparison_row, comparisons
from wordworth.papers.published import (
    PaperNumber,
    Quantity,
    Standing,
    citation,
    declarations,
    load_published,
    nearest,
    standing,
)
from wordworth.results.runs import read_runs

COLUMNS = ("paper", "model", "role", "layer", "value")
GENDER = {"subspace": "he − she", "dimensions": 1, "layers": []}
RELIGION = {"subspace": "dev-adherents_train", "dimensions": 2, "layers": []}
RANDOM = {"subspace": "random:1", "dimensions": 1, "layers": []}


def find(place: str = "", **wanted: Any) -> list[PaperNumber]:
    """Return the numbers with these columns, and with this place among theirs."""
    return [
        one
        for one in load_published()
        if (not place or place in one.places)
        and all(getattr(one if key in COLUMNS else one.quantity, key) == value for key, value in wanted.items())
    ]


def value_of(**wanted: Any) -> float | None:
    (one,) = find(**wanted)
    return one.value


def test_every_number_has_its_paper_place_and_model() -> None:
    for one in load_published():
        assert citation(one.paper) != one.paper
        assert one.place
        assert one.model in declarations()["models"] or (one.quantity.measure, one.quantity.variant) in (
            ("weat", "variance"),
            ("raters", ""),
        )
        assert (one.value is None) == (one.low is not None and one.high is not None)
        assert one.role in ("", "top", "top-1", "best", "quarter")
        assert one.condition == ("fine-tuned" if one.paper == "dudy2020" else one.condition)
        if one.quantity.measure in ("valence", "similarity", "T", "top", "net-neutral", "threshold", "accuracy"):
            assert all(0 <= value <= 1 for value in (one.value, one.low, one.high) if value is not None)


def test_no_number_stands_twice() -> None:
    keys = [(one.model, one.quantity, one.role, one.layer, one.paper, one.place) for one in load_published()]
    assert len(keys) == len(set(keys))


def test_counts_of_the_papers_tables() -> None:
    """Bommasani et al.: 11 models × 11 columns in Tables 3 and 8; 4 pair sets per line of Tables 1, 2, 4 to 7."""
    tables = [place for one in load_published() if one.paper == "bommasani2020" for place in one.places]
    assert tables.count("Table 3") == tables.count("Table 8") == 121
    assert tables.count("Table 1") == 4 * (2 + 3 + 4 + 3)
    assert tables.count("Table 2") == 4 * 9
    assert [tables.count(f"Table {number}") for number in (4, 5, 6, 7)] == [8 + 24, 8 + 40, 8 + 40, 8 + 20]
    assert len(find(paper="dudy2020", place="Table 1")) == 20
    assert [one.quantity.dataset for one in find(model="glove-840b-300d")] == [f"weat{n}" for n in range(1, 11)]


def test_spot_values() -> None:
    """Read in the papers."""
    assert {one.quantity.dataset: one.low for one in find(measure="single-token")} == {"ws-353": 0.9, "simlex-999": 0.9}
    table1 = {"paper": "wolfe2022", "place": "Table 1", "context": "misaligned"}
    assert (value_of(**table1, components=None), value_of(**table1, components=8)) == (0.14, 0.54)
    gpt2 = {"model": "gpt2", "place": "Table 3", "dataset": "gender-pairs", "subset": "professions"}
    assert value_of(**gpt2, measure="garg-euclidean") == 25.8743
    race = {"dataset": "race", "subset": "adjectives", "measure": "manzini", "variant": "centroid"}
    assert value_of(model="distilbert-base-uncased", place="Table 8", **race) == 0.2603
    assert value_of(model="xlnet-large-cased", sentences=1_000_000, dataset="simverb-3500") == 0.525
    retrained = {"place": "Table 8", "version": "retrained", "removed": "gender", "paper": "dev2020"}
    assert value_of(**retrained, measure="threshold", threshold=0.7) == 0.297
    assert value_of(model="roberta-base", measure="T", k=10, variant="code") == 0.4263
    assert value_of(model="openai-gpt", measure="ppx", k=10) == 37.9
    assert value_of(paper="toney2021", dataset="bellezza-turkish", measure="valence") == 0.73
    assert value_of(place="Table 7", dataset="adherents", measure="cosine") == 0.72
    bert = find(place="Table 15", measure="net-neutral")
    assert {(one.quantity.version, one.quantity.removed): one.value for one in bert} == {
        ("", ""): 0.421,  # as in Table 1
        ("projection", ""): 0.396,
        ("random", ""): 0.398,
        ("retrained", "gender"): 0.516,
        ("retrained", "random"): 0.338,
    }


def test_the_same_model_comes_before_its_kin_and_its_kind() -> None:
    candidates = find(measure="T", k=1, variant="code")
    assert nearest("gpt2", "causal", candidates) == (candidates[0], "same model")
    assert nearest("openai-community/gpt2", "causal", candidates) == (candidates[0], "same model")
    for model, kind, expected in (
        ("gpt2-xl", "causal", ("gpt2", "nearest: gpt2")),
        ("x", "masked", ("roberta-base", "nearest: masked")),
    ):
        found = nearest(model, kind, candidates)
        assert found is not None
        assert (found[0].model, found[1]) == expected
    assert nearest("something", "causal", find(paper="toney2021", measure="valence")) is None  # not static vectors


def compare_with_papers(run: Record) -> list[Comparison]:
    return list(comparisons(read_runs([finish(run)])))


def test_differences_are_ours_minus_theirs() -> None:
    run = record("vast", {"gpt2": {"family": "causal"}})
    where = {"model": "gpt2", "language": "english", "dataset": "bellezza", "context": "bleached", "measure": "valence"}
    for layer, value in enumerate((0.2, 0.8, 0.7, 0.4)):
        run.score(experiment="contextualization", **where, pooling="last", layer=layer, value=value, n=399)
    run.score(experiment="isolation", **where, pooling="last", layer=1, components=2, value=0.9)
    found = {(one.published.role, one.published.quantity.components): one for one in compare_with_papers(run)}
    assert found["top", None].difference == pytest.approx(0.4 - 0.32)
    assert found["top-1", None].difference == pytest.approx(0.7 - 0.76)
    assert found["best", 2].difference == pytest.approx(0.9 - 0.87)  # the best layer is 1
    assert found["top", None].nearness == "same model"


def test_the_highest_of_some_layers_is_not_the_top() -> None:
    run = record("vast", {"gpt2": {"family": "causal", "layers": 12}})
    where = {"model": "gpt2", "dataset": "bellezza", "context": "bleached", "measure": "valence", "value": 0.5}
    for layer in (0, 8):
        run.score(experiment="contextualization", **where, layer=layer, n=399)
    assert not {one.published.role for one in compare_with_papers(run)} & {"top", "top-1", "quarter"}


def test_a_random_context_is_no_random_direction() -> None:
    """VAST's random contexts are random text: nothing was removed from the model, at test or in training."""
    run = record("vast", {"gpt2": {"family": "causal", "layers": 12}})
    where = {"model": "gpt2", "dataset": "bellezza", "measure": "valence", "experiment": "contextualization"}
    for layer in range(13):
        run.score(**where, context="random", layer=layer, value=0.5, n=399)
    rows = list(map(comparison_row, compare_with_papers(run)))
    assert rows
    assert not [row for row in rows if "at test" in row[4]]


@pytest.mark.parametrize(("value", "difference"), [(0.85, 0.0), (0.9, 0.02), (0.8, -0.02)])
def test_a_range_is_a_distance(value: float, difference: float) -> None:
    run = record("valnorm", {"m": {"words": 10}})
    where = {"experiment": "valence", "model": "m", "dataset": "bellezza", "measure": "valence"}
    run.score(**where, value=value, n=399)
    assert [one.difference for one in compare_with_papers(run)] == pytest.approx([difference])


def test_tables_that_the_authors_code_made_are_compared_with_what_it_computes() -> None:
    """Bommasani et al. print a formula for Manzini's bias; their tables hold the cosine with a class's mean."""
    run = record("static", {"word2vec_googlenews_subset": {"words": 10}})
    where = {"experiment": "bias", "model": "word2vec_googlenews_subset", "dataset": "gender-pairs", "n": 300}
    for measure, variant, value in (("manzini", None, 0.161), ("manzini", "centroid", 0.243), ("direct-bias", None, 0)):
        run.score(**where, subset="professions", measure=measure, variant=variant, value=value)
    (one,) = compare_with_papers(run)
    assert one.difference == pytest.approx(0.243 - 0.2403)
    assert "the authors’ code: cosine with a class’s mean" in comparison_row(one)[4]


@pytest.mark.parametrize(("model", "like"), [("word2vec_googlenews_subset", True), ("word2vec-mine", False)])
def test_distances_are_compared_for_the_same_model_only(model: str, like: bool) -> None:
    run = record("static", {model: {"words": 10}})
    where = {"experiment": "bias", "model": model, "dataset": "gender-pairs", "subset": "professions", "n": 300}
    run.score(**where, measure="garg-euclidean", value=0.06)
    (row,) = map(comparison_row, compare_with_papers(run))
    assert row[3] == "−.12" if like else row[3].startswith("not comparable: distances grow")


@pytest.mark.parametrize(("sentences", "count"), [(90_000, 1), (None, 1), (38_000, 0)])
def test_as_many_sentences_are_compared(sentences: int | None, count: int) -> None:
    """N of the authors' code is `len(data)`, sentences; each is a context of 2.6 words on average."""
    run = record("static", {"gpt2": {"family": "causal"}})
    where = {"experiment": "quality", "model": "gpt2", "context": "aggregated"}
    value = value_of(model="gpt2", sentences=100_000, dataset="rg-65", place="Table 4")
    best = {"dataset": "rg-65", "pooling": "mean/mean", "layer": 3, "measure": "similarity", "variant": "best"}
    run.score(**where, **best, value=(value or 0) + 0.1, n=65)
    if sentences:
        run.score(**where, measure="contexts", value=2.6 * sentences, n=sentences)
    found = [comparison_row(one)[3] for one in compare_with_papers(run) if one.published.quantity.sentences == 100_000]
    assert found == ["+.10"] * count


def inferences(
    model: str, versions: Mapping[str, float], probe: str = "gender", itself: Any = None, **without: Any
) -> Record:
    """Net neutral of a model by version; `without` is what the versions that are networks were trained without."""
    facts = {name.replace("_", "-"): {"trained_without": removed} for name, removed in without.items()}
    run = record("infer", {model: {"trained_without": itself} if itself else {}, **facts})
    where = {"experiment": probe, "model": model, "dataset": probe, "measure": "net-neutral", "n": 20_000}
    for version, value in versions.items():
        run.score(**where, version=version.replace("_", "-"), value=value)
    run.score(**where, version="random", draw=1, value=0.99)
    return run


def places(run: Record) -> set[tuple[str, str]]:
    return {(one.published.places[0], one.ours["version"]) for one in compare_with_papers(run)}


def test_a_network_trained_anew_is_compared_with_the_one_in_the_paper() -> None:
    versions = {"original": 0.34, "projection": 0.15, "no_gender": 0.29, "no_random": 0.31, "plain": 0.3}
    found = compare_with_papers(inferences("nli-glove", versions, no_gender=GENDER, no_random=RANDOM))
    by_place = {(one.published.places[0], one.ours["version"]): one for one in found}
    assert by_place["Table 8", "no-gender"].difference == pytest.approx(0.29 - 0.480)
    assert by_place["Table 8", "no-random"].difference == pytest.approx(0.31 - 0.362)
    assert "trained without gender" in comparison_row(by_place["Table 8", "no-gender"])[4]
    # Vectors that are changed only at test are another thing than training without the direction: BERT has both.
    assert by_place.keys() == {
        ("Table 1", "original"), ("Table 15", "projection"), ("Table 8", "no-gender"), ("Table 8", "no-random"),
    }  # fmt: skip


def test_the_mean_over_random_networks_is_what_the_paper_has() -> None:
    versions = {"original": 0.34, "random_1": 0.31, "random_2": 0.35, "random_retrained": 0.33}
    found = compare_with_papers(inferences("nli-glove", versions, random_1=RANDOM, random_2=RANDOM))
    (one,) = [one for one in found if one.published.place == "Table 8"]
    assert (one.ours["version"], one.difference) == ("random-retrained", pytest.approx(0.33 - 0.362))


def test_which_bias_and_which_layers_must_be_the_same() -> None:
    versions = {"original": 0.4, "no_religion": 0.4, "elmo_all": 0.4, "elmo_2": 0.4}
    everywhere, second = {**GENDER, "layers": [1, 2, 3]}, {**GENDER, "layers": [2]}
    facts = {"no_religion": RELIGION, "elmo_all": everywhere, "elmo_2": second}
    assert places(inferences("nli-elmo", versions, **facts)) == {("Table 1", "original"), ("Table 11", "elmo-all")}
    assert ("Table 9", "no-religion") in places(inferences("nli-glove", versions, "religion", **facts))


def test_a_network_trained_anew_is_not_an_original_one() -> None:
    run = inferences("no-gender", {"original": 0.29, "projection": 0.2}, itself=GENDER)
    (one,) = compare_with_papers(run)
    assert (one.published.quantity.version, one.published.value) == ("retrained", 0.48)
    row = profile(read_runs([finish(run)]))[0]
    assert row.verdict.endswith("below the published .48–.52")  # Table 17


def test_accuracy_of_what_was_trained_anew() -> None:
    run = record("infer", {"nli-glove": {}, "no-gender": {"trained_without": GENDER}})
    where = {"experiment": "accuracy", "model": "nli-glove", "dataset": "snli-test", "measure": "accuracy", "n": 9824}
    for version, variant, value in (("original", None, 0.8), ("no-gender", None, 0.81), ("projection", "religion", 1)):
        run.score(**where, version=version, variant=variant, value=value)
    found = {one.ours["version"]: comparison_row(one)[3] for one in compare_with_papers(run)}
    assert found == {"original": "−.07 (other model)", "no-gender": "−.06 (other model)"}


@pytest.mark.parametrize(("subspace", "expected"), [("he − she", {"Table 15"}), ("man − woman", set())])
def test_debias_removes_what_it_says(subspace: str, expected: set[str]) -> None:
    run = record("debias", {"glove-6b-50d": {"words": 10}})
    where = {"model": "glove-6b-50d", "n": 2}
    run.score(**where, experiment="subspace", dataset=subspace, measure="dimensions", value=1.0)
    gender = {"experiment": "gender", "dataset": "gender", "version": "projection", "measure": "net-neutral"}
    run.score(**where, **gender, value=0.2)
    assert {one.published.places[0] for one in compare_with_papers(run)} == expected


@pytest.mark.parametrize(
    ("model", "text", "difference"),
    [
        ("gpt2", None, "not comparable: fine-tuned on WikiText-103 there, not fine-tuned here"),
        ("gpt2+wiki.train.tokens", "wiki.train.tokens", "+5.20"),
        ("gpt2+mine.txt", "mine.txt", "not comparable: fine-tuned on WikiText-103 there, on mine.txt here"),
    ],
)
def test_whole_words_of_a_model_that_was_fine_tuned(model: str, text: str | None, difference: str) -> None:
    run = record("predict", {model: {"family": "causal", **({"fine_tuned": text, "base": "gpt2"} if text else {})}})
    where = {"experiment": "prediction", "model": model, "dataset": "wikitext-103-test", "n": 5000}
    for columns in (
        {"measure": "perplexity"},
        {"measure": "perplexity", "variant": "naive"},
        {"measure": "ppx", "k": 5},
    ):
        run.score(**where, **columns, value=90.0)
    run.score(**where, measure="ppx", k=10, value=40.0)
    (one,) = compare_with_papers(run)
    assert (one.published.value, one.nearness, comparison_row(one)[3]) == (34.8, "same model", difference)


@pytest.mark.parametrize(("languages", "difference"), [(7, "+.07"), (3, "not comparable: over 7 languages there")])
def test_a_variance_is_over_as_many_languages(languages: int, difference: str) -> None:
    run = record("valnorm", {"m": {"words": 10}})
    run.score(experiment="weat", dataset="weat1", measure="weat", variant="variance", value=0.2, n=languages)
    (one,) = compare_with_papers(run)
    assert comparison_row(one)[3].startswith(difference)


def stand(model: str, kind: str | None, *, is_best: bool = False, **columns: Any) -> Standing:
    found = standing(model, kind, Quantity(**columns), is_best=is_best)
    assert found is not None
    return found


def test_below_inside_and_above_a_range() -> None:
    seven = stand("mine", "static", measure="valence", dataset="bellezza")
    assert str(seven) == ".82–.88, seven English embeddings (Toney and Caliskan 2021)"
    assert seven.side(0.797, 0.76, 0.83) == "just below"  # its interval reaches .82
    assert seven.side(0.60, 0.55, 0.65) == seven.side(0.60) == "below"
    assert seven.side(0.85, 0.80, 0.90) == "within"
    assert seven.side(0.817) == "within"  # both are .82 to a reader
    assert seven.side(0.93, 0.90, 0.95) == "above"
    assert seven.side(0.90, 0.87, 0.92) == "just above"


def test_one_number_and_the_same_model() -> None:
    """Table 5 of ValNorm: fastText in German, .80 on the German translation."""
    german = stand("mine", "static", measure="valence", dataset="bellezza-german")
    assert str(german) == ".80, fastText in German (Toney and Caliskan 2021)"
    assert german.side(0.801) == "like"
    own = stand("numberbatch", "static", measure="valence", dataset="bellezza")
    assert (str(own), own.side(0.80)) == (".86, the same model (Toney and Caliskan 2021)", "below")


def test_several_models_are_a_range_of_all() -> None:
    """Table 1 of Bommasani et al.: WS-353 .6838 for word2vec and .6073 for GloVe; Tables 4 and 6 with 10,000 sentences:
    GPT-2 .4205 and .5209, XLNet .6482 and .6935."""
    two = stand("mine", "static", measure="similarity", dataset="ws-353")
    assert str(two) == ".61–.68, word2vec and GloVe (Bommasani et al. 2020)"
    assert two.side(0.50, 0.41, 0.59) == "below"
    reduced = {"measure": "similarity", "variant": "best", "dataset": "ws-353", "pooling": "mean/mean"}
    four = stand("mine", "causal", **reduced, context="aggregated", sentences=10_000)
    assert (four.low, four.high, four.whose) == (0.4205, 0.6935, "4 published causal models")


def test_only_like_is_held_against_like() -> None:
    bleached = {"measure": "valence", "dataset": "bellezza", "context": "bleached"}
    best = stand("mine", "causal", **bleached, is_best=True)  # GPT-2 in layer 8, GPT-Neo in layer 12
    assert str(best) == ".87–.89, GPT-2 and GPT-Neo (Wolfe and Caliskan 2022)"
    assert best.side(0.86, 0.84, 0.88) == "just below"
    assert standing("mine", "masked", Quantity(**bleached), is_best=True) is None  # a model of another kind
    assert standing("mine", "static", Quantity("valence", dataset="warriner")) is None  # another lexicon
