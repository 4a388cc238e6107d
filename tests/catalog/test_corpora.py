import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from wordworth.catalog.read.corpora import Corpus, documents, load_corpus, refuse, tagged_sentences
from wordworth.errors import WordworthError

TEXT = "\ufeffFirst line.\n\n  Zweite Zeile: schön. \r\n\tlast"
LINES = ["First line.", "Zweite Zeile: schön.", "last"]


@pytest.mark.parametrize(
    ("suffix", "pack"), [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_lines(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(pack(TEXT.encode()))
    corpus = load_corpus(path, language="german")
    assert list(corpus) == LINES
    assert list(corpus) == LINES  # again, from the start
    assert (corpus.name, corpus.language, len(corpus.sha256)) == (path.name, "german", 64)


def test_wikitext(tmp_path: Path) -> None:
    path = tmp_path / "wiki.tokens"
    path.write_text(" \n = Robert <unk> = \n \n = = Career = = \n It cost 1 @,@ 000 well @-@ spent 2 @.@ 5 , = x \n")
    assert list(Corpus("w", (path,), "wikitext")) == ["It cost 1,000 well-spent 2.5 , = x"]


def test_tsv(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text('plain\t1\n"say ""no"" now"\t2\n"\t3\n\tno text\n\n')
    assert list(Corpus("t", (path,), "tsv")) == ["plain", 'say "no" now', '"']
    assert list(Corpus("t", (path,), "tsv", column=2)) == ["1", "2", "3", "no text"]
    path.write_text("a\tb\nshort\n")
    with pytest.raises(WordworthError, match=r"t\.tsv, line 2: 1 columns, but the text is column 2"):
        list(Corpus("t", (path,), "tsv", column=2))


def test_tagged_zip(tmp_path: Path) -> None:
    path = tmp_path / "brown.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("brown/cb01", "Later/rb ./.\n")
        archive.writestr("brown/ca01", "\n\tThe/at and/or/cc jury/nn said/vbd\n\n ``/`` No/rb ''/''\n")
        archive.writestr("brown/README", "not/a text/b")
    expected = ["The and/or jury said", '" No "', "Later ."]
    assert list(Corpus("b", (path,), "nltk-tagged-zip")) == expected


TREES = """
( (S (NP-SBJ (DT The) (NN unit) )

    (SBAR (WHNP-1 (WDT that) )
      (S (NP-SBJ (-NONE- *T*-1) ) (VP (VBZ makes) (NP (CD 1\\/2) ))))
    (VP (VBD stopped) ) (. .) ('' '') ))
( (FRAG (-LRB- -LRB-) (NN|JJ Yes) (-RRB- -RRB-) ))
"""


def test_a_blank_line_inside_a_treebank_sentence_does_not_end_it(tmp_path: Path) -> None:
    """By hand: two trees are two sentences, a trace is no word, and of two tags the first is taken."""
    path = tmp_path / "treebank.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("treebank/combined/wsj_0001.mrg", TREES)
        archive.writestr("treebank/tagged/wsj_0001.pos", "[ The/DT unit/NN ]\n\n[ that/WDT ]\nmakes/VBZ\n")
    first, second = tagged_sentences(path)
    assert first == [
        *[("The", "DT"), ("unit", "NN"), ("that", "WDT"), ("makes", "VBZ"), ("1/2", "CD"), ("stopped", "VBD")],
        *[(".", "."), ('"', "''")],
    ]
    assert second == [("(", "-LRB-"), ("Yes", "NN"), (")", "-RRB-")]


def test_the_treebank_sample_has_its_published_number_of_sentences(data: Path) -> None:
    """3,914: what NLTK documents for the sample, and the number of trees in it."""
    corpus = load_corpus("treebank")
    assert corpus.layout == "treebank-zip"  # in the keys of drawn contexts, counts and trainings; it was another before
    sentences = list(tagged_sentences(corpus.paths[0]))
    assert len(sentences) == corpus.count == 3_914
    assert sum(map(len, sentences)) == 94_084  # 100,676 leaves of NLTK, less 6,592 traces


PAGE = """\
'''Rain''' is [[water]] that falls from [[cloud|the clouds]] &amp;ndash; to the ground&lt;ref&gt;Not this.&lt;/ref&gt;.
== A heading that is much longer than forty characters in all ==
* A list item that is much longer than the forty characters that are asked for
# Another list item that is much longer than the forty characters asked for
{| class="wikitable"
| A cell of a table that is much longer than the forty characters
|}
{{Infobox|A template that is much longer than the forty characters of a line}}
[[File:Rain.jpg|thumb|A caption that is much longer than the forty characters of a line]]
Snow is ''frozen'' rain, H&lt;sub&gt;2&lt;/sub&gt;O to [https://host/x chemists], and falls&lt;br /&gt;slowly in winter.
&lt;!-- a comment that is much longer than the forty characters that are asked for --&gt;
Too short.
[[Category:Weather that is much longer than the forty characters asked for]]
"""
EXPECTED = [
    "Rain is water that falls from the clouds – to the ground.",
    "Snow is frozen rain, H2O to chemists, and falls slowly in winter.",
]


def dump(*pages: tuple[str, str, str], namespace: str = ' xmlns="http://www.mediawiki.org/xml/export-0.10/"') -> str:
    pytest.importorskip("mwparserfromhell")
    body = "".join(
        f"<page><title>T</title><ns>{ns}</ns>{more}<revision><text>{text}</text></revision></page>"
        for ns, more, text in pages
    )
    return f"<mediawiki{namespace}><siteinfo><sitename>W</sitename></siteinfo>{body}</mediawiki>"


ARTICLES = (
    ("0", "", PAGE),
    ("1", "", "A talk page, which is no article however long its lines may be in the end."),
    ("0", '<redirect title="Rain" />', "#REDIRECT [[Rain]] and some more words to make this line long enough."),
    ("0", "", ""),
    ("0", "", "The second article has this one paragraph &lt;span/&gt; and nothing else."),
)


@pytest.mark.parametrize("namespace", ["", ' xmlns="http://www.mediawiki.org/xml/export-0.11/"'])
def test_mediawiki(tmp_path: Path, namespace: str) -> None:
    path = tmp_path / "wiki.xml"
    path.write_text(dump(*ARTICLES, namespace=namespace), encoding="utf-8")
    corpus = load_corpus(path)
    last = "The second article has this one paragraph  and nothing else."
    assert list(corpus) == list(corpus) == [*EXPECTED, last]


@pytest.mark.parametrize(
    ("name", "count", "first"),
    [
        ("wikitext-103-valid", 1_841, "Homarus gammarus , known as the European lobster"),
        ("reddit", 54_263, "My favourite food is anything I didn't have to cook myself."),
        ("enwiki-sample", None, "Anarchism is a political philosophy that advocates self-governed societies"),
        ("brown", 57_340, "The Fulton County Grand Jury said Friday"),
    ],
)
def test_the_corpora_of_the_catalog(data: Path, name: str, count: int | None, first: str) -> None:
    pytest.importorskip("mwparserfromhell")
    corpus = load_corpus(name)
    lines = iter(corpus)
    assert next(lines).startswith(first)
    if count:  # 54,263 comments and 57,340 sentences are the published counts
        assert sum(1 for _ in lines) == count - 1
    assert corpus.language == "english"
    assert corpus.licence


def list_numbered(corpus: Corpus) -> list[tuple[int, str]]:
    found = list(documents(corpus, refuse))
    assert [line for _, line in found] == list(corpus)
    return found


def test_documents_of_a_dump(tmp_path: Path) -> None:
    path = tmp_path / "wiki.xml"
    path.write_text(dump(*ARTICLES), encoding="utf-8")
    assert [number for number, _ in list_numbered(load_corpus(path))] == [0, 0, 1]


def test_documents_of_plain_text_and_of_records(tmp_path: Path) -> None:
    path = tmp_path / "plain.txt"
    path.write_text("\n\na\nb\n\n\nc\n", encoding="utf-8")
    assert list_numbered(load_corpus(path)) == [(0, "a"), (0, "b"), (1, "c")]
    records = tmp_path / "records.jsonl"
    records.write_text('{"text": "a"}\n{"text": "b"}\n', encoding="utf-8")
    assert list_numbered(load_corpus(records)) == [(0, "a"), (1, "b")]


@pytest.mark.usefixtures("data")
def test_documents_of_wikitext() -> None:
    # 60 articles each, as its authors count them, though formulas in the test part look like two more titles.
    assert list_numbered(load_corpus("wikitext-103-test"))[-1][0] == 59
    assert list_numbered(load_corpus("wikitext-103-valid"))[-1][0] == 59
    assert list_numbered(load_corpus("wikitext"))[-1][0] == 119
