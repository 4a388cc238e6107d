"""A static embedding out of a contextual model, for any program that reads word vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from wordworth.catalog.read.corpora import Corpus
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.read.tables import read_text
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import entries, knows
from wordworth.embedding import Embedding, Layers
from wordworth.errors import WordworthError, nearest
from wordworth.study.static import PAIRS, alone
from wordworth.study.static.export_settings import PER_WORD, SIMILARITY, ExportSettings


@dataclass(frozen=True)
class Exported:
    """The embedding, and what a user should know of it."""

    embedding: Embedding
    layer: int
    sentences: int = 0
    never_met: tuple[str, ...] = ()
    """Words whose decontextualized vector stands in."""
    dropped: tuple[str, ...] = ()
    """Words that have no vector, each with the reason."""
    windowed: int = 0
    broken: tuple[str, ...] = ()
    """Lines of the text that could not be read."""


_Taken = tuple[Layers, list[str], dict[str, Any]]
"""Vectors in the one layer, how they came about, and what a user should know of it."""


def export(model: Any, **chosen: Any) -> Exported:
    """One vector a word from one layer of a language model (a name, a path, or one that is loaded).

    The settings are those of `ExportSettings`.
    """
    return exported(model, ExportSettings.of("export", chosen))


def exported(model: Any, settings: ExportSettings) -> Exported:
    """One vector a word from one layer of a language model."""
    from wordworth.contexts.drawing import load_texts  # torch follows, for a model alone
    from wordworth.study.language_models import loaded
    from wordworth.transform import fit_components, nullify

    without_text = alone(settings.corpus)
    if settings.per_word is not None and settings.sentences is not None:
        raise WordworthError("--per-word and --sentences are two ways to draw; give one of them")
    if without_text and (settings.per_word or settings.sentences):
        raise WordworthError("--corpus none draws nothing; leave --per-word and --sentences out, or name a text")
    corpora = [] if without_text else load_texts(settings.corpus, settings.language)
    words = load_vocabulary(settings.vocabulary)
    network = loaded(model, settings)
    layer = network.layers // 4 if settings.layer is None else settings.layer
    if without_text:
        layers, how, facts = _alone(network, words, layer, settings)
    else:
        layers, how, facts = _over_sentences(network, words, layer, corpora, settings)
    (slot,) = layers.slots
    steps = [f"layer {slot.layer}", f"pooling {settings.pooling}", *how]
    vectors = np.asarray(layers.read(slot), dtype=np.float32)
    top = settings.components
    if top is not None:
        vectors = nullify(vectors, fit_components(vectors, top), top).astype(np.float32)
        steps.append(f"all but the top {top}")
    provenance = replace(
        layers.provenance, language=settings.language, steps=tuple(steps), dropped=facts.get("dropped", ())
    )
    return Exported(Embedding(layers.words, vectors, provenance), slot.layer or 0, **facts)


def _over_sentences(
    network: Any, words: Sequence[str], layer: int, corpora: Sequence[Corpus], settings: ExportSettings
) -> _Taken:
    from wordworth.contexts.drawing import Draw, draw
    from wordworth.encode import Aggregating, over_sentences

    per_word = PER_WORD if settings.per_word is None and settings.sentences is None else settings.per_word
    how = Draw(settings.sentences, per_word, settings.language, settings.seed, settings.lower_case)
    sample = draw(corpora, words, how)
    weighting: Any = settings.weighting
    aggregating = Aggregating((settings.pooling,), (layer,), weighting=weighting)
    source = over_sentences(network, words, sample, aggregating)
    drawn = f"{settings.sentences:,} sentences" if settings.sentences is not None else f"{per_word} contexts a word"
    text = " and ".join(corpus.name for corpus in corpora)
    steps = [f"{drawn} of {text}, seed {settings.seed}", f"weighting {settings.weighting}"]
    dropped = tuple(f"{word!r}: {reason}" for word, reason in source.without_vector.items())
    facts = {"sentences": sample.sentences, "never_met": source.never_met, "dropped": dropped}
    facts |= {"windowed": source.whole.windowed, "broken": sample.flaws}
    return source.aggregated(settings.pooling), steps, facts


def _alone(network: Any, words: Sequence[str], layer: int, settings: ExportSettings) -> _Taken:
    from wordworth.contexts import decontextualized
    from wordworth.encode import in_contexts, split_pooling

    source = in_contexts(network, words, decontextualized(words), "decontextualized", (layer,))
    dropped = tuple(f"{source.words[at]!r}: {reason}" for at, reason in source.reasons.items())
    return source.layers(split_pooling(settings.pooling)[0]), ["words alone"], {"dropped": dropped}


def load_vocabulary(named: str | Path) -> Sequence[str]:
    """`similarity`, a lexicon or a word set of the catalog, or a file with a word a line."""
    name = str(named)
    if name == SIMILARITY:
        pairs = [load_pairs(one) for one in PAIRS]
        return tuple(dict.fromkeys(word for one in pairs for both in (one.first, one.second) for word in both))
    if knows(name, "lexica"):
        return tuple(dict.fromkeys(load_lexicon(name).words))
    if knows(name, "word_sets"):
        return load_word_set(name).words
    path = Path(named).expanduser()
    if not path.is_file():
        known = [SIMILARITY, *(one.name for kind in ("lexica", "word_sets") for one in entries(kind))]
        raise WordworthError(
            f"there is no vocabulary {name!r}{nearest(name, known)}; give {SIMILARITY}, a lexicon, a word set, or a "
            "file with a word a line"
        )
    words = tuple(dict.fromkeys(line.strip() for line in read_text(path).splitlines() if line.strip()))
    if not words:
        raise WordworthError(f"{path} holds no words; write one a line")
    return words
