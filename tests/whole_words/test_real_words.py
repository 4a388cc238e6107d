"""Real models against the plain way: a recorded run over real text, and slices computed anew each time."""

import json
from itertools import islice
from math import exp
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM
from truth import plain_words

from wordworth.catalog.models import locate_language_model
from wordworth.catalog.read.corpora import load_corpus
from wordworth.encode.loading import load_files
from wordworth.files import cache_dir
from wordworth.whole_words import (
    PredictionRules,
    WordModel,
    complete,
    load_word_model,
    predict_words,
    surprisal,
    wrap_word_model,
)

pytestmark = pytest.mark.index
HERE = Path(__file__).parent
KOREAN = ["나는 학교에 가서 친구를 만났다 .", "그는 부산에서 자랐다 ."]
GEMMA = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
"""The sha256 of gemma3-270m's file, under which it lies in the cache."""
Rows = list[tuple[Any, ...]]


def load(name: str, kind: Any) -> tuple[Any, WordModel]:
    """The library's network with its head, for the plain way, and the word model around it."""
    network, tokenizer, _ = load_files(locate_language_model(name).place, lambda _: kind, device="cpu")
    return network, wrap_word_model(network, tokenizer, name=name)


def plain_of(model: WordModel, network: Any, spell: Any, **more: Any) -> Any:
    units = plain_words.unit_texts(model.tokenizer, network.config.vocab_size, spell)
    return plain_words.Plain(network, model.tokenizer, units, **more)


def compare(found: Rows, expected: Rows) -> None:
    """Compare guesses, hits, and both log probabilities, which come last, to the rounding of float32."""
    assert len(found) == len(expected)
    for row, other in zip(found, expected, strict=True):
        assert row[:-2] == other[:-2]
        assert row[-2:] == pytest.approx(other[-2:], abs=1e-4, rel=5e-5)


def select_predicted(table: pl.DataFrame, *columns: str) -> Rows:
    return table.filter(pl.col("left_out").is_null()).select(*columns, "hit1", "hitk", "logp", "logp_naive").rows()


@pytest.mark.parametrize("corpus", ["wikitext-103-test", "enwiki-sample"])
def test_smollm2_equals_the_recorded_plain_way(corpus: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Every hit and miss, and every probability, of over 500 words."""
    if corpus.startswith("wikitext"):
        request.getfixturevalue("data")
    rows = json.loads((HERE / f"plain_{corpus}.json").read_text(encoding="utf-8"))["rows"]
    numbers = sorted({row[0] for row in rows})
    text = list(islice(load_corpus(corpus), numbers[-1] + 1))
    lines = [text[number] for number in numbers]
    smollm2 = load_word_model("smollm2-135m", device="cpu")
    rules = PredictionRules(guesses=False, beginning="guessed", punctuation="attached")
    table = predict_words(smollm2, lines, rules, kept=tmp_path)
    found = [(numbers[line], *rest) for line, *rest in select_predicted(table, "line", "at")]
    assert len(found) >= 500
    places = {row[:2] for row in found}
    compare(found, [tuple(row) for row in rows if (row[0], row[1]) in places])
    left = set(table["left_out"].drop_nulls())
    assert left <= {"first word, which nothing precedes", "<unk>"}


def test_smollm2_equals_the_plain_way(tmp_path: Path) -> None:
    """Numbers (a unit a digit), accents (a character in two units) and marks."""
    line = "In 98, the café"
    network, smollm2 = load("smollm2-135m", AutoModelForCausalLM)
    plain = plain_of(smollm2, network, plain_words.byte_level)
    assert smollm2.before == ()
    compare(select_predicted(predict_words(smollm2, [line], kept=tmp_path), "guess"), list(plain.line(line)))


def test_the_masked_way_on_real_weights(tmp_path: Path) -> None:
    network, model = load("albert-kor", AutoModelForMaskedLM)
    cls, sep, mask = (model.tokenizer.convert_tokens_to_ids(token) for token in ("[CLS]", "[SEP]", "[MASK]"))
    assert (model.family, model.before) == ("masked", (cls,))
    plain = plain_of(model, network, plain_words.wordpiece, before=(cls,), behind=(mask, sep))
    table = predict_words(model, KOREAN, kept=tmp_path)
    compare(select_predicted(table, "guess"), [row for line in KOREAN for row in plain.line(line)])
    assert table["hit1"].any()


def test_bos_as_in_the_file(tmp_path: Path) -> None:
    """Gemma's texts begin with its BOS token; without it, the words are many times less likely."""
    if not (cache_dir() / "files" / GEMMA).exists():
        pytest.skip("gemma3-270m is not here (wordworth get gemma3-270m)")
    network, model = load("gemma3-270m", AutoModelForCausalLM)
    assert model.before == (model.tokenizer.bos_token_id,)
    assert model.limit == 512  # its sliding attention
    line = "The old man lived"
    plain = plain_of(model, network, plain_words.metaspace, before=model.before)
    expected = list(plain.line(line))
    compare(select_predicted(predict_words(model, [line], kept=tmp_path), "guess"), expected)
    without = plain_of(model, network, plain_words.metaspace)
    context, both = without.ids(line.split()[:-1]), without.ids(line.split())
    bare = without.probability(context, both[len(context) :])[0]
    assert exp(expected[-1][-2] - bare) > 10


def test_smollm2_completes_and_is_surprised() -> None:
    """The capital of France; and a garden path, whose second `the` comes as a surprise."""
    smollm2 = load_word_model("smollm2-135m", device="cpu")
    words = complete(smollm2, ["The capital of France is"], k=5)[0]
    assert words[0].word.startswith("Paris")
    probabilities = [one.probability for one in words]
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) < 1
    table = surprisal(smollm2, f"The capital of France is {words[0].word}")
    assert 2 ** -table["surprisal"][-1] == pytest.approx(probabilities[0], rel=1e-4)
    garden_path, plain = (surprisal(smollm2, f"The old man {rest} boat .") for rest in ("the", "sat in the"))
    assert garden_path["surprisal"][3] > plain["surprisal"][5] + 5
