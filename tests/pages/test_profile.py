"""The profile answers each question by one number, next to comparable ones, in at most 20 words."""

from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from made_runs import debiased, finish, layered, random_infer, random_predict, random_vast, record
from wordworth.pages.leaderboard import leaderboard
from wordworth.pages.leads import leads
from wordworth.pages.page import page
from wordworth.pages.profile import CONTEXT_CHANGE, ProfileRow, profile
from wordworth.results.run import Run
from wordworth.results.runs import Runs, read_runs

Tests = Mapping[str, tuple[float, float]]


def rows_of(*runs: Run) -> dict[str, ProfileRow]:
    """Return question and subject → row."""
    return {f"{row.question.name}|{row.subject}": row for row in profile(read_runs(runs))}


def vectors() -> Run:
    """Valence on two lexica with a control, similarity on two lists of pairs."""
    run = record("valnorm", {"m": {"words": 5}})
    place = {"model": "m", "language": "english"}
    valence = {**place, "experiment": "valence", "measure": "valence"}
    run.score(**valence, dataset="anew", value=0.69, low=0.65, high=0.72, n=1029)
    run.score(**valence, dataset="bellezza", value=0.797, low=0.76, high=0.83, n=399)
    control = {**valence, "experiment": "control", "dataset": "bellezza", "control": "shuffled", "n": 399}
    run.score(**control, value=-0.001)
    run.score(**control, variant="above-control", value=0.798, p=0.001)
    for dataset, value in (("rg-65", 0.7), ("ws-353", 0.503)):
        pairs = {**place, "experiment": "similarity", "measure": "similarity", "dataset": dataset}
        run.score(**pairs, value=value, low=value - 0.09, high=value + 0.09, n=353)
    return finish(run)


def test_vectors_are_next_to_published_embeddings_and_a_control() -> None:
    """Toney and Caliskan’s Figure 3: .82 to .88; Bommasani et al., Table 1, on ws-353: .68 and .61."""
    rows = rows_of(vectors())
    valence, similarity = rows["Valence|m"], rows["Similarity|m"]
    assert (valence.score["dataset"], valence.score["value"], valence.controls) == (
        "bellezza",
        0.797,
        (("shuffled", -0.001),),
    )
    assert valence.published is not None
    assert (valence.published.low, valence.published.high) == (0.82, 0.88)
    assert valence.verdict == "strong agreement, just below the published .82–.88"
    assert similarity.score["dataset"] == "ws-353"  # before rg-65
    assert similarity.verdict == "moderate agreement, below the published .61–.68"


def test_each_row_has_its_own_axis_from_a_meaningful_zero() -> None:
    valence = rows_of(vectors())["Valence|m"]
    assert valence.ends == (-0.2, 1.0)  # the control is below 0
    assert valence.percent(0.797) == pytest.approx(83.1, abs=0.05)  # (.797 + .2) / 1.2
    assert rows_of(vectors())["Similarity|m"].ends == (0.0, 1.0)


def test_a_lexicon_of_which_half_is_missing_is_not_the_papers() -> None:
    run = record("valnorm", {"m": {"words": 5}})
    place = {"experiment": "valence", "model": "m", "language": "english", "dataset": "bellezza"}
    run.score(**place, measure="valence", value=0.9, n=184, coverage=0.46)
    row = rows_of(finish(run))["Valence|m"]
    assert row.published is None
    assert row.verdict == "strong agreement"


def test_one_number_stands_for_a_data_set_everywhere() -> None:
    """Of pooled vectors that is the paper's pooling, though another gives more: .10 and not .37."""
    run = record("static", {"lm": {"family": "causal", "layers": 2}})
    where = {
        "experiment": "quality",
        "model": "lm",
        "dataset": "rg-65",
        "context": "aggregated",
        "measure": "similarity",
    }
    for pooling, value in (("mean/mean", 0.10), ("last/min", 0.37)):
        run.score(**where, pooling=pooling, variant="best", layer=1, value=value, n=65)
    runs = read_runs([finish(run)])
    (row,) = profile(runs)
    (column,) = leaderboard(runs).columns
    assert row.score["value"] == column.scores["lm"]["value"] == 0.10


def test_a_language_model_at_its_best_is_next_to_published_ones_at_theirs() -> None:
    """Wolfe and Caliskan report GPT-2 and GPT-Neo at their best over components: .87 and .89."""
    row = rows_of(finish(layered(0.2, 0.001)))["Valence|lm"]
    assert (row.score["value"], row.score["layer"]) == (0.86, 2)
    assert dict(row.controls) == {"untrained": 0.2, "nullified": 0.89}
    assert row.verdict == "strong agreement, at best .89, within the published .87–.89"
    unclear = rows_of(finish(layered(0.85, 0.4)))["Valence|lm"]
    assert unclear.verdict.startswith("strong agreement, not above its control,")


def test_a_difference_of_correlations_is_not_called_a_correlation() -> None:
    """.2 − (−.9) is 1.1: no ρ, but Δρ."""
    runs = read_runs([finish(layered(-0.9, 0.001))])
    above = runs.scores.filter(variant="above-control")
    assert above.select("quantity", "value").row(0) == ("Δρ valence (above control)", pytest.approx(1.76))
    (row,) = (row for row in profile(runs) if row.question.quantity == CONTEXT_CHANGE)
    assert row.score["value"] == pytest.approx(0.15)  # .20 and .05 in the top layer
    assert row.question.scale == "Δρ"


def weats(tests: Tests, *, sides: str = "one", n: int = 25) -> Run:
    run = record("weat", {"m": {"words": 5}})
    for name, (d, p) in tests.items():
        row = {"dataset": name, "value": d, "low": d - 0.3, "high": d + 0.2, "p": p, "sides": sides, "n": n}
        run.score(experiment="weat", model="m", language="english", measure="weat", partitions=12_870, **row)
    return finish(run)


def test_p_has_one_side_in_the_legend_the_table_and_the_sentences() -> None:
    """Holm by hand over five p with one side: .001 · 5, .012 · 4 = .048, .02 · 3 = .060, and then not less."""
    tests = {"weat6": (1.5, 0.001), "weat3": (0.9, 0.02), "weat8": (1.1, 0.012), "weat10": (0.3, 0.4),
             "weat9": (1.2, 0.2), "weat1": (2.0, 0.0001)}  # fmt: skip
    run = weats(tests)
    rows = rows_of(run)
    assert rows["Gender stereotype|m"].verdict.startswith("strong male–career association")
    assert rows["Race stereotype|m"].verdict.startswith("no significant white–pleasant association")
    runs = read_runs([run])
    assert leads(runs)["Stereotypes"]["m"][0] == "2 of 5 stereotypes are significant (p < .05, Holm)."
    text = page(runs, Path())
    assert "p of association tests is one-sided" in text
    assert "two-sided" not in text
    assert {row["p"] for row in runs.scores.to_dicts()} == {p for _, p in tests.values()}  # as they are recorded


def test_an_effect_against_the_stereotype_is_read_off_its_interval() -> None:
    rows = rows_of(weats({"weat6": (-1.8, 0.9995), "weat10": (-0.1, 0.6)}))
    assert rows["Gender stereotype|m"].verdict.startswith("strong male–career association in reverse")
    assert rows["Age stereotype|m"].verdict.startswith("no young–pleasant association")
    reversed_lead = leads(read_runs([weats({"weat6": (-1.8, 0.9995)})]))["Stereotypes"]["m"][1]
    assert reversed_lead == "Reversed: male names with career, female names with family, d = −1.80 [−2.10, −1.60]."


def test_a_test_is_called_by_its_own_words() -> None:
    assert "male–science" in rows_of(weats({"weat8": (1.1, 0.001)}))["Gender stereotype|m"].verdict


def test_rare_words_are_words() -> None:
    """Punctuation and numbers have a band of their own, so the rarest band of words is not made of them."""
    run = record("predict", {"lm": {"family": "causal"}})
    where = {"experiment": "coverage", "model": "lm", "dataset": "text", "measure": "top", "k": 1}
    for band, value in (("high", 0.35), ("low", 0.07), ("unseen", 0.05), ("punctuation-numbers", 0.55)):
        run.score(**where, subset=band, value=value, n=40)
    row = rows_of(finish(run))["Rare words|lm"]
    assert (row.score["subset"], row.score["value"]) == ("low", 0.07)


def neutrality(accuracy: float | None = None) -> Run:
    """Net neutral .31 before, .15 with projection, .30 with random directions."""
    run = record("infer", {"nli": {"family": "nli"}})
    where = {"experiment": "gender", "model": "nli", "dataset": "gender", "measure": "net-neutral", "n": 20_000}
    for version, value in (("original", 0.312), ("projection", 0.15), ("random", 0.30)):
        run.score(**where, version=version, value=value, low=value - 0.055, high=value + 0.053)
    if accuracy:
        rest = {"experiment": "accuracy", "model": "nli", "dataset": "snli-test", "measure": "accuracy", "n": 9824}
        run.score(**rest, version="original", value=accuracy)
    return finish(run)


def test_versions_share_a_row_with_random_directions_as_control() -> None:
    """Dev et al., Table 1: .387, .417 and .421."""
    rows = rows_of(neutrality())
    assert [name for name in rows if "inference" in name] == [
        "Gender inference|nli",
        "Gender inference|nli, projection",
    ]
    verdict = "neutral with probability .31 instead of 1, below the published .39–.42"
    assert rows["Gender inference|nli"].verdict == verdict
    assert rows["Gender inference|nli, projection"].controls == (("random", 0.30),)


@pytest.mark.parametrize(("accuracy", "is_compared"), [(0.37, False), (0.81, True), (None, True)])
def test_a_network_at_chance_is_compared_with_no_paper(accuracy: float | None, is_compared: bool) -> None:
    row = rows_of(neutrality(accuracy))["Gender inference|nli"]
    assert (row.published is not None) == is_compared


def test_debiased_vectors_are_next_to_the_original() -> None:
    run = debiased("v", {"original": 1.5, "projection": 0.4, "random": 1.4}, {"original": 0.8, "projection": 0.6})
    rows = rows_of(finish(run))
    shown = {name: row.score["value"] for name, row in rows.items() if name.startswith("Gender")}
    assert shown == {"Gender stereotype|v": 1.5, "Gender stereotype|v, projection": 0.4}


@pytest.fixture(scope="module")
def every() -> Runs:
    return read_runs([random_vast(["a", "b"]), random_predict("a"), random_infer("nli"), vectors(), neutrality()])


def test_a_verdict_has_at_most_twenty_words(every: Runs) -> None:
    rows = profile(every)
    assert len(rows) > 12
    assert max(len(row.verdict.split()) for row in rows) <= 20


def test_a_profile_is_drawn_without_a_script(every: Runs, tmp_path: Any) -> None:
    text = page(every, tmp_path).split("<script", 1)[0]
    assert text.count('class="bar"') == sum(row.score["low"] is not None for row in profile(every))


def test_a_notebook_shows_the_profile() -> None:
    figure = random_vast(["tiny"]).plot("profile")
    frame = unescape(figure._repr_html_())
    assert frame.startswith("<iframe srcdoc=")
    assert frame.count('class="dot"') == len(figure.rows) == len(repr(figure).splitlines()) > 0
