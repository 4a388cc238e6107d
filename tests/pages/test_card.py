"""A run as a model card: read back by huggingface_hub, with what was not measured, and into a README that is there."""

import hashlib
from pathlib import Path

import pytest
from huggingface_hub import ModelCard
from huggingface_hub.repocard_data import eval_results_to_model_index, model_index_to_eval_results

import wordworth as ww
from commands import Command
from made_runs import MadeRun, random_infer, random_predict, random_vast
from wordworth.pages.card import BEGIN, END


def written(folder: Path, model: str = "tiny", dataset: str = "weat6") -> Path:
    run = MadeRun("weat", left_out={"not in vocabulary": 2}, measures={"weat": {"formula": "", "better": "zero"}})
    run.model(model, words=10, sha256="ab12")
    run.manifest["data"] = [{"name": dataset, "sha256": "cd34", "rows": 3, "licence": "", "reference": ""}]
    where = {"experiment": "weat", "model": model, "language": "english", "dataset": dataset}
    run.score(**where, measure="weat", value=1.7, low=1.5, high=1.8, n=16, p=0.01, flags="coverage 46%")
    run.score(**{**where, "dataset": "weat7"}, measure="weat", value=0.1, p=0.4)
    failed = [{"reason": "too few words", "model": model, "dataset": "weat3", "measure": "weat"}]
    return run.write(folder, failed=failed)


def test_the_card_is_read_back(command: Command, tmp_path: Path) -> None:
    run = written(tmp_path / "run")
    answer = command("card", run)
    assert answer.code == 0
    card = ModelCard(answer.out)
    assert card.data.model_name == "tiny"
    first, second = card.data.eval_results
    assert (first.metric_type, first.metric_value, first.dataset_name) == ("weat", 1.7, "weat6")
    assert first.metric_args == {"low_95": 1.5, "high_95": 1.8, "p": 0.01, "n": 16, "read_with_care": "coverage 46%"}
    assert first.dataset_revision == "cd34"
    assert first.dataset_args["manifest_sha256"] == hashlib.sha256((run / "run.json").read_bytes()).hexdigest()
    assert second.metric_args == {"p": 0.4}
    index = eval_results_to_model_index("tiny", card.data.eval_results)
    assert model_index_to_eval_results(index) == ("tiny", card.data.eval_results)
    assert answer.out == ww.card(run)


def test_the_section_says_what_was_not_measured(tmp_path: Path) -> None:
    section = ww.card(written(tmp_path / "run")).partition(BEGIN)[2]
    assert r"| weat | weat6 (male names with career, female names with family) |  | 1.70† \[1.50, 1.80\] |" in section
    assert "The study valnorm was not run" in section
    assert "The study predict was not run" not in section  # which does not take word vectors
    assert "weat of weat3 of tiny has no number: too few words." in section
    assert "tiny has 46 % of weat6." in section
    assert "Left out: 2 not in vocabulary." in section


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
def test_a_readme_keeps_what_is_others(command: Command, tmp_path: Path, line_break: str) -> None:
    run, readme = written(tmp_path / "run"), tmp_path / "README.md"
    readme.write_text(README, encoding="utf-8", newline=line_break)
    for _ in range(2):  # the second card takes the place of the first
        assert command("card", run, "-o", readme).out.strip() == str(readme)
    text = readme.read_bytes().decode()
    assert text.count("\r\n") == (text.count("\n") if line_break == "\r\n" else 0)
    text = text.replace("\r\n", "\n")
    assert text.startswith("---\nlicense: mit\n")
    assert "---\n# Mine\n\nText above.\n" in text
    assert text.count(BEGIN) == text.count(END) == text.count("## What its words") == 1
    card = ModelCard(text)
    assert (card.data.model_name, card.data.tags) == ("mine", ["words"])
    assert [result.metric_type for result in card.data.eval_results] == ["accuracy", "weat", "weat"]
    readme.write_text(text.replace(END, f"{END}\n\nText below."), encoding="utf-8")
    command("card", run, "-o", readme)
    assert readme.read_text(encoding="utf-8").endswith(f"{END}\n\nText below.\n")


def test_a_readme_without_metadata(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("# Mine\n")
    text = ww.card(written(tmp_path / "run"), output=readme)
    assert text.startswith("---\nmodel-index:\n")
    assert "---\n\n# Mine\n\n<!-- wordworth card -->" in text


@pytest.mark.parametrize(
    ("held", "sentence"),
    [
        ("---\n[broken\n---\n", "cannot be read as a model card"),
        ("---\n- a list\n---\n", "cannot be read as a model card"),
        ("---\nmodel-index: 3\n---\n", "cannot be read as a model card"),
        ("---\nmodel-index: [{name: a}]\n---\n", "cannot be read as a model card"),
        (f"{BEGIN} text", "without one"),
    ],
)
def test_what_is_no_readme_stays_as_it_is(command: Command, tmp_path: Path, held: str, sentence: str) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(held)
    answer = command("card", written(tmp_path / "run"), "-o", readme)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err
    assert readme.read_text() == held


def test_names_are_not_taken_for_markup(tmp_path: Path) -> None:
    hostile = "<script>|`a`\n---\n[x](y): {z}"
    text = ww.card(written(tmp_path / "run", model=hostile, dataset=hostile))
    section = text.partition(BEGIN)[2]
    assert "<script>" not in section
    assert "\n---\n[x]" not in section
    assert all(row.count(" | ") == 6 for row in section.splitlines() if row.startswith("| weat | "))
    assert ModelCard(text).data.eval_results[0].metric_value == 1.7


def test_one_model_a_card(command: Command, tmp_path: Path) -> None:
    run = random_vast(["a", "b"]).write(tmp_path / "vast")
    assert "say which with --model" in command("card", run).err
    assert "no model 'c'" in command("card", run, "--model", "c").err
    card = ModelCard(command("card", run, "--model", "b").out)
    assert card.data.model_name == "b"
    (valence,) = [one for one in card.data.eval_results if one.metric_type == "valence"]
    assert valence.task_type == "text-generation"
    assert "bleached" in valence.dataset_config


def test_a_card_of_an_audit(command: Command, tmp_path: Path) -> None:
    random_predict("a").write(tmp_path / "audit" / "predict")
    random_infer("a").write(tmp_path / "audit" / "infer")
    types = {one.metric_type for one in ModelCard(command("card", tmp_path / "audit").out).data.eval_results}
    assert {"top-1", "perplexity", "net-neutral", "accuracy"} <= types
