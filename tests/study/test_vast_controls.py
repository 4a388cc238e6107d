"""VAST's controls: what an untrained network, shuffled ratings and a lexicon without its poles give."""

import copy
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
import transformers as hf
from tokenizers.normalizers import Lowercase

from vast_runs import rows
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import polar_words
from wordworth.encode import LanguageModel, wrap
from wordworth.encode.named import randomize_weights
from wordworth.results.run import Run
from wordworth.study import study
from wordworth.study.vast import STUDY

QUICK = {"resamples": 200, "permutations": 200}
SEED = 7
"""Not the one that the tiny model was made with, or the control would be the model itself."""
ASKED = {"lexica": ["bellezza"], "experiments": ["contextualization"], "contexts": ["bleached"], "corpus": "none"}
ASKED |= {"seed": SEED}

vast = study("vast")


def of_words(run: Run, layer: int) -> pl.DataFrame:
    """Effect size and rating of Bellezza's words."""
    return rows(run, "rated_words", experiment="contextualization", layer=layer)


def test_controls_run_as_a_matter_of_course(tiny: LanguageModel) -> None:
    found = vast([tiny], **ASKED, **QUICK)
    control = rows(found, experiment="control")
    assert set(control.select("control", "variant").rows()) == {
        ("untrained", None),
        ("untrained", "above-control"),
        ("shuffled", None),
        ("shuffled", "above-control"),
        ("poles-out", None),
    }
    assert set(control["context"]) == {"bleached"}
    assert set(control["layer"]) == {0, 1, 2}
    assert control.select("low", "high").null_count().row(0) == (0, 0)
    assert rows(vast([tiny], controls=["none"], **ASKED, **QUICK), experiment="control").is_empty()
    assert STUDY.quick["controls"] == ("shuffled", "poles-out")  # a second network is for a whole audit


def test_the_untrained_network_is_measured_as_any_other(tiny: LanguageModel) -> None:
    found, blank = (
        vast([tiny], **ASKED, **QUICK),
        vast([randomize_weights(tiny, SEED)], controls=["none"], **ASKED, **QUICK),
    )
    for layer in range(3):
        own = rows(found, experiment="contextualization", variant=None, layer=layer)["value"].item()
        expected = rows(blank, experiment="contextualization", variant=None, layer=layer).row(0, named=True)
        control = rows(found, control="untrained", variant=None, layer=layer).row(0, named=True)
        assert [control[key] for key in ("value", "low", "high", "n")] == pytest.approx(
            [expected[key] for key in ("value", "low", "high", "n")], abs=1e-9
        )
        above = rows(found, control="untrained", variant="above-control", layer=layer).row(0, named=True)
        assert above["value"] == pytest.approx(own - expected["value"], abs=1e-9)
        assert above["low"] < above["value"] < above["high"]


def test_above_the_control_is_resampled_in_pairs(tiny: LanguageModel) -> None:
    """A plain bootstrap over words gives the same interval, but for chance."""
    asked = ASKED | {"resamples": 2_000}
    found, blank = vast([tiny], **asked), vast([randomize_weights(tiny, SEED)], controls=["none"], **asked)
    ours, theirs = of_words(found, 2), of_words(blank, 2)
    assert ours["word"].to_list() == theirs["word"].to_list()
    x, y, people = (one.to_numpy() for one in (ours["value"], theirs["value"], ours["rating"]))
    rng, plain = np.random.default_rng(5), []
    for _ in range(2_000):
        at = rng.integers(len(x), size=len(x))
        plain.append(np.corrcoef(x[at], people[at])[0, 1] - np.corrcoef(y[at], people[at])[0, 1])
    above = rows(found, control="untrained", variant="above-control", layer=2).row(0, named=True)
    assert (above["low"], above["high"]) == pytest.approx(tuple(np.quantile(plain, [0.025, 0.975])), abs=0.02)


def test_polar_words_are_taken_out_of_the_lexicon(tiny: LanguageModel) -> None:
    found, polar = vast([tiny], **ASKED, **QUICK), polar_words()
    words = of_words(found, 1).filter(~pl.col("word").is_in([*polar.pleasant, *polar.unpleasant]))
    score = rows(found, control="poles-out", layer=1).row(0, named=True)
    assert score["n"] == len(words) == 399 - 48
    assert score["value"] == pytest.approx(np.corrcoef(words["value"], words["rating"])[0, 1], abs=1e-9)
    assert [notice.count for notice in found.notices if notice.control == "poles-out"] == [48]


def test_shuffled_ratings_are_known_by_chance(tiny: LanguageModel) -> None:
    found = vast([tiny], **ASKED, **QUICK)
    score = rows(found, control="shuffled", variant=None, layer=1).row(0, named=True)
    assert score["value"] == pytest.approx(0, abs=0.02)
    assert (score["low"], score["high"]) == pytest.approx((-0.098, 0.098), abs=0.04)  # ±1.96 / √398
    own = rows(found, experiment="contextualization", variant=None, layer=1).row(0, named=True)
    above = rows(found, control="shuffled", variant="above-control", layer=1).row(0, named=True)
    assert above["value"] == pytest.approx(own["value"] - score["value"])
    assert above["high"] - above["low"] == pytest.approx(own["high"] - own["low"])
    assert 0 < above["p"] <= 1


def test_a_control_that_cannot_be_computed_costs_only_itself(tiny: LanguageModel, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("word,rating\nlove,5\nagony,1\nrain,3\nsun,4\n")  # two words that are no poles
    found = vast([tiny], **ASKED | {"lexica": [own]}, **QUICK)
    assert rows(found, experiment="contextualization", variant=None, layer=1)["n"].item() == 4
    (failed,) = [notice for notice in found.notices if notice.kind == "failed"]
    assert (failed.control, failed.context, failed.dataset) == ("poles-out", "bleached", "own")
    assert "at least 3 items" in failed.reason


def test_only_the_first_lexicon_is_encoded_again(tiny: LanguageModel, data: Path) -> None:
    found = vast([tiny], **ASKED | {"lexica": ["bellezza", "anew"]}, **QUICK)
    by_control = rows(found, experiment="control").group_by("control").agg(pl.col("dataset").unique().sort())
    lexica = dict(by_control.iter_rows())
    both = ["anew", "bellezza"]
    assert lexica == {"untrained": ["bellezza"], "shuffled": both, "poles-out": both}
    (notice,) = [notice for notice in found.notices if notice.control == "untrained"]
    assert "random weights, seed 7" in notice.reason


def test_an_aligned_template_gives_the_rating_away(tiny: LanguageModel) -> None:
    """A Llama of three layers that was never trained scores high where the text names the rating, and low where it
    names the opposite: not above the control at all."""
    torch.manual_seed(3)
    sizes = {"hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 128}
    network = hf.LlamaModel(hf.LlamaConfig(vocab_size=len(tiny.tokenizer), max_position_embeddings=64, **sizes))
    llama = wrap(network, tiny.tokenizer, name="llama", source="memory")
    found = vast([llama], **ASKED | {"contexts": ["aligned", "misaligned"]}, **QUICK)
    top = rows(found, control="untrained", variant=None, layer=3)
    control = dict(top.select("context", "value").iter_rows())
    assert control["aligned"] > 0.5
    assert control["misaligned"] < -0.3


def test_an_uncased_model_has_one_vector_for_a_word_and_its_capitals(tiny: LanguageModel, tmp_path: Path) -> None:
    """Capitals, rated .5 higher, are merged with their words by an uncased model and not by a cased one."""
    tokenizer = copy.deepcopy(tiny.tokenizer)
    tokenizer.backend_tokenizer.normalizer = Lowercase()
    uncased = wrap(tiny.network, tokenizer, name="uncased", source="memory")
    words, ratings = load_lexicon("bellezza").words[:60], load_lexicon("bellezza").valence[:60].tolist()
    plain = [f"{word},{rating}\n" for word, rating in zip(words, ratings, strict=True)]
    upper = [f"{word.upper()},{rating + 0.5}\n" for word, rating in zip(words, ratings, strict=True)]
    runs = {}
    for name, lines in (("plain", plain), ("both", plain + upper), ("upper", upper)):
        path = tmp_path / f"{name}.csv"
        path.write_text("word,rating\n" + "".join(lines))
        for model in (uncased, tiny):
            runs[name, model.name] = vast([model], **ASKED | {"lexica": [path]}, **QUICK)

    def numbers(lexicon: str, model: str, **columns: object) -> list[object]:
        row = rows(runs[lexicon, model], layer=1, **columns).row(0, named=True)
        return [row["value"], row["n"]]

    for columns in ({"control": None, "variant": None}, {"control": "poles-out"}):
        once = numbers("plain", "uncased", **columns)
        assert numbers("both", "uncased", **columns) == pytest.approx(once, abs=1e-6)
        assert numbers("upper", "uncased", **columns) == pytest.approx(once, abs=1e-6)
    assert numbers("both", "tiny", control=None, variant=None)[1] == 120
    merged = [notice for notice in runs["both", "uncased"].notices if "merged" in notice.reason]
    assert (merged[0].count, merged[0].total) == (60, 120)
