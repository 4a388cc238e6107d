"""Every figure is whole: it compiles, says in words what it shows, and draws the rows it claims to."""

import json
import re
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import pytest
import vl_convert

from made_runs import MadeRun, debiased, random_vast
from wordworth.measure.declaration import MEASURES
from wordworth.pages.answers import plain_answers
from wordworth.pages.figures import Figure, draw_svg, figures_of
from wordworth.pages.figures.charts import COLOURS
from wordworth.pages.figures.stereotypes import ESTIMATORS
from wordworth.pages.figures.svg import LIGHT, fit_to_document
from wordworth.pages.runs import numbered, read_runs


def _figures(*folders: Path) -> dict[str, Figure]:
    found = figures_of(read_runs(folders).scores)
    return {figure.id: figure for figures in found.values() for figure in figures}


@pytest.fixture
def reduced(tmp_path: Path) -> Path:
    """A run in the shape of `static`, with made-up numbers."""
    run = MadeRun("static")
    where = {"model": "tiny", "language": "english"}
    run.model("tiny", family="masked", layers=4)
    for layer in range(5):
        for setting, pooling in (("aggregated", "mean/mean"), ("aggregated", "max/min"), ("decontextualized", "mean")):
            told = {"dataset": "rg-65", "setting": setting, "pooling": pooling, "layer": layer, "value": layer / 10}
            run.score(experiment="quality", **where, **told, measure="similarity", n=65)
        for measure in ("direct-bias", "manzini"):
            told = {"dataset": "gender-pairs/professions", "layer": layer, "value": 0.1 * layer, "measure": measure}
            run.score(experiment="bias", **where, **told, low=0.0, high=0.6)
    for setting in ("aggregated:100", "aggregated:1000", "aggregated"):
        told = {"dataset": "rg-65", "setting": setting, "pooling": "mean/mean", "layer": 4, "value": 0.4}
        run.score(experiment="quality", **where, **told, measure="similarity:best", n=65)
    told = {"dataset": "gender/professions", "measure": "agreement", "value": 0.3, "low": -0.2, "high": 0.8}
    run.score(experiment="agreement", **where, **told, n=5)
    for measure in ("manzini", "garg-cosine"):
        told = {"dataset": "race/professions", "measure": measure, "value": 0.2, "low": 0.1, "high": 0.3}
        run.score(experiment="bias", model="vectors", language="english", **told, n=20)
    return run.write(tmp_path / "static")


def test_all_figures_of_the_papers(audit: Path, reduced: Path) -> None:
    assert list(_figures(audit, reduced)) == [
        *("valence-layers", "tokenization", "isolation", "anisotropy", "validation"),
        *("similarity-layers", "similarity-sentences"),
        *("weat-nullified", "weat-layers", "bias-layers", "bias", "agreement"),
        *("prediction", "coverage", "soft-match", "paraphrase", "neutrality", "accuracy"),
    ]


def test_figures_compile_and_have_words(audit: Path, reduced: Path) -> None:
    """Vega-Lite takes every specification, with the rows as data."""
    for figure in _figures(audit, reduced).values():
        data = {"values": figure.own.to_dicts()}
        compiled = vl_convert.vegalite_to_vega({**fit_to_document(figure.spec), "data": data})
        assert compiled["marks"], figure.id
        assert figure.caption.endswith("."), figure.id
        assert figure.title in figure.alt
        assert "Lowest" in figure.alt
        assert {*figure.down, *figure.across} <= set(figure.rows.columns)


def _texts(drawn: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]


def test_every_figure_names_its_models(audit: Path, reduced: Path, tmp_path: Path) -> None:
    """In the title, a panel's heading, the legend or on the axis: also of one model, which needs no legend."""
    sized = MadeRun("valnorm")
    for share in (10, 100):
        told = {"dataset": "bellezza", "measure": "valence", "value": share / 200, "n": 399}
        sized.score(experiment="corpus-size", model=f"wiki@{share}%", language="english", **told)
    several = random_vast(["one-model", "another-model"], tests=2).write(tmp_path / "several")
    for folders in ([audit, reduced], [several], [sized.write(tmp_path / "sized")]):
        for figure in _figures(*folders).values():
            drawn = "".join(_texts(draw_svg(figure)))
            for model in figure.rows["model"].unique():
                assert model.partition("@")[0] in drawn, figure.id


def test_texts_side_by_side(tmp_path: Path) -> None:
    """Slices of a time have a figure of their own; texts of one size are no curve of sizes."""
    sliced = MadeRun("valnorm")
    for year in (2013, 2012):
        told = {"dataset": "bellezza", "measure": "valence", "value": year / 4000, "low": 0.1, "high": 0.9, "n": 70}
        sliced.score(experiment="corpus-size", model=f"ttec-{year}@100%", language="english", **told)
    figures = _figures(sliced.write(tmp_path / "sliced"))
    assert "corpus-size" not in figures
    assert figures["by-corpus"].rows["model"].to_list() == ["ttec-2012@100%", "ttec-2013@100%"]
    drawn = "".join(_texts(draw_svg(figures["by-corpus"])))
    assert "ttec-2012" in drawn
    assert "ttec-2013" in drawn


def test_association_tests_have_their_interval_and_n(tmp_path: Path) -> None:
    run = MadeRun("weat")
    for model, n in (("a", 16), ("b", 14)):
        where = {"experiment": "weat", "model": model, "language": "english", "measure": "weat", "value": 1.0}
        run.score(**where, dataset="weat6", low=0.5, high=1.5, n=n)
        run.score(**where, dataset="mine", low=0.5, high=1.5, n=1234)
    figure = _figures(run.write(tmp_path / "run"))["weat"]
    texts = " ".join(_texts(draw_svg(figure)))
    assert "6 names: career, family\u00a0· n\u00a0=\u00a014–16" in texts
    assert "mine\u00a0· n\u00a0=\u00a01,234" in texts
    rules = [layer for layer in figure.spec["layer"] if layer["mark"]["type"] == "rule" and "x2" in layer["encoding"]]
    assert [rule["encoding"]["x2"]["field"] for rule in rules] == ["high"]
    assert "95 % intervals" in figure.caption


def test_every_estimator_is_shown(tmp_path: Path) -> None:
    run = MadeRun("static")
    every = [name for name in ESTIMATORS if name != "mac"]
    for at, measure in enumerate(every):
        dataset = "gender" if measure == "rnsb" else "gender/professions"
        told = {"dataset": dataset, "measure": measure, "value": at / 10, "language": "english", "n": 20}
        run.score(experiment="bias", model="vectors", **told)
        for layer in range(3):
            run.score(experiment="bias", model="tiny", layer=layer, **told)
    figures = _figures(run.write(tmp_path / "static"))
    assert "Of ect 1 is no bias, of the others 0." in figures["bias"].caption
    for name in ("bias", "bias-layers"):
        drawn = "".join(_texts(draw_svg(figures[name])))
        assert all(measure in drawn for measure in every)


def test_the_estimators_of_figures_are_those_of_the_study() -> None:
    """All that the study declares but the share that direct bias explains, which is none."""
    declared = {name for name in MEASURES if re.match(r"(direct-bias|garg|manzini|ripa|mac$|ect$|rnsb)", name)}
    assert set(ESTIMATORS) == declared - {"direct-bias:explained"}


def test_the_rows_of_a_figure_are_its_scores(audit: Path) -> None:
    scores = read_runs([audit]).scores
    for figure in _figures(audit).values():
        for row in figure.rows.iter_rows(named=True):
            assert scores.row(row["row"], named=True)["value"] == row["value"]


def test_a_figure_in_words(tmp_path: Path) -> None:
    run = MadeRun("vast")
    for layer, value in enumerate((0.5, 0.9, 0.1)):
        where = {"model": "m", "language": "english", "dataset": "bellezza", "setting": "bleached"}
        run.score(experiment="contextualization", **where, layer=layer, measure="valence", value=value)
    alt = _figures(run.write(tmp_path / "run"))["valence-layers"].alt
    assert alt == (
        "Line chart of 3 numbers. Valence by layer and setting. Lowest .10 (m, bellezza, bleached, valence, layer 2), "
        "highest .90 (m, bellezza, bleached, valence, layer 1)."
    )


def test_the_untrained_network_is_a_thin_line_of_the_settings_colour(tmp_path: Path) -> None:
    run = MadeRun("vast")
    where = {"model": "m", "language": "english", "dataset": "bellezza"}
    control = {"experiment": "control", "measure": "valence:control"}
    for layer, (value, blank) in enumerate(((0.5, 0.1), (0.9, 0.2))):
        told = {"measure": "valence", "setting": "bleached", "value": value, "n": 399}
        run.score(experiment="contextualization", **where, **told, layer=layer)
        run.score(**control, **where, setting="untrained:bleached", layer=layer, value=blank)
        run.score(**control, **where, setting="shuffled:bleached", layer=layer, value=0.0)
    figure = _figures(run.write(tmp_path / "run"))["valence-layers"]
    assert set(figure.rows["setting"]) == {"bleached", "untrained:bleached"}
    (thin,) = [layer for layer in figure.spec["layer"] if layer.get("transform") == [{"filter": "datum.control"}]]
    assert thin["mark"]["strokeWidth"] < 1.8
    assert thin["encoding"]["color"]["scale"]["domain"] == ["bleached"]
    assert "random weights" in figure.caption
    (sentence,) = plain_answers(read_runs([tmp_path / "run"]))["Does it know what words mean?"]
    assert sentence.endswith("(bellezza, bleached); the same network untrained has .20.")


def test_a_model_has_one_colour_in_all_figures(tmp_path: Path) -> None:
    figures = _figures(random_vast(["one", "two", "three"], tests=3).write(tmp_path / "run"))
    view = figures["weat-layers"].spec["spec"]["layer"][0]["encoding"]["color"]["scale"]
    assert dict(zip(view["domain"], view["range"], strict=True)) == dict(
        zip(("one", "two", "three"), COLOURS[:3], strict=True)
    )


def test_many_series_differ_in_colour_or_dash(tmp_path: Path) -> None:
    figures = _figures(random_vast([f"m{at}" for at in range(12)], tests=2, layers=4).write(tmp_path / "run"))
    encoding = figures["weat-layers"].spec["spec"]["layer"][0]["encoding"]
    looks = zip(encoding["color"]["scale"]["range"], map(str, encoding["strokeDash"]["scale"]["range"]), strict=True)
    assert len(set(looks)) == 12


def test_before_and_after_is_raw_and_the_best_number_of_components(audit: Path) -> None:
    from wordworth.pages.insights import best_components

    scores = read_runs([audit]).scores
    shown = _figures(audit)["weat-nullified"].rows
    assert set(shown.get_column("pcs")) == {None, best_components(scores)["tiny"]}
    assert set(shown.get_column("layer")) == {6}


def test_debiasing_before_after_and_the_control(tmp_path: Path) -> None:
    effects = {"original": 1.5, "projection": 0.5, "random": 1.4, "random:1": 1.3}
    figures = _figures(debiased("vectors", effects, {"original": 0.8, "projection": 0.79}).write(tmp_path / "debias"))
    assert list(figures) == ["debias", "stability"]
    assert set(figures["debias"].rows.get_column("setting")) == {"original", "projection", "random"}
    assert set(figures["debias"].rows.get_column("measure")) == {"weat", "valence"}


def test_drawn_without_a_browser() -> None:
    run = MadeRun("valnorm")
    for model, value in (("one", 0.8), ("two", 0.7)):
        told = {"dataset": "bellezza", "measure": "valence", "value": value, "low": value - 0.1, "high": value + 0.1}
        run.score(experiment="valence", model=model, language="english", **told, n=399)
    (figures,) = figures_of(numbered(run.scores)).values()
    drawn = draw_svg(figures[0])
    assert drawn.startswith("<svg")
    assert "var(" not in drawn
    assert LIGHT["c1"] in drawn
    assert ">one<" in drawn


def test_paper_colours_are_those_of_the_page() -> None:
    style = (files("wordworth.pages") / "assets" / "report.css").read_text(encoding="utf-8")
    light = style[: style.index("data-theme")]
    assert {name: colour for name, colour in re.findall(r"--(\w+): (#[0-9a-f]{6})", light) if name in LIGHT} == LIGHT


def _luminance(colour: str) -> float:
    """WCAG 2's relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast(theme: str) -> None:
    """WCAG 2 AA: 4.5 for text, 3 for lines that carry meaning, on the page's paper and wash."""
    style = (files("wordworth.pages") / "assets" / "report.css").read_text(encoding="utf-8")
    block = style.split("}")[0 if theme == "light" else 1]
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
    for name in ("ink", "muted", "link", *(f"c{at}" for at in range(1, 9))):
        for ground in ("paper", "wash"):
            pair = sorted((_luminance(colours[name]), _luminance(colours[ground])))
            ratio = (pair[1] + 0.05) / (pair[0] + 0.05)
            assert ratio >= (3 if name.startswith("c") else 4.5), (name, ground, ratio)


def test_no_text_of_the_data_is_in_an_expression(tmp_path: Path) -> None:
    """Names reach Vega as data alone; its expressions are ours."""
    name = "'); alert(1); ('"
    for figure in _figures(random_vast([name, "other"], tests=2).write(tmp_path / "run")).values():
        transforms = json.dumps([figure.spec.get("transform"), figure.spec.get("spec", {}).get("transform")])
        assert "alert" not in transforms


def _in_languages(folder: Path, *languages: str) -> Path:
    run = MadeRun("valnorm")
    run.model("several")
    for language in languages:
        where = {"model": "several", "language": language}
        for name, measure, n in (
            (f"{language}-small", "valence", 30),
            (language, "valence", 90),
            ("weat1", "weat", 50),
        ):
            told = {"dataset": name, "measure": measure, "value": n / 100, "low": 0.1, "high": 0.95, "n": n}
            run.score(experiment=measure, **where, **told, flags="words translated by machine" if n == 50 else None)
    return run.write(folder)


def test_languages_side_by_side(tmp_path: Path) -> None:
    figure = _figures(_in_languages(tmp_path / "two", "polish", "english"))["by-language"]
    rows = figure.rows.select("measure", "language", "dataset").rows()
    # English first; of several lexica the largest.
    assert rows == [
        ("valence", "english", "english"), ("weat", "english", "weat1"),
        ("valence", "polish", "polish"), ("weat", "polish", "weat1"),
    ]  # fmt: skip
    assert "words translated by machine (weat english weat1 several" in figure.note
    drawn = draw_svg(figure)
    assert all(f">{name}</text>" in drawn for name in ("english", "polish", "valence", "weat1"))
    assert "Noto Sans CJK SC" in drawn  # for readers whose first font has no such letters
    assert "by-language" not in _figures(_in_languages(tmp_path / "one", "polish"))
