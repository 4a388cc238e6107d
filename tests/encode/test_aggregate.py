"""Aggregated vectors against a plain implementation: one sentence, one word and one layer at a time."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from wordworth.catalog.models import locate_language_model
from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.pairs import load_pairs
from wordworth.contexts import Context, Finder, Sample, draw_sentences
from wordworth.encode import (
    CONTEXT,
    POOLINGS_OF_BOTH,
    SUBWORD,
    Aggregate,
    Aggregating,
    LanguageModel,
    aggregate,
    load_model,
)
from wordworth.encode.aggregation import fits, window
from wordworth.encode.pooling import Accumulators, saved_vectors
from wordworth.encode.spans import locate
from wordworth.engine.batching import ENCODER_BATCH_TOKENS
from wordworth.errors import WordworthError

Tiny = Callable[[str], LanguageModel]
# Written for these tests: words in one and in several pieces, in other capitals, twice in a sentence, with ’s.
LINES = [
    "It is very pleasant to think of love and of laughter. Love is a word that friends think of in gardens.",
    "My friend's friends think of unhappiness and happiness, and of nothing else on a rainy day.",
    "Happiness and unhappiness are words; the word happiness is a very old and pleasant word to think of.",
    "A storm, a river and a knife are neither pleasant nor unpleasant to think of, don't you think?",
    "The jalapeño is a word, the café is a word, and unhappiness is another word of my friends.",
]
WORDS = "love laughter friend friends unhappiness happiness word storm knife jalapeño pony".split()  # noqa: SIM905
MODES = ["gpt2", "gpt", "llama-unigram", "xlnet", "bert", "roberta", "albert", "t5"]


def draw(tmp_path: Path, words: list[str] = WORDS, lines: list[str] = LINES, **options: int) -> Sample:
    options = options or {"count": 100}
    return draw_sentences(lines, Finder(words), tmp_path / "sample.jsonl", **options)


def plainly(model: LanguageModel, words: list[str], sample: Sample):
    """(f, g) → words × layers × dim, NaN where a word is not met; and the contexts of each word."""
    seen: dict[int, list[NDArray[np.float64]]] = {at: [] for at in range(len(words))}
    for found in sample.read():
        inputs = model.tokenizer(
            found.text, return_tensors="pt", return_offsets_mapping=True, return_special_tokens_mask=True
        )
        offsets, special = inputs.pop("offset_mapping")[0].tolist(), inputs.pop("special_tokens_mask")[0].tolist()
        inputs.pop("attention_mask", None)
        if not model.takes_types:
            inputs.pop("token_type_ids", None)
        with torch.no_grad():
            hidden = torch.stack(model.network(**inputs, output_hidden_states=True).hidden_states)[:, 0]
        for at, start, end in found.spans:
            span = locate(model.tokenizer, found.text, start, end, inputs["input_ids"][0].tolist(), offsets, special)
            if not isinstance(span, str):
                states = hidden[:, span[0] : span[1]].double().numpy()
                seen[at].append(states)
    pools = {"min": np.min, "max": np.max, "mean": np.mean, "last": lambda states, axis: states[:, -1]}
    nothing = np.full((model.layers + 1, model.dim), np.nan)
    made = {}
    for f in SUBWORD:
        for g in CONTEXT:
            rows = []
            for contexts in seen.values():
                vectors = [pools[f](states, axis=1) for states in contexts]
                if not vectors:
                    rows.append(nothing)
                elif g == "mean":
                    rows.append(sum(vectors) / len(vectors))
                else:
                    rows.append(pools[g](vectors, axis=0))
            made[f"{f}/{g}"] = np.stack(rows)
    return made, [len(contexts) for contexts in seen.values()]


def same(found: NDArray[np.float32], expected: NDArray[np.float64]) -> None:
    met = ~np.isnan(expected).any(-1)
    assert (np.isnan(found).any(-1) == ~met).all()
    scale = np.abs(expected[met]).max(-1, keepdims=True)
    assert (np.abs(found[met] - expected[met]) / scale).max() < 1e-4


def every_equal(model: LanguageModel, words: list[str], sample: Sample, found: Aggregate) -> None:
    expected, contexts = plainly(model, words, sample)
    assert found.contexts.tolist() == contexts
    for pooling in POOLINGS_OF_BOTH:
        for layer in range(model.layers + 1):
            same(found.vectors(layer, pooling), expected[pooling][:, layer])


@pytest.mark.parametrize("kind", MODES)
def test_equals_one_sentence_at_a_time(tiny_model: Tiny, tmp_path: Path, kind: str) -> None:
    model, sample = tiny_model(kind), draw(tmp_path)
    assert sample.sentences == 6
    (found,) = aggregate(model, WORDS, sample)
    every_equal(model, WORDS, sample, found)
    assert found.contexts[WORDS.index("pony")] == 0
    assert found.sentences == 6


@pytest.mark.index
@pytest.mark.parametrize(("name", "sentences"), [("minilm-l6", 30), ("smollm2-135m", 4)])
def test_real_models_equal_one_sentence_at_a_time(name: str, sentences: int, tmp_path: Path, data: Path) -> None:
    place = locate_language_model(name).place
    model, pairs = load_model(place, device="cpu", name=name), load_pairs("simlex-999")
    words = [*dict.fromkeys(pairs.first[:60]), "coastal", "refereed", "bassist"]  # some in several pieces
    sample = draw_sentences(load_corpus("wikitext"), Finder(words), tmp_path / "sample", count=sentences)
    (found,) = aggregate(model, words, sample)
    every_equal(model, words, sample, found)


def test_three_contexts_by_hand(tmp_path: Path) -> None:
    """One word in (1, 5), then as two tokens (2, −1) (4, 3), then (0, 0); the other only as one token (7, 7)."""
    sums = Accumulators(2, 1, 2)
    states = torch.tensor([[[1.0, 5], [2, -1], [4, 3], [7, 7], [0, 0]]])
    sums.add(states[:, :3], np.array([1, 2]), np.array([0, 0]))
    sums.add(states[:, 3:], np.array([1, 1]), np.array([1, 0]))
    # Over subwords: min (2, −1), max (4, 3), mean (3, 1), last (4, 3); with (1, 5) and (0, 0) over contexts:
    expected = {
        "min/min": (0, -1), "min/max": (2, 5), "min/mean": (3 / 3, 4 / 3),
        "max/min": (0, 0), "max/max": (4, 5), "max/mean": (5 / 3, 8 / 3),
        "mean/min": (0, 0), "mean/max": (3, 5), "mean/mean": (4 / 3, 6 / 3),
        "last/min": (0, 0), "last/max": (4, 5), "last/mean": (5 / 3, 8 / 3),
    }  # fmt: skip
    assert set(expected) == set(POOLINGS_OF_BOTH)
    assert sums.count.tolist() == [3, 1]
    path = tmp_path / "sums.safetensors"
    sums.save(path, {})
    for pooling, vector in expected.items():
        np.testing.assert_allclose(saved_vectors(path, 0, pooling), [vector, (7, 7)], rtol=1e-6)


def test_only_requested_poolings(tiny_model: Tiny, tmp_path: Path) -> None:
    model, sample = tiny_model("bert"), draw(tmp_path)
    (full,) = aggregate(model, WORDS, sample)
    (lean,) = aggregate(model, WORDS, sample, Aggregating(poolings=["mean/mean"], layers=[2]))
    np.testing.assert_allclose(lean.vectors(2), full.vectors(2), rtol=1e-5)
    assert lean.path.stat().st_size * 4 < full.path.stat().st_size
    with pytest.raises(WordworthError, match=r"layers \[2\] were aggregated, not 1"):
        lean.vectors(1)
    with pytest.raises(WordworthError, match="there is no pooling 'first/mean'; write f/g with f of min, max, mean"):
        aggregate(model, WORDS, sample, Aggregating(poolings=["first/mean"]))


def test_snapshots_are_shorter_runs(tiny_model: Tiny, tmp_path: Path) -> None:
    model, sample = tiny_model("bert"), draw(tmp_path)
    found = aggregate(model, WORDS, sample, Aggregating(snapshots=[2, 4, 50]))
    assert [one.sentences for one in found] == [2, 4, 6]
    for one in found[:2]:
        shorter = draw(tmp_path / str(one.sentences), count=one.sentences)
        (alone,) = aggregate(model, WORDS, shorter)
        for pooling in POOLINGS_OF_BOTH:
            np.testing.assert_allclose(one.vectors(3, pooling), alone.vectors(3, pooling), rtol=1e-4, atol=1e-6)


def use_small_chunks(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("WORDWORTH_CACHE", str(folder / "other"))
    monkeypatch.setattr("wordworth.encode.aggregation.CHUNK_BYTES", 1)
    monkeypatch.setattr("wordworth.encode.aggregation.MIN_CHUNK_CONTEXTS", 1)


def test_batches_and_chunks_change_nothing(tiny_model: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, sample = tiny_model("gpt2"), draw(tmp_path)
    (expected,) = aggregate(model, WORDS, sample)
    vectors = {pooling: expected.vectors(3, pooling) for pooling in POOLINGS_OF_BOTH}
    use_small_chunks(monkeypatch, tmp_path)
    monkeypatch.setitem(ENCODER_BATCH_TOKENS, "cpu", 7)
    (found,) = aggregate(model, WORDS, sample)
    for pooling, expected_vectors in vectors.items():
        np.testing.assert_allclose(found.vectors(3, pooling), expected_vectors, rtol=1e-4, atol=1e-5)


def test_resumes_after_a_kill(tiny_model: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, sample = tiny_model("bert"), draw(tmp_path)
    (expected,) = aggregate(model, WORDS, sample)
    whole = {pooling: expected.vectors(1, pooling) for pooling in POOLINGS_OF_BOTH}
    use_small_chunks(monkeypatch, tmp_path)
    monkeypatch.setattr("wordworth.encode.aggregation.CHECKPOINT_SECONDS", 0.0)
    steps: list[float] = []

    def kill(n: float) -> None:
        steps.append(n)
        if sum(steps) >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        aggregate(model, WORDS, sample, advance=kill)
    again: list[float] = []
    (found,) = aggregate(model, WORDS, sample, advance=again.append)
    assert again[0] == 3  # the fourth was lost, since it was not written
    assert sum(again) == 6
    assert found.contexts.tolist() == expected.contexts.tolist()
    for pooling, vectors in whole.items():
        np.testing.assert_allclose(found.vectors(1, pooling), vectors, rtol=1e-4, atol=1e-6)
    assert [path.name for path in found.path.parent.parent.iterdir()] == ["6"]


def test_sentences_too_long_are_windowed_and_counted(tiny_model: Tiny, tmp_path: Path) -> None:
    """The tiny models admit 60 tokens."""
    model = tiny_model("bert")
    long = (
        "unhappiness is a word and " + "my friends think of a garden and " * 8 + "laughter is pleasant, think of love"
    )
    sample = draw(tmp_path, lines=[long, LINES[1]])
    assert sample.sentences == 2
    (found,) = aggregate(model, WORDS, sample)
    in_it = ["love", "laughter", "friends", "unhappiness", "word"]
    assert found.windowed == len(in_it)
    assert not found.failed
    assert all(found.contexts[WORDS.index(word)] >= 1 for word in in_it)
    assert not fits(model, long)
    for word in in_it:
        start = long.index(word)
        cut = window(model, Context(word, long, start, start + len(word)))
        assert cut is not None
        assert cut.text[cut.start : cut.end] == word
        assert fits(model, cut.text)
        assert len(model.tokenizer(cut.text)["input_ids"]) > 50  # it is not cut more than need be
    # The window at the end of the text is what the plain encoder gives of that window.
    start = long.index("love")
    cut = window(model, Context("love", long, start, start + 4))
    assert cut is not None
    alone = draw_sentences([cut.text], Finder(["love"]), tmp_path / "cut", count=1)
    (expected,) = aggregate(model, ["love"], alone)
    (only,) = aggregate(model, ["love"], draw_sentences([long], Finder(["love"]), tmp_path / "long", count=1))
    np.testing.assert_allclose(only.vectors(3), expected.vectors(3), rtol=1e-5)


def test_a_word_that_does_not_fit_even_alone(tiny_model: Tiny, tmp_path: Path) -> None:
    model, word = tiny_model("gpt2"), "xq" * 40
    sample = draw(tmp_path, words=[word, "love"], lines=[f"I think of love and of {word} and of the old garden too"])
    (found,) = aggregate(model, [word, "love"], sample)
    assert found.failed == {word: 1}
    assert found.reasons[word] == "the model does not admit even the word with its text cut away"
    assert found.contexts.tolist() == [0, 1]
