"""Rare words, used: is a sentence with a word nearer to that with its hypernym than one with a sibling is?"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.paraphrases import Paraphrases, Triple
from wordworth.contexts import Context
from wordworth.encode import LanguageModel, encode_shard
from wordworth.encode.encoding import checked_layers
from wordworth.encode.spans import in_tokens
from wordworth.errors import WordworthError
from wordworth.measure import bert_score

TOGETHER = 16
"""Triples encoded at a time, so that memory does not grow with the probe."""


@dataclass(frozen=True)
class Probed:
    """The triples of a probe in one layer."""

    layer: int
    triples: tuple[Triple, ...]
    near: NDArray[np.float64]
    """BERTScore F1 of (hypernym, word), a value a triple."""
    far: NDArray[np.float64]
    """BERTScore F1 of (hypernym, sibling)."""

    @property
    def hits(self) -> NDArray[np.bool_]:
        return self.near > self.far


def default_layer(model: LanguageModel) -> int:
    """Three quarters of the way up, where BERTScore's authors found most agreement with people (9 of BERT's 12)."""
    return -(-3 * model.layers // 4)


def paraphrase(
    model: LanguageModel, probe: Paraphrases, layers: Sequence[int] = (), *, idf: bool = False
) -> tuple[list[Probed], list[tuple[Triple, str]]]:
    """BERTScore of the pairs of every triple in the chosen layers, and the triples that could not be encoded, with why.

    Tokens that the model adds ([CLS], <s>) are not matched. With `idf`, tokens weigh
    ln((M + 1) / (df + 1)) over the M sentences of the probe; the paper, like BERTScore by default, has no weights.
    """
    chosen = checked_layers(model, layers or [default_layer(model)])
    if not probe.triples:
        raise WordworthError(f"{probe.name} has no triples to probe with; give three sentences a triple")
    weights = _weights(model, probe) if idf else None
    used: list[Triple] = []
    failed: list[tuple[Triple, str]] = []
    scores: list[list[tuple[float, float]]] = [[] for _ in chosen]
    for start in range(0, len(probe.triples), TOGETHER):
        part = probe.triples[start : start + TOGETHER]
        contexts = [_whole(sentence) for one in part for sentence in (one.word, one.hypernym, one.sibling)]
        shard = encode_shard(model, contexts, chosen)
        reasons = {failure.row: failure.reason for failure in shard.failures}
        states = shard.states.float().numpy()
        starts = [0, *accumulate(shard.subwords)]
        for at, triple in enumerate(part):
            rows = range(3 * at, 3 * at + 3)
            wrong = next((reasons[row] for row in rows if row in reasons), None)
            if wrong is not None:
                failed.append((triple, wrong))
                continue
            used.append(triple)
            own = [weights[contexts[row].text] for row in rows] if weights else [None] * 3
            for layer, pairs in enumerate(scores):
                word, hypernym, sibling = (states[layer, starts[row] : starts[row + 1]] for row in rows)
                near = bert_score(hypernym, word, own[1], own[0]).f1
                far = bert_score(hypernym, sibling, own[1], own[2]).f1
                pairs.append((near, far))
    probed = [
        Probed(layer, tuple(used), *np.array(pairs, dtype=np.float64).reshape(-1, 2).T)
        for layer, pairs in zip(chosen, scores, strict=True)
    ]
    return probed, failed


def _whole(sentence: str) -> Context:
    """A sentence as one span, so that all its tokens' states come out."""
    return Context(sentence, sentence, 0, len(sentence))


def _weights(model: LanguageModel, probe: Paraphrases) -> dict[str, NDArray[np.float64]]:
    """Sentence → idf of its tokens, over the sentences of the probe."""
    texts = dict.fromkeys(text for one in probe.triples for text in (one.word, one.hypernym, one.sibling))
    contexts = [_whole(text) for text in texts]
    found, _ = in_tokens(model.tokenizer, contexts, model.max_length)
    starts = found.starts[found.text]
    words = zip(found.rows.tolist(), starts + found.first, starts + found.end, strict=True)
    tokens = {contexts[row].text: found.ids[start:end] for row, start, end in words}
    held = np.concatenate([np.unique(ids) for ids in tokens.values()]) if tokens else np.empty(0, dtype=np.intp)
    containing = np.bincount(held)
    return {text: np.log((len(texts) + 1) / (containing[ids] + 1)) for text, ids in tokens.items()}
