"""From rows of hidden states to the scores of units, with logits in memory for a slice of rows at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.predict.reader import Reader

SLICE_BYTES = {"cpu": 64 << 20, "cuda": 1 << 30}
"""Logits at one time."""
BLOCK = 64
"""Units that are looked at together: about √(units / k) of them leave least to sort."""
LOOKED = 4
"""Blocks that are looked into are so many times k where the k best of those that begin a word are asked for too: these
are mostly among them, and where they are not, all units are looked at once more."""

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


def send(device: torch.device, *arrays: Ints) -> list[Tensor]:
    """Whole numbers to the device, in one copy."""
    if device.type != "cuda":
        return [torch.from_numpy(array).to(device) for array in arrays]
    joined = torch.from_numpy(np.concatenate([array.ravel() for array in arrays])).pin_memory()
    flat = torch.split(joined.to(device, non_blocking=True), [array.size for array in arrays])
    return [one.view(array.shape) for one, array in zip(flat, arrays, strict=True)]


class Fetched:
    """Tensors on their way from the device. `arrays` waits for them, and for no more."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self._event: Any = None
        if tensors and tensors[0].is_cuda:
            here = [torch.empty(one.shape, dtype=one.dtype, pin_memory=True) for one in tensors]
            self._tensors = [to.copy_(one, non_blocking=True) for to, one in zip(here, tensors, strict=True)]
            untyped: Any = torch.cuda.Event
            self._event = untyped()
            self._event.record()
        else:
            self._tensors = [one.cpu() for one in tensors]

    def arrays(self) -> list[NDArray[Any]]:
        if self._event is not None:
            self._event.synchronize()
        return [one.numpy() for one in self._tensors]


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
        """Cut at these rows, and at these units of the query; where the rows' own units were not scored."""
        parts = zip(np.split(self.greedy, rows), np.split(self.ended, rows), np.split(self.among, asked), strict=True)
        return [replace(self, greedy=greedy, ended=ended, among=among) for greedy, ended, among in parts]


def slice_rows(reader: Reader) -> int:
    """Rows whose logits are computed together."""
    return max(1, SLICE_BYTES.get(reader.device.type, SLICE_BYTES["cpu"]) // (4 * reader.width))


class PendingScores:
    """Scores that the device is at. Few passes over the logits, since these are wide: the largest of every block of
    units, their sum, and the sum over the units that begin a word. What these leave open is settled in `result`."""

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
        unit that follows each row, −1 for none; probabilities are computed only where it is given."""
        self._reader, self._rows, self._begins, self._k = reader, rows, begins, k
        self._query, self._after, self._own = query, after, own
        opens = query.opens is not None
        sent = [query.rows, query.units, after] + ([] if own is None else [own])
        query_rows, query_units, states, *following = send(rows.device, *sent)
        flags = begins > 0
        parts: list[tuple[Tensor, ...]] = []
        size = slice_rows(reader)
        for start in range(0, len(rows), size):
            end = min(len(rows), start + size)
            logits = reader.logits(rows[start:end])
            best = best_units(logits, k, flags, states[start:end], opens=opens)
            low, high = np.searchsorted(query.rows, (start, end)).tolist()
            part: tuple[Tensor, ...] = (*best, logits[query_rows[low:high] - start, query_units[low:high]])
            if following:
                here = after[start:end]
                part += _probabilities(logits, following[0][start:end], best.most, begins, states[start:end], here)
            parts.append(part)
        self._fetched = Fetched([torch.cat(column) for column in zip(*parts, strict=True)])

    def result(self) -> UnitScores:
        """Waits for the device."""
        arrays = self._fetched.arrays()
        best, (asked, *scored) = BestUnits(*arrays[: len(BestUnits._fields)]), arrays[len(BestUnits._fields) :]
        own_logits, own, begin, total = scored or (np.zeros(0),) * 4
        query, given = self._query, self._own
        unsure = np.flatnonzero(best.unsure)
        if len(unsure):
            # A unit equal to the last of the k best counts, though it was not taken.
            best.ended[unsure] = self._masked(unsure).amax(1).float().cpu().numpy() >= best.threshold[unsure]
        opens_among, own_opens = asked >= best.open_threshold[query.rows], own_logits >= best.open_threshold[: len(own)]
        lost = np.flatnonzero(best.open_unsure)
        if len(lost):
            self._settle(lost, best, opens_among, own_opens)
        among = asked >= best.threshold[query.rows]
        if query.opens is not None:
            among = np.where(query.opens, opens_among, among)
        if given is None:
            none = np.zeros(0, dtype=bool)
            return UnitScores(best.greedy, best.ended, among, none, own, begin, np.zeros(0, dtype=np.int64), none)
        lost = np.flatnonzero(np.isneginf(begin))
        if len(lost):
            # Too small for a sum of floats, so by its logarithm.
            begin[lost] = self._masked(lost).double().logsumexp(1).cpu().numpy() - total[lost]
        own_among = own_logits >= best.threshold
        floats = own.astype(np.float64), begin.astype(np.float64)
        return UnitScores(best.greedy, best.ended, among, own_among, *floats, best.open_greedy, own_opens)

    def _settle(self, rows: Ints, best: "BestUnits[NDArray[Any]]", among: Flags, own_opens: Flags) -> None:
        """Looks at all units that begin a word, in rows whose k best of them are not sure."""
        with torch.inference_mode():
            again = self._masked(rows)
            first, least = _first_and_last(again, self._k)
        best.open_greedy[rows] = first.cpu().numpy()
        values, threshold = again.cpu().numpy(), least.cpu().numpy()
        place = np.full(len(best.greedy), -1)
        place[rows] = np.arange(len(rows))
        asked = np.flatnonzero(place[self._query.rows] >= 0)
        at = place[self._query.rows[asked]]
        among[asked] = values[at, self._query.units[asked]] >= threshold[at]
        if self._own is not None:
            own_opens[rows] = values[np.arange(len(rows)), np.maximum(self._own[rows], 0)] >= threshold

    def _masked(self, rows: Ints) -> Tensor:
        """The logits of some rows, −∞ where a unit begins no word."""
        at, states = send(self._rows.device, rows, self._after[rows])
        none = self._begins == 0
        with torch.inference_mode():
            size = slice_rows(self._reader)
            parts = zip(torch.split(self._rows[at], size), torch.split(states, size), strict=True)
            return torch.cat([self._reader.logits(some).masked_fill_(none[after], -torch.inf) for some, after in parts])


Row = TypeVar("Row", Tensor, NDArray[Any])


class BestUnits(NamedTuple, Generic[Row]):
    """Of each row of logits: on the device, and then in arrays."""

    greedy: Row
    most: Row
    threshold: Row
    """The k-th largest."""
    ended: Row
    """A unit that begins a word is among the k best."""
    unsure: Row
    """Whether a unit that is as good as the k-th, but was not looked at, might begin a word where none else does."""
    open_greedy: Row
    """The largest of those that begin a word; of all, where these were not asked for."""
    open_threshold: Row
    open_unsure: Row
    """Whether a unit that was not looked at might be among the k best of these."""


def best_units(logits: Tensor, k: int, flags: Tensor, after: Tensor, *, opens: bool = False) -> BestUnits[Tensor]:
    """The k best stand in the k blocks whose largest units are largest, so only some blocks are looked into. `flags`
    are of units that begin a word, states × units, and `after` is the state of each row."""
    width = logits.shape[1]
    blocks = width // BLOCK
    looked = LOOKED * k if opens else k
    if 2 * looked * BLOCK > width:
        return _best_of_all(logits, k, flags[after], opens=opens)
    body, rest = logits[:, : blocks * BLOCK], logits[:, blocks * BLOCK :]
    body = body.view(len(logits), blocks, BLOCK)
    largest = body.amax(2)
    top = largest.topk(looked + 1, dim=1)
    chosen = top.indices[:, :looked]
    inside = body.gather(1, chosen[:, :, None].expand(-1, -1, BLOCK))
    looked_at = torch.cat([inside.flatten(1), rest], dim=1)
    best = looked_at.topk(k, dim=1).values
    threshold, most = best[:, -1], best[:, 0]
    flagged = flags[:, : blocks * BLOCK].view(len(flags), blocks, BLOCK)[after[:, None], chosen].flatten(1)
    with_flag = torch.cat([flagged, flags[:, blocks * BLOCK :][after]], dim=1)
    ended = ((looked_at >= threshold[:, None]) & with_flag).any(1)
    unsure = ~ended & (top.values[:, looked] >= threshold)
    # The first of the largest: the first block that has one, and the first in it; else one of the rest.
    block = (largest == most[:, None]).byte().argmax(1)
    in_block = body[torch.arange(len(logits), device=logits.device), block] == most[:, None]
    greedy = block * BLOCK + in_block.byte().argmax(1)
    if rest.shape[1]:
        greedy = torch.where(in_block.any(1), greedy, blocks * BLOCK + rest.argmax(1))
    if not opens:
        return BestUnits(greedy, most, threshold, ended, unsure, greedy, threshold, torch.zeros_like(ended))
    numbers = torch.arange(BLOCK, device=logits.device) + chosen[:, :, None] * BLOCK
    behind = torch.arange(blocks * BLOCK, width, device=logits.device).expand(len(logits), -1)
    among, numbers = looked_at.masked_fill_(~with_flag, -torch.inf), torch.cat([numbers.flatten(1), behind], dim=1)
    first, least = _first_and_last(among, k, numbers)
    lost = least <= top.values[:, looked]
    # A device is not waited for; its rows are settled when they are fetched.
    if not logits.is_cuda and bool(lost.any()):
        rows = lost.nonzero()[:, 0]
        every = logits[rows].masked_fill_(~flags[after[rows]], -torch.inf)
        first[rows], least[rows] = _first_and_last(every, k)
        lost = torch.zeros_like(lost)
    return BestUnits(greedy, most, threshold, ended, unsure, first, least, lost)


def _first_and_last(logits: Tensor, k: int, numbers: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The unit with the largest logit (of equal ones, the first), and the k-th largest logit."""
    if numbers is None:
        numbers = torch.arange(logits.shape[1], device=logits.device).expand(len(logits), -1)
    best = logits.topk(k, dim=1).values
    none = torch.iinfo(numbers.dtype).max
    return numbers.masked_fill(logits != best[:, :1], none).amin(1), best[:, -1]


def _best_of_all(logits: Tensor, k: int, flagged: Tensor, *, opens: bool) -> BestUnits[Tensor]:
    """The same of few units: all are looked at."""
    greedy, threshold = _first_and_last(logits, k)
    beginning = logits.masked_fill(~flagged, -torch.inf)
    first, least = _first_and_last(beginning, k)
    ended = beginning.amax(1) >= threshold
    sure = torch.zeros_like(ended)
    opening = (first, least) if opens else (greedy, threshold)
    return BestUnits(greedy, logits.amax(1), threshold, ended, sure, *opening, sure)


def _probabilities(
    logits: Tensor, following: Tensor, most: Tensor, begins: Tensor, states: Tensor, after: Ints
) -> tuple[Tensor, ...]:
    """The following unit's logit, its ln p, ln P(begin), and ln of the sum of all exp(logits).

    `logits` are overwritten."""
    own = logits.gather(1, following.clamp(min=0)[:, None])[:, 0]
    mass = logits.sub_(most[:, None]).exp_()
    total = mass.sum(1).log()
    begin = begin_mass(mass, begins, states, after).log() - total
    own_p = torch.where(following < 0, torch.nan, own - most - total)
    return own, own_p, begin, total + most


def begin_mass(mass: Tensor, begins: Tensor, states: Tensor, after: Ints) -> Tensor:
    """The sum over the units that begin a word, in each row after its state (`after` is the same on the host).

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
