"""A run as a model card: read back by huggingface_hub, with what was not measured, and into a README that is there."""

import hashlib
from pathlib import Path

import pytest
from huggingface_hub import ModelCard
from huggingface_hub.repocard_data import eval_results_to_model_index, model_index_to_eval_results

from made_runs import finish, random_predict, random_vast, record
from wordworth.errors import WordworthError
from wordworth.pages.card import BEGIN, END, card_of, card_text, write_card
from wordworth.results.run import Run
from wordworth.results.runs import read_runs


def measured(model: str = "tiny", dataset: str = "weat6") -> Run:
    run = record("weat", {model: {"words": 10}})
    run.data["d"] = {"name": dataset, "sha256": "cd34"}
    where = {"experiment": "weat", "model": model, "language": "english", "measure": "weat"}
    run.score(**where, dataset=dataset, value=1.7, low=1.5, high=1.8, n=26, p=0.01, coverage=0.46)
    run.score(**where, dataset="weat7", value=0.1, p=0.4)
    run.notice("failed", "too few words", model=model, dataset="weat3", measure="weat")
    made = finish(run)
    made.skipped = {"not in vocabulary": 2}
    return made


def text_of(*runs: Run | Path, model: str = "", readme: Path | None = None) -> str:
    return card_text(card_of(read_runs(runs), model, lambda facts, done, measured: ["Vast was not run."]), readme)


def test_the_card_is_read_back(tmp_path: Path) -> None:
    measured().save(tmp_path / "run")
    card = ModelCard(text_of(tmp_path / "run"))
    assert card.data.model_name == "tiny"
    first, second = card.data.eval_results
    assert (first.metric_type, first.metric_value, first.dataset_name) == ("weat", 1.7, "weat6")
    care = "less than 80% of the data"
    assert first.metric_args == {"low_95": 1.5, "high_95": 1.8, "p": 0.01, "n": 26, "read_with_care": care}
    assert first.dataset_revision == "cd34"
    manifest = (tmp_path / "run" / "run.json").read_bytes()
    assert first.dataset_args["manifest_sha256"] == hashlib.sha256(manifest).hexdigest()
    assert second.metric_args == {"p": 0.4}
    index = eval_results_to_model_index("tiny", card.data.eval_results)
    assert model_index_to_eval_results(index) == ("tiny", card.data.eval_results)


README = """\
---
license: mit  # as the data's
model-index:
- name: mine
  results:
  - task: {type: text-classification}
    dataset: {name: Theirs, type: theirs}
    metrics:
    - {type: accuracy, value: 0.5}
tags: [words]
---
# Mine

Text above.
"""


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_a_readme_keeps_what_is_others(tmp_path: Path, line_break: str) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(README, encoding="utf-8", newline=line_break)
    card = card_of(read_runs([measured()]), "", lambda facts, done, measured: [])
    for _ in range(2):  # the second card takes the place of the first
        write_card(card, readme)
    text = readme.read_bytes().decode()
    assert text.count("\r\n") == (text.count("\n") if line_break == "\r\n" else 0)
    text = text.replace("\r\n", "\n")
    assert text.startswith("---\nlicense: mit\n")
    assert "---\n# Mine\n\nText above.\n" in text
    assert text.count(BEGIN) == text.count(END) == text.count("## What its words") == 1
    read = ModelCard(text)
    assert (read.data.model_name, read.data.tags) == ("mine", ["words"])
    assert [result.metric_type for result in read.data.eval_results] == ["accuracy", "weat", "weat"]
    readme.write_text(text.replace(END, f"{END}\n\nText below."), encoding="utf-8")
    write_card(card, readme)
    assert readme.read_text(encoding="utf-8").endswith(f"{END}\n\nText below.\n")


@pytest.mark.parametrize(
    ("held", "keyword"),
    [
        ("---\n[broken\n---\n", "cannot be read as a model card"),
        ("---\n- a list\n---\n", "cannot be read as a model card"),
        ("---\nmodel-index: 3\n---\n", "cannot be read as a model card"),
        ("---\nmodel-index: [{name: a}]\n---\n", "cannot be read as a model card"),
        (f"{BEGIN} text", "without one"),
    ],
)
def test_what_is_no_readme_stays_as_it_is(tmp_path: Path, held: str, keyword: str) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(held)
    with pytest.raises(WordworthError, match=keyword):
        text_of(measured(), readme=readme)
    assert readme.read_text() == held


def test_one_model_a_card() -> None:
    run = random_vast(["a", "b"], layers=3)
    with pytest.raises(WordworthError, match="--model"):
        text_of(run)
    with pytest.raises(WordworthError, match="no model 'c'"):
        text_of(run, model="c")
    card = ModelCard(text_of(run, random_predict("c"), model="b"))
    assert card.data.model_name == "b"
    (valence,) = [one for one in card.data.eval_results if one.metric_type == "valence"]
    assert valence.task_type == "text-generation"
    assert "bleached" in valence.dataset_config
