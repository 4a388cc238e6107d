"""A bias in the layers of ELMo: learnt from vectors that are averaged over a text, and taken out of each layer."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from wordworth.catalog.read.corpora import load_corpus
from wordworth.contexts.sampling import Flaws
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.infer.contextual import ElmoVectors, averaged, draw_occurrences
from wordworth.infer.loading import Vectors
from wordworth.infer.vocabulary import Embedder
from wordworth.study.bias_words import named_words, taken_out
from wordworth.study.elmo_settings import ElmoLayers, LayeredTakenOut
from wordworth.transform import Subspace, random_directions

Say = Callable[[str], None]


def with_layers(embedder: Embedder, name: str, settings: ElmoLayers) -> ElmoVectors:
    """The same, where it is ELMo with the layers that are chosen; `name` is what an error calls it."""
    if not isinstance(embedder, ElmoVectors):
        raise WordworthError(f"{name} has no layers of ELMo; leave --elmo-layers out")
    beyond = [layer for layer in settings.elmo_layers if layer > embedder.layers]
    if beyond or not settings.elmo_layers:
        given = f"--elmo-layers is {beyond[0]}" if beyond else "--elmo-layers is blank"
        raise WordworthError(f"{given}, and {name} has layers 1 to {embedder.layers}; name some of them")
    return embedder


def means_by_layer(
    elmo: ElmoVectors, words: Sequence[str], settings: ElmoLayers, seed: int, say: Say
) -> dict[int, Embedding]:
    """Layer, counted from 1 → vectors of words in it, as means over the text; of the layers that are chosen.

    `say` is given what was drawn, and what was left out.
    """
    corpus, flaws = load_corpus(settings.corpus), Flaws()
    drawn = draw_occurrences(corpus.lines(flaws.report), words, settings.per_word, seed)
    means = averaged(elmo, words, drawn, corpus.name)
    say(f"{elmo.name}: {means[0].provenance.steps[0]}.")
    for count, why in ((drawn.too_long, "sentences that are too long"), (flaws.count, "lines that cannot be read")):
        if count:
            say(f"{corpus.name}: {count:,} {why} were left out.")
    return {layer: means[layer - 1] for layer in sorted(set(settings.elmo_layers))}


def random_by_layer(
    elmo: ElmoVectors, settings: ElmoLayers, count: int, k: int, seed: int
) -> list[dict[int, Subspace]]:
    """`count` times a random subspace of k dimensions for each layer that is chosen, all of one name."""
    layers = sorted(set(settings.elmo_layers))
    drawn = iter(random_directions(elmo.dim, count=count * len(layers), k=k, seed=seed))
    return [{layer: replace(next(drawn), name=f"random:{at}") for layer in layers} for at in range(1, count + 1)]


def trained_without(vectors: Vectors, settings: LayeredTakenOut, seed: int, say: Say) -> Vectors:
    """The vectors that a network is trained on, without what is named."""
    if settings.only_first:
        subspace = taken_out(settings, vectors.embedder.context_free, seed)
        return vectors.without(subspace) if subspace else vectors
    elmo = with_layers(vectors.embedder, str(vectors.about["name"]), settings)
    if settings.named:
        means = means_by_layer(elmo, named_words(settings), settings, seed, say)
        found = {layer: taken_out(settings, partial(_these, one), seed) for layer, one in means.items()}
        return vectors.without_in({layer: one for layer, one in found.items() if one})
    if not settings.random_directions:
        raise WordworthError("--elmo-layers says where a bias is taken out, and none is named; add --direction he,she")
    return vectors.without_in(random_by_layer(elmo, settings, 1, settings.random_directions, seed)[0])


def _these(vectors: Embedding, _: Sequence[str]) -> Embedding:
    return vectors
