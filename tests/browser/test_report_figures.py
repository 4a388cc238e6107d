"""Figures and leaderboard of a report in a browser: all is there, and nothing is cut."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from made_runs import MadeRun, random_infer, random_predict, random_vast
from wordworth.catalog.read.association_tests import load_test
from wordworth.embedding import Embedding, Provenance
from wordworth.pages.figures import Figure, figures_of
from wordworth.pages.page import write_report
from wordworth.pages.runs import read_runs
from wordworth.study import study

LONG = "an-organization/a-language-model-of-some-length-2.5-1.7B-instruct-v0.3"
TRIED = ("weat6", "weat8", "weat9")
DRAWN = "document.documentElement.dataset.ready === 'yes'"


def _vectors(folder: Path, models: list[str], languages: list[str]) -> Path:
    """Embeddings in the shape of `valnorm` and `weat`, under names of every length."""
    run = MadeRun("valnorm", measures={"valence": {"better": "higher"}})
    for at, model in enumerate(models):
        run.model(model, words=1000)
        for language in languages:
            where = {"model": model, "language": language}
            for number, dataset in enumerate(("bellezza", "anew", "warriner", "simlex-999", "a-list-of-pairs-2020")):
                measure = "valence" if number < 3 else "similarity"
                told = {"dataset": dataset, "value": 0.5 + at / 30, "low": 0.4 + at / 30, "high": 0.6 + at / 30}
                run.score(experiment=measure, **where, **told, measure=measure, n=300 + at)
            for number in range(1, 11):
                told = {"dataset": f"weat{number}", "value": 1.0, "low": 0.2, "high": 1.5, "p": 0.01, "n": 16 + at % 2}
                run.score(experiment="weat", **where, **told, measure="weat")
        for measure in ("rnsb", "mac", "direct-bias:centred", "manzini"):
            told = {"dataset": "gender-pairs/professions", "measure": measure, "value": 0.1, "low": 0.0, "high": 0.2}
            run.score(experiment="bias", model=model, language="english", **told, n=20)
    return run.write(folder)


def _tried(folder: Path, model: str) -> None:
    """An embedding in the shape of `weat --sensitivity`."""
    words = {word: None for name in TRIED for group in load_test(name).groups for word in group}
    matrix = np.random.default_rng(0).normal(size=(len(words), 10)).astype(np.float32)
    embedding = Embedding(list(words), matrix, Provenance(model))
    study("weat")([embedding], tests=TRIED, sensitivity=True, draws=2, permutations=50).save(folder)


@pytest.fixture(scope="session")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten embeddings in three languages, two language models, and long names everywhere."""
    folder = tmp_path_factory.mktemp("crowded")
    models = [LONG, *(f"vectors-{at}" for at in range(9))]
    _vectors(folder / "valnorm", models, ["english", "german", "traditional chinese"])
    random_vast([f"{LONG}-base", "tiny"]).write(folder / "vast")
    random_predict(f"{LONG}-base").write(folder / "predict")
    random_infer(LONG, "accountant → gentleman").write(folder / "infer")
    _tried(folder / "weat", LONG)
    return write_report([folder])


def _figures(report: Path) -> list[Figure]:
    runs = read_runs([report.parent])
    chapters = figures_of(runs.scores, runs)
    return [figure for chapter in chapters.values() for figure in chapter]


OVERLAPS = """svg => {
  const frame = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].filter((text) =>
    text.textContent.trim() && !/rotate/.test(text.getAttribute("transform") ?? "") && text.textContent !== "†");
  const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
  const wrong = [];
  boxes.forEach(([text, box], at) => {
    if (text.includes("…")) wrong.push(`cut: ${text}`);
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1) {
      wrong.push(`beyond: ${text}`);
    }
    for (const [other, place] of boxes.slice(at + 1)) {
      const across = Math.min(box.right, place.right) - Math.max(box.left, place.left);
      const down = Math.min(box.bottom, place.bottom) - Math.max(box.top, place.top);
      if (across > 1 && down > 3) wrong.push(`${text} on ${other}`);
    }
  });
  return wrong;
}"""


@pytest.mark.parametrize("width", [1280, 768, 390])
def test_no_label_is_cut_or_lies_on_another(browser: Any, crowded: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(crowded.as_uri())
    page.wait_for_function(DRAWN)
    wrong = {}
    for figure in _figures(crowded):
        found = page.locator(f"#{figure.id} .chart svg").evaluate(OVERLAPS)
        if found:
            wrong[figure.id] = found[:5]
    page.close()
    assert wrong == {}


def test_the_leaderboard_fits_and_its_columns_are_chosen(page: Any, crowded: Path) -> None:
    page.goto(crowded.as_uri())
    frame = page.locator("#leaderboard .scroll")
    assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
    headings = page.locator("#leaderboard thead th:visible")
    first = headings.count()
    page.locator("#leaderboard summary").click()
    boxes = page.locator("#leaderboard .columns input")
    assert page.locator("#leaderboard .chosen").inner_text() == f"{first - 1} of {boxes.count()}"
    page.locator("#leaderboard button", has_text="All").click()
    assert headings.count() == boxes.count() + 1
    for box in boxes.all():
        box.uncheck()
    page.locator("#leaderboard label", has_text="perplexity").click()
    assert headings.all_inner_texts() == ["model", "perplexity wikitext-103-test"]
    rows = page.locator("#leaderboard tbody tr")
    assert page.locator("#leaderboard tbody tr:visible").count() == 1 < rows.count()  # the others have no number there
    assert "Without a number in these columns:" in page.locator("#leaderboard .without").inner_text()
    page.locator("#leaderboard button", has_text="As at first").click()
    assert headings.count() == first


def test_the_leaderboard_on_a_phone(phone: Any, crowded: Path) -> None:
    """The names stay while the numbers move, and leave them room."""
    phone.goto(crowded.as_uri())
    frame, name = phone.locator("#leaderboard .scroll"), phone.locator("#leaderboard tbody th").first
    before = name.bounding_box()
    assert before["width"] < 0.5 * 390
    frame.evaluate("frame => { frame.scrollLeft = 150; }")
    assert frame.evaluate("frame => frame.scrollLeft") > 50
    assert name.bounding_box()["x"] == pytest.approx(before["x"], abs=1)
