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


@dataclass(frozen=True)
class Sets:
    """What is trained on, what it is stopped by, and what it is measured on."""

    training: tuple[NliData, ...]
    dev: tuple[NliData, ...]
    tests: tuple[NliData, ...]


def chosen_sets(
    data: Sequence[str | Path],
    dev: Sequence[str | Path],
    tests: Sequence[str | Path],
    *,
    hold_out: float,
    longest: int | None,
    seed: int,
    label_map: Mapping[str, str] | None = None,
) -> Sets:
    """Reads them all. Without `dev`, a share of the premises of the first data set is held out in its place.

    A pair whose premise is in a test set, or in the dev set, is never trained on. `label_map` is as in `load_nli`.
    """
    if not data:
        raise WordworthError("there is nothing to train on; name data with --data (`wordworth ls nli`)")
    measured = tuple(load_nli(one, label_map) for one in tests)
    training = [load_nli(one, label_map) for one in data]
    if dev:
        stops = [load_nli(one, label_map) for one in dev]
    else:
        training[0], rest = held_out(training[0], hold_out, seed)
        stops = [rest]
    stops = [without(one, measured) for one in stops]
    training = [without(one, [*measured, *stops]) for one in training]
    if longest:
        training = [no_longer(one, longest) for one in training]
    return Sets(tuple(training), tuple(stops), measured)


@dataclass(frozen=True, eq=False)
class Examples:
    """Pairs as numbers of tokens, with the index of their label."""

    premises: list[list[int]]
    hypotheses: list[list[int]]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)

    def side(self, rows: NDArray[np.int64], of: str) -> NDArray[np.int64]:
        """The ids (pairs, tokens) of `premises` or `hypotheses` of one length."""
        read: list[list[int]] = getattr(self, of)
        return np.array([read[row] for row in rows], dtype=np.int64)


def examples(data: Sequence[NliData], embedder: Embedder, labels: Sequence[str]) -> Examples:
    """All pairs of several data sets; a sentence that stands in many is read once."""
    known: dict[str, list[int]] = {}

    def read(sentence: str) -> list[int]:
        if sentence not in known:
            known[sentence] = embedder.ids(sentence)
        return known[sentence]

    place = {label: at for at, label in enumerate(labels)}
    return Examples(
        [read(premise) for one in data for premise in one.premises],
        [read(hypothesis) for one in data for hypothesis in one.hypotheses],
        np.array([place[label] for one in data for label in one.labels], dtype=np.int64),
    )


def batches(examples: Examples, size: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Rows of pairs whose premises have one length and whose hypotheses have one, at most `size`, in random order."""
    lengths = np.array([(len(p), len(h)) for p, h in zip(examples.premises, examples.hypotheses, strict=True)])
    order = rng.permutation(len(examples))
    kinds = lengths[order, 0] * (lengths.max() + 1) + lengths[order, 1]
    sort = np.argsort(kinds, kind="stable")  # the random order stays within each kind
    runs = np.split(order[sort], np.flatnonzero(np.diff(kinds[sort])) + 1)
    parts = [run[at : at + size] for run in runs for at in range(0, len(run), size)]
    for at in rng.permutation(len(parts)):
        yield parts[at]


@lru_cache(maxsize=1 << 20)
def _plain(sentence: str) -> tuple[str, ...]:
    """A sentence as its words; kept, because it is asked for with every set that it is held against."""
    return tuple(word.lower() for word in words_of(sentence))


def held_out(data: NliData, share: float, seed: int) -> tuple[NliData, NliData]:
    """(kept, held out): a random share of the premises, with all their pairs, so that no premise is in both."""
    premises = list(dict.fromkeys(map(_plain, data.premises)))
    count = round(share * len(premises))
    if not 0 < count < len(premises):
        raise WordworthError(
            f"a share of {share:g} of the {len(premises)} premises of {data.name} leaves nothing to train on or "
            "nothing to stop by; choose another --hold-out, or give --dev"
        )
    chosen = {premises[at] for at in np.random.default_rng(seed).permutation(len(premises))[:count]}
    apart = [_plain(premise) in chosen for premise in data.premises]
    kept = [at for at, out in enumerate(apart) if not out]
    rest = [at for at, out in enumerate(apart) if out]
    return data.only(kept, {"pairs held out to stop by": len(rest)}), data.only(rest, {})


def without(data: NliData, others: Iterable[NliData]) -> NliData:
    """The pairs whose premise is none of the others' premises, whatever their case and spacing."""
    for other in others:
        premises = set(map(_plain, other.premises))
        kept = [at for at, premise in enumerate(data.premises) if _plain(premise) not in premises]
        if len(kept) < len(data):
            data = data.only(kept, {f"pairs whose premise is in {other.name}": len(data) - len(kept)})
    return data


def no_longer(data: NliData, longest: int) -> NliData:
    """The pairs whose sentences both have at most `longest` words and punctuation marks."""
    kept = [
        at
        for at, pair in enumerate(zip(data.premises, data.hypotheses, strict=True))
        if max(len(_plain(sentence)) for sentence in pair) <= longest
    ]
    return data.only(kept, {f"pairs with a sentence of over {longest} words": len(data) - len(kept)})
