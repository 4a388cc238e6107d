import re
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import pearsonr, spearmanr

from typed_runs import items_of, one, reasons
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.read.word_sets import load_test, polar_words
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.results.run import Run
from wordworth.study import study

valnorm = study("valnorm")


def rows(embedding: Embedding, words: tuple[str, ...] | list[str]) -> list[list[float]]:
    """Vectors of the words that are there, as written or with a capital."""
    forms = [word if word in embedding else word.capitalize() for word in words]
    return [embedding[form].tolist() for form in forms if form in embedding]


@pytest.fixture(scope="module")
def found(small: Embedding) -> Run:
    return valnorm([small], lexica=["bellezza"], pairs=["rg-65"])


def test_valence_against_a_plain_loop(found: Run, small: Embedding, slow: type) -> None:
    lexicon, polar = load_lexicon("bellezza"), polar_words()
    A, B = rows(small, polar.pleasant), rows(small, polar.unpleasant)
    effects = [slow.sc_weat(rows(small, [word])[0], A, B) for word in lexicon.words if word != "adorable"]
    ratings = [value for word, value in zip(lexicon.words, lexicon.valence, strict=True) if word != "adorable"]
    score = one(found.scores, measure="valence", experiment="valence")
    assert score["value"] == pytest.approx(pearsonr(effects, ratings).statistic, abs=1e-12)
    assert score["n"] == 398
    assert score["low"] < score["value"] < score["high"]
    assert score["value"] > 0.5  # as it was made
    ranked = one(found.scores, measure="valence", variant="spearman")
    assert ranked["value"] == pytest.approx(spearmanr(effects, ratings).statistic, abs=1e-12)
    coverage = one(found.scores, measure="coverage", dataset="bellezza")
    assert (coverage["value"], coverage["n"]) == (pytest.approx(398 / 399), 399)

    items = items_of(found, "rated_words")
    # The words that have vectors come first, in the lexicon's order, then those left out; all with their rating.
    assert items["word"].to_list() == [*(word for word in lexicon.words if word != "adorable"), "adorable"]
    rated = dict(zip(lexicon.words, lexicon.valence.tolist(), strict=True))
    assert items["rating"].to_list() == [rated[word] for word in items["word"]]
    assert items.filter(pl.col("skipped").is_null())["value"].to_list() == pytest.approx(effects, abs=1e-10)


def test_neighbours_are_the_nearest_words(found: Run, small: Embedding, slow: type) -> None:
    item = one(items_of(found, "neighbours"), word="love")
    vectors = dict(zip(small.words, small.matrix.tolist(), strict=True))
    others = (word for word in vectors if word != "love")
    every = sorted(((slow.cosine(vectors["love"], vectors[word]), word) for word in others), reverse=True)
    assert item["neighbours"] == [word for _, word in every[:10]]
    assert item["value"] == pytest.approx(every[0][0])


def test_p_of_words_against_an_own_draw(found: Run, small: Embedding, slow: type) -> None:
    polar = polar_words()
    pooled = rows(small, polar.pleasant) + rows(small, polar.unpleasant)
    rng = np.random.default_rng(99)
    items = items_of(found, "rated_words")
    for word in ("accident", "ambulance", "angel"):
        cosines = np.array([slow.cosine(rows(small, [word])[0], other) for other in pooled])
        drawn = np.array([rng.permutation(cosines)[:25].sum() for _ in range(4_000)])
        p = one(items, word=word)["p"]
        assert isinstance(p, float)
        assert p == pytest.approx((drawn > cosines[:25].sum()).mean(), abs=0.04)
        assert p * 10_001 == pytest.approx(round(p * 10_001))  # (b + 1) / (m + 1)
    score = one(found.scores, measure="valence", variant="p-against-d")
    assert (score["p_method"], score["partitions"]) == ("monte-carlo", 10_000)


@pytest.mark.parametrize("name", ["weat1", "weat2", "weat8"])
def test_weat_against_a_plain_loop(found: Run, small: Embedding, slow: type, name: str) -> None:
    test = load_test(name)
    X, Y, A, B = (rows(small, group) for group in test.groups)
    score = one(found.scores, dataset=name, measure="weat")
    assert score["value"] == pytest.approx(slow.weat(X, Y, A, B), abs=1e-12)
    assert score["n"] == len(test.X) + len(test.Y)
    items = items_of(found, "association_words").filter(dataset=name)
    assert items.height == sum(len(group) for group in test.groups)
    of_x = items.filter(role="X")
    assert of_x["value"].to_list() == pytest.approx([slow.association(x, A, B) for x in X], abs=1e-12)
    assert items.filter(role="A")["value"].null_count() == len(test.A)


def test_exact_p_of_a_test_of_ones_own(make: object, slow: type, tmp_path: Path) -> None:
    words = {group: [f"{group}{i}" for i in range(5)] for group in "xyab"}
    sets = "\n".join(f"{group} = {{ label = '{group} words', words = {words[group]} }}" for group in "xyab")
    path = tmp_path / "mine.toml"
    path.write_text(f"[test]\nname = 'mine'\n{sets}\n")
    embedding = make([word for group in words.values() for word in group], seed=5)
    found = valnorm([embedding], experiments=["weat"], tests=[path])
    X, Y, A, B = (rows(embedding, words[group]) for group in "xyab")
    values = [slow.association(w, A, B) for w in X + Y]
    sums = [sum(values[at] for at in chosen) for chosen in combinations(range(10), 5)]
    score = one(found.scores, measure="weat")
    assert score["value"] == pytest.approx(slow.weat(X, Y, A, B), abs=1e-12)
    assert score["p"] == pytest.approx(sum(s > sum(values[:5]) - 1e-12 for s in sums) / 252, abs=1e-12)
    assert score["dataset"] == "mine"
    assert (score["p_method"], score["partitions"], score["sides"]) == ("exact", 252, "one")
    assert [len(data.sha256) for data in found.data if data.name == "mine"] == [64]
    sets = items_of(found, "association_words").select("role", "set").unique().sort("role").rows()
    assert sets == [(group.upper(), f"{group} words") for group in "abxy"]


def test_similarity(found: Run, small: Embedding, slow: type) -> None:
    pairs = load_pairs("rg-65")
    cosines = [slow.cosine(small[a], small[b]) for a, b in zip(pairs.first, pairs.second, strict=True)]
    score = one(found.scores, measure="similarity")
    assert score["value"] == pytest.approx(spearmanr(cosines, pairs.scores).statistic, abs=1e-12)
    assert score["n"] == 65
    items = items_of(found, "word_pairs")
    assert items["value"].to_list() == pytest.approx(cosines, abs=1e-10)
    assert items.select("first", "second").row(0) == (pairs.first[0], pairs.second[0])


def test_pairs_of_ones_own(make: object, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("word1,word2,score\nking,queen,9\nApple,pear,8\nking,pear,1\nqueen,pear,2\nking,ghost,3\n")
    found = valnorm([make(["king", "queen", "apple", "pear"])], experiments=["similarity"], pairs=[path])
    score = one(found.scores, measure="similarity")
    assert (score["dataset"], score["n"]) == ("mine", 4)
    assert one(found.scores, measure="coverage")["value"] == 0.8
    items = items_of(found, "word_pairs")
    assert one(items, first="Apple")["spelling"] == "apple pear"
    assert one(items, second="ghost")["skipped"] == "not in vocabulary"
    assert found.skipped == {"not in vocabulary": 1}
    assert any("line 1 is taken as the header: word1, word2, score" in text for text in reasons(found, "info"))


def test_analogies(make: object) -> None:
    words = ["Athens", "Greece", "Baghdad", "Iraq", "Berlin", "Germany", "Bern", "Switzerland", "boy", "girl"]
    embedding = make(words, dim=30)
    matrix = np.array(embedding.matrix)
    for capital, country in ((0, 1), (2, 3), (4, 5)):  # three capitals are one step from their countries
        matrix[country] = matrix[capital] + 3 * np.eye(30)[0]
    found = valnorm([Embedding(words, matrix, embedding.provenance)], experiments=["analogy"])
    items = items_of(found, "analogies")
    asked = items.filter(pl.col("skipped").is_null())
    assert asked.height == one(found.scores, measure="analogy")["n"] > 10
    hard = pl.any_horizontal(pl.col("a", "b", "c", "d").is_in(["Bern", "Switzerland"]))
    assert asked.filter(~hard)["is_correct"].all()  # Athens : Greece :: Baghdad : Iraq
    assert one(found.scores, measure="analogy")["value"] == pytest.approx(asked["is_correct"].mean())
    assert one(found.scores, measure="coverage")["n"] == items.height == 19_544
    assert found.skipped == {"not in vocabulary": 19_544 - asked.height}
    beyond = valnorm(
        [Embedding(words, matrix, embedding.provenance)],
        experiments=["analogy"],
        analogy_vocabulary=6,
    )
    assert beyond.skipped["beyond the first 6 words of the vocabulary"] > 0
    none = valnorm([make(["a", "b", "c", "d"])], experiments=["analogy"])
    assert any("analog" in text for text in reasons(none, "skipped"))
    assert none.skipped == {"not in vocabulary": 19_544}


def test_balance_cuts_the_longer_set(small: Embedding, slow: type) -> None:
    polar = polar_words()
    fewer = small.restrict(word for word in small.words if word not in polar.unpleasant[:5])

    def balanced(seed: int) -> Run:
        chosen = {"balance": True, "seed": seed, "resamples": 10, "permutations": 100}
        return valnorm([fewer], lexica=["bellezza"], experiments=["valence"], **chosen)

    found = balanced(3)
    lists = items_of(found, "word_lists")
    pleasant, unpleasant = (lists.filter(list=name) for name in ("pleasant", "unpleasant"))
    dropped = pleasant.drop_nulls("skipped")
    assert set(dropped["skipped"]) == {"dropped at random to balance the sets"}
    assert dropped.height == 5
    assert unpleasant.drop_nulls("skipped")["skipped"].to_list() == ["not in vocabulary"] * 5
    kept = pleasant.filter(pl.col("skipped").is_null())["word"].to_list()
    A, B = rows(small, kept), rows(small, polar.unpleasant[5:])
    assert one(items_of(found, "rated_words"), word="angel")["value"] == pytest.approx(
        slow.sc_weat(small["angel"].tolist(), A, B), abs=1e-10
    )
    assert lists.equals(items_of(balanced(3), "word_lists"))
    other = items_of(balanced(4), "word_lists").filter(list="pleasant").drop_nulls("skipped")
    assert other.height == 5
    assert other["word"].to_list() != dropped["word"].to_list()


def test_p_follows_the_effect_size(small: Embedding) -> None:
    """ValNorm: “p-values have a Spearman's correlation coefficient greater than ρ ≥ 0.99 to the effect sizes”."""
    found = valnorm([small], lexica=["bellezza"], experiments=["valence"], resamples=20, permutations=5_000)
    words = items_of(found, "rated_words").drop_nulls("p")
    expected = spearmanr(words["value"], 1 - words["p"].to_numpy()).statistic
    score = one(found.scores, measure="valence", variant="p-against-d")
    assert (score["value"], score["n"]) == (pytest.approx(expected), len(words))
    assert score["value"] > 0.98


def test_the_seed_decides_all_that_is_random_and_nothing_else(small: Embedding) -> None:
    def run(seed: int) -> Run:
        chosen = {"seed": seed, "resamples": 50, "permutations": 200}
        return valnorm([small], lexica=["bellezza"], experiments=["valence", "weat"], **chosen)

    first, again, other = run(1), run(1), run(2)
    assert first.scores.equals(again.scores)
    words, same, others = (items_of(run, "rated_words") for run in (first, again, other))
    assert words.equals(same)
    # p is drawn, and a control's ratings: so what is made of them is too.
    drawn = pl.any_horizontal(pl.col("variant") == "p-against-d", pl.col("control") == "shuffled").fill_null(False)
    assert first.scores.filter(~drawn)["value"].equals(other.scores.filter(~drawn)["value"])
    assert words["value"].equals(others["value"], null_equal=True)
    assert not first.scores["low"].equals(other.scores["low"], null_equal=True)
    assert not words["p"].equals(others["p"], null_equal=True)


def test_a_lexicon_of_ones_own(make: object, tmp_path: Path) -> None:
    polar = polar_words()
    path = tmp_path / "mine.csv"
    path.write_text("Begriff;Wert\nsun;4,5\nmud;2\nrain;3\nsun;3,5\nodd;x\n")
    embedding = make([*polar.pleasant, *polar.unpleasant, "sun", "mud", "rain"])
    columns = {"word_column": "Begriff", "rating_column": "Wert"}
    run = {"lexica": [path], "experiments": ["valence"], **columns}
    with pytest.raises(WordworthError, match=r"mine\.csv, line 6: 'odd' has a rating that is not a number: 'x'"):
        valnorm([embedding], **run)
    found = valnorm([embedding], **run, on_bad="drop")
    assert one(found.scores, measure="valence", experiment="valence")["n"] == 3
    rated = items_of(found, "rated_words").filter(pl.col("skipped").is_null())
    assert one(rated, word="sun")["rating"] == 4.0  # the mean of its two ratings
    assert found.skipped == {
        "mine: is on another line already; their ratings are averaged": 1,
        "mine: has a rating that is not a number": 1,
    }
    dropped = items_of(found, "rated_words").drop_nulls("skipped")
    assert dropped["word"].to_list() == ["sun", "odd"]
    with pytest.raises(WordworthError, match="--word-column and --rating-column are for a lexicon of your own"):
        valnorm([embedding], lexica=["bellezza"], **columns)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"experiments": ["corpus-size"]}, "needs a text to sample: give --corpus"),
        ({"experiments": ["valence"], "corpus": "enwiki-sample"}, "enwiki-sample is for the experiment corp"),
        ({"lexica": ["spanish"], "languages": ["english"]}, "spanish"),
        ({"languages": ["germn"]}, "there are no polar words for 'germn'; did you mean german?"),
        ({"pairs": ["multisimlex-french"], "experiments": ["similarity"]}, "has french pairs and the model is english"),
    ],
)
def test_what_cannot_be_done_is_told(small: Embedding, options: dict[str, object], message: str) -> None:
    with pytest.raises(WordworthError, match=re.escape(message)):
        valnorm([small], **options)


def test_an_embedding_without_the_words(make: object, small: Embedding) -> None:
    polar = polar_words()
    strange = make(["uno", "dos", "tres"])
    with pytest.raises(
        WordworthError, match=r"small has 0 of the 25 words of pleasant .* of english words, and spelled"
    ):
        valnorm([strange], lexica=["bellezza"])
    poles = make([*polar.pleasant, *polar.unpleasant])
    with pytest.raises(WordworthError, match="small has both words of 0 of the 65 pairs of rg-65, and 3 are needed"):
        valnorm([poles], experiments=["similarity"], pairs=["rg-65"])
    # A task that nobody requested by name is a notice.
    found = valnorm([poles], lexica=["bellezza"], experiments=["valence", "weat", "similarity"])
    failures = reasons(found, "failed")
    assert any("words of X: flowers (test weat1)" in line for line in failures)
    assert any("pairs of ws-353" in line for line in failures)
    assert "weat" not in set(found.scores["measure"])
    assert "ws-353" not in set(found.scores["dataset"])


def test_controls_of_valence_by_hand(small: Embedding) -> None:
    found = valnorm([small], lexica=["bellezza"], experiments=["valence"], resamples=200)
    items = items_of(found, "rated_words").filter(experiment="valence").drop_nulls("value")
    polar = {*polar_words().pleasant, *polar_words().unpleasant}
    rest = items.filter(~pl.col("word").is_in(list(polar)))
    without = one(found.scores, control="poles-out")
    assert without["value"] == pytest.approx(pearsonr(rest["value"], rest["rating"]).statistic, abs=1e-12)
    assert without["n"] == len(rest) < len(items)
    by_chance = one(found.scores, control="shuffled")
    assert by_chance["low"] < 0 < by_chance["high"]
    assert by_chance["high"] == pytest.approx(1.96 / np.sqrt(len(items)), rel=0.35)
    above = one(found.scores, control="shuffled", variant="above-control")
    valence = one(found.scores, experiment="valence", measure="valence")
    assert above["value"] == pytest.approx(valence["value"] - by_chance["value"])
    assert above["p"] == pytest.approx(1 / 201)
