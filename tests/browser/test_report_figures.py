"""Figures and leaderboard of a report in a browser: all is there, and nothing is cut."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from made_runs import finish, random_infer, random_predict, random_vast, record
from wordworth.pages.figures import Figure, figures_of
from wordworth.pages.page import write_report
from wordworth.results.run import Run
from wordworth.results.runs import read_runs

LONG = "an-organization/a-language-model-of-some-length-2.5-1.7B-instruct-v0.3"
DRAWN = "document.documentElement.dataset.ready === 'yes'"


def _vectors(models: list[str], languages: list[str]) -> Run:
    """Embeddings in the shape of `valnorm` and `weat`, under names of every length."""
    run = record("valnorm", {model: {"words": 1000} for model in models})
    for at, model in enumerate(models):
        for language in languages:
            where = {"model": model, "language": language}
            for number, dataset in enumerate(("bellezza", "anew", "warriner", "simlex-999", "a-list-of-pairs-2020")):
                measure = "valence" if number < 3 else "similarity"
                row = {"dataset": dataset, "value": 0.5 + at / 30, "low": 0.4 + at / 30, "high": 0.6 + at / 30}
                run.score(experiment=measure, **where, **row, measure=measure, n=300 + at)
            for number in range(1, 11):
                row = {"dataset": f"weat{number}", "value": 1.0, "low": 0.2, "high": 1.5, "p": 0.01, "n": 16 + at % 2}
                run.score(experiment="weat", **where, **row, measure="weat")
        for measure, variant in (("rnsb", None), ("mac", None), ("direct-bias", "centred"), ("manzini", None)):
            row = {"dataset": "gender-pairs", "subset": "professions", "value": 0.1, "low": 0.0, "high": 0.2, "n": 20}
            run.score(experiment="bias", model=model, language="english", measure=measure, variant=variant, **row)
    return finish(run)


def _make_variants(model: str) -> Run:
    """Variants of three tests, as `weat --sensitivity` leaves them."""
    rng = np.random.default_rng(0)
    run = record("weat", {model: {"words": 100}})
    words, vectors, sides = ("all words", "one target out", "half of the words"), ("raw", "centred"), ("one", "two")
    rows = list(product(words, vectors, sides)) * 20
    for dataset in ("weat6", "weat8", "weat9"):
        where = {"experiment": "sensitivity", "model": model, "language": "english", "dataset": dataset}
        choices = dict(zip(("words", "vectors", "sides"), map(list, zip(*rows, strict=True)), strict=True))
        numbers = {"value": rng.normal(0.5, 0.5, len(rows)).tolist(), "p": rng.uniform(0, 0.2, len(rows)).tolist()}
        run.item("variants", **where, **choices, sigma="sample σ", without="", **numbers)
        for variant in ("flipped", "median"):
            row = {"variant": variant, "value": 0.3, "low": 0.1, "high": 0.9, "n": len(rows)}
            run.score(**where, measure="sensitivity", **row)
    return finish(run)


@pytest.fixture(scope="session")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten embeddings in three languages, two language models, and long names everywhere."""
    folder = tmp_path_factory.mktemp("crowded")
    models = [LONG, *(f"vectors-{at}" for at in range(9))]
    _vectors(models, ["english", "german", "traditional chinese"]).save(folder / "valnorm")
    random_vast([f"{LONG}-base", "tiny"]).save(folder / "vast")
    random_predict(f"{LONG}-base").save(folder / "predict")
    random_infer(LONG).save(folder / "infer")
    _make_variants(LONG).save(folder / "weat")
    return write_report([folder])


def _figures(report: Path) -> list[Figure]:
    runs = read_runs([report.parent])
    chapters = figures_of(runs.scores, runs)
    return [figure for chapter in chapters.values() for figure in chapter]


OVERLAPS = """svg => {
  const frame = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].filter((text) =>
    text.textContent.trim() && !/rotate/.test(text.getAttribute("transform") ?? "") && text.textContent !== "†" &&
    text.getAttribute("opacity") !== "0");  // labels of an axis that it hides because they would overlap
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
def test_no_label_is_cut_or_lies_on_another(page: Any, crowded: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(crowded.as_uri())
    page.wait_for_function(DRAWN)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    wrong = {}
    for figure in _figures(crowded):
        found = page.locator(f"#{figure.id} .chart svg").evaluate(OVERLAPS)
        if found:
            wrong[figure.id] = found[:5]
    assert wrong == {}


def test_the_leaderboard_fits(page: Any, crowded: Path) -> None:
    page.goto(crowded.as_uri())
    frame = page.locator("#leaderboard .scroll")
    assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
    assert page.locator("#leaderboard tbody tr").count() == 12  # ten embeddings and two language models


def test_the_first_screen_holds_the_profile(page: Any, crowded: Path) -> None:
    page.goto(crowded.as_uri())
    rows = page.locator(".profile .question")
    assert rows.first.bounding_box()["y"] < 300
    assert page.locator(".profile .answer .dot").count() == page.locator(".profile .answer").count()
