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

    @property
    def columns(self) -> dict[str, str | int | None]:
        """Return the columns of its scores."""
        return {"version": self.name, "draw": self.draw}


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
    mitigate, random = list_mitigations(chosen), chosen.random
    if not (mitigate or random):
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
    file = model.word_vectors
    if not chosen.only_first:
        yield from _change_layers(model, words, chosen, report)
    elif file is None:
        yield from _change_lookup(model, words, mitigate, random, chosen.seed)
    else:
        sentences = [*texts, *(text for side in pairs.fragments() for text in side)]
        few = file.restrict(_tokens(sentences, file))
        yield from _change_words(model, file, few, words, mitigate, random, chosen.seed)


def list_mitigations(chosen: InferSettings) -> tuple[str, ...]:
    """Return the requested mitigations, without `none`."""
    if "none" in chosen.mitigate and len(chosen.mitigate) > 1:
        raise WordworthError("--mitigate is none and something else at once; give one of them")
    return tuple(name for name in chosen.mitigate if name != "none")


def _change_layers(
    model: MitigableNli, words: SubspaceWords, chosen: InferSettings, report: Report
) -> Iterator[Version]:
    """Yield versions with a subspace removed from some layers of ELMo after all are computed."""
    _refuse_other(model, list_mitigations(chosen))
    elmo, over = find_elmo(model, chosen)
    means = average_by_layer(elmo, words.words, chosen, chosen.seed, report)
    found = {layer: subspace_of(vectors, words) for layer, vectors in means.items()}
    if list_mitigations(chosen):
        where = f"{'each of layers' if len(found) > 1 else 'layer'} {', '.join(map(str, found))}"
        removed = f"{_describe(next(iter(found.values())))}, in {where}"
        yield Version("projection", lambda: over(elmo.without_in(found)), removed)
    dimensions = len(next(iter(found.values())))
    controls = draw_by_layer(elmo, chosen, chosen.random, dimensions, chosen.seed)
    for draw, control in enumerate(controls, start=1):
        yield Version(RANDOM, partial(_without_in, over, elmo, control), draw=draw)


def _without_in(
    over: Callable[[ElmoVectors], NliModel], elmo: ElmoVectors, subspaces: Mapping[int, Subspace]
) -> NliModel:
    return over(elmo.without_in(subspaces))


def find_elmo(model: NliModel, chosen: ElmoLayers) -> tuple[ElmoVectors, Callable[[ElmoVectors], NliModel]]:
    """Return the layers of ELMo that a network reads, and what makes it read others; an error if it reads none."""
    if not isinstance(model, AttentionNli):
        raise WordworthError(f"{model.name} reads no layers of ELMo; leave --elmo-layers out")
    return check_layers(model.embedder, model.name, chosen), model.over


def _change_lookup(
    model: MitigableNli, words: SubspaceWords, mitigate: Sequence[str], random: int, seed: int
) -> Iterator[Version]:
    """Yield versions with a subspace removed from the context-free vectors of a network, where it looks them up."""
    _refuse_other(model, mitigate)
    vectors = model.vectors_of(words.words)
    subspace = subspace_of(vectors, words)
    if mitigate:
        yield Version("projection", partial(model.without, subspace), _describe(subspace))
    controls = random_directions(vectors.dim, count=random, k=len(subspace), seed=seed)
    for draw, control in enumerate(controls, start=1):
        yield Version(RANDOM, partial(model.without, control), draw=draw)


def _refuse_other(model: NliModel, mitigate: Sequence[str]) -> None:
    """Refuse any mitigation but projection."""
    refused = next((name for name in mitigate if name != "projection"), None)
    if refused is not None:
        raise WordworthError(f"{refused} changes a file of word vectors, and {model.name} reads none; use projection")


def _change_words(
    model: MitigableNli,
    full: Embedding,
    needed: Embedding,
    words: SubspaceWords,
    mitigate: Sequence[str],
    random: int,
    seed: int,
) -> Iterator[Version]:
    """Yield versions over changed word vectors; only the words of the sentences are changed."""
    subspace = subspace_of(full, words)

    for name in mitigate:
        # LEACE's guarantee is about the vectors as they are, so it never learns from unit vectors.
        named = subspace_of(full, words, unit=False) if name == "leace" else subspace
        chosen = make_treatment(full, named, DebiasSettings(mitigate=name, seed=seed), Findings())
        before = full.restrict(dict.fromkeys([*needed.words, *equalized_words()])) if name == HARD else needed
        changed = chosen.treat(before)
        # The network learnt from vectors of all lengths, and hard debiasing leaves unit ones.
        after = with_lengths_of(changed, before) if name == HARD else changed
        more = f"; {name} removes {chosen.dimensions}" if chosen.dimensions != len(named) else ""
        yield Version(name, partial(model.with_vectors, after), _describe(named) + more)
    for draw, control in enumerate(random_directions(full.dim, count=random, k=len(subspace), seed=seed), start=1):
        changed = remove(needed, control.basis, f"{control.name}, seed {seed}")
        yield Version(RANDOM, partial(model.with_vectors, changed), draw=draw)


def _describe(subspace: Subspace) -> str:
    lacking = f"; without {', '.join(subspace.missing)}, which have no vector" if subspace.missing else ""
    return f"{subspace.name}, {len(subspace)} of {subspace.basis.shape[1]} dimensions{lacking}"


def _tokens(texts: Sequence[str], embedding: Embedding) -> list[str]:
    """Return the words of texts that the embedding has: as written, in lower case, and the parts of hyphenated ones."""
    words = [form for text in texts for word in words_of(text) for form in (word, *word.split("-"))]
    return [form for word in dict.fromkeys(words) for form in dict.fromkeys((word.lower(), word)) if form in embedding]


def check_layers(embedder: Embedder, name: str, settings: ElmoLayers) -> ElmoVectors:
    """Return the embedder if it is ELMo with the chosen layers; `name` is what an error calls it."""
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
    corpus, flaws = load_corpus(settings.corpus), Flaws()
    drawn = draw_occurrences(corpus.lines(flaws.report), words, settings.per_word, seed)
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
    if settings.named:
        means = average_by_layer(elmo, list_bias_words(settings), settings, seed, report)
        found = {layer: learn_removed(settings, partial(_return_first, one), seed) for layer, one in means.items()}
        return vectors.without_in({layer: one for layer, one in found.items() if one})
    if not settings.random_directions:
        raise WordworthError("--elmo-layers says where a bias is removed, and none is named; add --direction he,she")
    return vectors.without_in(draw_by_layer(elmo, settings, 1, settings.random_directions, seed)[0])


def _return_first(vectors: Embedding, _: Sequence[str]) -> Embedding:
    return vectors


def measure_stability(model: NliModel, settings: InferSettings, report: Report) -> Findings:
    """Score the stability of subspaces in word vectors, a transformer's subwords, or each chosen layer of ELMo."""
    if not isinstance(model, MitigableNli):
        raise WordworthError(f"{model.name} has no vectors to look at; leave out --stability")
    if settings.only_first:
        elmo = isinstance(model, AttentionNli) and isinstance(model.embedder, ElmoVectors)
        return score_stability(model.vectors_of(list_stability_words()), model.name, 1 if elmo else None)
    findings = Findings()
    means = average_by_layer(find_elmo(model, settings)[0], list_stability_words(), settings, settings.seed, report)
    for layer, vectors in means.items():
        findings.add(score_stability(vectors, model.name, layer))
    return findings
