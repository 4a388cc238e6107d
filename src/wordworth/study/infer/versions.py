"""Make versions of an NLI model: the original, without a bias in its vectors, or without a random subspace.

The network stays as it was trained; only the vectors it looks up change: those of words, the subword embeddings of a
transformer, or layers of ELMo. The paper retrains networks on the changed vectors; `against` names such networks.
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
"""The largest number of contexts over which ELMo's vectors of a word are averaged."""
RANDOM_SUBSPACES = ("random", "random:1")
"""Names of the one random subspace that a network is trained without; the first is an older one."""
Report = Callable[[str], None]
"""Records a fact about the run."""


@dataclass(frozen=True)
class Version:
    """Describe a version of a model."""

    name: str
    """The column `version` of its scores: original, projection, …, random."""
    model: Callable[[], NliModel]
    """Makes the model on demand, so that one version at a time is in memory."""
    removal: str = ""
    """What was removed, in words."""
    draw: int | None = None
    """The number of a random draw."""
    is_random_retrained: bool = False
    """Whether it is a network trained without a random subspace as large as the probe's."""


def subspace_of(embedding: Embedding, words: SubspaceWords, *, unit: bool = True) -> Subspace:
    """Return he − she, or the first components of the training words."""
    if not words.components:
        first_word, second_word = words.words
        return difference_direction(embedding, first_word, second_word, unit=unit)
    return set_components(embedding, words.words, words.components, unit=unit, name=words.name)


def make_versions(
    model: NliModel, pairs: PairSet, settings: InferSettings, report: Report, texts: Sequence[str] = ()
) -> Iterator[Version]:
    """Yield the original model, each mitigation, and random subspaces with as many dimensions as the removed one.

    The versions read the probe's sentences, and `texts`. `report` records what a subspace in ELMo was learnt from.
    """
    yield Version(ORIGINAL, lambda: model)
    mitigate = list_mitigations(settings)
    if not (mitigate or settings.random):
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
    file = model.word_vectors if settings.only_first else None
    if file is None and (names := [name for name in mitigate if name != "projection"]):
        raise WordworthError(f"{names[0]} changes a file of word vectors, and {model.name} reads none; use projection")
    sentences = [*texts, *(text for side in pairs.fragments() for text in side)]
    needed_vectors = file.restrict(_tokens(sentences, file)) if file is not None else None
    removal = _find_removal(model, needed_vectors, words, settings, report)
    for name in mitigate:
        if needed_vectors is None or name == "projection":
            yield Version(name, partial(removal.without, removal.subspace), removal.description)
        else:
            yield _treat_words(name, model, needed_vectors, words, settings.seed)
    for draw, control in enumerate(removal.controls, start=1):
        yield Version(RANDOM, partial(removal.without, control), draw=draw)


def retrained_version(network: NliModel, pairs: PairSet) -> Version:
    """Return a network that is named next to the model as a version of it."""
    training_removal = getattr(network, "trained_without", None)  # a user's own model need not say
    words = pairs.probe.subspace
    size = max(1, words.components) if words else 0
    is_control = (
        training_removal is not None
        and training_removal.subspace in RANDOM_SUBSPACES
        and not training_removal.layers
        and training_removal.dimensions == size
    )
    return Version(network.name, lambda: network, is_random_retrained=is_control)


def list_mitigations(settings: InferSettings) -> tuple[str, ...]:
    """Return the requested mitigations, without `none`."""
    if "none" in settings.mitigate and len(settings.mitigate) > 1:
        raise WordworthError("--mitigate is none together with another method; give one of them")
    return tuple(name for name in settings.mitigate if name != "none")


@dataclass(frozen=True)
class _Removal:
    """Hold the subspace that is removed from a model, or one per layer of ELMo, and the random controls."""

    subspace: Any
    controls: Sequence[Any]
    without: Callable[[Any], NliModel]
    """Makes the model without one of these subspaces."""
    description: str


def _find_removal(
    model: MitigableNli, needed_vectors: Embedding | None, words: SubspaceWords, settings: InferSettings, report: Report
) -> _Removal:
    """Return what is removed from layers of ELMo, from `needed` words of a file, or from what a network looks up."""
    if not settings.only_first:
        elmo = check_layers(model, model.name, settings)
        make_over = cast("AttentionNli", model).over
        means = average_by_layer(elmo, words.words, settings, settings.seed, report)
        by_layer = {layer: subspace_of(vectors, words) for layer, vectors in means.items()}
        sample = next(iter(by_layer.values()))
        draws = draw_by_layer(elmo, settings, settings.random, len(sample), settings.seed)
        layers = f"{'each of layers' if len(by_layer) > 1 else 'layer'} {', '.join(map(str, by_layer))}"
        description = f"{_describe(sample)}, in {layers}"
        return _Removal(by_layer, draws, lambda group: make_over(elmo.without_in(group)), description)
    file = model.word_vectors
    vectors = model.vectors_of(words.words) if file is None else file
    subspace = subspace_of(vectors, words)
    controls = random_directions(vectors.dim, count=settings.random, k=len(subspace), seed=settings.seed)
    if needed_vectors is None:
        return _Removal(subspace, controls, model.without, _describe(subspace))
    controls = [replace(control, name=f"{control.name}, seed {settings.seed}") for control in controls]

    def without(removed_subspace: Subspace) -> NliModel:
        return model.with_vectors(remove(needed_vectors, removed_subspace.basis, removed_subspace.name))

    return _Removal(subspace, controls, without, _describe(subspace))


def _treat_words(name: str, model: MitigableNli, subset: Embedding, words: SubspaceWords, seed: int) -> Version:
    """Return a model over word vectors that a method other than projection has changed."""
    all_vectors = model.word_vectors
    assert all_vectors is not None
    # LEACE's guarantee is about the vectors as they are, so it never learns from unit vectors.
    subspace = subspace_of(all_vectors, words, unit=name != "leace")
    treatment = make_treatment(all_vectors, subspace, DebiasSettings(mitigate=name, seed=seed), Findings())
    original = all_vectors.restrict(dict.fromkeys([*subset.words, *equalized_words()])) if name == HARD else subset
    treated = treatment.treat(original)
    # The network learnt from vectors of all lengths, and hard debiasing leaves unit ones.
    scaled = with_lengths_of(treated, original) if name == HARD else treated
    size_note = f"; {name} removes {treatment.dimensions}" if treatment.dimensions != len(subspace) else ""
    return Version(name, partial(model.with_vectors, scaled), _describe(subspace) + size_note)


def _describe(subspace: Subspace) -> str:
    missing_note = f"; without {', '.join(subspace.missing)}, which have no vector" if subspace.missing else ""
    return f"{subspace.name}, {len(subspace)} of {subspace.basis.shape[1]} dimensions{missing_note}"


def _tokens(texts: Sequence[str], embedding: Embedding) -> list[str]:
    """Return the words of texts that the embedding has: as written, in lower case, and the parts of hyphenated ones."""
    words = [form for text in texts for word in words_of(text) for form in (word, *word.split("-"))]
    return [form for word in dict.fromkeys(words) for form in dict.fromkeys((word.lower(), word)) if form in embedding]


def check_layers(reader: NliModel | Embedder, name: str, settings: ElmoLayers) -> ElmoVectors:
    """Return the ELMo that a network reads; raise, under `name`, if it lacks a chosen layer."""
    embedder = getattr(reader, "embedder", reader)
    if not isinstance(embedder, ElmoVectors):
        raise WordworthError(f"{name} has no layers of ELMo; remove --elmo-layers")
    missing_layers = [layer for layer in settings.elmo_layers if layer > embedder.layers]
    if missing_layers or not settings.elmo_layers:
        problem = f"--elmo-layers is {missing_layers[0]}" if missing_layers else "--elmo-layers is blank"
        raise WordworthError(f"{problem}, and {name} has layers 1 to {embedder.layers}; name some of them")
    return embedder


def average_by_layer(
    elmo: ElmoVectors, words: Sequence[str], settings: ElmoLayers, seed: int, report: Report
) -> dict[int, Embedding]:
    """Return layer (from 1) → vectors of words in it, as means over the text.

    `report` records the size of the sample, and what was skipped.
    """
    corpus, flaws = load_corpus(settings.corpus), UnreadableLines()
    sample = draw_occurrences(corpus.lines(flaws.report), words, MAX_CONTEXTS, seed)
    means = average_occurrences(elmo, words, sample, corpus.name)
    report(f"{elmo.name}: {means[0].provenance.steps[0]}")
    for count, reason in ((sample.too_long, "sentences that are too long"), (flaws.count, "lines that cannot be read")):
        if count:
            report(f"{corpus.name}: {count:,} {reason} were skipped")
    return {layer: means[layer - 1] for layer in sorted(set(settings.elmo_layers))}


def draw_by_layer(elmo: ElmoVectors, settings: ElmoLayers, count: int, k: int, seed: int) -> list[dict[int, Subspace]]:
    """Draw `count` times a random subspace of k dimensions for each chosen layer."""
    layers = sorted(set(settings.elmo_layers))
    draws = iter(random_directions(elmo.dim, count=count * len(layers), k=k, seed=seed))
    return [{layer: replace(next(draws), name=f"random:{draw}") for layer in layers} for draw in range(1, count + 1)]


def remove_before_training(vectors: Vectors, settings: LayeredTakenOut, seed: int, report: Report) -> Vectors:
    """Return the training vectors of a network, without the bias that the settings name."""
    if settings.only_first:
        subspace = learn_removed(settings, vectors.embedder.context_free, seed)
        return vectors.without(subspace) if subspace else vectors
    elmo = check_layers(vectors.embedder, vectors.about.name, settings)
    if settings.is_named:
        means = average_by_layer(elmo, list_bias_words(settings), settings, seed, report)
        by_layer = {
            layer: learn_removed(settings, partial(Embedding.restrict, table), seed) for layer, table in means.items()
        }
        return vectors.without_in({layer: subspace for layer, subspace in by_layer.items() if subspace})
    if not settings.random_directions:
        raise WordworthError("--elmo-layers says where a bias is removed, and none is named; add --direction he,she")
    return vectors.without_in(draw_by_layer(elmo, settings, 1, settings.random_directions, seed)[0])


def measure_stability(model: NliModel, settings: InferSettings, report: Report) -> Findings:
    """Score the stability of subspaces in word vectors, a transformer's subwords, or each chosen layer of ELMo."""
    if not isinstance(model, MitigableNli):
        raise WordworthError(f"{model.name} has no vectors; remove --stability")
    words = list_stability_words()
    if settings.only_first:
        elmo = isinstance(getattr(model, "embedder", None), ElmoVectors)
        return score_stability(model.vectors_of(words), model.name, 1 if elmo else None)
    findings, elmo_vectors = Findings(), check_layers(model, model.name, settings)
    for layer, vectors in average_by_layer(elmo_vectors, words, settings, settings.seed, report).items():
        findings.add(score_stability(vectors, model.name, layer))
    return findings
