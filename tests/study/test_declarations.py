"""Every study is one declaration, and what is derived from it holds for all of them."""

import inspect
from dataclasses import replace

import numpy as np
import pytest

import wordworth as ww
from wordworth.catalog.read.word_sets import load_test
from wordworth.catalog.registry import references
from wordworth.embedding import Embedding, Provenance
from wordworth.errors import WordworthError
from wordworth.study import STUDIES, study
from wordworth.task.settings import HELP_GROUPS


@pytest.mark.parametrize("name", STUDIES)
def test_a_declaration_is_whole(name: str) -> None:
    declared = study(name)
    assert declared.name == name
    assert declared.method.endswith(".")
    assert declared.summary
    assert declared.kinds
    assert set(declared.papers) <= references().keys()
    for asked in (declared.quick, declared.full, declared.non_english_settings):
        assert declared.settings(**asked).as_table().keys() == declared.settings().as_table().keys()
    assert declared.main in ("", *(field.name for field in declared.settings.fields()))


@pytest.mark.parametrize("name", STUDIES)
def test_every_setting_is_declared_once(name: str) -> None:
    fields = study(name).settings.fields()
    options = [field.option for field in fields]
    assert len(set(options)) == len(options)
    for field in fields:
        assert field.declared.help[-1] in ".…", field.name
        assert field.declared.group in (*HELP_GROUPS, "in Python only"), field.name
    parameters = inspect.signature(study(name)).parameters
    assert [*parameters] == ["models", *(field.name for field in fields)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"resamples": 0}, "resamples is 0; it must be a whole number from 1 to 100,000"),
        ({"seed": 1.5}, "seed is 1.5; it must be a whole number"),
        ({"case": "x"}, "case is 'x'; it can be fold or exact"),
        ({"experiments": ["valense"]}, "experiments is 'valense'; did you mean valence?"),
        ({"lexicon": "bellezza", "lexica": "anew"}, "lexica was given twice, once as lexicon; give it once"),
    ],
)
def test_a_bad_setting_is_one_sentence(given: dict[str, object], message: str) -> None:
    with pytest.raises(WordworthError) as error:
        study("valnorm")(["glove-6b-50d"], **given)
    assert message in str(error.value)


def test_a_token_in_an_address_reaches_no_run() -> None:
    settings = study("valnorm").settings(lexica=("mine=https://host/l.csv?token=s3cret", "bellezza"))
    assert settings.as_table()["lexica"] == ["mine=https://host/l.csv", "bellezza"]


def _embedding() -> Embedding:
    words = ["he", "she", *(word for name in ("weat6", "weat7") for side in load_test(name).groups for word in side)]
    unique = list(dict.fromkeys(words))
    matrix = np.random.default_rng(0).normal(size=(len(unique), 8))
    return Embedding(unique, matrix, Provenance("made"))


def test_a_run_holds_the_settings_of_its_study_and_runs_that_differ_in_a_free_one_compare() -> None:
    chosen = {"without": ["stability", "valence", "similarity", "bias", "nli"], "tests": ["weat6", "weat7"]}
    runs = [ww.debias(_embedding(), **chosen, resamples=10, random=random) for random in (1, 2)]
    assert runs[0].settings.keys() == {field.name for field in study("debias").settings.fields()}
    assert {"random", "tests"} <= set(runs[0].may_differ)
    assert ww.compare(*runs, versions=("original", "original")).differences
    third = ww.debias(_embedding(), **chosen, resamples=10, raw=True)
    with pytest.raises(WordworthError, match="raw was False in one and True in the other"):
        ww.compare(runs[0], third, versions=("original", "original"))


def test_papers_data_and_models_are_cited_once(small: Embedding) -> None:
    models = [
        Embedding(small.words, small.matrix, replace(small.provenance, name=name)) for name in ("glove-6b-50d", "mine")
    ]
    chosen = {"lexica": ["bellezza"], "experiments": ["valence"], "resamples": 5, "permutations": 20}
    found = study("valnorm")(models, **chosen).references
    assert list(found) == ["toney2021", "caliskan2017", "bellezza1986", "pennington2014"]
    assert found["toney2021"].startswith("@inproceedings{toney2021,")
