"""From rows of hidden states to the scores of units, with logits in memory for a slice of rows at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.encode.passes import inference, refuse_overflow
from wordworth.whole_words.reader import Reader, count_rows

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


def send(device: torch.device, *arrays: Ints) -> list[Tensor]:
    """Send whole numbers to the device, in one copy."""
    if device.type != "cuda":
        return [torch.from_numpy(array).to(device) for array in arrays]
    joined = torch.from_numpy(np.concatenate([array.ravel() for array in arrays])).pin_memory()
    flat = torch.split(joined.to(device, non_blocking=True), [array.size for array in arrays])
    return [one.view(array.shape) for one, array in zip(flat, arrays, strict=True)]


def to_double(logits: Tensor) -> Tensor:
    """Return logits in float64, which an Apple GPU does not have: they leave it."""
    return (logits.cpu() if logits.is_mps else logits).double()


def fetch(tensors: Sequence[Tensor]) -> tuple[list[Tensor], Any]:
    """Send tensors from the device; wait for the event, if there is one, before they are read."""
    if not tensors or not tensors[0].is_cuda:
        return [one.cpu() for one in tensors], None
    here = [torch.empty(one.shape, dtype=one.dtype, pin_memory=True) for one in tensors]
    untyped: Any = torch.cuda.Event
    event = untyped()
    fetched = [to.copy_(one, non_blocking=True) for to, one in zip(here, tensors, strict=True)]
    event.record()
    return fetched, event


@dataclass(frozen=True)
class UnitQuery:
    """Which units are to be scored where: `units[i]` at row `rows[i]`; rows ascend."""

    rows: Ints
    units: Ints
    opens: Flags | None = None
    """Where the unit is to begin a word: it is then among the k best of those that do."""


@dataclass(frozen=True)
class UnitScores:
    """A value for each row, and for each unit of the query. A unit is among the k best where fewer than k units
    have a larger logit: of equal ones all or none."""

    greedy: Ints
    """The unit with the largest logit; of equal ones, the first."""
    ended: Flags
    """One of the k best begins a word."""
    among: Flags
    """The unit of the query is among the k best."""
    own_among: Flags
    own: Floats
    """ln p of the unit that really follows (NaN where none is given)."""
    begin: Floats
    """ln of the probability that the next unit begins a word."""
    opens: Ints
    """The unit with the largest logit of those that begin a word, where that is asked for; else of all."""
    own_opens: Flags
    """The unit that really follows is among the k best of those."""

    def split(self, rows: Ints, asked: Ints) -> "list[UnitScores]":
        """Cut at these rows and units of the query, where own units were not scored."""
        parts = zip(np.split(self.greedy, rows), np.split(self.ended, rows), np.split(self.among, asked), strict=True)
        return [replace(self, greedy=greedy, ended=ended, among=among) for greedy, ended, among in parts]


class PendingScores:
    """Scores that the device computes; `result` waits for them."""

    def __init__(
        self,
        reader: Reader,
        rows: Tensor,
        k: int,
        begins: Tensor,
        query: UnitQuery,
        after: Ints,
        own: Ints | None = None,
    ) -> None:
        """`begins` is 1.0 where a unit begins a word, states × units; `after` is the state of each row. `own` is the
        unit that follows each row, −1 for none; probabilities are computed only where it is given. With k = 0, only
        they are."""
        self._reader, self._rows, self._no_begin, self._after = reader, rows, begins == 0, after
        has_opens = query.opens is not None
        opens = np.zeros(len(query.rows)) if query.opens is None else query.opens
        sent = [query.rows, query.units, opens.astype(np.int64), after] + ([] if own is None else [own])
        query_rows, query_units, query_opens, states, *following = send(rows.device, *sent)
        parts: list[tuple[Tensor, ...]] = []
        size = count_rows(reader.device, reader.width)
        for start in range(0, len(rows), size):
            some = slice(start, start + size)
            logits = reader.logits(rows[some])
            if not k:
                most, own_units = logits.amax(1), following[0][some]
                scored = _probabilities(logits, own_units, most, begins, states[some], after[some])
                parts.append((most.isfinite(), *(most.new_zeros(0),) * 6, *scored[1:]))
                continue
            greedy, most, threshold = _best(logits, k)
            beginning = logits.masked_fill(self._no_begin[states[some]], -torch.inf)
            opening, _, least = _best(beginning, k) if has_opens else (greedy, most, threshold)
            low, high = np.searchsorted(query.rows, (start, start + size)).tolist()
            at = query_rows[low:high] - start
            asked = logits[at, query_units[low:high]]
            among = asked >= torch.where(query_opens[low:high] > 0, least[at], threshold[at])
            part: tuple[Tensor, ...] = (most.isfinite(), greedy, beginning.amax(1) >= threshold, among)
            if following:
                own_logits, *probabilities = _probabilities(
                    logits, following[0][some], most, begins, states[some], after[some]
                )
                part += (own_logits >= threshold, own_logits >= least, opening, *probabilities)
            parts.append(part)
        self._fetched, self._event = fetch([torch.cat(column) for column in zip(*parts, strict=True)])

    def result(self) -> UnitScores:
        """Wait for the device and return the scores."""
        if self._event is not None:
            self._event.synchronize()
        finite, greedy, ended, among, *scored = (one.numpy() for one in self._fetched)
        if not finite.all():
            refuse_overflow(self._reader.base.name, self._reader.base.dtype)
        if not scored:
            none: Any = np.zeros(0)
            return UnitScores(greedy, ended, among, none, none, none, none, none)
        own_among, own_opens, opening, own, begin, total = scored
        lost = np.flatnonzero(np.isneginf(begin))
        if len(lost):
            # Too small for a sum of floats, so by its logarithm.
            begin[lost] = self._log_begins(lost) - total[lost]
        floats = own.astype(np.float64), begin.astype(np.float64)
        return UnitScores(greedy, ended, among, own_among, *floats, opening, own_opens)

    def _log_begins(self, rows: Ints) -> Floats:
        """Return ln of the sum of exp(logits) over the units that begin a word, in some rows."""
        at, states = send(self._rows.device, rows, self._after[rows])
        size = count_rows(self._reader.device, self._reader.width)
        sums = []
        with inference():
            for some, after in zip(torch.split(self._rows[at], size), torch.split(states, size), strict=True):
                logits = self._reader.logits(some).masked_fill_(self._no_begin[after], -torch.inf)
                sums.append(to_double(logits).logsumexp(1))
        mass: Floats = torch.cat(sums).cpu().numpy()
        return mass


def _best(logits: Tensor, k: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the unit with the largest logit (of equal ones, the first), that logit, and the k-th largest."""
    best = logits.topk(k, dim=1).values
    return logits.argmax(1), best[:, 0], best[:, -1]


def _probabilities(
    logits: Tensor, following: Tensor, most: Tensor, begins: Tensor, states: Tensor, after: Ints
) -> tuple[Tensor, ...]:
    """Return the following unit's logit, its ln p, ln P(begin), and ln of the sum of all exp(logits).

    `logits` are overwritten."""
    own = logits.gather(1, following.clamp(min=0)[:, None])[:, 0]
    mass = logits.sub_(most[:, None]).exp_()
    total = mass.sum(1).log()
    begin = sum_begins(mass, begins, states, after).log() - total
    own_p = torch.where(following < 0, torch.nan, own - most - total)
    return own, own_p, begin, total + most


def sum_begins(mass: Tensor, begins: Tensor, states: Tensor, after: Ints) -> Tensor:
    """Return the sum over the units that begin a word, in each row after its state (`after` is the same on the host).

    `mass` is overwritten."""
    if mass.is_cuda:
        return (mass @ begins.T).gather(1, states[:, None])[:, 0]  # one pass over them, in many short sums
    # Summed, not multiplied: there a product adds hundreds of thousands of small terms one by one and loses digits.
    usual, others = begins[0], {state: np.flatnonzero(after == state) for state in range(1, len(begins))}
    apart = {state: (mass[rows] * begins[state]).sum(1) for state, rows in others.items() if len(rows)}
    found = mass.mul_(usual).sum(1)
    for state, sums in apart.items():
        found[others[state]] = sums
    return found
