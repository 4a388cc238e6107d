"""The surprisal of the words of masked models, against one pass of the whole network for every unit."""

from math import log
from typing import Any

import pytest
import torch

from wordworth.errors import WordworthError
from wordworth.whole_words import WordModel, surprisal

TEXTS = ["the unpleasant gardens, and the river", "friends", "It is neither pleasant nor unpleasant"]


def score_plainly(model: WordModel, network: Any, text: str, span: slice, word: str, pll: str) -> float:
    """Return −log2 of the pseudo-likelihood of the units of a span: one mask after the other."""
    full = model.tokenizer(text)["input_ids"]
    before = len(model.before)
    at = range(before + span.start, before + span.stop)
    total = 0.0
    for place in at:
        ids = list(full)
        for masked in at if pll == "within_word_l2r" else [place]:
            if masked >= place:
                ids[masked] = model.tokenizer.mask_token_id
        with torch.inference_mode():
            logits = network(input_ids=torch.tensor([ids])).logits[0, place].double()
        total -= float(logits.log_softmax(0)[full[place]]) / log(2)
    return total


@pytest.mark.parametrize("pll", ["within_word_l2r", "original"])
@pytest.mark.parametrize("kind", ["bert", "roberta", "albert"])
def test_masked_models_by_pseudo_likelihood(kind: str, pll: Any, tiny_word_model: Any) -> None:
    model, plain = tiny_word_model(kind)
    table = surprisal(model, TEXTS, pll=pll)
    assert table["skipped"].null_count() == len(table)
    assert table.filter(text=1)["word"].to_list() == ["friends"]
    for number, text in enumerate(TEXTS):
        start = 0
        for row in table.filter(text=number).iter_rows(named=True):
            span = slice(start, start + row["units"])
            expected = score_plainly(model, plain.network, text, span, row["word"], pll)
            assert row["surprisal"] == pytest.approx(expected, abs=1e-4), row
            start += row["units"]
    assert (table["units"] > 1).any()


def test_the_two_ways_to_mask_differ_in_words_of_several_units(tiny_word_model: Any) -> None:
    model, _ = tiny_word_model("bert")
    one, other = (surprisal(model, TEXTS, pll=pll) for pll in ("within_word_l2r", "original"))
    differs = (one["surprisal"] - other["surprisal"]).abs() > 1e-6
    assert differs.any()
    assert not differs.filter(one["units"] == 1).any()
    with pytest.raises(WordworthError, match="within_word_l2r or original"):
        surprisal(model, TEXTS, pll="whole")  # type: ignore[arg-type]
