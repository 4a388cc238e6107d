"""vast and static on language models: a sentence at a time through transformers, with nothing shared."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray
from scipy.stats import pearsonr, spearmanr
from transformers import AutoModel, AutoTokenizer

from truth import plain
from truth.check import Check, score
from truth.isolation import TopLayer, isolate
from wordworth.catalog.models import locate_language_model
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.read.word_sets import load_test, polar_words
from wordworth.contexts.sampling import Draw, draw, load_texts
from wordworth.encode.conversion import convert_gguf
from wordworth.results.run import Run
from wordworth.task.similarity import list_words

FLOAT32 = 2e-4
"""A correlation of vectors in float32: batches and lone sentences add up in another order."""
POOLING = {"minilm-l6": "mean", "smollm2-135m": "last"}
"""Of subwords: a causal model's last one has seen the word, an encoder's all have."""
BLEACHED = "This is WORD"
ALIGNED = (
    (2.5, "It is very unpleasant to think of WORD"),
    (4.0, "It is unpleasant to think of WORD"),
    (6.0, "It is neither pleasant nor unpleasant to think of WORD"),
    (7.5, "It is pleasant to think of WORD"),
    (9.1, "It is very pleasant to think of WORD"),
)
"""VAST's appendix: a rating below the number takes the text."""


@cache
def loaded(name: str) -> tuple[Any, Any]:
    """Tokenizer and network as transformers gives them."""
    place = Path(locate_language_model(name).place)
    folder = convert_gguf(place) if place.is_file() else place  # a GGUF file's weights in float32
    return AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).float().eval()


@cache
def vectors_in(name: str, text: str, word: str) -> NDArray[np.float64]:
    """layers × dimensions of a word that ends the text, by the pooling that is usual for the model."""
    tokenizer, network = loaded(name)
    start = text.rindex(word)
    encoded = tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
    spans = encoded.pop("offset_mapping")[0].tolist()
    inside = [at for at, (begin, end) in enumerate(spans) if end > begin and end > start and begin < start + len(word)]
    with torch.inference_mode():
        hidden = network(**encoded, output_hidden_states=True).hidden_states
    pooled = inside[-1:] if POOLING[name] == "last" else inside
    return np.stack([layer[0, pooled].double().mean(dim=0).numpy() for layer in hidden])


def aligned(word: str, rating: float, *, opposite: bool = False) -> str:
    """The text of a word's rating, or the one as far from the other end."""
    place = next(at for at, (below, _) in enumerate(ALIGNED) if rating < below)
    return ALIGNED[-1 - place if opposite else place][1].replace("WORD", word)


def valence_checks(run: Run, name: str, contexts: tuple[str, ...]) -> Iterator[Check]:
    """Check ρ by layer in the contexts with a template."""
    lexicon, polar = load_lexicon("bellezza"), polar_words()
    nine = {w: 1 + (r - 1) * 2 for w, r in zip(lexicon.words, lexicon.valence.tolist(), strict=True)}
    for context in contexts:
        words = [vectors_in(name, _text(context, word, nine[word]), word) for word in lexicon.words]
        steady = "aligned" if context == "misaligned" else context
        a, b = (
            [vectors_in(name, _text(steady, word, nine.get(word, usual)), word) for word in side]
            for side, usual in ((polar.pleasant, 9.0), (polar.unpleasant, 1.0))
        )
        for layer in range(len(words[0])):
            columns = {"model": name, "context": context, "dataset": "bellezza", "measure": "valence", "layer": layer}
            row = score(run.scores, **columns, pooling=POOLING[name], experiment="contextualization")
            if row:
                effects = _effects(words, a, b, layer)
                again = float(pearsonr(effects, lexicon.valence).statistic)
                of = f"{name} {context}, layer {layer}"
                yield Check("vast", "valence", of, "a sentence at a time, plain loops", row["value"], again, FLOAT32)


def isolation_checks(run: Run, name: str, data: Path) -> Iterator[Check]:
    """ρ in the top layer with components nullified, by a module that uses nothing of the package."""
    place = Path(locate_language_model(name).place)
    source = (place.parent, POOLING[name], place.name) if place.is_file() else (place, POOLING[name])
    again = isolate(TopLayer(*source), data, ("bleached", "aligned", "misaligned"), (1, 2, 5, 8))
    columns = {"model": name, "dataset": "bellezza", "measure": "valence", "experiment": "isolation"}
    top = run.scores.filter(pl.col("model") == name).get_column("layer").max()
    for (context, k), rho in again.items():
        row = score(run.scores, **columns, context=context, layer=top, components=k, pooling=POOLING[name])
        if row:
            of = f"{name} {context}, layer {top}, {k} components nullified"
            how = "published files, transformers without padding, numpy's SVD"
            yield Check("vast", "isolated valence", of, how, row["value"], rho, 10 * FLOAT32)


def _text(context: str, word: str, rating: float) -> str:
    if context == "bleached":
        return BLEACHED.replace("WORD", word)
    return aligned(word, rating, opposite=context == "misaligned")


def _effects(words: Any, a: Any, b: Any, layer: int) -> list[float]:
    poles = [one[layer] for one in a], [one[layer] for one in b]
    return [plain.sc_weat(word[layer], *poles) for word in words]


def bias_checks(run: Run, name: str, tests: tuple[str, ...]) -> Iterator[Check]:
    """WEAT on bleached words by layer, vectors as they are."""
    for test in map(load_test, tests):
        x, y, a, b = (
            [vectors_in(name, BLEACHED.replace("WORD", word), word) for word in group] for group in test.groups
        )
        for layer in range(len(x[0])):
            columns = {"model": name, "dataset": test.name, "measure": "weat", "layer": layer, "experiment": "bias"}
            row = score(run.scores, **columns)
            if row:
                again = plain.weat(*([one[layer] for one in group] for group in (x, y, a, b)))
                of = f"{name} bleached, {test.name}, layer {layer}"
                yield Check("vast", "weat d", of, "a sentence at a time, plain loops", row["value"], again, FLOAT32)


def alone_checks(run: Run, name: str) -> Iterator[Check]:
    """static's words alone: ρ of cosines with ratings, by layer."""
    pairs = load_pairs("rg-65")
    vectors = {word: vectors_in(name, word, word) for word in {*pairs.first, *pairs.second}}
    for layer in range(len(next(iter(vectors.values())))):
        columns = {"model": name, "dataset": pairs.name, "measure": "similarity", "layer": layer}
        row = score(run.scores, **columns, context="decontextualized", pooling=POOLING[name])
        if row:
            rows = zip(pairs.first, pairs.second, strict=True)
            cosines = [plain.cos(vectors[u][layer], vectors[v][layer]) for u, v in rows]
            again = float(spearmanr(cosines, pairs.scores).statistic)
            of = f"{name} alone, rg-65, layer {layer}"
            yield Check("static", "similarity", of, "a word at a time, plain loops", row["value"], again, FLOAT32)


def aggregated_checks(run: Run, name: str, sentences: int) -> Iterator[Check]:
    """static's words over sentences: mean over subwords, then over occurrences; alone where a word has none."""
    tasks = [load_pairs("rg-65"), load_pairs("ws-353")]
    words = tuple(dict.fromkeys(word for pairs in tasks for word in list_words(pairs)))
    sample = draw(load_texts(("enwiki-sample",), "english"), words, Draw(count=sentences))
    met: dict[str, list[NDArray[np.float64]]] = {}
    for sentence in sample.read():
        for at, states in _in_sentence(name, sentence.text, sentence.spans):
            met.setdefault(words[at], []).append(states)
    vectors = {word: np.mean(met[word], axis=0) if word in met else vectors_in(name, word, word) for word in words}
    for pairs in tasks:
        for layer in range(len(next(iter(vectors.values())))):
            columns = {"model": name, "dataset": pairs.name, "measure": "similarity", "layer": layer}
            row = score(run.scores, **columns, context="aggregated", pooling="mean/mean")
            if row:
                rows = zip(pairs.first, pairs.second, strict=True)
                cosines = [plain.cos(vectors[u][layer], vectors[v][layer]) for u, v in rows]
                again = float(spearmanr(cosines, pairs.scores).statistic)
                of = f"{name} over {sentences} sentences, {pairs.name}, layer {layer}"
                yield Check(
                    "static", "similarity", of, "a sentence at a time, plain means", row["value"], again, FLOAT32
                )


def _in_sentence(name: str, text: str, spans: Any) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """(word, layers × dimensions) of each span of a sentence, its subwords averaged."""
    tokenizer, network = loaded(name)
    encoded = tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
    offsets = encoded.pop("offset_mapping")[0].tolist()
    with torch.inference_mode():
        hidden = network(**encoded, output_hidden_states=True).hidden_states
    for word, start, end in spans:
        inside = [at for at, (left, right) in enumerate(offsets) if right > left and left < end and right > start]
        yield word, np.stack([layer[0, inside].double().mean(dim=0).numpy() for layer in hidden])
