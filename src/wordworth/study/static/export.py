"""A static embedding out of a contextual model, for any program that reads word vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.read.tables import read_text
from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import entries, knows
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError, nearest
from wordworth.study.static import PAIRS
from wordworth.task.settings import HOW, ON, Named, Placement, Seeded, setting

PER_WORD = 100
SIMILARITY = "similarity"
"""The vocabulary of the paper's four sets of pairs: 2,005 words."""


@dataclass(frozen=True, kw_only=True)
class ExportSettings(Placement, Seeded):
    """How a language model is reduced to one vector a word."""

    layer: int | None = setting(None, "Layer to take; a quarter of the way up, as the paper's, if not given.", HOW)
    vocabulary: Named = setting(
        SIMILARITY, "Words: `similarity`, a lexicon or word set of the catalog, or a file with a word a line.", ON
    )
    contexts: tuple[Named, ...] = setting(
        ("enwiki-sample",),
        "Text that sentences are drawn from; several count as one.",
        ON,
        metavar="NAME|PATH",
    )
    per_word: int | None = setting(None, f"Contexts of a word; {PER_WORD} if not given.", ON, least=1, most=100_000)
    sentences: int | None = setting(None, "Draw so many sentences in all instead.", ON, least=1, most=100_000_000)
    pooling: str = setting("mean/mean", "f/g: over subwords, then over contexts.", HOW, metavar="F/G")
    weighting: str = setting(
        "uniform", "Weight of a sentence in the mean.", HOW, choices=("uniform", "inverse-frequency")
    )
    all_but_the_top: int | None = setting(
        None,
        "Take the mean and so many components off (Mu & Viswanath advise dimensions / 100).",
        HOW,
        least=0,
        most=1_000,
    )
    language: str = setting("english", "Language of words and text.", ON)
    lower_case: bool = setting(False, "Put the sentences into lower case.", ON)


@dataclass(frozen=True)
class Exported:
    """The embedding, and what a user should know of it."""

    embedding: Embedding
    layer: int
    sentences: int
    never_met: tuple[str, ...]
    """Words whose decontextualized vector stands in."""
    dropped: tuple[str, ...]
    """Words that have no vector, each with the reason."""
    windowed: int
    broken: tuple[str, ...]
    """Lines of the text that could not be read."""


def export(model: Any, **chosen: Any) -> Exported:
    """One vector a word from one layer of a language model (a name, a path, or one that is loaded).

    The settings are those of `ExportSettings`.
    """
    return exported(model, ExportSettings.of("export", chosen))


def exported(model: Any, settings: ExportSettings) -> Exported:
    """One vector a word from one layer of a language model."""
    from wordworth.contexts.drawing import Draw, draw, load_texts  # torch follows, for a model alone
    from wordworth.encode import Aggregating, over_sentences
    from wordworth.study.language_models import loaded
    from wordworth.transform import fit_components, nullify

    if settings.per_word is not None and settings.sentences is not None:
        raise WordworthError("--per-word and --sentences are two ways to draw; give one of them")
    corpora = load_texts(settings.contexts, settings.language)
    words = load_vocabulary(settings.vocabulary)
    network = loaded(model, settings)
    layer = network.layers // 4 if settings.layer is None else settings.layer
    per_word = PER_WORD if settings.per_word is None and settings.sentences is None else settings.per_word
    how = Draw(settings.sentences, per_word, settings.language, settings.seed, settings.lower_case)
    sample = draw(corpora, words, how)
    weighting: Any = settings.weighting
    aggregating = Aggregating((settings.pooling,), (layer,), weighting=weighting)
    source = over_sentences(network, words, sample, aggregating)
    layers = source.aggregated(settings.pooling)
    (slot,) = layers.slots
    drawn = f"{settings.sentences:,} sentences" if settings.sentences is not None else f"{per_word} contexts a word"
    text = " and ".join(corpus.name for corpus in corpora)
    steps = [f"layer {slot.layer}", f"pooling {settings.pooling}", f"{drawn} of {text}, seed {settings.seed}"]
    steps.append(f"weighting {settings.weighting}")
    vectors = np.asarray(layers.read(slot), dtype=np.float32)
    top = settings.all_but_the_top
    if top is not None:
        vectors = nullify(vectors, fit_components(vectors, top), top).astype(np.float32)
        steps.append(f"all but the top {top}")
    dropped = tuple(f"{word!r}: {reason}" for word, reason in source.without_vector.items())
    provenance = replace(layers.provenance, language=settings.language, steps=tuple(steps), dropped=dropped)
    embedding = Embedding(layers.words, vectors, provenance)
    facts = (source.never_met, dropped, source.whole.windowed, sample.flaws)
    return Exported(embedding, slot.layer or 0, sample.sentences, *facts)


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
