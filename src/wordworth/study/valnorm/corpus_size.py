"""How much text an embedding needs (ValNorm, Figure 1): samples of a corpus, vectors trained on each.

Training follows subs2vec, as the paper does: fastText skip-gram, 300 dimensions, window 5, 10 negatives, 10 epochs,
words met at least 5 times, subsampling 1e-4, character n-grams of 3 to 6.
"""

import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from wordworth.embedding import Embedding, Provenance
from wordworth.errors import WordworthError

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
    """A mask of `share` percent of `total` lines, drawn without replacement."""
    if not 0 < share <= 100:
        raise WordworthError(f"a share of {share:g} % of a corpus cannot be drawn; give one above 0 and up to 100")
    chosen = np.zeros(total, dtype=np.bool_)
    rng = np.random.default_rng([seed, round(share * 1e6)])
    chosen[rng.choice(total, round(total * share / 100), replace=False, shuffle=False)] = True
    return chosen


def train_fasttext(
    sample: SampledLines, name: str, *, dim: int = 300, epochs: int = 10, min_count: int = 5, seed: int = 0
) -> Embedding | None:
    """Vectors of the sample's own words, or None when no word is met often enough. One thread, so the seed decides."""
    if dim < 1:
        raise WordworthError(f"vectors cannot have {dim} dimensions; give --dimensions of 1 or more")
    if find_spec("gensim") is None:
        raise WordworthError("training vectors needs gensim; install it with `pip install wordworth[train]`")
    from gensim.models import FastText

    model = FastText(
        vector_size=dim,
        sg=1,
        window=5,
        negative=10,
        sample=1e-4,
        min_count=min_count,
        min_n=3,
        max_n=6,
        seed=seed,
        workers=1,
    )
    model.build_vocab(corpus_iterable=sample)
    if not model.wv.index_to_key:
        return None
    model.train(corpus_iterable=sample, total_examples=model.corpus_count, epochs=epochs)
    words = list(model.wv.index_to_key)
    steps = (f"fastText skip-gram, {dim} dimensions, {epochs} epochs, min_count {min_count}, seed {seed}",)
    return Embedding(words, np.asarray(model.wv.vectors, dtype=np.float32), Provenance(name, steps=steps))
