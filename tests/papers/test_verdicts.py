"""Whether a paper's number came out again: by seeds, by equality, and which models say anything at all."""

from collections.abc import Sequence
from typing import Any

import pytest

from made_runs import finish, record
from wordworth.papers.comparisons import comparisons
from wordworth.papers.published import PaperNumber, load_published
from wordworth.papers.verdicts import judge, judge_comparisons, prediction_interval, printed_decimals, why_not_judged
from wordworth.results.runs import read_runs

PAPERS_MODEL = "elmo"


def number(model: str = PAPERS_MODEL) -> PaperNumber:
    return next(one for one in load_published() if one.paper == "dev2020" and one.model == model)


def test_a_prediction_interval_by_hand() -> None:
    """Mean .3, s .1, n 3: Student's t with 2 degrees of freedom is 4.3027, and √(1 + 1/3) is 1.1547."""
    assert prediction_interval([0.2, 0.3, 0.4]) == pytest.approx((0.3 - 0.49683, 0.3 + 0.49683), abs=1e-5)


@pytest.mark.parametrize(
    ("paper", "values", "change", "said"),
    [
        (0.387, (0.37, 0.38, 0.39, 0.40), False, "reproduced"),
        (0.713, (0.54, 0.55, 0.56, 0.57), False, "not reproduced"),
        (0.394, (0.10, 0.30, 0.40, 0.65), False, "undecided"),  # contains .394, and nearly everything else
        (0.394, (0.27, 0.3625, 0.455), False, "undecided"),  # about [−.10, .82], which contains .394 as well
        (0.093, (0.07, 0.08, 0.09, 0.10), True, "reproduced"),
        (0.093, (0.03, 0.03, 0.04, 0.04), True, "not reproduced"),  # the same sign, but another size
        (0.093, (-0.05, -0.04, -0.03, -0.02), True, "not reproduced"),
        (0.084, (-0.04, 0.01, 0.05, 0.09), True, "undecided"),  # none, or theirs
    ],
)
def test_what_seeds_say_of_a_number(paper: float, values: Sequence[float], change: bool, said: str) -> None:
    assert judge(paper, values, change=change).name == said


def test_one_network_of_the_paper_is_not_held_against_the_interval_of_a_mean() -> None:
    """The interval of the mean is [.28, .36], without .387; one more network may be anywhere in [.23, .41]."""
    assert judge(0.387, (0.29, 0.31, 0.33, 0.35)).name == "undecided"


def test_fewer_than_three_values_decide_nothing() -> None:
    assert judge(0.387, ()).name == judge(0.387, (0.38, 0.39)).name == "undecided"
    assert "2 draws" in str(judge(0.387, (0.38, 0.39)))


@pytest.mark.parametrize(
    ("model", "trained_on", "accuracy", "why"),
    [
        (PAPERS_MODEL, "snli", 0.87, ""),
        (PAPERS_MODEL, "snli", 0.37, "its accuracy is 0.37, near chance"),
        (PAPERS_MODEL, "snli-91k", 0.87, "trained on snli-91k, not snli"),
        ("minilm-l6", "snli", 0.87, "other model"),
        ("minilm-l6", "snli-91k", 0.87, "other model; trained on snli-91k, not snli"),
    ],
)
def test_only_the_papers_model_on_its_data_is_judged(model: str, trained_on: str, accuracy: float, why: str) -> None:
    assert why_not_judged(number(), model, trained_on, accuracy) == why


def verdict(study: str, model: str, values: Sequence[float] = (0.5,), **more: Any) -> str:
    """Return the verdict on the first number of a paper that scores of a model, one per seed, are next to."""
    every = []
    facts = {name: more.pop(name) for name in ("family", "words", "layers", "fine_tuned") if name in more}
    paper, settings = more.pop("paper"), more.pop("settings", {})
    for seed, value in enumerate(values):
        run = record(study, {model: facts})
        run.score(**{"model": model, "value": value, "n": 381, "coverage": 1.0, **more})
        wanted = [one for one in load_published() if one.paper == paper]
        runs = read_runs([finish(run, settings=settings, seed=seed)])
        every += [(one, runs) for one in comparisons(runs, wanted)][:1]
    return str(judge_comparisons(every))


VALENCE = {"experiment": "valence", "measure": "valence", "words": 10, "paper": "toney2021"}
ENGLISH = {**VALENCE, "dataset": "bellezza-german", "n": 370}


@pytest.mark.parametrize(
    ("value", "more", "said"),
    [
        (0.801, {}, "reproduced"),  # printed .80
        (0.806, {}, "reproduced"),  # .81: one unit of the last digit
        (0.816, {}, "not reproduced"),
        (0.801, {"n": 369}, "undecided: n is 369, the paper's 370"),
    ],
)
def test_a_number_without_chance_is_equal_or_not(value: float, more: dict[str, Any], said: str) -> None:
    """Table 5 of ValNorm prints .80 for German, over 370 words."""
    assert verdict("valnorm", "fasttext-cc-german", [value], **{**ENGLISH, **more}) == said


def test_another_model_is_not_measured() -> None:
    assert verdict("valnorm", "glove-6b-50d", [0.8], **ENGLISH) == "not measured: other model, glove-6b-50d"


RG_65 = {"experiment": "quality", "measure": "similarity", "dataset": "rg-65", "words": 10, "paper": "bommasani2020"}


@pytest.mark.parametrize(
    ("coverage", "said"),
    [
        (1.0, "reproduced"),
        (0.23, "undecided: 23 % of the data has vectors"),
        (None, "undecided: n is 381, and the paper does not say its own"),
    ],
)
def test_a_part_of_the_data_decides_nothing(coverage: float | None, said: str) -> None:
    """Table 1 of Bommasani et al.: word2vec has .6787 on RG-65."""
    given = {**RG_65, "coverage": coverage}
    assert verdict("static", "word2vec-google-news", [0.6787], **given) == said


TOP = {"experiment": "isolation", "measure": "valence", "dataset": "bellezza", "layer": 12, "layers": 12}
TOP |= {"family": "causal", "paper": "wolfe2022", "n": 399}


@pytest.mark.parametrize(
    ("corpus", "values", "said"),
    [
        ("enwiki-sample", (0.17, 0.17, 0.17), "not measured: contexts of enwiki-sample, not Pushshift's Reddit"),
        ("RC_2019-01.txt", (0.17,), "undecided: 1 draw of chance; an interval needs 3"),
        ("RC_2019-01.txt", (0.16, 0.17, 0.18), "reproduced"),
        ("RC_2019-01.txt", (0.46, 0.47, 0.48), "not reproduced"),
    ],
)
def test_random_contexts_need_the_papers_text_and_repeats(corpus: str, values: Sequence[float], said: str) -> None:
    """Table 1 of VAST: .17 in random contexts, in the top layer of GPT-2."""
    assert verdict("vast", "gpt2", values, context="random", settings={"corpus": corpus}, **TOP) == said


def test_the_margin_of_a_tiny_number_is_a_share_of_it() -> None:
    """Table 3 of Bommasani et al. has .0307 for garg-cosine: an interval of ±.01 is no agreement."""
    given = {"experiment": "bias", "measure": "garg-cosine", "dataset": "gender-pairs", "subset": "professions"}
    given |= {"layer": 3, "layers": 12, "family": "masked", "paper": "bommasani2020"}
    for values, said in (((0.026, 0.03, 0.034), "undecided"), ((0.0305, 0.0306, 0.0307), "reproduced")):
        verdicts = verdict("static", "bert-base-uncased", values, settings={"corpus": ["enwiki-20250101.xml"]}, **given)
        assert verdicts.partition(":")[0] == said


def test_a_bleached_context_needs_no_text() -> None:
    assert verdict("vast", "gpt2", [0.32], context="bleached", settings={"corpus": "none"}, **TOP) == "reproduced"


def test_the_decimals_of_a_table_are_those_of_its_longest_number() -> None:
    """Bommasani et al. print .0750 as .075; Dudy and Bedrick print 34.8."""
    table3 = next(one for one in load_published() if one.value == 0.075)
    ppx = next(one for one in load_published() if one.value == 34.8)
    assert (printed_decimals(table3), printed_decimals(ppx)) == (4, 1)
