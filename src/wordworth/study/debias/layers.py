"""Where a bias lies in the stream of a transformer: what is learnt in each layer, as one subspace for all of them."""

from dataclasses import replace

import numpy as np

from wordworth.contexts import bleached, load_templates
from wordworth.encode import in_contexts
from wordworth.encode.heads import Headed
from wordworth.encode.model import trial_ids, wrap
from wordworth.repair.stream import Stream, stream_of
from wordworth.run import Findings
from wordworth.study.bias_words import named_words
from wordworth.study.debias import DebiasSettings
from wordworth.study.debias.treatment import learn
from wordworth.study.language_models import usual_pooling
from wordworth.transform import NothingToRemoveError, Subspace


def learn_in_layers(headed: Headed, settings: DebiasSettings, findings: Findings) -> tuple[Subspace, Stream]:
    """The first components of the directions that are learnt in the layers, from words in bleached contexts.

    A subspace can be folded into the weights only if it is one for all layers, since what is written in one layer stays
    in the stream for all that follow. The last layer counts before its final norm, as the input of the one before.
    """
    stream = stream_of(headed.network, trial_ids(headed.tokenizer), headed.name)
    base = headed.network.base_model
    model = wrap(base, headed.tokenizer, name=headed.name, source=headed.source)  # type: ignore[arg-type]
    words = named_words(settings)
    numbers = range(model.layers)  # the last one is after the final norm, and so no longer the stream
    source = in_contexts(model, words, bleached(words, load_templates()), "bleached", list(numbers))
    layers = source.layers(usual_pooling(model))
    parts: list[Subspace] = []
    nothing: list[NothingToRemoveError] = []
    for number in numbers:
        try:
            parts.append(learn(layers.at(number), settings, findings if not number else Findings()))
        except NothingToRemoveError as error:
            nothing.append(error)
    if not parts:
        raise nothing[0]
    _, values, directions = np.linalg.svd(np.concatenate([part.basis for part in parts]), full_matrices=False)
    held = np.cumsum(values**2) / np.square(values).sum()
    count = int(np.searchsorted(held, settings.span * (1 - 1e-12))) + 1
    return replace(parts[0], basis=directions[:count], values=values[:count]), stream
