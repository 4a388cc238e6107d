"""The report in a browser: it opens from its file, draws, answers, and asks nobody for anything."""

import csv
from pathlib import Path
from typing import Any

import pytest

from made_runs import random_infer, random_predict, random_vast
from wordworth.pages.page import write_report

EVIL = "<script>window.hit = 1</script>"
IMAGE = "<img src=x onerror=window.hit=1>"
DRAWN = "document.documentElement.dataset.ready === 'yes'"


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All studies in one report, with names that would be scripts."""
    folder = tmp_path_factory.mktemp("audit")
    words = ["kindness", EVIL, IMAGE, "</script>", *(f"word{at}" for at in range(20))]
    random_vast(["tiny", EVIL], words=words).save(folder / "vast")
    random_predict("tiny", words=["the", IMAGE, "kindness"]).save(folder / "predict")
    random_infer(IMAGE, ("doctor", IMAGE)).save(folder / "infer")
    return write_report([folder])


def _open_drawn(page: Any, report: Path) -> Any:
    page.goto(report.as_uri())
    page.wait_for_function(DRAWN)
    return page


def test_it_opens_alone_and_draws_everything(page: Any, watched: Any, report: Path) -> None:
    _open_drawn(page, report)
    frames = page.locator("figure.drawn")
    assert frames.count() >= 13
    for at in range(frames.count()):
        marks = frames.nth(at).locator("svg .mark-symbol path, svg .mark-rect path, svg .mark-line path")
        assert marks.count() > 0, frames.nth(at).get_attribute("id")
    assert watched.errors == []
    assert watched.requests == []


def test_nothing_of_the_data_runs_or_becomes_an_element(page: Any, watched: Any, report: Path) -> None:
    _open_drawn(page, report)
    page.fill("#look-up", IMAGE)
    page.press("#look-up", "Enter")
    page.wait_for_selector("#looked-up table", state="attached")
    page.locator("#most-wrong summary").first.click()
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.wait_for_selector("#weat-nullified .pivot table")
    page.locator("#weat-nullified svg .mark-symbol path").first.hover(force=True)
    assert EVIL in page.locator("body").inner_text()
    assert page.evaluate("window.hit") is None
    assert page.locator("img").count() == 0
    assert page.locator("#looked-up h3").inner_text() == IMAGE
    assert EVIL in page.locator("h1").inner_text()
    assert EVIL in "".join(page.locator("#valence-layers svg text").all_text_contents())
    assert watched.errors == []


def test_a_word_is_looked_up(page: Any, report: Path) -> None:
    _open_drawn(page, report)
    page.fill("#look-up", "kin")
    suggested = page.locator("#known option")
    page.wait_for_function("document.querySelectorAll('#known option').length > 0")
    assert suggested.first.get_attribute("value") == "kindness"
    page.fill("#look-up", "Kindness")  # as people write it
    page.press("#look-up", "Enter")
    page.wait_for_selector("#looked-up table")
    found = page.locator("#looked-up").inner_text()
    assert "People rate its valence" in found
    assert f"kindness\t{EVIL}" in found  # the pair it stands in
    assert "wrong guess" in found
    rows = page.locator("#looked-up table").first.locator("tbody tr")
    assert rows.count() == 2 * 4 * 7  # models, contexts, layers


def test_a_word_that_is_not_there(page: Any, watched: Any, report: Path) -> None:
    _open_drawn(page, report)
    page.fill("#look-up", "constructor")  # a name that every object of the language has
    page.press("#look-up", "Enter")
    page.wait_for_selector("#looked-up p")
    assert "no such word" in page.locator("#looked-up").inner_text()
    assert watched.errors == []


def test_the_table_behind_a_figure_has_its_numbers(page: Any, report: Path) -> None:
    _open_drawn(page, report)
    page.locator("#coverage .behind summary").click()
    page.locator("#coverage .pivot tbody tr").first.wait_for()  # it is filled when it is first unfolded
    rows = [line.locator("td").all_inner_texts() for line in page.locator("#coverage .pivot tbody tr").all()]
    with (report.parent / "predict" / "scores.csv").open(encoding="utf-8") as stream:
        scores = [row for row in csv.DictReader(stream) if row["experiment"] == "coverage"]
    high = [f"{float(row['value']):.2f}".removeprefix("0") for row in scores if row["subset"] == "high"]
    assert rows[0] == ["wikitext-103-test", "tiny", "high", *high]
    assert len(rows) == 3


def test_downloads(page: Any, report: Path, tmp_path: Path) -> None:
    _open_drawn(page, report)
    for kind in ("svg", "csv"):
        with page.expect_download() as waiting:
            page.locator(f"#weat-nullified button[data-get={kind}]").click()
        waiting.value.save_as(tmp_path / f"figure.{kind}")
    drawn = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert drawn.startswith("<svg")
    assert "var(" not in drawn
    with (tmp_path / "figure.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 2 * 2 * 10  # models, raw and nullified, tests
    assert {row["model"] for row in rows} == {"tiny", EVIL}


def test_the_profile_is_downloaded(page: Any, watched: Any, report: Path, tmp_path: Path) -> None:
    _open_drawn(page, report)
    for kind in ("svg", "png", "csv"):
        with page.expect_download() as waiting:
            page.locator(f"button[data-profile={kind}]").click()
        waiting.value.save_as(tmp_path / f"profile.{kind}")
    picture = (tmp_path / "profile.svg").read_text(encoding="utf-8")
    assert picture.count('class="dot"') >= page.locator(".profile .answer").count()
    assert "var(" not in picture
    assert (tmp_path / "profile.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "profile.csv").open(encoding="utf-8", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == page.locator(".profile .answer").count()
    assert watched.errors == []


def test_a_download_holds_no_formula(page: Any, tmp_path: Path) -> None:
    """As in `scores.csv`: an apostrophe before a text that a spreadsheet would compute, and numbers as they are."""
    random_predict("=1+1").save(tmp_path / "run")
    _open_drawn(page, write_report([tmp_path / "run"]))
    with page.expect_download() as waiting:
        page.locator("#coverage button[data-get=csv]").click()
    waiting.value.save_as(tmp_path / "figure.csv")
    with (tmp_path / "figure.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["model"] for row in rows} == {"'=1+1"}
    assert all(0 <= float(row["value"]) <= 1 for row in rows)


def test_a_phone_in_the_dark(phone: Any, watched: Any, report: Path) -> None:
    _open_drawn(phone, report)
    assert phone.evaluate("document.documentElement.dataset.theme") == "dark"
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    inside = "e.closest('.scroll, .chart, pre, svg')"  # these scroll within themselves
    beyond = f"e => !{inside} && e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 1"
    wide = f"[...document.querySelectorAll('main *')].filter({beyond}).map(e => e.outerHTML.slice(0, 80))"
    assert phone.evaluate(wide) == []
    assert watched.errors == []


def test_all_can_be_reached_by_keyboard(page: Any, report: Path) -> None:
    _open_drawn(page, report)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main"
    unnamed = "[...document.querySelectorAll('a, button, input, summary')].filter(e => !(e.getAttribute('aria-label') "
    unnamed += "|| e.textContent.trim() || e.labels?.length)).length"
    assert page.evaluate(unnamed) == 0
    unreachable = "[...document.querySelectorAll('button, summary, input')].filter(e => e.tabIndex < 0).length"
    assert page.evaluate(unreachable) == 0


def test_the_leaderboard_is_sorted(page: Any, report: Path) -> None:
    _open_drawn(page, report)
    heading = page.locator("#leaderboard thead th", has_text="valence")
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    at = page.locator("#leaderboard thead th").all_inner_texts().index(heading.inner_text())
    cells = [row.locator("th, td").nth(at) for row in page.locator("#leaderboard tbody tr").all()]
    column = [cell.get_attribute("data-value") for cell in cells]
    shown = [float(value) for value in column if value is not None]
    assert len(shown) > 1
    assert shown == sorted(shown, reverse=True)
    assert column == [*map(str, shown), *[None] * (len(column) - len(shown))]  # models without a number come last


def test_a_point_shows_its_number(page: Any, report: Path) -> None:
    _open_drawn(page, report)
    point = page.locator("#weat-nullified svg .mark-symbol path").first
    text = point.locator("title").text_content()  # which a browser shows where it is pointed at
    assert "1 flowers, insects" in text
    assert text.endswith("n = 24")


def test_everything_is_there_without_a_script(browser: Any, report: Path) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(report.as_uri())
    assert page.locator(".profile svg .dot").count() == page.locator(".profile .answer").count() > 0
    assert page.locator("figure.drawn svg").count() == page.locator("figure.drawn").count()
    assert not page.locator(".tools").first.is_visible()
    page.close()


def test_a_site_opens_from_disk(page: Any, watched: Any, tmp_path: Path) -> None:
    runs = [random_predict("one"), random_predict("two"), random_infer("nli")]
    for at, run in enumerate(runs):
        run.save(tmp_path / f"run{at}")
    index = write_report([tmp_path / f"run{at}" for at in range(3)], tmp_path / "site")
    page.goto(index.as_uri())
    heading = page.locator("thead th", has_text="Words predicted")
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    page.locator("a", has_text="Compare two models").click()
    page.wait_for_selector("#comparison table")
    assert page.locator("#first option:checked").inner_text() == "one · run0"
    assert page.locator("#second option:checked").inner_text() == "two · run1"
    assert page.locator("#comparison tbody tr").count() == 3  # words predicted, rare words, diversity
    page.locator("#second").select_option(label="nli · run2")
    assert "no question in common" in page.locator("#tested").inner_text()
    assert watched.errors == []
    assert watched.requests == []
