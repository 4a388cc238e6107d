"""The study static and the command export, on a tiny model and a text written for them."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
import transformers as hf
from gensim.models import KeyedVectors
from scipy.stats import spearmanr
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from commands import Command
from wordworth.contexts import decontextualized
from wordworth.embedding import load
from wordworth.encode import CONTEXT, SUBWORD, LanguageModel, encode, load_model
from wordworth.errors import WordworthError
from wordworth.results import Findings
from wordworth.study import study
from wordworth.study.static.study import export

PAIRS = [
    ("cat", "dog", 7.0), ("sun", "moon", 5.0), ("river", "storm", 3.0), ("knife", "love", 0.5), ("love", "joy", 8.0),
    ("garden", "river", 4.0), ("cat", "storm", 1.0), ("unicorn", "dog", 2.0),
]  # fmt: skip
WORDS = list(dict.fromkeys(word for first, second, _ in PAIRS for word in (first, second)))
MET = [word for word in WORDS if word != "unicorn"]
LINES = [
    f"In chapter {n} the {MET[n % len(MET)]} and the {MET[(3 * n + 1) % len(MET)]} stood in the old garden."
    for n in range(40)
]
QUICK = {"resamples": 20}

static = study("static")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GPT-2 of three layers that knows every byte."""
    path = tmp_path_factory.mktemp("tiny")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=alphabet, special_tokens=["<s>"], show_progress=False
    )
    tokenizer.train_from_iterator(LINES, trainer)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    fast = hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<s>", model_max_length=40)
    torch.manual_seed(0)
    config = hf.GPT2Config(vocab_size=len(fast), n_embd=16, n_layer=3, n_head=2, n_positions=40)
    network = hf.GPT2Model(config)
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if weight.dim() > 1 and "ln" not in name:
                weight.normal_(0, 0.3)
    network.save_pretrained(path)
    fast.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def model(folder: Path) -> LanguageModel:
    return load_model(folder, device="cpu", name="tiny")


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(LINES))
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join(f"{first}\t{second}\t{score}" for first, second, score in PAIRS))
    return path


def quality(model: Any, text: Path, pairs: Path, **more: Any) -> Findings:
    return static([model], corpus=[text], pairs=[pairs], experiments=["quality"], **QUICK, **more)


def test_quality_of_every_pooling_layer_and_number(model: LanguageModel, text: Path, pairs: Path) -> None:
    findings = quality(model, text, pairs, sentences=[10, 20, 10_000])
    scores = findings.scores.filter(pl.col("measure") == "similarity")
    grid = set(scores.select("setting", "pooling", "layer").iter_rows())
    settings, layers = ("aggregated:10", "aggregated:20", "aggregated"), range(4)
    poolings = [f"{f}/{g}" for f in SUBWORD for g in CONTEXT]
    assert grid == {*product(settings, poolings, layers), *product(["decontextualized"], SUBWORD, layers)}
    assert len(scores) == len(grid)
    assert scores.get_column("n").unique().to_list() == [len(PAIRS)]
    # N by sentences and, as the paper counts (A.5), by contexts: every word of the vocabulary in every sentence.
    whole = [sum(word in line.replace(".", "").split() for word in MET) for line in LINES]
    assert f"quality: the setting `aggregated` is over 40 sentences, {sum(whole)} contexts." in findings.notes
    counted = findings.scores.filter(pl.col("measure") == "contexts")
    contexts = dict(counted.select("setting", "value").iter_rows())
    assert set(contexts) == set(settings)
    assert 10 < contexts["aggregated:10"] < contexts["aggregated:20"] < contexts["aggregated"] == sum(whole)
    best = findings.scores.filter(pl.col("measure") == "similarity:best")
    for row in best.iter_rows(named=True):
        among = scores.filter(pl.col("setting") == row["setting"], pl.col("pooling") == row["pooling"])
        assert row["value"] == among.get_column("value").max()
    items = findings.items.filter(pl.col("pooling") == "mean/mean")
    found = spearmanr(items.get_column("value"), items.get_column("reference")).statistic
    (value,) = best.filter(pl.col("setting") == "aggregated", pl.col("pooling") == "mean/mean").get_column("value")
    assert value == pytest.approx(found)


def test_decontextualized_is_the_word_alone(model: LanguageModel, text: Path, pairs: Path) -> None:
    findings = quality(model, text, pairs)
    vectors = {}
    for word in WORDS:
        with torch.no_grad():
            ids = model.tokenizer(word, return_tensors="pt")
            hidden = model.network(**ids, output_hidden_states=True).hidden_states
        vector = hidden[2][0].mean(0).double().numpy()
        vectors[word] = vector / np.linalg.norm(vector)
    near = [float(vectors[first] @ vectors[second]) for first, second, _ in PAIRS]
    expected = spearmanr(near, [score for *_, score in PAIRS]).statistic
    at = {"setting": "decontextualized", "pooling": "mean", "layer": 2, "measure": "similarity"}
    (row,) = findings.scores.filter(pl.col(key) == value for key, value in at.items()).to_dicts()
    assert row["value"] == pytest.approx(expected, abs=1e-6)


def test_words_never_met_fall_back_and_are_listed(model: LanguageModel, text: Path, pairs: Path) -> None:
    findings = quality(model, text, pairs)
    listed = findings.items.filter(pl.col("group").str.starts_with("never met"))
    assert listed.get_column("item").to_list() == ["unicorn"]
    assert any(f"1 of {len(WORDS)} words are never met" in sentence for sentence in findings.warnings)
    words = findings.items.filter(pl.col("item") == "unicorn dog", pl.col("setting") == "aggregated")
    assert words.get_column("value").is_not_null().all()


def test_static_embeddings_beside_them(model: LanguageModel, text: Path, pairs: Path, tmp_path: Path) -> None:
    lines = [f"{word} {at} {at % 3 + 1} 1" for at, word in enumerate(WORDS[1:])]  # “cat” is lacking
    (tmp_path / "mine.vec").write_text("\n".join([f"{len(lines)} 3", *lines]))
    findings = static(
        [model, str(tmp_path / "mine.vec")], corpus=[text], pairs=[pairs], experiments=["quality"], **QUICK
    )
    (row,) = findings.scores.filter(pl.col("model") == "mine", pl.col("measure") == "similarity").to_dicts()
    assert (row["layer"], row["setting"], row["n"]) == (None, None, len(PAIRS) - 2)


def test_bias_in_every_layer(model: LanguageModel, text: Path) -> None:
    findings = static([model], corpus=[text], experiments=["bias"], per_word=3, **QUICK)
    scores = findings.scores
    assert set(scores.get_column("layer")) == {0, 1, 2, 3}
    paper = ("direct-bias", "garg-euclidean", "garg-cosine", "manzini")
    assert len(scores.filter(pl.col("measure").is_in(paper))) == 22 * 4
    beside = {"direct-bias:centred", "direct-bias:explained", "manzini:centroid", "ripa", "rnsb", "mac", "ect"}
    assert set(scores.get_column("measure")) == {*paper, *beside}
    row = scores.filter(pl.col("measure") == "manzini", pl.col("dataset") == "race/professions", pl.col("layer") == 2)
    words = findings.items.filter(
        pl.col("group") == "manzini", pl.col("dataset") == "race/professions", pl.col("layer") == 2
    )
    assert row.get_column("n").item() == len(words) == 288
    assert row.get_column("value").item() == pytest.approx(words.get_column("value").mean())
    assert row.get_column("low").item() < row.get_column("value").item() < row.get_column("high").item()


def test_agreement_over_layers_and_models(model: LanguageModel, folder: Path, text: Path) -> None:
    other = load_model(folder, device="cpu", name="other")
    findings = static([model, other], corpus=[text], experiments=["bias", "agreement"], per_word=3, resamples=40)
    scores = findings.scores
    agreed = scores.filter(pl.col("experiment") == "agreement")
    # 7 definitions of gender have 21 pairs, 3 of religion 3, race has one definition; and a mean of each.
    assert len(agreed.filter(pl.col("model") == "tiny")) == 2 * (21 + 1 + 3 + 1)
    pooled = agreed.filter(pl.col("model").is_null())
    assert len(pooled) == 2 * (21 + 1 + 3 + 1)
    assert set(pooled.get_column("n")) == {8}
    curve = {
        measure: scores.filter(
            pl.col("model") == "tiny", pl.col("dataset") == "religion/adjectives", pl.col("measure") == measure
        ).sort("layer").get_column("value").to_list()
        for measure in ("garg-cosine", "manzini")
    }  # fmt: skip
    (row,) = agreed.filter(
        pl.col("model") == "tiny",
        pl.col("dataset") == "religion/adjectives",
        pl.col("measure") == "agreement:garg-cosine~manzini",
    ).to_dicts()
    assert row["value"] == pytest.approx(spearmanr(curve["garg-cosine"], curve["manzini"]).statistic)
    assert -1 <= row["low"] <= row["high"] <= 1


def test_an_empty_text_and_one_without_the_words(model: LanguageModel, pairs: Path, tmp_path: Path) -> None:
    empty, other = tmp_path / "empty.txt", tmp_path / "other.txt"
    empty.write_text("\n\n")
    other.write_text("Nothing of what is asked for stands in this line of text.\n")
    with pytest.raises(WordworthError, match=r"the text has no line, so no contexts can be drawn"):
        quality(model, empty, pairs)
    with pytest.raises(WordworthError, match=r"no word of the vocabulary occurs in a sentence .* of the text"):
        quality(model, other, pairs)


def test_a_broken_line_is_told_and_the_rest_used(model: LanguageModel, pairs: Path, tmp_path: Path) -> None:
    path = tmp_path / "text.jsonl"
    good = [json.dumps({"text": line}) for line in LINES[:2]]
    path.write_text("\n".join([good[0], '{"text": broken}', good[1]]))
    findings = quality(model, path, pairs)
    (told,) = (one for one in findings.warnings if "jsonl" in one)
    assert told.endswith("text.jsonl, line 2: not JSON from character 10 on; correct the line; the rest was used.")
    assert any("2 sentences drawn of 2" in note for note in findings.notes)


def test_sentences_longer_than_the_model_admits(model: LanguageModel, pairs: Path, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("The cat and the " + "very very quizzical " * 12 + "dog stood in the garden.\n")
    findings = quality(model, path, pairs)
    expected = "tiny, quality: 3 contexts are longer than the 40 tokens it admits"
    assert any(one.startswith(expected) for one in findings.warnings)


def test_words_alone_are_what_they_are_beside_a_text(model: LanguageModel, text: Path, pairs: Path) -> None:
    """Without a text there is nothing but the setting `decontextualized`, with the numbers it has beside a text."""
    alone = static([model], corpus="none", pairs=[pairs], experiments=["quality"], **QUICK)
    beside = quality(model, text, pairs, sentences=[20]).scores
    measures = pl.col("measure").is_in(["similarity", "similarity:best", "coverage"])
    columns = [*("dataset", "setting", "pooling", "layer", "measure"), *("value", "low", "high", "n")]
    words_alone = beside.filter(pl.col("setting") == "decontextualized", measures).select(columns)
    assert alone.scores.filter(measures).select(columns).sort(columns).equals(words_alone.sort(columns))
    assert alone.scores.get_column("setting").unique().to_list() == ["decontextualized"]
    assert not alone.data.keys() & {"text.txt"}
    biased = static([model], corpus="none", experiments=["bias"], **QUICK)
    assert biased.scores.get_column("layer").drop_nulls().unique().sort().to_list() == [0, 1, 2, 3]


def test_words_alone_in_a_file(model: LanguageModel, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\n".join(WORDS))
    made = export(model, layer=2, corpus="none", vocabulary=words)
    plain = encode(model, decontextualized(WORDS), ("mean",), (2,)).vectors["mean"][:, 0]
    np.testing.assert_allclose(made.embedding.matrix, plain, rtol=1e-5, atol=1e-6)
    assert made.embedding.words == tuple(WORDS)
    assert "words alone" in made.embedding.provenance.steps
    with pytest.raises(WordworthError, match="--corpus none draws nothing; leave --per-word and --sentences out"):
        export(model, corpus="none", per_word=3, vocabulary=words)


# The commands.


@pytest.mark.parametrize("suffix", [".vec", ".bin", ".npz"])
def test_export_is_read_by_others(command: Command, folder: Path, text: Path, tmp_path: Path, suffix: str) -> None:
    words, target = tmp_path / "words.txt", tmp_path / f"tiny{suffix}"
    words.write_text("\n".join(WORDS))
    given = ("export", f"tiny={folder}", "--layer", 2, "--corpus", text, "--per-word", 5, "--vocabulary", words)
    code, out, err = command(*given, "-o", target)
    assert code == 0
    assert f"{len(WORDS)} words × 16, layer 2, pooling mean/mean, 5 contexts a word of text.txt" in out
    assert "never met, so decontextualized: 1 words (unicorn)" in err
    made = export(load_model(folder, device="cpu"), layer=2, corpus=[text], vocabulary=words, per_word=5)
    np.testing.assert_allclose(load(target).matrix, made.embedding.matrix, rtol=1e-6)
    if suffix != ".npz":
        other = KeyedVectors.load_word2vec_format(str(target), binary=suffix == ".bin")
        assert other.index_to_key == WORDS
        np.testing.assert_allclose(other.vectors, made.embedding.matrix, rtol=1e-6)
    code, _, err = command(*given, "-o", target)
    assert code == 2
    assert "is there already" in err


def test_all_but_the_top(model: LanguageModel, text: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\n".join(WORDS))
    chosen: dict[str, Any] = {"layer": -1, "corpus": [text], "vocabulary": words, "sentences": 30}
    assert export(model, **chosen).layer == 3
    topless = export(model, **chosen, components=2).embedding.matrix
    np.testing.assert_allclose(topless.mean(axis=0), 0, atol=1e-5)
    assert np.linalg.matrix_rank(topless, tol=1e-3) == min(len(WORDS) - 1, 16) - 2
