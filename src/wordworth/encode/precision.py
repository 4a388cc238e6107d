"""How far half precision is from float32, measured on a sample of the contexts at hand."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordworth.contexts import Context
from wordworth.encode.encoding import encode
from wordworth.encode.model import LanguageModel, load_model
from wordworth.errors import WordworthError

SAMPLE = 64


@dataclass(frozen=True)
class Deviation:
    """Over the sampled words and all layers: how the vectors differ from those of float32."""

    dtype: str
    words: int
    relative: float
    """The largest ‖v − v₃₂‖ / ‖v₃₂‖."""
    cosine: float
    """The smallest cosine of v and v₃₂."""
    layer: int
    """Where the relative difference is largest."""


def deviation(
    model: LanguageModel,
    contexts: Sequence[Context],
    *,
    sample: int = SAMPLE,
    seed: int = 0,
    exact: LanguageModel | None = None,
) -> Deviation:
    """`exact` is the same model in float32; it is loaded from the model's source when not given."""
    some = random.Random(seed).sample(list(contexts), min(sample, len(contexts)))
    exact = exact or load_model(model.source, device=model.device.type, name=model.name)
    found = encode(model, some, ["last"]).vectors["last"].astype(np.float64)
    expected = encode(exact, some, ["last"]).vectors["last"].astype(np.float64)
    if not len(found):
        raise WordworthError(f"none of {len(some)} sampled words was located, so {model.dtype} cannot be judged")
    length = np.linalg.norm(expected, axis=-1)
    relative = np.linalg.norm(found - expected, axis=-1) / length
    cosine = (found * expected).sum(-1) / (np.linalg.norm(found, axis=-1) * length)
    return Deviation(
        dtype=model.dtype,
        words=len(found),
        relative=float(relative.max()),
        cosine=float(cosine.min()),
        layer=int(relative.max(0).argmax()),
    )
