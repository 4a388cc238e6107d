"""What a user names, taken apart: names, labels, paths, addresses, the hub. Nothing is fetched."""

from pathlib import Path

import pytest

from wordworth.catalog.fetch.web import public_address
from wordworth.catalog.models import kind_of, load_embeddings, locate_language_model
from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.frequencies import load_frequencies
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.nli import load_nli
from wordworth.catalog.read.pairs import load_analogies, load_pairs, load_paraphrases
from wordworth.catalog.read.templates import load_templates
from wordworth.catalog.read.word_sets import load_tests
from wordworth.catalog.resolve import find, public_name, resolve, split_label
from wordworth.errors import WordworthError

VECTORS = "sun 1 0 2\nrain 0 1 1\nsnow 1 1 0\n"
PIN = "0" * 64


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder `a=b` with vectors in it, and a file whose own name holds `=`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=b").mkdir()
    (tmp_path / "a=b" / "c.vec").write_text(VECTORS)
    (tmp_path / "d=3.txt").write_text(VECTORS)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "gpt2.v1").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("named", "label", "target", "place", "source"),
    [
        ("glove-6b-50d", "glove-6b-50d", "glove-6b-50d", "catalog", ""),
        ("mine=glove-6b-50d", "mine", "glove-6b-50d", "catalog", ""),
        ("a=b/c.vec", "c", "a=b/c.vec", "path", "a=b/c.vec"),
        ("LABEL=a=b/c.vec", "LABEL", "a=b/c.vec", "path", "a=b/c.vec"),
        ("d=3.txt", "d=3", "d=3.txt", "path", "d=3.txt"),
        ("three=d=3.txt", "three", "d=3.txt", "path", "d=3.txt"),
        ("own/gpt2.v1", "gpt2.v1", "own/gpt2.v1", "path", "own/gpt2.v1"),
        ("decades/1990-w.npy", "1990", "decades/1990-w.npy", "path", "decades/1990-w.npy"),
        ("https://host/a/v.txt.gz", "v", "https://host/a/v.txt.gz", "web", "https://host/a/v.txt.gz"),
        ("https://host/v.txt?x=1", "v", "https://host/v.txt?x=1", "web", "https://host/v.txt"),
        (f"w=https://host/v.txt#sha256={PIN}", "w", f"https://host/v.txt#sha256={PIN}", "web", "https://host/v.txt"),
        ("hf://o/n/d/v.vec@abc", "v", "hf://o/n/d/v.vec@abc", "hub file", "hf://o/n/d/v.vec@abc"),
        ("gpt2", "gpt2", "gpt2", "hub", "gpt2"),
        ("Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-0.5B", "hub", "Qwen/Qwen2.5-0.5B"),
        ("q=o/n@refs/pr/1", "q", "o/n@refs/pr/1", "hub", "o/n@refs/pr/1"),
    ],
)
def test_models(named: str, label: str, target: str, place: str, source: str) -> None:
    found = resolve(named)
    assert (found.name, found.target, found.place, found.source) == (label, target, place, source)
    assert find(found) is found


def test_a_path_is_never_a_name_or_labelled() -> None:
    assert resolve(Path("glove-6b-50d")).place == "path"
    assert split_label(Path("x=y.vec")) == ("", "x=y.vec")
    assert resolve(Path("~/v.txt")).path == Path("~/v.txt").expanduser()


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("mine=", "'mine=' has no target; write LABEL=PATH or LABEL=NAME"),
        ("=v.vec", "'=v.vec' has no label; write LABEL=PATH or LABEL=NAME"),
        ("http://host/v.txt?key=s3cret", "http://host/v.txt is not encrypted; use https"),
        ("https://host/", "https://host/ does not name a file; give the address of the file itself"),
        ("https://[host/v.txt", "this is not the address of a file"),
        ("https://host/v.txt?key=s3cret#md5=1", "https://host/v.txt ends in #md5=1; only #sha256="),
        ("https://me:s3cret@host/v.txt", "must not contain a user or a password; put those for host into ~/.netrc"),
        ("https://host/x.gguf?key=s3cret", "https://host/x.gguf is a GGUF file on the web"),
        ("hf://owner/name", "hf://owner/name does not name a file; write hf://owner/name/path"),
    ],
)
def test_bad_names(named: str, message: str) -> None:
    with pytest.raises(WordworthError) as error:
        resolve(named)
    assert message in str(error.value)
    assert "s3cret" not in str(error.value)


def test_a_name_that_no_file_can_have() -> None:
    for named in ("x" * 300 + ".vec", "label=" + "x" * 300, "/" + "x" * 300):
        with pytest.raises(WordworthError, match=r"^[/x]{80} cannot be looked up \(File name too long\)"):
            kind_of(named)


TEST = '[test]\nname = "t"\nx = {words = ["a"]}\ny = {words = ["b"]}\na = {words = ["c"]}\nb = {words = ["d"]}\n'
TEMPLATES = '[t]\nlanguage = "english"\nbleached = "WORD"\naligned = [{low = 1, high = 9, text = "a WORD"}]\n'


@pytest.mark.parametrize(
    ("load", "file", "text"),
    [
        (load_lexicon, "l.csv", "word,valence\nsun,1\n"),
        (load_pairs, "p.tsv", "sun\tmoon\t3\n"),
        (load_analogies, "a.txt", "king queen man woman\n"),
        (load_frequencies, "f.txt", "sun 3\n"),
        (load_paraphrases, "t.txt", "a b\na c\na d\n"),
        (load_nli, "n.tsv", "premise\thypothesis\tlabel\na\tb\tneutral\n"),
        (load_corpus, "c.txt", "Some text.\n"),
        (lambda named: load_tests(named)[0], "t.toml", TEST),
        (load_templates, "t.toml", TEMPLATES),
    ],
)
def test_labels_of_all_data(load, file: str, text: str) -> None:  # type: ignore[no-untyped-def]
    (Path("a=b") / file).write_text(text)
    assert load(f"mine=a=b/{file}").name == "mine"
    assert load(f"a=b/{file}").name in (file, Path(file).stem)
    with pytest.raises(WordworthError, match="has no target"):
        load("mine=")
    with pytest.raises(WordworthError, match=r"there is no file nowhere/none\."):
        load(f"nowhere/none{Path(file).suffix}")


def test_a_token_in_a_query_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is fetched with a token is recorded without it, and asked for with it."""
    asked: list[str] = []

    def download(url: str, part: Path, what: str) -> None:
        asked.append(url)
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(VECTORS)

    monkeypatch.setattr("wordworth.catalog.fetch.archives.download", download)
    monkeypatch.delenv("WORDWORTH_OFFLINE")
    url = "https://host/v.txt?token=s3cret&part=1"
    (vectors,) = load_embeddings(url)
    assert asked == [url]
    assert vectors.provenance.source == "https://host/v.txt"
    assert "s3cret" not in repr(vectors.provenance)
    assert public_name(f"mine={url}") == "mine=https://host/v.txt"
    assert [public_name(one) for one in ("gpt2@x", "a=b/c.vec", "m=gpt2")] == ["gpt2@x", "a=b/c.vec", "m=gpt2"]
    assert public_address("https://u:p@host:1/v?x#y") == "https://host:1/v"
    monkeypatch.setenv("WORDWORTH_OFFLINE", "1")
    with pytest.raises(WordworthError, match=r"^https://host/o\.txt is not here and fetching is off"):
        list(load_embeddings("https://host/o.txt?token=s3cret"))


def test_language_models_and_what_is_none() -> None:
    with pytest.raises(WordworthError, match="glove-6b-50d is a static embedding, but a language model is needed"):
        locate_language_model("glove-6b-50d")
    with pytest.raises(WordworthError, match=r"fetching from the hub is off; did you mean smollm2-135m"):
        locate_language_model("smollm2")
    with pytest.raises(WordworthError, match=r"there is no model at \./none"):
        locate_language_model("./none")
    with pytest.raises(WordworthError, match=r"https://host/v\.txt is one file, read as word vectors"):
        locate_language_model("https://host/v.txt?token=1")
