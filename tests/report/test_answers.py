"""The sentences at the top say what the scores say, and only that."""

from pathlib import Path

import pytest

from made_runs import MadeRun, debiased, random_predict, random_vast
from wordworth.report.answers import answers
from wordworth.report.leaderboard import leaderboard
from wordworth.report.runs import read_runs


def _said(folders: list[Path]) -> dict[str, list[str]]:
    return {
        answer.question: [f"{sentence.lead}|{sentence.model}|{sentence.text}" for sentence in answer.sentences]
        for answer in answers(read_runs(folders))
    }


def _vectors(**effects: float) -> MadeRun:
    run = MadeRun("weat")
    run.model("m", words=5)
    where = {"experiment": "weat", "model": "m", "language": "english", "measure": "weat"}
    for name, value in effects.items():
        run.score(**where, dataset=name, value=value, p=0.001 if value > 0 else 0.99, n=16)
    return run


def test_the_strongest_stereotypes_come_first(tmp_path: Path) -> None:
    run = _vectors(weat1=2.0, weat6=1.5, weat7=-1.8, weat8=0.2, weat10=0.9).write(tmp_path / "weat")
    (said,) = _said([run])["Whom does it stereotype?"]
    assert "shows 3 of 4 social stereotypes at p < .05" in said  # flowers and insects are no group of people
    assert said.index("the reverse of “mathematics") < said.index("male names with career") < said.index("young people")
    assert "(d = −1.80, p = 0.99)" in said
    assert "(d = 1.50, p = 0.001)" in said
    assert "science" not in said


def _tested(run: MadeRun, p: dict[str, float], **where: object) -> None:
    for name, chance in p.items():
        told = {"dataset": name, "measure": "weat", "value": 1.0, "p": chance, "n": 16}
        run.score(model="m", language="english", **told, **where)


def test_many_tests_are_corrected(tmp_path: Path) -> None:
    """Holm by hand: .001 · 4 = .004, .02 · 3 = .06, and all behind it at least that."""
    run = MadeRun("weat", settings={"sides": "one"})
    run.model("m", words=5)
    p = {"weat6": 0.001, "weat7": 0.02, "weat8": 0.03, "weat10": 0.2}
    _tested(run, p | {"weat1": 0.0001}, experiment="weat")  # flowers and insects are none of them
    (said,) = _said([run.write(tmp_path / "weat")])["Whom does it stereotype?"]
    assert "shows 1 of 4 social stereotypes at p < .05 after Holm’s correction over 4 tests" in said
    assert "(3 without it; by chance alone 0.2 would be expected)" in said
    two = run.write(tmp_path / "two", settings={"sides": "two"})
    assert "by chance alone 0.1 would be expected" in _said([two])["Whom does it stereotype?"][0]


def test_the_correction_is_over_tests_and_layers(tmp_path: Path) -> None:
    run = MadeRun("vast", settings={"sides": "one"})
    run.model("m", family="causal", layers=2)
    for layer in range(3):
        _tested(run, {"weat6": 0.001, "weat7": 0.02}, experiment="bias", setting="bleached", layer=layer)
    (said,) = _said([run.write(tmp_path / "vast")])["Whom does it stereotype?"]
    # Six p: .001 three times, · 6 = .006; then .02 · 3 = .06.
    assert "shows 1 of 2 social stereotypes at p < .05 after Holm’s correction over 2 tests × 3 layers" in said
    assert "(2 without it; by chance alone 0.1 would be expected)" in said


def test_a_question_without_data_is_not_answered(tmp_path: Path) -> None:
    said = _said([_vectors(weat6=1.0).write(tmp_path / "weat")])
    assert list(said) == ["Whom does it stereotype?", "What was left out?"]
    assert said["What was left out?"] == ["||No item was left out of the numbers."]


def test_words_never_predicted(tmp_path: Path) -> None:
    said = _said([random_predict("tiny").write(tmp_path / "predict")])["Which words does it never say?"]
    never = "never predicted 2 of 4 different words of the text."
    assert said[1] == f"|tiny|{never} The most frequent: “axolotl” (3 times), “sat” (3 times)."


def test_every_answer_points_to_something(audit: Path) -> None:
    from wordworth.report.figures import figures_of

    runs = read_runs([audit])
    places = {figure.id for figures in figures_of(runs.scores).values() for figure in figures}
    for answer in answers(runs):
        assert {sentence.figure for sentence in answer.sentences} <= places | {"left-out", "pairs"}


def test_inferences_before_and_after(audit: Path) -> None:
    said = _said([audit / "infer"])["What does it infer that does not follow?"]
    assert any("takes “A ⇒ B” for entailment with probability .98" in sentence for sentence in said)
    assert any("on gender, where only neutral is right; projection brings it to" in sentence for sentence in said)


def test_what_debiasing_changes(tmp_path: Path) -> None:
    effects = {"original": 1.5, "projection": 0.5, "random": 1.4, "random:1": 1.3}
    run = debiased("vectors", effects, {"original": 0.8, "projection": 0.79})
    said = _said([run.write(tmp_path / "debias")])
    (told,) = said["What does debiasing change?"]
    assert told.startswith("|vectors|With projection the mean |d| of social association tests goes from 1.50 to .50 ")
    assert told.endswith("(random directions: 1.40); meaning: bellezza .80 → .79.")
    assert "Whom does it stereotype?" not in said  # the debiased vectors are no second model


def test_of_many_models_the_first_and_the_last_are_told(tmp_path: Path) -> None:
    models = [f"m{number}" for number in range(6)]
    said = _said([random_vast(models, tests=3).write(tmp_path / "vast")])["Does it know what words mean?"]
    assert [sentence.partition("|")[0] for sentence in said] == ["Highest of 6 models", "Lowest of 6 models"]


def test_what_was_left_out_is_counted(tmp_path: Path) -> None:
    run = _vectors(weat6=1.0)
    run.item(experiment="weat", model="m", item=["a", "b"], left_out=["not in vocabulary"] * 2)
    (said,) = _said([run.write(tmp_path / "weat")])["What was left out?"]
    assert said == "||2 items were left out of the numbers: 2 not in vocabulary."


def test_the_leaderboard_has_the_best_of_each_column(tmp_path: Path) -> None:
    run = MadeRun("valnorm", measures={"valence": {"better": "higher"}, "perplexity": {"better": "lower"}})
    for model, valence, effect, perplexity in (("a", 0.8, 1.2, 20.0), ("b", 0.9, 0.4, 30.0)):
        run.model(model, words=5)
        where = {"model": model, "language": "english"}
        told = {"dataset": "bellezza", "measure": "valence", "value": valence}
        run.score(experiment="valence", **where, **told)
        run.score(experiment="weat", **where, dataset="weat6", measure="weat", value=-effect)
        run.score(experiment="prediction", **where, dataset="t", measure="perplexity", value=perplexity)
    board = leaderboard(read_runs([run.write(tmp_path / "run")]))
    assert [(column.title, column.best) for column in board.columns] == [
        ("valence bellezza", "b"),
        ("stereotypes, mean |d|", "b"),
        ("perplexity t", "a"),
    ]
    assert board.columns[1].values == pytest.approx({"a": 1.2, "b": 0.4})
