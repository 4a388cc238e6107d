"""Neutrality, and what it hides (gaps between groups, the control of exchanged words), against one pair at a time."""

from itertools import combinations

import numpy as np
import pytest

from made_nli import make_nli
from slow_nli import slow
from typed_runs import one, value
from wordworth.measure.neutrality import Tally, by_premise, group_means
from wordworth.nli.attention import AttentionNli
from wordworth.study import study
from wordworth.transform import difference_direction, remove

infer = study("infer")
JOBS, MEN, WOMEN = ["nurse", "doctor", "baker", "tailor", "clerk"], ["man", "guy"], ["woman", "lady", "girl"]
VERBS, THINGS = ["ate", "paid for"], ["bun", "apple", "egg", "roll"]
ACTIONS = [(verb, thing) for verb in VERBS for thing in THINGS]
PROBE = f"""
[probe]
name = "small"
premise = "The SUBJECT VERB a/an OBJECT."
hypothesis = "The SUBJECT VERB a/an OBJECT."
slots = {{ premise = {{ words = {JOBS} }}, hypothesis = {{ words = {MEN + WOMEN} }} }}
verbs = [{{ verbs = {{ words = {VERBS} }}, objects = {{ words = {THINGS} }} }}]
subspace = {{ pair = ["he", "she"] }}
"""
GROUPED = f'{PROBE}\ngroups = {{ men = {MEN}, women = {WOMEN} }}\nswap = "premise"\n'
WORDS = [*JOBS, *MEN, *WOMEN, *THINGS, *"the ate paid for a an . he she".split()]  # noqa: SIM905


@pytest.fixture(scope="module")
def model() -> AttentionNli:
    return make_nli(WORDS)


def sentence(subject: str, action: tuple[str, str]) -> str:
    verb, thing = action
    return f"The {subject} {verb} {'an' if thing[0] in 'ae' else 'a'} {thing}."


def each(model: AttentionNli, first: str, second: str) -> list[np.ndarray]:
    """E, N and C of two subjects with each action, a pair at a time, by the network's formulas."""
    return [slow(model, sentence(first, action), sentence(second, action)) for action in ACTIONS]


def ask(model: AttentionNli, first: str, second: str) -> np.ndarray:
    """Their mean over all actions."""
    return np.mean(each(model, first, second), axis=0)


def test_all_measures_equal_one_pair_at_a_time(model, tmp_path):
    (tmp_path / "small.toml").write_text(GROUPED)
    made = infer(model, probes=(tmp_path / "small.toml",), random=1, resamples=50)
    assert one(made.scores, measure="net-neutral", version="original")["n"] == 200
    direction = difference_direction(model.embedder.embedding, "he", "she")
    changed = model.with_vectors(remove(model.embedder.embedding, direction.basis, "he − she"))
    for name, version in (("original", model), ("projection", changed)):
        means = {
            job: [np.mean([ask(version, job, word) for word in group], axis=0) for group in (MEN, WOMEN)]
            for job in JOBS
        }
        lean = np.mean([men - women for men, women in means.values()], axis=0)
        gap = np.mean([np.abs(men - women) for men, women in means.values()], axis=0)
        swapped = np.mean([ask(version, job, other) for job in JOBS for other in JOBS if job != other], axis=0)
        here = {"version": name, "dataset": "small"}
        rows = np.array([row for job in JOBS for word in MEN + WOMEN for row in each(version, job, word)])
        neutral = {
            "net-neutral": rows[:, 1].mean(),
            "fraction-neutral": (rows[:, 1] == rows.max(axis=1)).mean(),  # a tie, as of dead units, is neutral
        }
        for measure, expected in neutral.items():
            assert value(made, measure=measure, **here) == pytest.approx(expected, abs=1e-6)
        for least in (0.5, 0.7):
            share = value(made, measure="threshold", threshold=least, **here)
            assert share == pytest.approx((rows[:, 1] > least).mean(), abs=1e-6)
        for label, at in (("entailment", 0), ("contradiction", 2)):
            assert value(made, measure=f"gap-{label}", **here) == pytest.approx(gap[at], abs=1e-6)
            assert value(made, measure=f"lean-{label}", **here) == pytest.approx(lean[at], abs=1e-6)
            over = value(made, measure=label, variant="over-swap", **here)
            assert over == pytest.approx(rows[:, at].mean() - swapped[at], abs=1e-6)
        control = value(made, measure="net-neutral", control="swap", **here)
        assert control == pytest.approx(swapped[1], abs=1e-6)


def test_the_paired_test_is_over_premises(model, tmp_path):
    (tmp_path / "small.toml").write_text(GROUPED)
    made = infer(model, probes=(tmp_path / "small.toml",), random=0, resamples=50)
    row = one(made.scores, measure="gap-entailment", variant="change")
    assert row["n"] == len(JOBS)
    assert (row["p_method"], row["sides"], row["partitions"]) == ("exact", "two", 2 ** (len(JOBS) - 1))
    assert row["p"] * row["partitions"] == round(row["p"] * row["partitions"]) >= 1
    before, after = (value(made, measure="gap-entailment", version=name) for name in ("original", "projection"))
    assert row["value"] == pytest.approx(after - before)


def test_without_groups_every_two_hypotheses_are_compared(model, tmp_path):
    (tmp_path / "small.toml").write_text(PROBE)
    made = infer(model, probes=(tmp_path / "small.toml",), mitigate=("none",), random=0, resamples=50)
    gaps = []
    for job in JOBS:
        entailed = [ask(model, job, word)[0] for word in MEN + WOMEN]
        gaps += [abs(first - second) for first, second in combinations(entailed, 2)]
    assert value(made, measure="gap-entailment") == pytest.approx(np.mean(gaps), abs=1e-6)
    assert {"lean-entailment", "lean-contradiction"}.isdisjoint(made.scores["measure"])
    assert made.scores["control"].null_count() == len(made.scores)


def test_draws_are_the_same_as_taking_words_so_often():
    rng = np.random.default_rng(0)
    tally = Tally.empty((5, 4))
    tally.add(np.arange(20), rng.dirichlet([1, 1, 1], 20))
    groups, times = [np.array([0, 1]), np.array([2, 3])], [np.array([[2.0], [0.0]]), np.array([[1.0], [1.0]])]
    table = tally.means()[:, 0].reshape(5, 4)
    expected = np.abs(table[:, 0] - table[:, 2:].mean(axis=1))
    np.testing.assert_allclose(by_premise(group_means(tally, groups, times))[0, :, 0], expected)
