"""From rows of hidden states to the scores of units, with logits in memory for a slice of rows at a time."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.predict.reader import Reader
from wordworth.predict.transfer import Fetched, send

SLICE_BYTES = {"cpu": 64 << 20, "cuda": 1 << 30}
"""Logits at one time."""
BLOCK = 64
"""Units that are looked at together: about √(units / k) of them leave least to sort."""

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class UnitQuery:
    """Which units are to be scored where: `units[i]` at row `rows[i]`; rows ascend."""

    rows: Ints
    units: Ints


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

    def split(self, rows: Ints, asked: Ints) -> "list[UnitScores]":
        """Cut at these rows, and at these units of the query; where the rows' own units were not scored."""
        parts = zip(np.split(self.greedy, rows), np.split(self.ended, rows), np.split(self.among, asked), strict=True)
        return [UnitScores(*part, self.own_among, self.own, self.begin) for part in parts]


def slice_rows(reader: Reader) -> int:
    """Rows whose logits are computed together."""
    return max(1, SLICE_BYTES.get(reader.device.type, SLICE_BYTES["cpu"]) // (4 * reader.width))


class PendingScores:
    """Scores that the device is at. Few passes over the logits, since these are wide: the largest of every block of
    units, their sum, and the sum over the units that begin a word. What these leave open is settled in `result`."""

    def __init__(
        self, reader: Reader, rows: Tensor, k: int, begins: Tensor, query: UnitQuery, own: Ints | None = None
    ) -> None:
        """`begins` is 1.0 where a unit begins a word. `own` is the unit that follows each row, −1 for none;
        probabilities are computed only where it is given."""
        self._reader, self._rows, self._begins = reader, rows, begins
        following: Tensor | None = None
        if own is None:
            query_rows, query_units = send(rows.device, query.rows, query.units)
        else:
            query_rows, query_units, following = send(rows.device, query.rows, query.units, own)
        flags = begins > 0
        parts: list[tuple[Tensor, ...]] = []
        size = slice_rows(reader)
        for start in range(0, len(rows), size):
            end = min(len(rows), start + size)
            logits = reader.logits(rows[start:end])
            best = best_units(logits, k, flags)
            low, high = np.searchsorted(query.rows, (start, end)).tolist()
            at = query_rows[low:high] - start
            among = logits[at, query_units[low:high]] >= best.threshold[at]
            part: tuple[Tensor, ...] = (best.greedy, best.ended, best.unsure, best.threshold, among)
            if following is not None:
                part += _probabilities(logits, following[start:end], best, begins)
            parts.append(part)
        self._fetched = Fetched([torch.cat(column) for column in zip(*parts, strict=True)])
        self._scored = following is not None

    def result(self) -> UnitScores:
        """Waits for the device."""
        greedy, ended, unsure, threshold, among, *scored = self._fetched.arrays()
        if unsure.any():
            # A unit equal to the last of the k best counts, though it was not taken.
            rows = np.flatnonzero(unsure)
            ended[rows] = self._masked(rows).amax(1).float().cpu().numpy() >= threshold[rows]
        if not self._scored:
            return UnitScores(greedy, ended, among, np.zeros(0, dtype=bool), np.zeros(0), np.zeros(0))
        own_among, own, begin, total = scored
        lost = np.flatnonzero(np.isneginf(begin))
        if len(lost):
            # Too small for a sum of floats, so by its logarithm.
            begin[lost] = self._masked(lost).double().logsumexp(1).cpu().numpy() - total[lost]
        return UnitScores(greedy, ended, among, own_among, own.astype(np.float64), begin.astype(np.float64))

    def _masked(self, rows: Ints) -> Tensor:
        """The logits of some rows, −∞ where a unit begins no word."""
        (at,) = send(self._rows.device, rows)
        none = self._begins == 0
        with torch.inference_mode():
            parts = torch.split(self._rows[at], slice_rows(self._reader))
            return torch.cat([self._reader.logits(some).masked_fill_(none, -torch.inf) for some in parts])


class BestUnits(NamedTuple):
    """Of each row of logits."""

    greedy: Tensor
    most: Tensor
    threshold: Tensor
    """The k-th largest."""
    ended: Tensor
    """A unit with a flag is among the k best."""
    unsure: Tensor
    """Whether a unit that is as good as the k-th, but was not looked at, might have a flag where none else has."""


def best_units(logits: Tensor, k: int, flags: Tensor) -> BestUnits:
    """The k best stand in the k blocks whose largest units are largest, so only those blocks are looked into."""
    width = logits.shape[1]
    blocks = width // BLOCK
    if 2 * k * BLOCK > width:
        best, units = logits.topk(k, dim=1)
        threshold, most = best[:, -1], best[:, 0]
        greedy = torch.where(best == most[:, None], units, width).amin(1)
        ended = logits.masked_fill(~flags, -torch.inf).amax(1) >= threshold
        return BestUnits(greedy, most, threshold, ended, torch.zeros_like(ended))
    body, rest = logits[:, : blocks * BLOCK], logits[:, blocks * BLOCK :]
    body = body.view(len(logits), blocks, BLOCK)
    largest = body.amax(2)
    chosen = largest.topk(k, dim=1).indices
    inside = body.gather(1, chosen[:, :, None].expand(-1, -1, BLOCK))
    looked_at = torch.cat([inside.flatten(1), rest], dim=1)
    best = looked_at.topk(k, dim=1).values
    threshold, most = best[:, -1], best[:, 0]
    flagged = flags[: blocks * BLOCK].view(blocks, BLOCK)[chosen].flatten(1)
    with_flag = torch.cat([flagged, flags[blocks * BLOCK :].expand(len(logits), -1)], dim=1)
    ended = ((looked_at >= threshold[:, None]) & with_flag).any(1)
    unsure = ~ended & ((largest >= threshold[:, None]).sum(1) > k)
    # The first of the largest: the first block that has one, and the first in it; else one of the rest.
    block = (largest == most[:, None]).byte().argmax(1)
    in_block = body[torch.arange(len(logits), device=logits.device), block] == most[:, None]
    greedy = block * BLOCK + in_block.byte().argmax(1)
    if rest.shape[1]:
        greedy = torch.where(in_block.any(1), greedy, blocks * BLOCK + rest.argmax(1))
    return BestUnits(greedy, most, threshold, ended, unsure)


def _probabilities(logits: Tensor, following: Tensor, best: BestUnits, begins: Tensor) -> tuple[Tensor, ...]:
    """Whether the following unit is among the best, its ln p, ln P(begin), and ln of the sum of all exp(logits).

    `logits` are overwritten."""
    own = logits.gather(1, following.clamp(min=0)[:, None])[:, 0]
    mass = logits.sub_(best.most[:, None]).exp_()
    total = mass.sum(1).log()
    begin = begin_mass(mass, begins).log() - total
    own_p = torch.where(following < 0, torch.nan, own - best.most - total)
    return own >= best.threshold, own_p, begin, total + best.most


def begin_mass(mass: Tensor, begins: Tensor) -> Tensor:
    """The sum over the units that begin a word."""
    if mass.is_cuda:
        return mass @ begins  # one pass over them, in many short sums
    # Summed, not multiplied: there a product adds hundreds of thousands of small terms one by one and loses digits.
    return mass.mul_(begins).sum(1)
