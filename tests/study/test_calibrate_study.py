"""The study `calibrate` on made vectors: false alarms, power, limits, random words, a language model, the page."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

import wordworth as ww
from encode.conftest import KINDS as ENCODERS
from whole_words.conftest import tiny_words
from wordworth.embedding import Layers, as_embedding
from wordworth.measure.calibration import LIST_MEASURES
from wordworth.pages.figures import figures_of
from wordworth.pages.leads import leads
from wordworth.results.run import Run
from wordworth.results.runs import read_runs
from wordworth.task.calibration import CANDIDATES, DOSES, draw_random_words

LETTERS = "abcdefghij"
WORDS = [f"{one}{two}{three}" for one in LETTERS for two in LETTERS for three in LETTERS]
TEST = {"X": WORDS[300:308], "Y": WORDS[400:407], "A": WORDS[500:508], "B": WORDS[600:606]}
SMALL: dict[str, Any] = {"lists": 400, "permutations": 199, "sizes": (4, 20)}
BLIND = ("manzini", "mac")
"""They average over both classes of attributes, so a difference between these is no bias to them."""


def vectors() -> dict[str, np.ndarray]:
    """Return vectors of heavy tails; A and B lie apart."""
    rng = np.random.default_rng(7)
    matrix = rng.standard_t(6, (len(WORDS), 20)) + 0.3
    matrix[500:508, :5] += 1
    matrix[600:606, :5] -= 1
    return dict(zip(WORDS, matrix, strict=True))


@pytest.fixture(scope="module")
def run() -> Run:
    return ww.calibrate(vectors(), TEST, name="made", **SMALL)


def rows_of(run: Run, measure: str, **columns: Any) -> pl.DataFrame:
    return run.scores.filter(pl.col("measure") == measure, *(pl.col(name) == one for name, one in columns.items()))


def test_false_alarms_are_within_the_binomial_interval_of_5_percent(run: Run) -> None:
    low, high = binom.ppf([0.0005, 0.9995], SMALL["lists"], 0.05) / SMALL["lists"]
    rows = rows_of(run, "false-alarms", dose=0.0)
    assert len(rows) == 3 * 9
    assert rows["value"].is_between(low, high).all(), rows
    assert (rows["low"] < rows["value"]).all()
    assert abs(rows_of(run, "injected-d", dose=0.0)["value"]).max() < 0.1


def test_power_rises_with_the_dose_and_with_the_number_of_words(run: Run) -> None:
    for name in ("weat", *LIST_MEASURES):
        for (_,), rows in rows_of(run, "power", variant=name).group_by(["k"]):
            assert rows["dose"].to_list() == list(DOSES[1:])
            if name not in (*BLIND, "ect"):  # the ranks of few words may agree again at a large dose
                assert rows["value"].diff().drop_nulls().min() > -0.03, name
    limits = dict(rows_of(run, "detection-limit", variant="weat").select("k", "value").iter_rows())
    assert limits[4] > limits[None] > limits[20]
    effects = rows_of(run, "injected-d", k=20)["value"]
    assert effects.diff().drop_nulls().min() > 0
    powers = dict(rows_of(run, "power", variant="weat", k=20).select("dose", "value").iter_rows())
    doses = [0.0, *powers]
    below = max(dose for dose in powers if powers[dose] < 0.8)
    assert below < limits[20] < doses[doses.index(below) + 1]


def test_a_limit_that_is_never_reached_is_blank_and_reported(run: Run, tmp_path: Path) -> None:
    rows = rows_of(run, "detectable-d").filter(pl.col("variant").is_in(BLIND))
    assert rows["value"].is_nan().all()
    (reason,) = (notice.reason for notice in run.notices if "power stays below" in notice.reason)
    assert all(f"{name} (its own, 4, 20)" in reason for name in BLIND)
    assert ww.read(run.save(tmp_path / "run").folder).scores.height == run.scores.height


def test_random_words_are_others_of_about_the_same_rank(run: Run) -> None:
    assert len(run.scores.filter(control="random-words")) == 3 * 9
    embedding = as_embedding(vectors())
    layers = Layers.of(embedding)
    groups = [layers.select(words) for words in TEST.values()]
    rows = draw_random_words(layers, groups, CANDIDATES, 0)
    assert rows.shape == (15 * CANDIDATES,)
    own = {layers.index[word] for words in TEST.values() for word in words}
    for at, word in enumerate([*TEST["X"], *TEST["Y"]]):
        ranks = rows[at * CANDIDATES :][:CANDIDATES].tolist()
        assert len(set(ranks) - own) == CANDIDATES
        assert max(abs(one - layers.index[word]) for one in ranks) <= 250


def test_draws_do_not_depend_on_the_order_of_a_list() -> None:
    turned = TEST | {name: TEST[name][::-1] for name in ("X", "Y")}
    small = SMALL | {"lists": 30, "sizes": ()}
    first, second = (ww.calibrate(vectors(), test, **small).scores["value"] for test in (TEST, turned))
    np.testing.assert_array_equal(first, second)


def test_without_other_words_there_are_no_random_lists() -> None:
    own = {word: vector for word, vector in vectors().items() if any(word in words for words in TEST.values())}
    run = ww.calibrate(own, TEST, lists=30, sizes=())
    assert run.scores.filter(control="random-words").is_empty()
    assert any("about as frequent" in notice.reason for notice in run.notices)


def test_one_layer_of_a_language_model_words_bleached() -> None:
    _, plain = tiny_words("llama-bpe")
    words = ["river", "gardens", "friends", "love", "knife", "storm", "cities", "murder"]
    test = {"X": words[:2], "Y": words[2:4], "A": words[4:6], "B": words[6:]}
    run = ww.calibrate((plain.network, ENCODERS["llama-bpe"][0]()), test, layer=1, lists=30, sizes=(3,), name="tiny")
    assert run.scores["context"].unique().to_list() == ["bleached"]
    assert run.scores["layer"].unique().to_list() == [1]
    assert run.scores.filter(control="random-words").is_empty()
    assert set(run.scores["k"]) == {None, 3}


def test_the_page_has_the_curves_and_says_what_could_be_missed(run: Run) -> None:
    runs = read_runs([run])
    (figure,) = figures_of(runs.scores)["Stereotypes"]
    assert figure.id == "calibration"
    assert len(figure.rows) == 9 * len(DOSES)
    ((sentence, sizes),) = leads(runs)["Stereotypes"].values()
    limit = rows_of(run, "detectable-d", variant="weat").filter(pl.col("k").is_null())["value"].item()
    assert f"d ≥ {limit:.2f}".replace("0.", ".") in sentence
    assert "4 and 20 words per set, weat detects d ≥" in sizes


def test_the_command(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from wordworth.cli import app

    vectors_file = tmp_path / "made.txt"
    lines = (" ".join([word, *map(str, row)]) for word, row in vectors().items())
    vectors_file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    own = "\n".join(f'{name.lower()} = {{ label = "{name}", words = {TEST[name]!r} }}' for name in "XYAB")
    (tmp_path / "mine.toml").write_text(f'[test]\nname = "mine"\n{own}\n'.replace("'", '"'), encoding="utf-8")
    arguments = ["run", "calibrate", str(vectors_file), "--test", str(tmp_path / "mine.toml"), "--sizes", "4,8"]
    result = CliRunner().invoke(app, [*arguments, "--lists", "30", "-o", str(tmp_path / "run")])
    assert result.exit_code == 0, result.output
    assert "detectable-d@8" in result.output
