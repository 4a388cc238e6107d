"""A sample of the table of model families (`python -m benchmarks families`), against one text at a time."""

import pytest
from benchmarks.families import TOLERANCE, WORDS, compare_guesses, compare_vectors, make_network, make_tokenizer

from wordworth.encode import wrap
from wordworth.errors import WordworthError


@pytest.mark.parametrize(
    "family", ["BERT", "MobileBERT", "ConvBERT", "FNet", "Nyströmformer", "YOSO", "BigBird", "Reformer"]
)
def test_neighbours_in_a_batch_change_no_vector(family: str) -> None:
    tokenizer = make_tokenizer(masked=True)
    network = make_network(family, len(tokenizer)).base_model
    assert compare_vectors(network, tokenizer, WORDS[:8]) < TOLERANCE
    model = wrap(network, tokenizer, name=family)
    assert model.ignores_padding == (family in ("BERT", "BigBird", "Reformer"))
    assert ("without padding" in model.identity) != model.ignores_padding


def test_a_network_that_pools_its_tokens_is_refused() -> None:
    tokenizer = make_tokenizer(masked=True)
    with pytest.raises(WordworthError, match="pools tokens"):
        wrap(make_network("Funnel", len(tokenizer)).base_model, tokenizer, name="funnel")


@pytest.mark.parametrize("family", ["GPT-Neo", "Llama, long-rope"])
def test_guesses_in_long_texts(family: str) -> None:
    """GPT-Neo's local attention counts the columns of keys and values; long-rope turns on the length of the text."""
    tokenizer = make_tokenizer(masked=False)
    agree, compared = compare_guesses(make_network(family, len(tokenizer)), tokenizer, 300, every=12).split("/")
    assert agree == compared


@pytest.mark.parametrize("family", ["OPT", "Mixtral", "Mamba"])
def test_heads_that_ask_more_of_the_network(family: str) -> None:
    tokenizer = make_tokenizer(masked=False)
    agree, compared = compare_guesses(make_network(family, len(tokenizer)), tokenizer, 30).split("/")
    assert agree == compared
