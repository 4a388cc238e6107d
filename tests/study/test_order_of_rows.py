"""What is drawn depends on the words: a file's rows in another order give the same numbers, limits and p."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from polars.testing import assert_frame_equal

from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.embedding import Embedding
from wordworth.results.run import Run
from wordworth.study import study

KEYS = ["experiment", "dataset", "measure", "variant", "context", "control", "pooling", "layer", "components"]


def test_valence_and_similarity(small: Embedding, tmp_path: Path) -> None:
    lexicon, pairs = load_lexicon("bellezza"), load_pairs("rg-65")
    rated = [f"{word},{value!r}" for word, value in zip(lexicon.words, lexicon.valence.tolist(), strict=True)]
    similar = [f"{a}\t{b}\t{c!r}" for a, b, c in zip(pairs.first, pairs.second, pairs.scores.tolist(), strict=True)]

    def run_in(folder: Path) -> Run:
        lexica, pairs = (_shuffle(folder, "lex.csv", rated, "word,valence"), _shuffle(folder, "pairs.tsv", similar))
        return study("valnorm")([small], lexica=[lexica], pairs=[pairs], resamples=50)

    _assert_same(run_in(tmp_path / "as published"), run_in(tmp_path / "shuffled"))


def test_an_association_test_with_sampled_partitions(make: Callable[..., Embedding], tmp_path: Path) -> None:
    groups = {name: [f"{name}{at}" for at in range(12)] for name in "xyab"}
    model = make([word for words in groups.values() for word in words])

    def run_in(folder: Path) -> Run:
        lists = {name: _in_order(folder, words) for name, words in groups.items()}
        sets = [f"{name} = {{ label = '{name}', words = {words} }}" for name, words in lists.items()]
        path = _write(folder, "own.toml", ["[test]", "name = 'own'", *sets])
        return study("weat")([model], tests=[path], p_method="monte-carlo", permutations=200)

    first = run_in(tmp_path / "as published")
    assert 0 < first.scores["p"].item() < 1
    _assert_same(first, run_in(tmp_path / "shuffled"))


def _in_order(folder: Path, rows: list[str]) -> list[str]:
    return Random(1).sample(rows, len(rows)) if folder.name == "shuffled" else rows


def _shuffle(folder: Path, name: str, rows: list[str], *header: str) -> Path:
    return _write(folder, name, [*header, *_in_order(folder, rows)])


def _write(folder: Path, name: str, lines: list[str]) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _assert_same(first: Run, second: Run, rounding: float = 1e-12) -> None:
    """The order of a sum may show in the last digits, and that of a batch in those of float32."""
    columns = [*KEYS, "value", "low", "high", "p", "n"]
    frames = [one.scores.select(columns).sort(KEYS) for one in (first, second)]
    assert frames[0].drop_nulls("low").height or frames[0].drop_nulls("p").height
    assert_frame_equal(*frames, rel_tol=rounding, abs_tol=0)


@pytest.mark.index
def test_random_contexts(tmp_path: Path) -> None:
    lexicon = load_lexicon("bellezza")
    rated = [f"{w},{v!r}" for w, v in zip(lexicon.words[:60], lexicon.valence[:60].tolist(), strict=True)]

    def run_in(folder: Path) -> Run:
        lexica = [_shuffle(folder, "lex.csv", rated, "word,valence")]
        chosen = {"contexts": ("random",), "experiments": ("contextualization",), "resamples": 50}
        return study("vast")(["minilm-l6"], lexica=lexica, scale=(1.0, 5.0), **chosen)

    _assert_same(run_in(tmp_path / "as published"), run_in(tmp_path / "shuffled"), rounding=1e-5)
