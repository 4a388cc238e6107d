"""From labelled sentences to batches: what is held out, what is not trained on, and pairs of one length together."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.nli import NliData, load_nli
from wordworth.errors import WordworthError
from wordworth.nli.contextual import Embedder
from wordworth.nli.vocabulary import words_of

Ids = list[list[int]]


@dataclass(frozen=True)
class Sets:
    """What is trained on, what it is stopped by, and what it is measured on."""

    training: tuple[NliData, ...]
    dev: tuple[NliData, ...]
    tests: tuple[NliData, ...]


def load_sets(
    data: Sequence[str | Path],
    dev: Sequence[str | Path],
    tests: Sequence[str | Path],
    *,
    hold_out: float,
    longest: int | None,
    seed: int,
    label_map: Mapping[str, str] | None = None,
) -> Sets:
    """Load them all. Without `dev`, a share of the premises of the first data set is held out in its place.

    A pair whose premise is in a test set, or in the dev set, is never trained on. `label_map` is as in `load_nli`.
    """
    if not data:
        raise WordworthError("there is nothing to train on; name data with --data (`wordworth ls nli`)")
    training, stops, measured = ([load_nli(one, label_map) for one in named] for named in (data, dev, tests))
    if not dev:
        training[0], rest = split_premises(training[0], hold_out, seed)
        stops = [rest]
    stops = [drop_premises(one, measured) for one in stops]
    training = [drop_premises(one, [*measured, *stops]) for one in training]
    if longest:
        training = [drop_long(one, longest) for one in training]
    return Sets(tuple(training), tuple(stops), tuple(measured))


@dataclass(frozen=True, eq=False)
class Examples:
    """Pairs as numbers of tokens, with the index of their label."""

    premises: Ids
    hypotheses: Ids
    labels: NDArray[np.int64]


def read_examples(data: Sequence[NliData], embedder: Embedder, labels: Sequence[str]) -> Examples:
    """Return all pairs of several data sets; a sentence that stands in many is read once."""
    ids = lru_cache(maxsize=None)(embedder.ids)
    return Examples(
        [ids(premise) for one in data for premise in one.premises],
        [ids(hypothesis) for one in data for hypothesis in one.hypotheses],
        np.array([labels.index(label) for one in data for label in one.labels], dtype=np.int64),
    )


def list_batches(examples: Examples, size: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield rows of pairs whose premises have one length and whose hypotheses have one, at most `size`, at random."""
    lengths = np.array([(len(p), len(h)) for p, h in zip(examples.premises, examples.hypotheses, strict=True)])
    order = rng.permutation(len(lengths))
    kinds = lengths[order, 0] * (lengths.max() + 1) + lengths[order, 1]
    sort = np.argsort(kinds, kind="stable")  # the random order stays within each kind
    runs = np.split(order[sort], np.flatnonzero(np.diff(kinds[sort])) + 1)
    parts = [run[at : at + size] for run in runs for at in range(0, len(run), size)]
    for at in rng.permutation(len(parts)):
        yield parts[at]


@lru_cache(maxsize=1 << 20)
def _plain(sentence: str) -> tuple[str, ...]:
    """Return a sentence as its words in lower case; cached, since each set is compared with several."""
    return tuple(word.lower() for word in words_of(sentence))


def split_premises(data: NliData, share: float, seed: int) -> tuple[NliData, NliData]:
    """Return (kept, held out): a random share of the premises, with all their pairs, is held out."""
    premises = list(dict.fromkeys(map(_plain, data.premises)))
    count = round(share * len(premises))
    if not 0 < count < len(premises):
        raise WordworthError(
            f"a share of {share:g} of the {len(premises)} premises of {data.name} leaves nothing to train on or "
            "nothing to stop by; choose another --hold-out, or give --dev"
        )
    chosen = {premises[at] for at in np.random.default_rng(seed).permutation(len(premises))[:count]}
    is_held = np.array([_plain(premise) in chosen for premise in data.premises])
    return _keep(data, ~is_held, "pairs held out to stop by"), data.only(np.flatnonzero(is_held).tolist(), {})


def drop_premises(data: NliData, others: Iterable[NliData]) -> NliData:
    """Return the pairs whose premise is none of the others' premises, whatever their case and spacing."""
    for other in others:
        premises = set(map(_plain, other.premises))
        is_new = np.array([_plain(premise) not in premises for premise in data.premises])
        if not is_new.all():
            data = _keep(data, is_new, f"pairs whose premise is in {other.name}")
    return data


def drop_long(data: NliData, longest: int) -> NliData:
    """Return the pairs whose sentences both have at most `longest` words and punctuation marks."""
    pairs = zip(data.premises, data.hypotheses, strict=True)
    is_short = np.array([max(len(_plain(sentence)) for sentence in pair) <= longest for pair in pairs])
    return _keep(data, is_short, f"pairs with a sentence of over {longest} words")


def _keep(data: NliData, rows: NDArray[np.bool_], why: str) -> NliData:
    return data.only(np.flatnonzero(rows).tolist(), {why: int((~rows).sum())})
