"""A small embedding whose pleasant and unpleasant words lie apart, a tiny language model, and slow plain measures."""

from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import numpy as np
import pytest

from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.read.word_sets import load_test, polar_words
from wordworth.embedding import Embedding, Provenance

if TYPE_CHECKING:
    from wordworth.encode import LanguageModel

Made = Callable[..., Embedding]


@pytest.fixture(scope="session")
def make() -> Made:
    def make(words: Iterable[str], name: str = "small", seed: int = 0, language: str = "", dim: int = 12) -> Embedding:
        """Random vectors for these words."""
        unique = list(dict.fromkeys(words))
        matrix = np.random.default_rng(seed).normal(size=(len(unique), dim)).astype(np.float32)
        return Embedding(unique, matrix, Provenance(name, language=language))

    return make


@pytest.fixture(scope="session")
def small() -> Embedding:
    """Most of Bellezza's words and the polar words, laid along one direction by their rating; pairs, WEAT 1, 2, 8.

    “adorable” is missing; “ambition” is spelled “Ambition”.
    """
    lexicon, polar, pairs = load_lexicon("bellezza"), polar_words(), load_pairs("rg-65")
    worth = dict(zip(lexicon.words, (lexicon.valence - 3).tolist(), strict=True))
    worth |= dict.fromkeys(polar.pleasant, 1.5) | dict.fromkeys(polar.unpleasant, -1.5)
    words = [*worth, *pairs.first, *pairs.second]
    words += [word for name in ("weat1", "weat2", "weat8") for group in load_test(name).groups for word in group]
    words = [word for word in dict.fromkeys(words) if word != "adorable"]
    matrix = np.random.default_rng(1).normal(size=(len(words), 12))
    matrix[:, 0] += [worth.get(word, 0.0) for word in words]
    spelled = ["Ambition" if word == "ambition" else word for word in words]
    return Embedding(spelled, matrix.astype(np.float32), Provenance("small"))


def cosine(u: Sequence[float], v: Sequence[float]) -> float:
    dot = sum(a * b for a, b in zip(u, v, strict=True))
    return dot / sqrt(sum(a * a for a in u)) / sqrt(sum(b * b for b in v))


class Slow:
    """The papers' formulas, a word at a time."""

    cosine = staticmethod(cosine)

    @staticmethod
    def sc_weat(word: list[float], A: list[list[float]], B: list[list[float]]) -> float:
        to_a, to_b = [cosine(word, a) for a in A], [cosine(word, b) for b in B]
        return (fmean(to_a) - fmean(to_b)) / stdev(to_a + to_b)

    @staticmethod
    def association(word: list[float], A: list[list[float]], B: list[list[float]]) -> float:
        return fmean(cosine(word, a) for a in A) - fmean(cosine(word, b) for b in B)

    @staticmethod
    def weat(X: list[list[float]], Y: list[list[float]], A: list[list[float]], B: list[list[float]]) -> float:
        x, y = [Slow.association(w, A, B) for w in X], [Slow.association(w, A, B) for w in Y]
        return (fmean(x) - fmean(y)) / stdev(x + y)


@pytest.fixture(scope="session")
def slow() -> type[Slow]:
    return Slow


@pytest.fixture(scope="session")
def tiny() -> "LanguageModel":
    """A GPT-2 of two layers whose tokenizer knows some of Bellezza's words whole and splits the others."""
    torch = pytest.importorskip("torch")
    import transformers as hf

    from made_models import train_bytes
    from wordworth.encode import wrap

    words = load_lexicon("bellezza").words[::2]
    polar = polar_words()
    texts = [f"This is {word}" for word in (*words, *polar.pleasant, *polar.unpleasant)]
    tokenizer = train_bytes(texts, 900, ["<s>"])
    fast = hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", pad_token="<s>")
    torch.manual_seed(0)
    config = hf.GPT2Config(vocab_size=len(fast), n_positions=64, n_embd=16, n_layer=2, n_head=2)
    return wrap(hf.GPT2Model(config), fast, name="tiny", source="memory")
