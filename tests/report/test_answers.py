"""The sentences at the top say what the scores say, and only that."""

from pathlib import Path

import pytest

from made_runs import debiased, leave, random_predict, random_vast
from wordworth.report.answers import answers
from wordworth.report.leaderboard import leaderboard
from wordworth.report.runs import gather
from wordworth.study.findings import Findings


def _said(folders: list[Path]) -> dict[str, list[str]]:
    return {
        answer.question: [f"{saying.lead}|{saying.model}|{saying.text}" for saying in answer.sayings]
        for answer in answers(gather(folders))
    }


def _vectors(**effects: float) -> Findings:
    findings = Findings("weat")
    findings.models["m"] = {"name": "m", "words": 5}
    where = {"experiment": "weat", "model": "m", "language": "english", "measure": "weat"}
    for name, value in effects.items():
        findings.score(**where, dataset=name, value=value, p=0.001 if value > 0 else 0.99, n=16)
    return findings


def test_the_strongest_stereotypes_come_first(tmp_path: Path) -> None:
    run = leave(tmp_path / "weat", _vectors(weat1=2.0, weat6=1.5, weat7=-1.8, weat8=0.2, weat10=0.9))
    (said,) = _said([run])["Whom does it stereotype?"]
    assert "shows 3 of 4 social stereotypes at p < .05" in said  # flowers and insects are no group of people
    assert said.index("the reverse of “mathematics") < said.index("male names with career") < said.index("young people")
    assert "(d = −1.80, p = 0.99)" in said
    assert "(d = 1.50, p = 0.001)" in said
    assert "science" not in said


def test_a_question_without_data_is_not_answered(tmp_path: Path) -> None:
    said = _said([leave(tmp_path / "weat", _vectors(weat6=1.0))])
    assert list(said) == ["Whom does it stereotype?", "What was left out?"]
    assert said["What was left out?"] == ["||No item was left out of the numbers."]


def test_words_never_predicted(tmp_path: Path) -> None:
    said = _said([leave(tmp_path / "predict", random_predict("tiny"))])["Which words does it never say?"]
    told = "never predicted 2 of 4 different words that it met."
    assert said[1] == f"|tiny|{told} Met most often: “axolotl” (3 times), “sat” (3 times)."


def test_every_answer_points_to_something(audit: Path) -> None:
    from wordworth.report.figures import figures_of

    gathered = gather([audit])
    places = {figure.id for figures in figures_of(gathered.scores).values() for figure in figures}
    for answer in answers(gathered):
        assert {saying.figure for saying in answer.sayings} <= places | {"left-out", "pairs"}


def test_inferences_before_and_after(audit: Path) -> None:
    said = _said([audit / "infer"])["What does it infer that does not follow?"]
    assert any("takes “A ⇒ B” for entailment with probability .98" in sentence for sentence in said)
    assert any("on gender, where only neutral is right; projection brings it to" in sentence for sentence in said)


def test_what_debiasing_changes(tmp_path: Path) -> None:
    effects = {"original": 1.5, "projection": 0.5, "random": 1.4, "random:1": 1.3}
    findings = debiased("vectors", effects, {"original": 0.8, "projection": 0.79})
    said = _said([leave(tmp_path / "debias", findings)])
    (told,) = said["What does debiasing change?"]
    assert told.startswith("|vectors|With projection the mean |d| of social association tests goes from 1.50 to .50 ")
    assert told.endswith("(random directions: 1.40); meaning: bellezza .80 → .79.")
    assert "Whom does it stereotype?" not in said  # the debiased vectors are no second model


def test_of_many_models_the_first_and_the_last_are_told(tmp_path: Path) -> None:
    models = [f"m{number}" for number in range(6)]
    said = _said([leave(tmp_path / "vast", random_vast(models, tests=3))])["Does it know what words mean?"]
    assert [sentence.partition("|")[0] for sentence in said] == ["Highest of 6 models", "Lowest of 6 models"]


def test_what_was_left_out_is_counted(tmp_path: Path) -> None:
    findings = _vectors(weat6=1.0)
    findings.item(experiment="weat", model="m", item=["a", "b"], left_out=["not in vocabulary"] * 2)
    (said,) = _said([leave(tmp_path / "weat", findings)])["What was left out?"]
    assert said == "||2 items were left out of the numbers: 2 not in vocabulary."


def test_the_leaderboard_has_the_best_of_each_column(tmp_path: Path) -> None:
    findings = Findings("valnorm")
    for model, valence, effect, perplexity in (("a", 0.8, 1.2, 20.0), ("b", 0.9, 0.4, 30.0)):
        findings.models[model] = {"name": model, "words": 5}
        where = {"model": model, "language": "english"}
        told = {"dataset": "bellezza", "measure": "valence", "value": valence}
        findings.score(experiment="valence", **where, **told)
        findings.score(experiment="weat", **where, dataset="weat6", measure="weat", value=-effect)
        findings.score(experiment="prediction", **where, dataset="t", measure="perplexity", value=perplexity)
    board = leaderboard(gather([leave(tmp_path / "run", findings)]))
    assert [(column.title, column.best) for column in board.columns] == [
        ("valence bellezza", "b"),
        ("stereotypes, mean |d|", "b"),
        ("perplexity t", "a"),
    ]
    assert board.columns[1].values == pytest.approx({"a": 1.2, "b": 0.4})
