"""VAST's probes: what they find, the baseline and interval beside it, and where the tags come from."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vast_runs import QUICK, rows
from wordworth.encode import LanguageModel
from wordworth.results.findings import Findings
from wordworth.study import study
from wordworth.study.vast import VastSettings
from wordworth.study.vast.tokens import find_ending, universal_tag
from wordworth.task.probes import PROBE_COMPONENTS, ProbePart, score_probe

vast = study("vast")


Parts = tuple[ProbePart, ProbePart]


def make_parts(planted: float, share: float = 0.5, dimensions: int = 10) -> Parts:
    """600 vectors with a class planted in one neuron, so strongly that it is the first component."""
    rng = np.random.default_rng(0)
    labels = rng.random(600) < share
    vectors = rng.normal(size=(600, dimensions))
    vectors[:, 3] += np.where(labels, planted, -planted)
    names = ["noun" if label else "other" for label in labels]
    train, test = (ProbePart(vectors[part], names[part], names[part]) for part in (slice(400), slice(400, None)))
    return train, test


def probe(parts: Parts, **chosen: int) -> Findings:
    settings = VastSettings(**{"resamples": 20, **chosen})
    return score_probe("noun", *parts, {"model": "made"}, settings, settings.components)


def test_a_probe_finds_a_planted_component() -> None:
    found = probe(make_parts(20))
    assert rows(found, measure="noun", variant=None)["value"].item() == pytest.approx(1)
    assert rows(found, variant="components", components=1)["value"].item() == pytest.approx(1)
    assert rows(found, variant="rest", components=1)["value"].item() < 0.65


def test_a_probe_has_a_baseline_and_an_interval() -> None:
    """Where nothing is planted and one class is common, the regression names that class and nothing more."""
    task = make_parts(0, share=0.9)
    found = probe(task, resamples=400)
    majority = rows(found, variant="majority").row(0, named=True)
    share = sum(label == "noun" for label in task[1].labels) / 200
    assert majority["value"] == pytest.approx(share * 2 * share / (1 + share))
    assert rows(found, variant="components", components=1)["value"].item() == pytest.approx(majority["value"])
    for score in found.scores.iter_rows(named=True):
        assert score["low"] < score["value"] < score["high"]
    assert 0.02 < majority["high"] - majority["low"] < 0.25


def test_the_papers_numbers_of_components_are_tried() -> None:
    assert {8, 11, 12} <= {*PROBE_COMPONENTS}
    found = probe(make_parts(20, dimensions=20), components=12)
    assert rows(found, variant="components")["components"].to_list() == list(PROBE_COMPONENTS)


def test_probes_as_the_authors_ran_them(tiny: LanguageModel, data: Path) -> None:
    """The out-of-domain file has 516 sentences; the treebank's tags become the 12 universal ones, or fewer."""
    asked = {"experiments": ["probes"], "corpus": "none", "components": 1, **QUICK}
    found = vast([tiny], lexica=["bellezza"], probes="authors", **asked)
    lines = (data / "probes/cola/out_of_domain_dev.tsv").read_text(encoding="utf-8").splitlines()
    sentences = {line.split("\t")[3] for line in lines}
    assert 490 < rows(found, measure="acceptability", variant=None)["n"].item() <= len(sentences) <= 516
    tagged = rows(found, "probed_words", probe="part-of-speech", subset="last word")
    universal = {"ADJ", "ADP", "ADV", "CONJ", "DET", "NOUN", "NUM", "PRON", "PRT", "VERB", "X"}
    assert {"NOUN", "VERB"} < set(tagged["label"]) <= universal
    assert [universal_tag(tag) for tag in ("NNPS", "PRP$", "PDT", "RP", "WRB", "FW")] == [
        "NOUN", "PRON", "DET", "PRT", "ADV", "X",
    ]  # fmt: skip


def test_vectors_as_they_are_are_not_standardized() -> None:
    """A neuron a thousand times smaller than the others is not heard unless it is standardized."""
    train, test = make_parts(20)
    parts = [replace(part, vectors=part.vectors * np.where(np.arange(10) == 3, 1e-6, 1)) for part in (train, test)]
    settings = VastSettings(resamples=20)
    f1 = [
        rows(score_probe("noun", *parts, {"model": "made"}, settings, 1, standardize=standardize), variant=None)[
            "value"
        ].item()
        for standardize in (True, False)
    ]
    assert f1[0] == pytest.approx(1)
    assert f1[1] < 0.7


def test_the_last_two_words_of_a_tagged_sentence() -> None:
    found = find_ending([("The", "DT"), ("old", "JJ"), ("cat", "NN"), ("slept", "VBD"), (".", ".")])
    assert found is not None
    last, before = found.last, found.before
    assert (last.text, last.text[last.start : last.end], found.tag) == ("The old cat slept", "slept", "VBD")
    assert before.text[before.start : before.end] == "cat"
    assert find_ending([("Yes", "UH"), (".", ".")]) is None


def test_probes_run_on_cola_and_the_treebank(tiny: LanguageModel, data: Path) -> None:
    found = vast([tiny], lexica=["bellezza"], experiments=["probes"], corpus="none", components=2, **QUICK)
    whole = rows(found, variant=None)
    assert len(whole.select("measure", "subset", "dataset").unique()) == 5  # acceptability; noun and tag, two places
    assert found.scores["value"].is_between(0, 1).all()
    # 527 sentences; the tiny model admits 64 tokens, and what is longer is told.
    assert 500 < rows(found, measure="acceptability", variant=None)["n"].item() <= 527
    assert any("admits" in reason for reason in found.skipped)
    # 365 of the 527 are acceptable, and so are most of those it was trained on.
    share = 365 / 527
    assert rows(found, measure="acceptability", variant="majority")["value"].item() == pytest.approx(
        share * 2 * share / (1 + share), abs=0.01
    )
