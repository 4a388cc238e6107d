"""The study static and the command export, on a tiny model and a text written for them."""

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

from commands import Command
from made_models import train_bytes
from wordworth.api import export
from wordworth.contexts import make_decontextualized
from wordworth.embedding import load
from wordworth.encode import CONTEXT, SUBWORD, LanguageModel, encode, load_model
from wordworth.errors import WordworthError
from wordworth.results.run import Run
from wordworth.study import study

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
    tokenizer = train_bytes(LINES, 400, ["<s>"])
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


def quality(model: Any, text: Path, pairs: Path, **more: Any) -> Run:
    return static([model], corpus=[text], pairs=[pairs], experiments=["quality"], **QUICK, **more)


def test_quality_of_every_pooling_layer_and_number(model: LanguageModel, text: Path, pairs: Path) -> None:
    run = quality(model, text, pairs, sentences=[10, 20, 10_000])
    similarity = run.scores.filter(measure="similarity")
    scores = similarity.filter(pl.col("variant").is_null())
    grid = set(scores.select("context", "sentences", "pooling", "layer").iter_rows())
    layers, poolings = range(4), [f"{f}/{g}" for f in SUBWORD for g in CONTEXT]
    aggregated = product(["aggregated"], [10, 20, None], poolings, layers)
    assert grid == {*aggregated, *product(["decontextualized"], [None], SUBWORD, layers)}
    assert len(scores) == len(grid)
    assert scores.get_column("n").unique().to_list() == [len(PAIRS)]
    # N by sentences and, as the paper counts (A.5), by contexts: every word of the vocabulary in every sentence.
    whole = [sum(word in line.replace(".", "").split() for word in MET) for line in LINES]
    contexts = dict(run.scores.filter(measure="contexts").select("sentences", "value").iter_rows())
    assert set(contexts) == {10, 20, None}
    assert 10 < contexts[10] < contexts[20] < contexts[None] == sum(whole)
    best = similarity.filter(variant="best")
    for row in best.iter_rows(named=True):
        place = {name: row[name] for name in ("context", "sentences", "pooling")}
        among = scores.filter(pl.col(name).eq_missing(pl.lit(value)) for name, value in place.items())
        assert row["value"] == among.get_column("value").max()
    items = run.items["word_pairs"].collect().filter(pooling="mean/mean")
    found = spearmanr(items.get_column("value"), items.get_column("rating")).statistic
    papers = best.filter(pl.col("sentences").is_null(), context="aggregated", pooling="mean/mean")
    assert papers.get_column("value").item() == pytest.approx(found)


def test_decontextualized_is_the_word_alone(model: LanguageModel, text: Path, pairs: Path) -> None:
    run = quality(model, text, pairs)
    vectors = {}
    for word in WORDS:
        with torch.no_grad():
            ids = model.tokenizer(word, return_tensors="pt")
            hidden = model.network(**ids, output_hidden_states=True).hidden_states
        vector = hidden[2][0].mean(0).double().numpy()
        vectors[word] = vector / np.linalg.norm(vector)
    near = [float(vectors[first] @ vectors[second]) for first, second, _ in PAIRS]
    expected = spearmanr(near, [score for *_, score in PAIRS]).statistic
    at = {"context": "decontextualized", "pooling": "mean", "layer": 2, "measure": "similarity"}
    row = run.scores.filter(pl.col("variant").is_null(), **at).row(0, named=True)
    assert row["value"] == pytest.approx(expected, abs=1e-6)


def test_words_without_a_sentence_fall_back_and_are_listed(model: LanguageModel, text: Path, pairs: Path) -> None:
    run = quality(model, text, pairs)
    listed = run.items["word_lists"].collect().filter(list="never met")
    assert listed.get_column("word").to_list() == ["unicorn"]
    (notice,) = [notice for notice in run.notices if notice.kind == "substituted"]
    assert (notice.count, notice.total) == (1, len(WORDS))
    words = run.items["word_pairs"].collect().filter(first="unicorn", second="dog", context="aggregated")
    assert words.get_column("value").null_count() == 0 < len(words)


def test_static_embeddings_in_the_same_run(model: LanguageModel, text: Path, pairs: Path, tmp_path: Path) -> None:
    lines = [f"{word} {at} {at % 3 + 1} 1" for at, word in enumerate(WORDS[1:])]  # “cat” is lacking
    (tmp_path / "mine.vec").write_text("\n".join([f"{len(lines)} 3", *lines]))
    models = [model, str(tmp_path / "mine.vec")]
    run = static(models, corpus=[text], pairs=[pairs], experiments=["quality"], **QUICK)
    (row,) = run.scores.filter(model="mine", measure="similarity").to_dicts()
    assert (row["layer"], row["context"], row["n"]) == (None, None, len(PAIRS) - 2)


def test_bias_in_every_layer(model: LanguageModel, text: Path) -> None:
    run = static([model], corpus=[text], experiments=["bias"], per_word=3, **QUICK)
    scores = run.scores
    assert set(scores.get_column("layer")) == {0, 1, 2, 3}
    paper = ("direct-bias", "garg-euclidean", "garg-cosine", "manzini")
    assert len(scores.filter(pl.col("measure").is_in(paper), pl.col("variant").is_null())) == 22 * 4
    variants = {("direct-bias", "centred"), ("direct-bias", "explained"), ("manzini", "centroid")}
    variants |= {("garg-euclidean", "unit")}
    others = {(name, None) for name in (*paper, "ripa", "rnsb", "mac", "ect")}
    assert set(scores.select("measure", "variant").iter_rows()) == variants | others
    place = {"measure": "manzini", "dataset": "race", "subset": "professions", "layer": 2}
    row = scores.filter(pl.col("variant").is_null(), **place)
    words = run.items["bias_words"].collect().filter(**place)
    assert row.get_column("n").item() == len(words) == 288
    assert row.get_column("value").item() == pytest.approx(words.get_column("value").mean())
    assert row.get_column("low").item() < row.get_column("value").item() < row.get_column("high").item()


def test_contexts_are_counted_instead_of_sentences(model: LanguageModel, text: Path, pairs: Path) -> None:
    """A sentence is a context of each word in it: counted here from what so many sentences have."""

    def measure(**chosen: object) -> pl.DataFrame:
        return quality(model, text, pairs, **chosen).scores

    def contexts(scores: pl.DataFrame) -> dict[int, float]:
        return dict(scores.filter(measure="contexts").select("n", "value").iter_rows())

    every = measure(sentences=list(range(1, 31)))
    by_sentences = contexts(every)
    least = [next(n for n, count in sorted(by_sentences.items()) if count >= wanted) for wanted in (10, 25)]
    found = measure(sentences=[10, 25], count="contexts")
    assert contexts(found) == {n: by_sentences[n] for n in least}
    place = {"measure": "similarity", "context": "aggregated", "variant": None}
    one, other = (
        scores.filter(pl.col(name).eq_missing(pl.lit(value)) for name, value in (place | {"sentences": n}).items())
        for scores, n in ((found, least[0]), (every, least[0]))
    )
    assert one.height > 0
    assert one["value"].to_list() == pytest.approx(other["value"].to_list())


def test_agreement_over_layers_and_models(model: LanguageModel, folder: Path, text: Path) -> None:
    other = load_model(folder, device="cpu", name="other")
    run = static([model, other], corpus=[text], experiments=["bias", "agreement"], per_word=3, resamples=40)
    scores, place = run.scores, {"dataset": "religion", "subset": "adjectives", "model": "tiny"}
    agreed = scores.filter(experiment="agreement")
    # 7 definitions of gender have 21 pairs, 3 of religion 3, race has one definition; and a mean of each. Between the
    # two lists of targets there is one number per definition, and a mean.
    assert len(agreed.filter(model="tiny")) == 2 * (21 + 1 + 3 + 1) + (7 + 1) + (3 + 1) + (1 + 1)
    pooled = agreed.filter(pl.col("model").is_null())
    assert len(pooled) == 2 * (21 + 1 + 3 + 1)
    assert set(pooled.get_column("n")) == {8}
    curve = {
        measure: scores.filter(pl.col("variant").is_null(), **place, measure=measure).sort("layer")["value"].to_list()
        for measure in ("garg-cosine", "manzini")
    }
    (row,) = agreed.filter(**place, variant="garg-cosine ~ manzini").to_dicts()
    assert row["value"] == pytest.approx(spearmanr(curve["garg-cosine"], curve["manzini"]).statistic)
    assert -1 <= row["low"] <= row["high"] <= 1


def test_words_alone_equal_those_of_a_run_with_a_text(model: LanguageModel, text: Path, pairs: Path) -> None:
    """Without a text there is only the context `decontextualized`, with the numbers that it has next to a text."""
    alone = static([model], corpus="none", pairs=[pairs], experiments=["quality"], **QUICK)
    beside = quality(model, text, pairs, sentences=[20]).scores
    measures = pl.col("measure").is_in(["similarity", "coverage"])
    columns = [*("dataset", "context", "pooling", "layer", "measure", "variant"), *("value", "low", "high", "n")]
    words_alone = beside.filter(measures, context="decontextualized").select(columns)
    assert alone.scores.filter(measures).select(columns).sort(columns).equals(words_alone.sort(columns))
    assert alone.scores.get_column("context").unique().to_list() == ["decontextualized"]
    assert "text.txt" not in [data.name for data in alone.data]
    biased = static([model], corpus="none", experiments=["bias"], **QUICK)
    assert biased.scores.get_column("layer").drop_nulls().unique().sort().to_list() == [0, 1, 2, 3]


def test_words_alone_in_a_file(model: LanguageModel, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\n".join(WORDS))
    made = export(model, layer=2, corpus="none", vocabulary=words)
    plain = encode(model, make_decontextualized(WORDS), ("mean",), (2,)).vectors["mean"][:, 0]
    np.testing.assert_allclose(made.embedding.matrix, plain, rtol=1e-5, atol=1e-6)
    assert made.embedding.words == tuple(WORDS)
    assert "words without text" in made.embedding.provenance.steps
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
    assert f"{len(WORDS)} words × 16, layer 2, pooling mean/mean, 5 contexts per word of text.txt" in out
    assert "1 words (unicorn)" in err
    made = export(load_model(folder, device="cpu"), layer=2, corpus=[text], vocabulary=words, per_word=5)
    np.testing.assert_allclose(load(target).matrix, made.embedding.matrix, rtol=1e-6)
    if suffix != ".npz":
        other = KeyedVectors.load_word2vec_format(str(target), binary=suffix == ".bin")
        assert other.index_to_key == WORDS
        np.testing.assert_allclose(other.vectors, made.embedding.matrix, rtol=1e-6)
    code, _, err = command(*given, "-o", target)
    assert code == 2
    assert "exists already" in err


def test_all_but_the_top(model: LanguageModel, text: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\n".join(WORDS))
    chosen: dict[str, Any] = {"layer": -1, "corpus": [text], "vocabulary": words, "sentences": 30}
    assert export(model, **chosen).layer == 3
    topless = export(model, **chosen, components=2).embedding.matrix
    np.testing.assert_allclose(topless.mean(axis=0), 0, atol=1e-5)
    assert np.linalg.matrix_rank(topless, tol=1e-3) == min(len(WORDS) - 1, 16) - 2
