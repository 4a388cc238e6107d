"""Versions of an NLI model: itself, with a bias taken out of its vectors, or with a random subspace as control.

The network stays as it was trained; only the vectors it looks up change: those of words, the subword embeddings of a
transformer, or layers of ELMo. The paper retrains networks on the changed vectors: such a network is a model of its
own, named beside this one (`against`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from wordworth.catalog.read.corpora import load_corpus
from wordworth.contexts.sampling import Flaws
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.nli.contextual import ElmoVectors, Embedder, average_occurrences, draw_occurrences
from wordworth.nli.loading import Vectors
from wordworth.nli.nli import MitigableNli, NliModel
from wordworth.nli.over_vectors import AttentionNli
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import SubspaceWords
from wordworth.nli.vocabulary import words_of
from wordworth.results import ORIGINAL, RANDOM, Findings
from wordworth.study.debias import HARD, DebiasSettings
from wordworth.study.infer import InferSettings
from wordworth.study.mitigation import equalized_words, named_words, taken_out, treatment
from wordworth.study.shared_settings import ElmoLayers, LayeredTakenOut
from wordworth.task.geometry import stability_words, subspace_stability
from wordworth.transform import (
    Subspace,
    difference_direction,
    random_directions,
    remove,
    set_components,
    with_lengths_of,
)

Say = Callable[[str], None]
"""Is given a sentence for the run's notes."""


@dataclass(frozen=True)
class Setting:
    """A version of a model."""

    name: str
    """As `setting` has it: original, projection, …, random:1."""
    model: Callable[[], NliModel]
    """Computed when its turn comes, so that one at a time is in memory."""
    taken_out: str = ""
    """What was taken out, for a reader of the scores."""


def subspace_of(embedding: Embedding, words: SubspaceWords, *, unit: bool = True) -> Subspace:
    """he − she, or the first components of the training words."""
    if not words.components:
        first, second = words.words
        return difference_direction(embedding, first, second, unit=unit)
    return set_components(embedding, words.words, words.components, unit=unit, name=words.name)


def settings(
    model: NliModel, pairs: PairSet, chosen: InferSettings, say: Say, texts: Sequence[str] = ()
) -> Iterator[Setting]:
    """The model itself, each mitigation, and random subspaces of as many dimensions as the one taken out.

    The versions read the probe's sentences, and `texts`. `say` is told what a subspace in ELMo was learnt from.
    """
    yield Setting(ORIGINAL, lambda: model)
    mitigate, random = mitigations(chosen), chosen.random
    if not (mitigate or random):
        return
    words = pairs.probe.subspace
    if words is None:
        raise WordworthError(
            f"the probe {pairs.probe.name} names no subspace to take out; add subspace = … to it, "
            "or ask for --mitigate none --random 0"
        )
    if not isinstance(model, MitigableNli):
        raise WordworthError(
            f"{model.name} has no vectors that could be changed, so {', '.join(mitigate) or RANDOM} is not possible; "
            "probe it with --mitigate none --random 0, and name a mitigated model with --against"
        )
    file = model.word_vectors
    if not chosen.only_first:
        yield from _in_layers(model, words, chosen, say)
    elif file is None:
        yield from _where_looked_up(model, words, mitigate, random, chosen.seed)
    else:
        sentences = [*texts, *(text for side in pairs.fragments() for text in side)]
        few = file.restrict(_tokens(sentences, file))
        yield from _over_words(model, file, few, words, mitigate, random, chosen.seed)


def mitigations(chosen: InferSettings) -> tuple[str, ...]:
    """Those asked for; `none` is none."""
    if "none" in chosen.mitigate and len(chosen.mitigate) > 1:
        raise WordworthError("--mitigate is none and something else at once; give one of them")
    return tuple(name for name in chosen.mitigate if name != "none")


def _in_layers(model: MitigableNli, words: SubspaceWords, chosen: InferSettings, say: Say) -> Iterator[Setting]:
    """Versions with a subspace taken out of each of some layers of ELMo, once all are computed."""
    _refuse_other(model, mitigations(chosen))
    elmo, over = elmo_of(model, chosen)
    means = means_by_layer(elmo, words.words, chosen, chosen.seed, say)
    found = {layer: subspace_of(vectors, words) for layer, vectors in means.items()}
    if mitigations(chosen):
        where = f"{'each of layers' if len(found) > 1 else 'layer'} {', '.join(map(str, found))}"
        told = f"{_sentence(next(iter(found.values())))}, in {where}"
        yield Setting("projection", lambda: over(elmo.without_in(found)), taken_out=told)
    dimensions = len(next(iter(found.values())))
    for control in random_by_layer(elmo, chosen, chosen.random, dimensions, chosen.seed):
        yield Setting(next(iter(control.values())).name, partial(_without_in, over, elmo, control))


def _without_in(
    over: Callable[[ElmoVectors], NliModel], elmo: ElmoVectors, subspaces: Mapping[int, Subspace]
) -> NliModel:
    return over(elmo.without_in(subspaces))


def elmo_of(model: NliModel, chosen: ElmoLayers) -> tuple[ElmoVectors, Callable[[ElmoVectors], NliModel]]:
    """The layers of ELMo that a network reads, and what makes it read others; an error where it reads none."""
    if not isinstance(model, AttentionNli):
        raise WordworthError(f"{model.name} reads no layers of ELMo; leave --elmo-layers out")
    return with_layers(model.embedder, model.name, chosen), model.over


def _where_looked_up(
    model: MitigableNli, words: SubspaceWords, mitigate: Sequence[str], random: int, seed: int
) -> Iterator[Setting]:
    """Versions with a subspace taken out of the context-free vectors inside a network, where they are looked up."""
    _refuse_other(model, mitigate)
    vectors = model.vectors_of(words.words)
    subspace = subspace_of(vectors, words)
    if mitigate:
        yield Setting("projection", partial(model.without, subspace), taken_out=_sentence(subspace))
    for control in random_directions(vectors.dim, count=random, k=len(subspace), seed=seed):
        yield Setting(control.name, partial(model.without, control))


def _refuse_other(model: NliModel, mitigate: Sequence[str]) -> None:
    """Stops where something else than projection is asked for."""
    refused = next((name for name in mitigate if name != "projection"), None)
    if refused is not None:
        raise WordworthError(
            f"{refused} changes a file of word vectors, and {model.name} reads none; ask for projection"
        )


def _over_words(
    model: MitigableNli,
    full: Embedding,
    needed: Embedding,
    words: SubspaceWords,
    mitigate: Sequence[str],
    random: int,
    seed: int,
) -> Iterator[Setting]:
    """Versions over changed word vectors; only the words that the sentences hold are changed and kept."""
    subspace = subspace_of(full, words)

    def version(name: str, changed: Embedding, taken_out: str = "") -> Setting:
        return Setting(name, lambda: model.with_vectors(changed), taken_out)

    for name in mitigate:
        # What LEACE promises is of the vectors as they are, so that it never learns from unit ones.
        named = subspace_of(full, words, unit=False) if name == "leace" else subspace
        chosen = treatment(full, named, DebiasSettings(mitigate=name, seed=seed), Findings())
        before = full.restrict(dict.fromkeys([*needed.words, *equalized_words()])) if name == HARD else needed
        changed = chosen.treat(before)
        # The network learnt from vectors of all lengths, and hard debiasing leaves unit ones.
        after = with_lengths_of(changed, before) if name == HARD else changed
        more = f"; {name} takes {chosen.dimensions} out" if chosen.dimensions != len(named) else ""
        yield version(name, after, _sentence(named) + more)
    for control in random_directions(full.dim, count=random, k=len(subspace), seed=seed):
        yield version(control.name, remove(needed, control.basis, f"{control.name}, seed {seed}"))


def _sentence(subspace: Subspace) -> str:
    lacking = f"; without {', '.join(subspace.missing)}, which have no vector" if subspace.missing else ""
    return f"{subspace.name}, {len(subspace)} of {subspace.basis.shape[1]} dimensions{lacking}"


def _tokens(texts: Sequence[str], embedding: Embedding) -> list[str]:
    """The words of the embedding that texts hold: as written, in lower case, and the parts of hyphened ones."""
    words = [form for text in texts for word in words_of(text) for form in (word, *word.split("-"))]
    return [form for word in dict.fromkeys(words) for form in dict.fromkeys((word.lower(), word)) if form in embedding]


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
    means = average_occurrences(elmo, words, drawn, corpus.name)
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
    elmo = with_layers(vectors.embedder, vectors.about.name, settings)
    if settings.named:
        means = means_by_layer(elmo, named_words(settings), settings, seed, say)
        found = {layer: taken_out(settings, partial(_these, one), seed) for layer, one in means.items()}
        return vectors.without_in({layer: one for layer, one in found.items() if one})
    if not settings.random_directions:
        raise WordworthError("--elmo-layers says where a bias is taken out, and none is named; add --direction he,she")
    return vectors.without_in(random_by_layer(elmo, settings, 1, settings.random_directions, seed)[0])


def _these(vectors: Embedding, _: Sequence[str]) -> Embedding:
    return vectors


def stability_of(model: NliModel, settings: InferSettings, say: Say) -> Findings:
    """Of word vectors, of a transformer's subwords, or of each chosen layer of ELMo."""
    if not isinstance(model, MitigableNli):
        raise WordworthError(f"{model.name} has no vectors that could be looked at; leave --stability out")
    if settings.only_first:
        elmo = isinstance(model, AttentionNli) and isinstance(model.embedder, ElmoVectors)
        return subspace_stability(model.vectors_of(stability_words()), model.name, 1 if elmo else None)
    findings = Findings()
    means = means_by_layer(elmo_of(model, settings)[0], stability_words(), settings, settings.seed, say)
    for layer, vectors in means.items():
        findings.add(subspace_stability(vectors, model.name, layer))
    return findings
