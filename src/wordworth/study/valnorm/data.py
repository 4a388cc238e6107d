"""The data of ValNorm in a language; and how much text an embedding needs (Figure 1), by vectors trained on samples.

Training follows subs2vec, as the paper does: fastText skip-gram, 300 dimensions, window 5, 10 negatives, 10 epochs,
words met at least 5 times, subsampling 1e-4, character n-grams of 3 to 6.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.pairs import Pairs, load_pairs, usual_pairs
from wordworth.catalog.read.word_sets import PolarWords, polar_words
from wordworth.catalog.resolve import Named
from wordworth.embedding import Embedding, Layers, Provenance
from wordworth.errors import WordworthError
from wordworth.progress import waiting
from wordworth.results.findings import Findings
from wordworth.study.inputs import is_lexicon_name, load_lexicon_in, load_own_lexicon
from wordworth.study.valnorm import ValnormSettings
from wordworth.task.similarity import score_similarity
from wordworth.task.training import train_vectors
from wordworth.task.valence import score_valence
from wordworth.task.words import TooFewWordsError, select_poles

WORD = re.compile(r"\w+(?:['’-]\w+)*")


class SampledLines:
    """The chosen lines of a corpus as lists of lower-cased words; can be gone through again, as training does."""

    def __init__(self, lines: Iterable[str], chosen: NDArray[np.bool_]) -> None:
        self.lines = lines
        self.chosen = chosen

    def __iter__(self) -> Iterator[list[str]]:
        for line, taken in zip(self.lines, self.chosen, strict=True):
            if taken:
                yield WORD.findall(line.lower())


def choose_lines(total: int, share: float, seed: int) -> NDArray[np.bool_]:
    """Return a mask of `share` percent of `total` lines, drawn without replacement."""
    chosen = np.zeros(total, dtype=np.bool_)
    rng = np.random.default_rng([seed, round(share * 1e6)])
    chosen[rng.choice(total, round(total * share / 100), replace=False, shuffle=False)] = True
    return chosen


def train_fasttext(
    sample: SampledLines, name: str, *, dim: int = 300, epochs: int = 10, min_count: int = 5, seed: int = 0
) -> Embedding | None:
    """Train vectors of the sample's words, or None without a frequent word."""
    steps = (f"fastText skip-gram, {dim} dimensions, {epochs} epochs, min_count {min_count}, seed {seed}",)
    paper = {"sg": 1, "window": 5, "negative": 10, "sample": 1e-4, "min_n": 3, "max_n": 6}
    options = {"vector_size": dim, "epochs": epochs, "min_count": min_count, "seed": seed, **paper}
    return train_vectors("FastText", sample, Provenance(name, steps=steps), **options)


LEXICA = ("bellezza", "anew", "warriner")
PAIRS = ("ws-353", "rw", "men", "simlex-999", "simverb-3500")


def load_lexica(findings: Findings, settings: ValnormSettings, language: str) -> list[Lexicon]:
    """Return the lexica in this language; Bellezza stands for its words in the language's own lexicon.

    One that nobody asked for by name and that cannot be had costs no more than its own numbers, if there is another.
    """
    names = settings.lexica or (LEXICA if language == "english" else (f"bellezza-{language}",))
    lexica: list[Lexicon] = []
    available = [name for name in names if settings.lexica or is_lexicon_name(name)]
    for number, name in enumerate(available, start=1):
        last = language == "english" and number == len(names) and not lexica
        is_requested = bool(settings.lexica) or last
        with findings.part(is_requested=is_requested, experiment="valence", language=language, dataset=str(name)):
            lexica.append(_load_lexicon(name, settings, language))
    if language != "english" and not settings.lexica:
        with findings.part(is_requested=not lexica, experiment="valence", language=language, dataset=language):
            lexica.append(load_own_lexicon(findings, language, lambda name: _load_lexicon(name, settings, language)))
    return lexica


def _load_lexicon(name: Named, settings: ValnormSettings, language: str) -> Lexicon:
    local = f"{name}-{language}"
    named = local if language != "english" and is_lexicon_name(local) else name
    return load_lexicon_in(named, language, settings, drop_bad=settings.on_bad == "drop")


def load_all_pairs(findings: Findings, settings: ValnormSettings, language: str) -> list[Pairs]:
    """Return the word pairs in this language; of those that nobody asked for by name, what can be had."""
    default = PAIRS if language == "english" else usual_pairs(language)
    place = {"experiment": "similarity", "language": language}
    if not settings.pairs and not default:
        reason = f"the catalog has no word pairs in {language}; give --pairs"
        findings.notice("failed", reason, **place)
    every: list[Pairs] = []
    for name in settings.pairs or default:
        with findings.part(is_requested=bool(settings.pairs), dataset=str(name), **place):
            pairs = load_pairs(name, language=language)
            if pairs.language != language:
                raise WordworthError(
                    f"{pairs.name} has {pairs.language} pairs and the model is {language} (--language)"
                )
            every.append(pairs)
    return every


def load_polar(findings: Findings, language: str) -> PolarWords:
    """Load and record the pleasant and unpleasant words of a language."""
    polar = polar_words(language)
    findings.add_words(f"polar words, {language}", {"pleasant": polar.pleasant, "unpleasant": polar.unpleasant})
    for word in polar.dropped:
        findings.notice("info", f"the polar word {word!r} was published twice and is used once", language=language)
    return polar


def measure_corpus_sizes(findings: Findings, corpus: Named, settings: ValnormSettings) -> None:
    """Score vectors trained on ever smaller samples of a corpus (Figure 1)."""
    language = settings.languages[0] if settings.languages else "english"
    tasks: list[Lexicon | Pairs] = [
        *load_lexica(findings, settings, language),
        *load_all_pairs(findings, settings, language),
    ]
    lines = load_corpus(corpus, language=language)
    if lines.language != language:
        raise WordworthError(
            f"{lines.name} is {lines.language} text and the language is {language}; give --language {lines.language}"
        )
    total = sum(1 for _ in lines)
    if not total:
        raise WordworthError(f"{corpus} has no lines of text; give a file with one sentence or paragraph a line")
    findings.add_data(lines, total)
    for task in tasks:
        findings.add_data(task, len(task))
    for share in settings.shares:
        chosen = choose_lines(total, share, settings.seed)
        name = f"{Path(str(corpus)).name}@{share:g}%"
        with waiting(f"training vectors on {name}"):
            embedding = train_fasttext(SampledLines(lines, chosen), name, dim=settings.dimensions, seed=settings.seed)
        if embedding is None:
            reason = "lines have no word that occurs five times"
            findings.notice("skipped", reason, count=int(chosen.sum()), total=total, model=name)
            continue
        findings.add_embedding(embedding, language)
        layers = Layers.of(embedding)
        for task in tasks:
            with findings.part(TooFewWordsError, model=name, dataset=task.name):  # a small sample has few words
                if isinstance(task, Lexicon):
                    poles = select_poles(layers, load_polar(findings, language), settings)
                    result = score_valence(layers, poles, task, settings)
                else:
                    result = score_similarity(layers, task, settings)
                findings.add(result, experiment="corpus-size", sentences=int(chosen.sum()))
