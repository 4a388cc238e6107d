"""Versions of an NLI model: itself, with a bias taken out of its vectors, or with a random subspace as control.

The network stays as it was trained; only the vectors it looks up change: those of words, the subword embeddings of a
transformer, or layers of ELMo. The paper retrains networks on the changed vectors: such a network is a model of its
own, named beside this one (`against`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from wordworth.catalog.read.corpora import load_corpus
from wordworth.contexts.sampling import UnreadableLines
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.nli.attention import AttentionNli
from wordworth.nli.contextual import ElmoVectors, Embedder, average_occurrences, draw_occurrences, words_of
from wordworth.nli.loading import Vectors
from wordworth.nli.nli import MitigableNli, NliModel
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import SubspaceWords
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import ORIGINAL, RANDOM
from wordworth.study.debias import HARD, DebiasSettings
from wordworth.study.infer import InferSettings
from wordworth.study.mitigation import equalized_words, learn_removed, list_bias_words, make_treatment
from wordworth.study.shared_settings import ElmoLayers, LayeredTakenOut
from wordworth.task.geometry import list_stability_words, score_stability
from wordworth.transform import (
    Subspace,
    difference_direction,
    random_directions,
    remove,
    set_components,
    with_lengths_of,
)

MAX_CONTEXTS = 1_000
"""Contexts of a word, at most, over which its vectors in ELMo are averaged."""
RANDOM_SUBSPACES = ("random", "random:1")
"""Names of the one random subspace that a network is trained without; the first is an older one."""
Report = Callable[[str], None]
"""Records a fact about the run."""


@dataclass(frozen=True)
class Version:
    """A version of a model."""

    name: str
    """The column `version` of its scores: original, projection, …, random."""
    model: Callable[[], NliModel]
    """Makes the model on demand, so that one version at a time is in memory."""
    removed: str = ""
    """What was removed, for a reader of the scores."""
    draw: int | None = None
    """The number of a random draw."""
    is_random_retrained: bool = False
    """Whether it is a network trained without a random subspace as large as the probe's."""


def subspace_of(embedding: Embedding, words: SubspaceWords, *, unit: bool = True) -> Subspace:
    """Return he − she, or the first components of the training words."""
    if not words.components:
        first, second = words.words
        return difference_direction(embedding, first, second, unit=unit)
    return set_components(embedding, words.words, words.components, unit=unit, name=words.name)


def make_versions(
    model: NliModel, pairs: PairSet, chosen: InferSettings, report: Report, texts: Sequence[str] = ()
) -> Iterator[Version]:
    """Yield the model itself, each mitigation, and random subspaces with as many dimensions as the one removed.

    The versions read the probe's sentences, and `texts`. `report` records what a subspace in ELMo was learnt from.
    """
    yield Version(ORIGINAL, lambda: model)
    mitigate = list_mitigations(chosen)
    if not (mitigate or chosen.random):
        return
    words = pairs.probe.subspace
    if words is None:
        raise WordworthError(
            f"the probe {pairs.probe.name} names no subspace to remove; add subspace = … to it, "
            "or ask for --mitigate none --random 0"
        )
    if not isinstance(model, MitigableNli):
        raise WordworthError(
            f"{model.name} has no vectors to change, so {', '.join(mitigate) or RANDOM} is not possible; "
            "probe it with --mitigate none --random 0, and name a mitigated model with --against"
        )
    file = model.word_vectors if chosen.only_first else None
    if file is None and (refused := [name for name in mitigate if name != "projection"]):
        raise WordworthError(
            f"{refused[0]} changes a file of word vectors, and {model.name} reads none; use projection"
        )
    sentences = [*texts, *(text for side in pairs.fragments() for text in side)]
    needed = file.restrict(_tokens(sentences, file)) if file is not None else None
    removal = _find_removal(model, needed, words, chosen, report)
    for name in mitigate:
        if needed is None or name == "projection":
            yield Version(name, partial(removal.without, removal.subspace), removal.description)
        else:
            yield _treat_words(name, model, needed, words, chosen.seed)
    for draw, control in enumerate(removal.controls, start=1):
        yield Version(RANDOM, partial(removal.without, control), draw=draw)


def retrained_version(network: NliModel, pairs: PairSet) -> Version:
    """Return a network that is named next to the model as a version of it."""
    without, words = getattr(network, "trained_without", None), pairs.probe.subspace  # a user's own model need not say
    size = max(1, words.components) if words else 0
    is_control = (
        without is not None
        and without.subspace in RANDOM_SUBSPACES
        and not without.layers
        and without.dimensions == size
    )
    return Version(network.name, lambda: network, is_random_retrained=is_control)


def list_mitigations(chosen: InferSettings) -> tuple[str, ...]:
    """Return the requested mitigations, without `none`."""
    if "none" in chosen.mitigate and len(chosen.mitigate) > 1:
        raise WordworthError("--mitigate is none and something else at once; give one of them")
    return tuple(name for name in chosen.mitigate if name != "none")


@dataclass(frozen=True)
class _Removal:
    """What is removed from a model: a subspace, or one per layer of ELMo; and random ones that are in its place."""

    subspace: Any
    controls: Sequence[Any]
    without: Callable[[Any], NliModel]
    """Makes the model without any of them."""
    description: str


def _find_removal(
    model: MitigableNli, needed: Embedding | None, words: SubspaceWords, chosen: InferSettings, report: Report
) -> _Removal:
    """Return what is removed from layers of ELMo, from `needed` words of a file, or from what a network looks up."""
    if not chosen.only_first:
        elmo = check_layers(model, model.name, chosen)
        over = cast("AttentionNli", model).over
        means = average_by_layer(elmo, words.words, chosen, chosen.seed, report)
        by_layer = {layer: subspace_of(vectors, words) for layer, vectors in means.items()}
        first = next(iter(by_layer.values()))
        drawn = draw_by_layer(elmo, chosen, chosen.random, len(first), chosen.seed)
        where = f"{'each of layers' if len(by_layer) > 1 else 'layer'} {', '.join(map(str, by_layer))}"
        return _Removal(by_layer, drawn, lambda some: over(elmo.without_in(some)), f"{_describe(first)}, in {where}")
    file = model.word_vectors
    vectors = model.vectors_of(words.words) if file is None else file
    subspace = subspace_of(vectors, words)
    controls = random_directions(vectors.dim, count=chosen.random, k=len(subspace), seed=chosen.seed)
    if needed is None:
        return _Removal(subspace, controls, model.without, _describe(subspace))
    controls = [replace(one, name=f"{one.name}, seed {chosen.seed}") for one in controls]

    def without(one: Subspace) -> NliModel:
        return model.with_vectors(remove(needed, one.basis, one.name))

    return _Removal(subspace, controls, without, _describe(subspace))


def _treat_words(name: str, model: MitigableNli, needed: Embedding, words: SubspaceWords, seed: int) -> Version:
    """Return a model over word vectors that a method other than projection has changed."""
    full = model.word_vectors
    assert full is not None
    # LEACE's guarantee is about the vectors as they are, so it never learns from unit vectors.
    subspace = subspace_of(full, words, unit=name != "leace")
    chosen = make_treatment(full, subspace, DebiasSettings(mitigate=name, seed=seed), Findings())
    before = full.restrict(dict.fromkeys([*needed.words, *equalized_words()])) if name == HARD else needed
    changed = chosen.treat(before)
    # The network learnt from vectors of all lengths, and hard debiasing leaves unit ones.
    after = with_lengths_of(changed, before) if name == HARD else changed
    more = f"; {name} removes {chosen.dimensions}" if chosen.dimensions != len(subspace) else ""
    return Version(name, partial(model.with_vectors, after), _describe(subspace) + more)


def _describe(subspace: Subspace) -> str:
    lacking = f"; without {', '.join(subspace.missing)}, which have no vector" if subspace.missing else ""
    return f"{subspace.name}, {len(subspace)} of {subspace.basis.shape[1]} dimensions{lacking}"


def _tokens(texts: Sequence[str], embedding: Embedding) -> list[str]:
    """Return the words of texts that the embedding has: as written, in lower case, and the parts of hyphenated ones."""
    words = [form for text in texts for word in words_of(text) for form in (word, *word.split("-"))]
    return [form for word in dict.fromkeys(words) for form in dict.fromkeys((word.lower(), word)) if form in embedding]


def check_layers(reader: NliModel | Embedder, name: str, settings: ElmoLayers) -> ElmoVectors:
    """Return the ELMo with the chosen layers that a network reads, or that is at hand; an error calls it `name`."""
    embedder = getattr(reader, "embedder", reader)
    if not isinstance(embedder, ElmoVectors):
        raise WordworthError(f"{name} has no layers of ELMo; leave --elmo-layers out")
    beyond = [layer for layer in settings.elmo_layers if layer > embedder.layers]
    if beyond or not settings.elmo_layers:
        given = f"--elmo-layers is {beyond[0]}" if beyond else "--elmo-layers is blank"
        raise WordworthError(f"{given}, and {name} has layers 1 to {embedder.layers}; name some of them")
    return embedder


def average_by_layer(
    elmo: ElmoVectors, words: Sequence[str], settings: ElmoLayers, seed: int, report: Report
) -> dict[int, Embedding]:
    """Return layer (from 1) → vectors of words in it, as means over the text.

    `report` records what was drawn, and what was skipped.
    """
    corpus, flaws = load_corpus(settings.corpus), UnreadableLines()
    drawn = draw_occurrences(corpus.lines(flaws.report), words, MAX_CONTEXTS, seed)
    means = average_occurrences(elmo, words, drawn, corpus.name)
    report(f"{elmo.name}: {means[0].provenance.steps[0]}")
    for count, why in ((drawn.too_long, "sentences that are too long"), (flaws.count, "lines that cannot be read")):
        if count:
            report(f"{corpus.name}: {count:,} {why} were skipped")
    return {layer: means[layer - 1] for layer in sorted(set(settings.elmo_layers))}


def draw_by_layer(elmo: ElmoVectors, settings: ElmoLayers, count: int, k: int, seed: int) -> list[dict[int, Subspace]]:
    """Draw `count` times a random subspace of k dimensions for each chosen layer."""
    layers = sorted(set(settings.elmo_layers))
    drawn = iter(random_directions(elmo.dim, count=count * len(layers), k=k, seed=seed))
    return [{layer: replace(next(drawn), name=f"random:{at}") for layer in layers} for at in range(1, count + 1)]


def remove_before_training(vectors: Vectors, settings: LayeredTakenOut, seed: int, report: Report) -> Vectors:
    """Return the vectors that a network is trained on, without what the settings name."""
    if settings.only_first:
        subspace = learn_removed(settings, vectors.embedder.context_free, seed)
        return vectors.without(subspace) if subspace else vectors
    elmo = check_layers(vectors.embedder, vectors.about.name, settings)
    if settings.is_named:
        means = average_by_layer(elmo, list_bias_words(settings), settings, seed, report)
        found = {layer: learn_removed(settings, partial(Embedding.restrict, one), seed) for layer, one in means.items()}
        return vectors.without_in({layer: one for layer, one in found.items() if one})
    if not settings.random_directions:
        raise WordworthError("--elmo-layers says where a bias is removed, and none is named; add --direction he,she")
    return vectors.without_in(draw_by_layer(elmo, settings, 1, settings.random_directions, seed)[0])


def measure_stability(model: NliModel, settings: InferSettings, report: Report) -> Findings:
    """Score the stability of subspaces in word vectors, a transformer's subwords, or each chosen layer of ELMo."""
    if not isinstance(model, MitigableNli):
        raise WordworthError(f"{model.name} has no vectors to look at; leave out --stability")
    words = list_stability_words()
    if settings.only_first:
        elmo = isinstance(getattr(model, "embedder", None), ElmoVectors)
        return score_stability(model.vectors_of(words), model.name, 1 if elmo else None)
    findings, elmo_vectors = Findings(), check_layers(model, model.name, settings)
    for layer, vectors in average_by_layer(elmo_vectors, words, settings, settings.seed, report).items():
        findings.add(score_stability(vectors, model.name, layer))
    return findings
