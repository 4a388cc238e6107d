"""Labelled pairs: every published format, labels never guessed, and what is kept apart from training."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from wordworth.catalog.read.nli import NliData, check_map, load_nli, parse_map
from wordworth.catalog.registry import entries
from wordworth.errors import WordworthError
from wordworth.nli.train_nli import Examples, drop_long, drop_premises, list_batches, split_premises

PINNED = {
    "snli-dev": ("Two women are embracing while holding to go", "neutral"),
    "snli-test": ("This church choir sings to the masses", "neutral"),
    "mnli-dev": ("The new rights are nice enough", "neutral"),
    "sick": ("A group of kids is playing in a yard", "neutral"),
    "conjnli": ("He was born in Illinois,", "entailment"),
}
"""How the first premise begins, and its label."""


def few(name: str = "few") -> NliData:
    premises = ("A man runs.", "a man  runs .", "A dog sleeps.", "Birds fly.")
    return NliData(name, premises, ("h1", "h2", "h3", "h4"), ("neutral",) * 4, {"pairs without a gold label": 1})


@pytest.mark.parametrize("found", entries("nli"), ids=lambda found: found.name)
def test_the_catalog_counts_right(found, data):
    if "hub" in found.details:
        with pytest.raises(WordworthError, match="is not in the cache, and the hub cannot be reached"):
            load_nli(found.name)
        return
    read = load_nli(found.name)
    assert len(read) + sum(read.left_out.values()) == found.count
    assert read.sha256 == found.sources[0].content[0].sha256
    assert read.licence == found.licence
    if found.name in PINNED:
        premise, label = PINNED[found.name]
        assert read.premises[0].startswith(premise)
        assert read.labels[0] == label


def test_quotations_and_quoted_cells(data):
    revised = load_nli("snli-counterfactual")
    assert any(premise.endswith('that reads "Programmes & Ice Cream."') for premise in revised.premises)
    assert not any('""' in premise for premise in revised.premises)
    assert load_nli("conjnli").premises[1].startswith('Season eight of "South Park", an')


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_snli_as_published(tmp_path):
    pairs = [
        {"gold_label": "neutral", "sentence1": "A man  runs.", "sentence2": "He is late.", "pairID": "1"},
        {"gold_label": "-", "sentence1": "A man runs.", "sentence2": "He is tall."},
        {"gold_label": "Entailment", "sentence1": "A man runs.", "sentence2": "He moves."},
        {"gold_label": "entailment", "sentence1": "A man runs.", "sentence2": ""},
    ]
    read = load_nli(write(tmp_path / "snli.jsonl", [json.dumps(pair) for pair in pairs]))
    assert (read.premises, read.hypotheses) == (("A man runs.",) * 2, ("He is late.", "He moves."))
    assert read.labels == ("neutral", "entailment")
    assert read.left_out == {"pairs without a gold label": 1, "pairs with a blank sentence": 1}
    header = "gold_label\tsentence1_parse\tsentence1\tsentence2"
    read = load_nli(write(tmp_path / "snli.txt", [header, 'neutral\t( A )\t"He said ""no"""\tHe spoke']))
    assert read.premises == ('He said "no"',)


def test_numbers_are_read_only_where_the_file_names_them(tmp_path):
    table = pl.DataFrame({"premise": ["p"] * 4, "hypothesis": ["h"] * 4, "label": [0, 2, -1, 1]})
    names = ["contradiction", "neutral", "entailment"]
    features = {"premise": {"dtype": "string"}, "label": {"names": names, "_type": "ClassLabel"}}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    table.write_parquet(tmp_path / "own.parquet", metadata=metadata)
    read = load_nli(tmp_path / "own.parquet")
    assert read.labels == ("contradiction", "entailment", "neutral")
    assert read.left_out == {"pairs without a gold label": 1}
    table.write_parquet(tmp_path / "bare.parquet")
    with pytest.raises(WordworthError, match="row 1: the label is '0'; labels are entailment"):
        load_nli(tmp_path / "bare.parquet")


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("a.tsv", ["premise\thypothesis\tlabel", "p\th\tnot_entailment"], "line 2: the label is 'not_entailment'"),
        ("a.tsv", ["premise\tclaim\tlabel", "p\th\tneutral"], "no column hypothesis or sentence2 or sentence_b"),
        ("a.tsv", ["premise\thypothesis\tlabel", "p\th\t-"], "has no labelled pair"),
        ("a.doc", ["premise,hypothesis,label"], "NLI data is read from"),
        ("a.csv", ["premise,hypothesis,label", "p,h,1"], "--label-map 0=entailment"),
    ],
)
def test_bad_files(tmp_path, name, lines, message):
    with pytest.raises(WordworthError, match=message):
        load_nli(write(tmp_path / name, lines))


def test_numbers_by_a_map_of_the_users(tmp_path):
    meanings = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    rows = [("A man runs.", "He moves.", 0), ("Birds, two.", 'They "fly"', 2), ("x", "y", -1), ("x", "z", 1)]
    table = pl.DataFrame(rows, schema=["premise", "hypothesis", "label"], orient="row")
    table.write_csv(tmp_path / "own.csv")
    table.write_csv(tmp_path / "own.tsv", separator="\t")
    table.write_ndjson(tmp_path / "own.jsonl")
    table.write_parquet(tmp_path / "own.parquet")
    for kind in ("csv", "tsv", "jsonl", "parquet"):
        read = load_nli(tmp_path / f"own.{kind}", meanings)
        assert read.premises == ("A man runs.", "Birds, two.", "x"), kind
        assert read.hypotheses == ("He moves.", 'They "fly"', "z")
        assert read.labels == ("entailment", "contradiction", "neutral")
        assert read.left_out == {"pairs without a gold label": 1}
    assert parse_map("0=entailment, 1=Neutral,2=contradiction") == meanings
    # Labels that are words already are as they were, with the map or without.
    write(tmp_path / "words.csv", ["premise;hypothesis;label", "p;h;neutral"])
    assert load_nli(tmp_path / "words.csv", meanings).labels == ("neutral",)


@pytest.mark.parametrize(
    ("given", "message"),
    [("entailment,neutral", "LABEL=MEANING"), ("0=yes", "the meaning 'yes'"), ("neutral=entailment", "keeps it")],
)
def test_bad_maps(given, message):
    with pytest.raises(WordworthError, match=message):
        check_map(parse_map(given))


def test_held_out_premises_are_in_one_part_only():
    kept, out = split_premises(few(), 1 / 3, seed=1)
    apart = {tuple(premise.lower().replace(".", " .").split()) for premise in out.premises}
    assert apart.isdisjoint({tuple(premise.lower().replace(".", " .").split()) for premise in kept.premises})
    assert len(kept) + len(out) == 4
    assert kept.left_out == {"pairs without a gold label": 1, "pairs held out to stop by": len(out)}
    with pytest.raises(WordworthError, match="leaves nothing to train on"):
        split_premises(few(), 1.0, seed=1)


def test_test_premises_are_not_trained_on_in_any_case_or_spacing():
    other = NliData("other", ("A MAN runs .",), ("x",), ("neutral",))
    left = drop_premises(few(), [other])
    assert left.premises == ("A dog sleeps.", "Birds fly.")
    assert left.left_out["pairs whose premise is in other"] == 2


def test_long_sentences_are_counted_out():
    assert drop_long(few(), 3).premises == ("Birds fly.",)
    assert drop_long(few(), 3).left_out["pairs with a sentence of over 3 words"] == 3


def test_batches_are_of_one_length_and_hold_every_pair_once():
    rng = np.random.default_rng(0)
    sides = [[[0] * length for length in rng.integers(1, 4, 200)] for _ in range(2)]
    found = Examples(sides[0], sides[1], np.zeros(200, dtype=np.int64))
    made = list(list_batches(found, 8, np.random.default_rng(1)))
    assert sorted(np.concatenate(made)) == list(range(200))
    for rows in made:
        assert len(rows) <= 8
        assert all(len({len(side[row]) for row in rows}) == 1 for side in sides)


def test_pairs_that_differ_in_one_word_are_not_mostly_entailed(data: Path) -> None:
    """The shares that docs/method/infer-results.md has, counted; a change of the data or of the sentence fails here."""
    pairs = load_nli("snli-91k")
    labels = Counter(
        label
        for premise, hypothesis, label in zip(pairs.premises, pairs.hypotheses, pairs.labels, strict=True)
        if len(one := premise.split()) == len(other := hypothesis.split())
        and sum(word != second for word, second in zip(one, other, strict=True)) == 1
    )
    share = {label: f"{count / labels.total():.0%}".replace("%", " %") for label, count in labels.items()}
    page = (Path(__file__).parents[2] / "docs" / "method" / "infer-results.md").read_text(encoding="utf-8")
    assert (
        f"Of the {labels.total()} pairs of `snli-91k` that differ in one word, "
        f"{share['entailment']} are entailment, {share['contradiction']} contradiction and {share['neutral']} neutral."
    ) in " ".join(page.split())
    assert labels["entailment"] < labels["contradiction"]
