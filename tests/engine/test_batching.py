"""The loop over batches: what goes together, and what happens when memory runs out."""

from collections import deque

import pytest
import torch

from wordworth.engine.batching import Budget, PassTally, by_length, in_order, take
from wordworth.errors import WordworthError


def test_batches_pad_only_where_a_pass_costs_more() -> None:
    lengths = [9] * 4 + [8] * 3 + [3] * 5
    pending = deque(range(len(lengths)))
    budget = Budget(tokens=90, pass_cost=3)
    batches = []
    while pending:
        batches.append(take(pending, lengths, budget))
    assert batches == [[0, 1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11]]
    pending = deque(range(len(lengths)))
    assert take(pending, lengths, Budget(tokens=90, pass_cost=2)) == [0, 1, 2, 3, 4, 5]
    assert take(pending, lengths, Budget(tokens=4, pass_cost=0)) == [6], "one text always goes, however long"


def test_every_text_goes_once_the_longest_first() -> None:
    lengths, tally = [3, 9, 5, 9, 1], PassTally()
    batches = [batch for batch, _ in by_length(len, lengths, Budget(18, 1), tally)]
    assert batches == [[1, 3], [2], [0], [4]]
    assert (tally.passes, tally.tokens, tally.padding, tally.halvings) == (4, 27, 0, 0)


def refuses_over(texts: int):  # type: ignore[no-untyped-def]
    """Room for so many texts."""

    def run(batch: list[int]) -> list[int]:
        if len(batch) > texts:
            raise torch.OutOfMemoryError("no more")
        return [10 * at for at in batch]

    return run


def test_halved_until_it_fits_and_nothing_is_lost_or_done_twice() -> None:
    lengths, tally, budget = [2] * 16, PassTally(), Budget(32, 0)
    results = [value for _, values in by_length(refuses_over(3), lengths, budget, tally) for value in values]
    assert sorted(results) == [10 * at for at in range(16)]
    assert (tally.halvings, budget.tokens) == (3, 4), "32, 16, 8 tokens did not fit; 4 do, and it stays so"


def test_single_tokens_keep_their_order() -> None:
    tally, budget = PassTally(), Budget(8, 0)
    results = [value for values in in_order(refuses_over(4), 10, budget, tally) for value in values]
    assert results == [10 * at for at in range(10)]
    assert (tally.halvings, tally.tokens) == (1, 10)


def test_a_single_text_that_does_not_fit() -> None:
    message = "not enough memory for a single text of 7 tokens; use another device or a smaller model"
    with pytest.raises(WordworthError, match=message):
        list(by_length(refuses_over(0), [7, 3], Budget(99, 99)))
