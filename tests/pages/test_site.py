"""A site of many runs: an index that tells them apart, a page of each, and a comparison that opens from disk."""

import json
import re
from pathlib import Path

import pytest

from made_runs import finish, random_predict, record
from seen_page import EVIL, Seen
from wordworth.pages.page import write_report
from wordworth.results.run import Run


def vectors(model: str, shift: float, dataset: str = "bellezza") -> Run:
    """Valence on 60 words; `shift` blurs the association, so that ρ falls."""
    run = record("valnorm", {model: {"words": 60}})
    where = {"experiment": "valence", "model": model, "language": "english", "dataset": dataset}
    ratings = [float(at) for at in range(60)]
    values = [at + shift * ((7 * at) % 60) for at in ratings]
    run.item("rated_words", **where, word=[f"w{at}" for at in range(60)], rating=ratings, value=values)
    run.score(**where, measure="valence", value=0.9 - shift / 10, low=0.7, high=0.95, n=60)
    return finish(run)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "runs" / "other").mkdir(parents=True)
    vectors("a", 0.1).save(tmp_path / "runs" / "one")
    vectors("b", 2.0).save(tmp_path / "runs" / "other" / "one")
    random_predict(EVIL).save(tmp_path / "runs" / "index")
    folders = [tmp_path / "runs" / name for name in ("one", "other/one", "index")]
    return write_report(folders, tmp_path / "site")


def test_every_run_has_a_page_and_a_row_of_its_own(site: Path) -> None:
    assert site.name == "index.html"
    pages = {one.name for one in site.parent.iterdir()}
    assert pages == {"index.html", "compare.html", "one.html", "one-2.html", "index-2.html"}
    seen = Seen(site.read_text(encoding="utf-8"))
    links = {str(attributes["href"]) for name, attributes in seen.elements if name == "a"}
    assert links >= {"one.html", "one-2.html", "index-2.html", "compare.html"}
    assert links <= pages | {"#main"}
    assert EVIL in "".join(seen.texts)
    assert "2026-01-02 03:04" in "".join(seen.texts)
    values = [attributes["data-value"] for _, attributes in seen.elements if "data-value" in attributes]
    assert {"0.89", "0.7"} <= set(values)  # sorted by what they are, not as they are written


def test_two_models_are_compared_by_a_paired_test(site: Path) -> None:
    text = (site.parent / "compare.html").read_text(encoding="utf-8")
    (held,) = re.findall(r'id="compared">(.*?)</script>', text, flags=re.DOTALL)
    data = json.loads(held)
    assert [one["name"] for one in data["entries"]] == ["a · one", "b · one-2", f"{EVIL} · index-2"]
    assert data["entries"][0]["numbers"]["Valence"] == ["bellezza", 0.89, 0.7, 0.95]
    assert list(data["tests"]) == ["0,1"]  # the third shares no question with them
    assert 0 <= data["tests"]["0,1"]["Valence"] < 0.05
    assert "fetch(" not in text


def test_a_page_leads_back_to_the_index(site: Path) -> None:
    assert 'href="index.html"' in (site.parent / "one.html").read_text(encoding="utf-8")
    one_file = write_report([site.parent.parent / "runs" / "one"])
    assert 'href="index.html"' not in one_file.read_text(encoding="utf-8")


def test_numbers_on_other_data_are_told_apart(tmp_path: Path) -> None:
    folders = [vectors("a", 0.1).save(tmp_path / "a").folder, vectors("b", 0.2, "anew").save(tmp_path / "b").folder]
    text = write_report([one for one in folders if one], tmp_path / "site").read_text(encoding="utf-8")
    assert '<span class="rank">bellezza</span>' in text
    assert '<span class="rank">anew</span>' in text
    data = json.loads(re.findall(r'id="compared">(.*?)</script>', (tmp_path / "site/compare.html").read_text())[0])
    assert data["tests"] == {}  # two data sets are no pair
