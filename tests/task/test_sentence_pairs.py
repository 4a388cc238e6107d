"""Probabilities of sentences against plain transformers, one sentence and one unit at a time; and what is recorded."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from truth.plain_words import Plain, first_kind, split_words

from whole_words.conftest import tiny_words
from wordworth.catalog.read.sentence_pairs import SentencePair, SentencePairs
from wordworth.results.vocabulary import Caution
from wordworth.task.sentence_pairs import NO_WORDS_SHARED, TIED, PairScores, score_preferences, score_sentences
from wordworth.task.settings import Intervals
from wordworth.whole_words.surprisal import begin_with_bos

PAIRS = [
    SentencePair("the old river, and friends", "the old gardens, and friends", "the old unhappy, and friends"),
    SentencePair("I think of love.", "I think of hatred.", "I think of (a garden).", "my friends don't think!"),
    SentencePair("happy friends", "unfriendly cities", "naïve words"),
]


def with_bos(kind: str) -> tuple[Any, Plain]:
    model, plain = tiny_words(kind)
    tokenizer = copy.deepcopy(model.tokenizer)
    tokenizer.bos_token = "<s>"
    return begin_with_bos(replace(model, tokenizer=tokenizer)), plain


def score_plainly(model: Any, plain: Plain, before: str, sentence: str) -> float:
    """Return Σ ln p(unit), each from BOS and the units before it, times the probability that the last word ends; what
    was before the sentence has ended already."""
    ids = plain.ids([f"{before} {sentence}".lstrip()])
    start = len(plain.ids([before])) if before else 0

    def query(count: int) -> Any:
        with torch.inference_mode():
            logits = plain.network(input_ids=torch.tensor([[*model.before, *ids[:count]]])).logits
        return logits[0, -1].double().log_softmax(0)

    def end(text: str, count: int) -> float:
        begins = plain.all_begins(first_kind(text[-1].encode()) or "word")
        return float(query(count)[begins].logsumexp(0))

    total = sum(float(query(count)[ids[count]]) for count in range(start, len(ids)))
    return total + end(sentence, len(ids)) - (end(before, start) if before else 0.0)


@pytest.mark.parametrize("is_per_word", [False, True])
@pytest.mark.parametrize("kind", ["gpt2", "llama-bpe", "llama-unigram"])
def test_causal_models_one_unit_at_a_time(kind: str, is_per_word: bool) -> None:
    model, plain = with_bos(kind)
    scores = score_sentences(model, PAIRS, is_per_word=is_per_word)
    assert scores.skipped == [None] * len(PAIRS)
    for number, pair in enumerate(PAIRS):
        for side, sentence in enumerate(pair[:3]):
            count = len(split_words(sentence)[0]) if is_per_word else 1
            expected = score_plainly(model, plain, pair.before, sentence) / count
            assert scores.logp[side, number] == pytest.approx(expected, abs=1e-4), sentence


def score_masked(model: Any, plain: Plain, text: str, shared: set[int] | None) -> float:
    """Return Σ ln p of units with one mask each; `shared` are the places of the units that count."""
    full, total = model.tokenizer(text)["input_ids"], 0.0
    start = len(model.before)
    for at, _ in enumerate(plain.ids([text])):
        if shared is not None and at not in shared:
            continue
        ids = [*full[: start + at], model.tokenizer.mask_token_id, *full[start + at + 1 :]]
        with torch.inference_mode():
            logits = plain.network(input_ids=torch.tensor([ids])).logits[0, start + at].double()
        total += float(logits.log_softmax(0)[full[start + at]])
    return total


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_masked_models_by_all_words_and_by_those_that_are_shared(kind: str) -> None:
    """As CrowS-Pairs: the units of the words that both sentences have, one mask after the other."""
    model, plain = tiny_words(kind)
    pair = SentencePair("the old river", "the old gardens")
    count = len(plain.ids(["the old"]))
    every, shared = (score_sentences(model, [pair], words, "original") for words in ("all", "unmodified"))
    for side, sentence in enumerate(pair[:2]):
        assert every.logp[side, 0] == pytest.approx(score_masked(model, plain, sentence, None), abs=1e-4)
        expected = score_masked(model, plain, sentence, set(range(count)))
        assert shared.logp[side, 0] == pytest.approx(expected, abs=1e-4)


def test_pairs_that_cannot_be_scored_have_a_reason() -> None:
    model, _ = with_bos("llama-bpe")
    pairs = [SentencePair("happy friends", "sad words"), SentencePair("the river", "the river")]
    assert score_sentences(model, pairs, "unmodified").skipped == [NO_WORDS_SHARED, TIED]
    unknown = score_sentences(tiny_words("bert")[0], [SentencePair("happy ☃", "sad ☃")])
    assert "does not know" in str(unknown.skipped[0])


def record(pairs: list[SentencePair], logp: list[list[float]], **about: Any) -> Any:
    data = SentencePairs("made", pairs=tuple(pairs), **about)
    scores = PairScores(np.array(logp), [None] * len(pairs))
    found = score_preferences("m", data, range(len(pairs)), scores, Intervals(resamples=20))
    return found, {(row["measure"], row["subset"]): row for row in found.scores.iter_rows(named=True)}


def test_shares_of_the_whole_and_of_each_type() -> None:
    pairs = [SentencePair(f"a{at}", f"b{at}", type="x" if at < 2 else "y") for at in range(4)]
    found, rows = record(pairs, [[-1, -2, -3, -4], [-2, -3, -4, -1], [np.nan] * 4], has_faults=True)
    assert {name: row["value"] for name, row in rows.items()} == {
        ("stereotype-share", None): 0.75, ("log-odds", None): 0.0,
        ("stereotype-share", "x"): 1.0, ("stereotype-share", "y"): 0.5,
    }  # fmt: skip
    assert rows["stereotype-share", None]["cautions"] == [Caution.FEW_ITEMS, Caution.FAULTY_PAIRS]
    items = found.items["stereotype_pairs"].collect()
    assert items["is_stereotype"].to_list() == [True, True, True, False]
    assert items["type"].to_list() == ["x", "x", "y", "y"]
    assert items["subset"].null_count() == 4


def test_single_pairs_have_wilson_s_interval_and_an_exact_p() -> None:
    """8 of 10: p = 2 · (45 + 10 + 1) / 2¹⁰; Wilson's interval by its formula."""
    pairs = [SentencePair(f"a{at}", f"b{at}") for at in range(10)]
    _, rows = record(pairs, [[1.0] * 8 + [-1.0] * 2, [0.0] * 10, [np.nan] * 10])
    share = rows["stereotype-share", None]
    z = 1.959963984540054
    middle, half = (0.8 + z**2 / 20) / (1 + z**2 / 10), z * np.sqrt(0.8 * 0.2 / 10 + z**2 / 400) / (1 + z**2 / 10)
    assert (share["p"], share["p_method"]) == (pytest.approx(112 / 1024), "exact")
    assert (share["low"], share["high"]) == (pytest.approx(middle - half), pytest.approx(middle + half))


def test_pairs_of_one_group_count_as_one_for_p() -> None:
    """Three groups that each lean one way: the signs of 3 groups give 2³ outcomes, and 2 are as extreme."""
    pairs = [SentencePair(f"a{at}", f"b{at}", group=f"g{at % 3}") for at in range(30)]
    _, rows = record(pairs, [[1.0] * 30, [0.0] * 30, [np.nan] * 30])
    share = rows["stereotype-share", None]
    assert (share["value"], share["p"], share["p_method"]) == (1.0, pytest.approx(2 / 8), "exact")


def test_pronouns_against_the_census() -> None:
    """Two occupations of men and two of women; she is e^(logit / 2) times as probable: slope ½, correlation 1."""
    women = [0.1, 0.3, 0.6, 0.9]
    odds = [abs(np.log(share / (1 - share))) / 2 for share in women]
    pairs = [SentencePair(f"a{at}", f"b{at}", group=f"g{at}", women=share) for at, share in enumerate(women)]
    _, rows = record(pairs, [odds, [0.0] * 4, [np.nan] * 4])
    assert rows["census-slope", None]["value"] == pytest.approx(0.5)
    assert rows["census-correlation", None]["value"] == pytest.approx(1)
