"""The vectors of a spaCy model, from a folder made here as spaCy writes it, and the one of the catalog."""

import json
from pathlib import Path

import msgpack
import numpy as np
import pytest

from wordworth.catalog.models import kind_of, load_embeddings
from wordworth.embedding import load
from wordworth.embedding.arrays import hash_word
from wordworth.errors import WordworthError

# As spaCy's documentation prints them.
KEYS = {
    "coffee": 3197928453018144401,
    "apple": 8566208034543834098,
    "I": 4690420944186131903,
    "love": 3702023516439754181,
}


def test_keys_are_those_of_spacy() -> None:
    assert {word: hash_word(word) for word in KEYS} == KEYS
    assert len(set(map(hash_word, ("", "a", "ab", "été", "eight bytes and more than sixteen")))) == 5


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """`coffee` and `apple` have rows of their own, `love` was given that of `coffee`, `I` has none."""
    vocabulary = tmp_path / "xx_model" / "xx_model-1.0.0" / "vocab"
    vocabulary.mkdir(parents=True)
    with (vocabulary / "vectors").open("wb") as stream:
        np.save(stream, np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32))
    space, nameless = hash_word("\n"), 12345
    rows = {KEYS["coffee"]: 0, KEYS["apple"]: 1, KEYS["love"]: 0, KEYS["I"]: -1, space: 1, nameless: 1}
    (vocabulary / "key2row").write_bytes(msgpack.packb(rows))
    (vocabulary / "strings.json").write_text(json.dumps(["\n", "I", "apple", "coffee", "love", "NOUN"]))
    (vocabulary / "vectors.cfg").write_text('{"mode": "default"}')
    return tmp_path / "xx_model"


@pytest.mark.parametrize("inside", ["", "xx_model-1.0.0", "xx_model-1.0.0/vocab"])
def test_a_folder_at_any_depth(model: Path, inside: str) -> None:
    embedding = load(model / inside)
    assert embedding.words == ["coffee", "apple", "love"]
    assert embedding.matrix.tolist() == [[1, 2, 3], [4, 5, 6], [1, 2, 3]]
    assert [one.partition(": ")[2] for one in embedding.provenance.dropped] == [
        "the word '\\n' has a line break in it",
        "there is no word",
    ]
    assert kind_of(model / inside) == "static"
    (named,) = load_embeddings(f"mine={model / inside}")
    assert (named.name, len(named)) == ("mine", 3)


DAMAGES = {
    "vectors.cfg": [(b'{"mode": "floret", "hash_count": 2}', "floret")],
    "key2row": [
        (b"\x81\x01", "key2row is not a map from words to rows"),
        (b"\x93\x01\x02\x03", "key2row is not a map from words to rows"),
        (msgpack.packb({KEYS["coffee"]: 70_000}), "are not of one model"),
    ],
    "strings.json": [(b'["tea"]', "are not of one model"), (b'{"tea": 1}', "is not a list of words")],
    "vectors": [(b"\x93NUMPY", "is not a complete array of numbers")],
}


@pytest.mark.parametrize(("file", "content", "says"), [(file, *one) for file in DAMAGES for one in DAMAGES[file]])
def test_a_damaged_model(model: Path, file: str, content: bytes, says: str) -> None:
    (model / "xx_model-1.0.0" / "vocab" / file).write_bytes(content)
    with pytest.raises(WordworthError, match=says):
        load(model)


@pytest.mark.index
def test_the_french_one_of_the_catalog() -> None:
    (french,) = load_embeddings("fr-news-20k")
    assert (len(french), french.dim) == (499_945, 300)
    assert [french.words[at] for at in (0, 8, -1)] == [",", "les", "d&apos;occupation"]
    assert french.provenance.language == "french"
    assert len(np.unique(np.asarray(french.matrix[:, 0]))) < 20_000
