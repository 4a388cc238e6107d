"""Texts with broken lines: told with their place, and the rest is used."""

import bz2
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from wordworth.catalog.read.corpora import load_corpus
from wordworth.errors import WordworthError


def lenient(path: str | Path) -> tuple[list[str], list[str]]:
    flaws: list[str] = []
    return list(load_corpus(path).lines(flaws.append)), flaws


def test_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "One.\\nTwo."}\n\n{"text": "broken\n{"title": "x"}\n[1]\n{"text": " Three. "}\n')
    lines, flaws = lenient(path)
    assert lines == ["One.", "Two.", "Three."]
    assert [flaw.removeprefix(str(path)) for flaw in flaws] == [
        ", line 3: not JSON from character 17 on; correct the line",
        ", line 4: no text in the field 'text' (fields: title); name one as PATH#FIELD",
        ", line 5: not a JSON object; write one on each line",
    ]
    with pytest.raises(WordworthError, match=r"a\.jsonl, line 3: not JSON"):
        list(load_corpus(path))


def test_another_field_and_packed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.bz2"
    path.write_bytes(bz2.compress(json.dumps({"body": "Words.", "text": "no"}).encode()))
    assert list(load_corpus(f"{path}#body")) == ["Words."]


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": ["One.\nTwo.", None, "Three."], "id": [1, 2, 3], "other": ["x", "y", "z"]}).write_parquet(
        path
    )
    assert list(load_corpus(path)) == ["One.", "Two.", "Three."]
    assert list(load_corpus(f"{path}#other")) == ["x", "y", "z"]
    with pytest.raises(WordworthError, match=r"has no text column 'id' \(there are: text, other\); name one as PATH#"):
        list(load_corpus(f"{path}#id"))
    path.write_bytes(b"PAR1 nothing")
    with pytest.raises(WordworthError, match=r"a\.parquet is not a parquet file \(.*\); fetch or copy it again"):
        list(load_corpus(path))


def test_text_with_a_broken_line_and_a_broken_end(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\nsch\xf6n\nalso good\n")
    lines, flaws = lenient(path)
    assert lines == ["good", "also good"]
    assert flaws == [f"{path}, line 2: not UTF-8 (invalid start byte); convert the file"]
    packed = tmp_path / "a.txt.bz2"
    packed.write_bytes(bz2.compress(b"good\n" * 100)[:-8])
    lines, flaws = lenient(packed)
    assert "is cut short or damaged" in flaws[0]


PAGE = "<page>\n<ns>0</ns><revision><text>{}</text></revision>\n</page>\n"
LONG = "This is the running text of article {}, which is long enough."


def dump(*pages: str) -> str:
    pytest.importorskip("mwparserfromhell")
    return "<mediawiki>\n" + "".join(pages) + "</mediawiki>\n"


@pytest.mark.parametrize("damage", [lambda text: text[:-60], lambda text: text.replace("2, which", "2</p>, which")])
def test_a_dump_that_is_cut_or_broken_gives_the_pages_before(tmp_path: Path, damage: Callable[[str], str]) -> None:
    path = tmp_path / "wiki.xml"
    path.write_text(damage(dump(*(PAGE.format(LONG.format(n)) for n in range(3)))))
    for _ in range(2):  # the second time from the cache
        lines, flaws = lenient(path)
        assert lines == [LONG.format(0), LONG.format(1)]
        assert "not a complete MediaWiki dump" in flaws[0]
    with pytest.raises(WordworthError, match=r"wiki\.xml is not a complete MediaWiki dump"):
        list(load_corpus(path))


def test_another_xml_is_no_dump(tmp_path: Path) -> None:
    pytest.importorskip("mwparserfromhell")
    path = tmp_path / "page.xml"
    path.write_text("<html><page></page></html>")
    with pytest.raises(WordworthError, match="begins with <html>"):
        list(load_corpus(path))


def test_a_data_set_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("huggingface_hub")
    path = tmp_path / "part.jsonl"
    path.write_text('{"text": "Words."}\n')
    asked: dict[str, object] = {}

    def fetched(repository: str, file: str, **options: object) -> str:
        asked.update(options, repository=repository, file=file)
        return str(path)

    monkeypatch.setattr("huggingface_hub.hf_hub_download", fetched)
    corpus = load_corpus("hf://datasets/owner/name/data/part.jsonl@abc#text")
    assert list(corpus) == ["Words."]
    assert (asked["repository"], asked["file"], asked["repo_type"]) == ("owner/name", "data/part.jsonl", "dataset")
    assert asked["revision"] == "abc"
    assert corpus.source == "hf://datasets/owner/name/data/part.jsonl@abc"
