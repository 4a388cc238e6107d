"""Score units from rows of hidden states, with logits in memory for a slice of rows at a time."""

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
    """Send integer arrays to the device in one copy."""
    if device.type != "cuda":
        return [torch.from_numpy(array).to(device) for array in arrays]
    flat = torch.from_numpy(np.concatenate([array.ravel() for array in arrays])).pin_memory()
    tensors = torch.split(flat.to(device, non_blocking=True), [array.size for array in arrays])
    return [tensor.view(array.shape) for tensor, array in zip(tensors, arrays, strict=True)]


def to_double(logits: Tensor) -> Tensor:
    """Return logits in float64; from an Apple GPU, which lacks float64, they move to the CPU."""
    return (logits.cpu() if logits.is_mps else logits).double()


def fetch(tensors: Sequence[Tensor]) -> tuple[list[Tensor], Any]:
    """Copy tensors from the device; wait for the event, if there is one, before reading them."""
    if not tensors or not tensors[0].is_cuda:
        return [tensor.cpu() for tensor in tensors], None
    buffers = [torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True) for tensor in tensors]
    event_class: Any = torch.cuda.Event
    event = event_class()
    copies = [buffer.copy_(tensor, non_blocking=True) for buffer, tensor in zip(buffers, tensors, strict=True)]
    event.record()
    return copies, event


@dataclass(frozen=True)
class UnitQuery:
    """The units to score: `units[i]` at row `rows[i]`; rows ascend."""

    rows: Ints
    units: Ints
    opens: Flags | None = None
    """Whether the unit must begin a word: it then competes only with units that do."""


@dataclass(frozen=True)
class UnitScores:
    """A value per row, and per unit of the query. A unit is among the k best if fewer than k units have a larger logit:
    of equal ones all or none."""

    greedy: Ints
    """The unit with the largest logit, the first of equal ones."""
    can_end: Flags
    """Whether one of the k best begins a word, so that a word can end here."""
    among: Flags
    """Whether the unit of the query is among the k best."""
    own_among: Flags
    own: Floats
    """ln p of the actual next unit (NaN if there is none)."""
    begin: Floats
    """ln of the probability that the next unit begins a word."""
    opens: Ints
    """The unit with the largest logit, among those that begin a word if the query asks for them."""
    own_opens: Flags
    """Whether the actual next unit is among the k best of those."""

    def split(self, rows: Ints, units: Ints) -> "list[UnitScores]":
        """Split scores without own units at these rows and units of the query."""
        parts = zip(np.split(self.greedy, rows), np.split(self.can_end, rows), np.split(self.among, units), strict=True)
        return [replace(self, greedy=greedy, can_end=can_end, among=among) for greedy, can_end, among in parts]


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
        """Start the computation. `begins` (states × units) is 1.0 if a unit begins a word; `after` is the state of each
        row. `own` is the actual unit after each row (−1 for none), and needed for probabilities. With k = 0, only these
        are computed."""
        self._reader, self._rows, self._no_begin, self._after = reader, rows, begins == 0, after
        has_opens = query.opens is not None
        opens = np.zeros(len(query.rows)) if query.opens is None else query.opens
        arrays = [query.rows, query.units, opens.astype(np.int64), after] + ([] if own is None else [own])
        query_rows, query_units, query_opens, states, *next_units = send(rows.device, *arrays)
        scores_of_slices: list[tuple[Tensor, ...]] = []
        size = count_rows(reader.device, reader.width)
        for start in range(0, len(rows), size):
            part = slice(start, start + size)
            logits, part_states, part_after = reader.logits(rows[part]), states[part], after[part]
            if not k:
                tops = logits.amax(1)
                _, *scores = _probabilities(logits, next_units[0][part], tops, begins, part_states, part_after)
                scores_of_slices.append((tops.isfinite(), *(tops.new_zeros(0),) * 6, *scores))
                continue
            greedy, tops, threshold = _best(logits, k)
            begin_logits = logits.masked_fill(self._no_begin[part_states], -torch.inf)
            best_opening, _, begin_threshold = _best(begin_logits, k) if has_opens else (greedy, tops, threshold)
            low, high = np.searchsorted(query.rows, (start, start + size)).tolist()
            places = query_rows[low:high] - start
            query_logits = logits[places, query_units[low:high]]
            among = query_logits >= torch.where(query_opens[low:high] > 0, begin_threshold[places], threshold[places])
            slice_scores: tuple[Tensor, ...] = (tops.isfinite(), greedy, begin_logits.amax(1) >= threshold, among)
            if next_units:
                own_logits, *scores = _probabilities(logits, next_units[0][part], tops, begins, part_states, part_after)
                slice_scores += (own_logits >= threshold, own_logits >= begin_threshold, best_opening, *scores)
            scores_of_slices.append(slice_scores)
        self._copies, self._event = fetch([torch.cat(column) for column in zip(*scores_of_slices, strict=True)])

    def result(self) -> UnitScores:
        """Wait for the device and return the scores."""
        if self._event is not None:
            self._event.synchronize()
        finite, greedy, can_end, among, *probabilities = (tensor.numpy() for tensor in self._copies)
        if not finite.all():
            refuse_overflow(self._reader.base.name, self._reader.base.dtype)
        if not probabilities:
            no_values: Any = np.zeros(0)
            return UnitScores(greedy, can_end, among, no_values, no_values, no_values, no_values, no_values)
        own_among, own_opens, opens, own_logp, begin_logp, total = probabilities
        underflow_rows = np.flatnonzero(np.isneginf(begin_logp))
        if len(underflow_rows):
            # The sum underflows, so compute its logarithm directly.
            begin_logp[underflow_rows] = self._log_begins(underflow_rows) - total[underflow_rows]
        floats = own_logp.astype(np.float64), begin_logp.astype(np.float64)
        return UnitScores(greedy, can_end, among, own_among, *floats, opens, own_opens)

    def _log_begins(self, rows: Ints) -> Floats:
        """Return ln of the sum of exp(logits) over the units that begin a word, for some rows."""
        indices, states = send(self._rows.device, rows, self._after[rows])
        size = count_rows(self._reader.device, self._reader.width)
        sums = []
        with inference():
            for part, after in zip(torch.split(self._rows[indices], size), torch.split(states, size), strict=True):
                logits = self._reader.logits(part).masked_fill_(self._no_begin[after], -torch.inf)
                sums.append(to_double(logits).logsumexp(1))
        mass: Floats = torch.cat(sums).cpu().numpy()
        return mass


def _best(logits: Tensor, k: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the unit with the largest logit (the first of equal ones), that logit, and the k-th largest."""
    best = logits.topk(k, dim=1).values
    return logits.argmax(1), best[:, 0], best[:, -1]


def _probabilities(
    logits: Tensor, next_units: Tensor, tops: Tensor, begins: Tensor, states: Tensor, after: Ints
) -> tuple[Tensor, ...]:
    """Return the following unit's logit, its ln p, ln P(begin), and ln of the sum of all exp(logits).

    `logits` are overwritten."""
    next_logits = logits.gather(1, next_units.clamp(min=0)[:, None])[:, 0]
    mass = logits.sub_(tops[:, None]).exp_()
    total = mass.sum(1).log()
    begin = sum_begins(mass, begins, states, after).log() - total
    next_logp = torch.where(next_units < 0, torch.nan, next_logits - tops - total)
    return next_logits, next_logp, begin, total + tops


def sum_begins(mass: Tensor, begins: Tensor, states: Tensor, after: Ints) -> Tensor:
    """Return the sum over the units that begin a word after each row's state (`after` is `states` on the host).

    `mass` is overwritten."""
    if mass.is_cuda:
        return (mass @ begins.T).gather(1, states[:, None])[:, 0]  # one pass, in many short sums
    # Sum on a CPU: its matrix product adds hundreds of thousands of small terms one by one and loses digits.
    word_begins, rows_by_state = begins[0], {state: np.flatnonzero(after == state) for state in range(1, len(begins))}
    sums_by_state = {state: (mass[rows] * begins[state]).sum(1) for state, rows in rows_by_state.items() if len(rows)}
    totals = mass.mul_(word_begins).sum(1)
    for state, sums in sums_by_state.items():
        totals[rows_by_state[state]] = sums
    return totals
