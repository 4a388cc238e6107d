"""The sentences at the top say what the scores say, and only that; each is at most two sentences long."""

import re
from pathlib import Path
from typing import Any

import pytest

from made_runs import MadeRun, random_predict, random_vast
from wordworth.pages.answers import answers
from wordworth.pages.leaderboard import leaderboard
from wordworth.pages.runs import read_runs


def _said(folders: list[Path]) -> dict[str, list[str]]:
    return {
        answer.question: [f"{sentence.lead}|{sentence.model}|{sentence.text}" for sentence in answer.sentences]
        for answer in answers(read_runs(folders))
    }


def _embedding(study: str, **manifest: Any) -> MadeRun:
    run = MadeRun(study, **manifest)
    run.model("m", words=5)
    return run


def test_valence_stands_among_published_embeddings(tmp_path: Path) -> None:
    run = _embedding("valnorm")
    where = {"model": "m", "language": "english"}
    valence = {"experiment": "valence", "measure": "valence"}
    run.score(**where, **valence, dataset="anew", value=0.69, low=0.65, high=0.72, n=1029)
    run.score(**where, **valence, dataset="bellezza", value=0.797, low=0.76, high=0.83, n=399)
    control = {"experiment": "control", "dataset": "bellezza", "setting": "shuffled", "n": 399}
    run.score(**where, **control, measure="valence:control", value=-0.001)
    run.score(**where, **control, measure="valence:above", value=0.798, p=0.001)
    pairs = {"experiment": "similarity", "measure": "similarity"}
    run.score(**where, **pairs, dataset="ws-353", value=0.503, low=0.41, high=0.59, n=353)
    valued, alike = _said([run.write(tmp_path / "run")])["Does it know what words mean?"]
    assert valued == (
        "|m|agrees with people on the valence of words by ρ = .80 [.76, .83] on bellezza (399 words), just below the "
        ".82–.88 of seven English embeddings (Toney and Caliskan 2021); shuffled ratings give .00. It has .69 on anew."
    )
    assert alike == (
        "|m|agrees with people on how similar words are by ρ = .50 [.41, .59] on ws-353 (353 pairs), below the "
        ".61–.68 of word2vec and GloVe (Bommasani et al. 2020)."
    )


def test_a_lexicon_of_which_half_is_missing_is_not_the_papers(tmp_path: Path) -> None:
    run = _embedding("valnorm")
    told = {"experiment": "valence", "measure": "valence", "dataset": "bellezza", "value": 0.9, "n": 184}
    run.score(model="m", language="english", **told, flags="coverage 46%")
    (said,) = _said([run.write(tmp_path / "run")])["Does it know what words mean?"]
    assert said == "|m|agrees with people on the valence of words by ρ = .90† on bellezza (184 words)."


def _layered(untrained: float, p: float) -> MadeRun:
    """Layers 0 to 3, best in 2; in the top layer .20 raw and .60 with one component nullified."""
    run = MadeRun("vast")
    run.model("lm", family="causal", layers=3)
    where = {"model": "lm", "language": "english", "dataset": "bellezza"}
    for setting, values in {"bleached": (0.5, 0.7, 0.88, 0.2), "misaligned": (0.5, 0.6, 0.86, 0.05)}.items():
        for layer, value in enumerate(values):
            told = {"setting": setting, "layer": layer, "measure": "valence", "value": value, "n": 399}
            run.score(**where, **told, experiment="contextualization", low=value - 0.03, high=value + 0.02)
    held = {"measure": "valence:held-out", "value": 0.87, "n": 199}
    run.score(**where, **held, experiment="contextualization", setting="bleached", layer=2)
    control = {"experiment": "control", "setting": "untrained:bleached", "layer": 2, "n": 399}
    run.score(**where, **control, measure="valence:control", value=untrained)
    run.score(**where, **control, measure="valence:above", value=0.88 - untrained, p=p)
    for layer, values in {2: (0.88, 0.88, 0.89, 0.885), 3: (0.20, 0.5, 0.6, 0.4)}.items():
        for pcs, value in zip((None, 0, 1, 2), values, strict=True):
            told = {"setting": "bleached", "layer": layer, "pcs": pcs, "measure": "valence", "value": value, "n": 399}
            run.score(**where, **told, experiment="isolation")
    return run


def test_the_best_layer_stands_against_a_control_and_a_paper(tmp_path: Path) -> None:
    said = _said([_layered(0.2, 0.001).write(tmp_path / "run")])
    (told,) = said["Does it know what words mean?"]
    assert told == (
        "|lm|reads valence best in layer 2 of 3: ρ = .88 [.85, .90] with people’s ratings of 399 words (bellezza, "
        "bleached), and .89 with 1 component nullified, within the .87–.89 of GPT-2 and GPT-Neo at best (Wolfe and "
        "Caliskan 2022); the same network untrained has .20. It has .87 on words that had no part in picking the layer."
    )
    (told,) = said["Where does context take over?"]
    assert told == (
        "|lm|What a vector says of its word depends least on the sentence in layer 2 (ρ differs by .02 between kinds "
        "of sentence, bellezza). From layer 3 of 3 on it speaks of the context: ρ differs by .15 in the top layer."
    )
    (told,) = said["Does the top layer hide what it knows?"]
    assert told == (
        "|lm|Yes: in the top layer nullifying 1 component raises ρ for valence from .20 to .60 (bellezza, bleached)."
    )


def test_what_an_untrained_network_has_too_is_not_learnt(tmp_path: Path) -> None:
    (said,) = _said([_layered(0.87, 0.4).write(tmp_path / "run")])["Does it know what words mean?"]
    assert "2022); the same network untrained has as much (.87): training adds nothing. It has" in said


def test_every_answer_points_to_something_and_is_short(audit: Path) -> None:
    from wordworth.pages.figures import figures_of

    runs = read_runs([audit])
    places = {figure.id for figures in figures_of(runs.scores).values() for figure in figures}
    for answer in answers(runs):
        assert {sentence.figure for sentence in answer.sentences} <= places | {"left-out", "pairs"}
        for sentence in answer.sentences:
            assert len(re.findall(r"\.(?: (?=[A-Z“])|$)", sentence.text)) <= 2, sentence.text


def test_of_many_models_the_first_and_the_last_are_told(tmp_path: Path) -> None:
    models = [f"m{number}" for number in range(6)]
    said = _said([random_vast(models, tests=3).write(tmp_path / "vast")])["Does it know what words mean?"]
    assert [sentence.partition("|")[0] for sentence in said] == ["Highest of 6 models", "Lowest of 6 models"]


def test_words_never_predicted(tmp_path: Path) -> None:
    run = random_predict("tiny")
    run.manifest["settings"] = {"top": 10}
    (said,) = _said([run.write(tmp_path / "predict")])["Which words does it never say?"]
    never = "never has 2 of the text’s 4 different words among its 10 best guesses."
    assert said == f"|tiny|{never} The most frequent: “axolotl” (3 times), “sat” (3 times)."


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
