"""From rows of hidden states to the scores of units, with logits in memory for a slice of rows at a time."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wordworth.predict.reader import Reader

SLICE_BYTES = {"cpu": 64 << 20, "cuda": 1 << 30}
"""Logits at one time."""

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


def slice_rows(reader: Reader) -> int:
    """Rows whose logits are computed together."""
    return max(1, SLICE_BYTES.get(reader.device.type, SLICE_BYTES["cpu"]) // (4 * reader.width))


def score_units(
    reader: Reader, rows: Tensor, k: int, begins: Tensor, query: UnitQuery, own: Ints | None = None
) -> UnitScores:
    """`begins` is 1.0 where a unit begins a word. `own` is the unit that follows each row, −1 for none; probabilities
    are computed only where it is given."""
    count = len(rows)
    size = slice_rows(reader)
    flags = begins > 0
    query_rows, query_units = (torch.from_numpy(which).to(rows.device) for which in (query.rows, query.units))
    following = None if own is None else torch.from_numpy(own).to(rows.device)
    parts: list[tuple[Tensor, ...]] = []
    for start in range(0, count, size):
        end = min(count, start + size)
        logits = reader.logits(rows[start:end])
        best, units = logits.topk(k, dim=1)
        threshold, most = best[:, -1], best[:, 0]
        greedy = torch.where(best == most[:, None], units, reader.width).amin(1)
        ended = flags[units].any(1)
        if not bool(ended.all()):
            # A unit equal to the last of the k best counts, though it was not taken.
            without = (~ended).nonzero()[:, 0]
            ended[without] = logits[without].masked_fill_(~flags, -torch.inf).amax(1) >= threshold[without]
        low, high = np.searchsorted(query.rows, (start, end)).tolist()
        at = query_rows[low:high] - start
        among = logits[at, query_units[low:high]] >= threshold[at]
        part: tuple[Tensor, ...] = (greedy, ended, among)
        if following is not None:
            part += _probabilities(reader, rows[start:end], logits, following[start:end], threshold, most, begins)
        parts.append(part)
    columns = [torch.cat(column).cpu().numpy() for column in zip(*parts, strict=True)]
    if following is None:
        columns += [np.zeros(0, dtype=bool), np.zeros(0), np.zeros(0)]
    greedy_, ended_, among_, own_among, own_p, begin = columns
    return UnitScores(greedy_, ended_, among_, own_among, own_p.astype(np.float64), begin.astype(np.float64))


def _probabilities(
    reader: Reader, rows: Tensor, logits: Tensor, following: Tensor, threshold: Tensor, most: Tensor, begins: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Whether the following unit is among the best, its ln p, and ln P(begin). `logits` are overwritten."""
    own = logits.gather(1, following.clamp(min=0)[:, None])[:, 0]
    # Summed, not multiplied: a matrix product adds hundreds of thousands of small terms one by one and loses digits.
    mass = logits.sub_(most[:, None]).exp_()
    total = mass.sum(1).log()
    begin = mass.mul_(begins).sum(1).log() - total
    lost = begin.isneginf().nonzero()[:, 0]
    if len(lost):
        # Too small for a sum of floats, so by its logarithm.
        again = reader.logits(rows[lost]).double().masked_fill_(begins == 0, -torch.inf).logsumexp(1)
        begin[lost] = (again - most[lost] - total[lost]).float()
    own_p = torch.where(following < 0, torch.nan, own - most - total)
    return own >= threshold, own_p, begin
