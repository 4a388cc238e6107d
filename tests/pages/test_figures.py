"""Every figure is whole: it compiles, says in words what it shows, and draws the rows it claims to."""

import json
import re
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest
import vl_convert
from tools.svg import draw_svg

from made_runs import debiased, finish, random_vast, record
from wordworth.pages.figures import Figure, figures_of
from wordworth.pages.figures.document import draw_svg as draw_on_page
from wordworth.pages.figures.document import fit_to_width, light_colours
from wordworth.pages.leads import plain_answers
from wordworth.pages.page import write_report
from wordworth.results.run import Run
from wordworth.results.runs import keep_last_steps, read_runs


def figures_by_id(*runs_or_folders: Run | Path) -> dict[str, Figure]:
    found = figures_of(read_runs(runs_or_folders).scores)
    return {figure.id: figure for figures in found.values() for figure in figures}


def texts_of(figure: Figure) -> str:
    tree = ElementTree.fromstring(draw_svg(figure))
    return " ".join("".join(one.itertext()) for one in tree.iter("{http://www.w3.org/2000/svg}text"))


@pytest.fixture
def reduced() -> Run:
    """A run in the shape of `static`, with made-up numbers."""
    run = record("static", {"tiny": {"family": "masked", "layers": 4}})
    where = {"model": "tiny", "language": "english"}
    similar = {**where, "experiment": "quality", "dataset": "rg-65", "measure": "similarity", "n": 65}
    bias = {"experiment": "bias", "dataset": "gender-pairs", "subset": "professions"}
    for layer in range(5):
        for context, pooling in (("aggregated", "mean/mean"), ("aggregated", "max/min"), ("decontextualized", "mean")):
            run.score(**similar, context=context, pooling=pooling, layer=layer, value=layer / 10)
        for measure in ("direct-bias", "manzini"):
            run.score(**where, **bias, layer=layer, measure=measure, value=0.1 * layer, low=0.0, high=0.6)
    for sentences in (100, 1000, None):
        best = {"context": "aggregated", "sentences": sentences, "pooling": "mean/mean", "layer": 4, "variant": "best"}
        run.score(**similar, **best, value=0.4)
    row = {"dataset": "gender", "subset": "professions", "measure": "agreement", "value": 0.3, "low": -0.2, "high": 0.8}
    run.score(experiment="agreement", **where, **row, n=5)
    for measure in ("manzini", "garg-cosine"):
        row = {"dataset": "race", "subset": "professions", "measure": measure, "value": 0.2, "low": 0.1, "high": 0.3}
        run.score(experiment="bias", model="vectors", language="english", **row, n=20)
    return finish(run)


def test_all_figures_of_the_papers(audit: Path, reduced: Run) -> None:
    assert list(figures_by_id(audit, reduced)) == [
        *("valence-layers", "tokenization", "isolation", "anisotropy", "validation"),
        *("similarity-layers", "similarity-sentences"),
        *("weat-nullified", "weat-layers", "bias-layers", "bias", "agreement"),
        *("prediction", "coverage", "soft-match", "paraphrase", "neutrality", "accuracy"),
    ]


def test_figures_compile_have_words_and_their_scores(audit: Path, reduced: Run) -> None:
    """Vega-Lite takes every specification, with the rows as data."""
    scores = read_runs([audit, reduced]).scores
    for figure in figures_by_id(audit, reduced).values():
        data = {"values": figure.plot.data.to_dicts()}
        assert vl_convert.vegalite_to_vega({**fit_to_width(figure.spec, 760), "data": data})["marks"], figure.id
        assert figure.caption.endswith("."), figure.id
        assert figure.title in figure.alt
        assert "Lowest" in figure.alt
        assert {*figure.down, *figure.across} <= set(figure.rows.columns)
        for row in figure.rows.iter_rows(named=True):
            assert scores.row(row["row"], named=True)["value"] == row["value"]


def sized(*samples: tuple[str, float]) -> Run:
    facts = {f"{corpus}@{share:g}%": {"corpus": corpus, "percent": share} for corpus, share in samples}
    run = record("valnorm", facts)
    for at, model in enumerate(facts):
        row = {"dataset": "bellezza", "measure": "valence", "value": 0.5 + at / 10, "low": 0.1, "high": 0.9, "n": 70}
        run.score(experiment="corpus-size", model=model, language="english", **row)
    return finish(run)


def test_every_figure_names_its_models(audit: Path, reduced: Run) -> None:
    """In the title, a panel's heading, the legend or on the axis: also of one model, which needs no legend."""
    for runs in (
        [audit, reduced],
        [random_vast(["one-model", "another-model"], tests=2)],
        [sized(("a", 10.0), ("a", 100.0))],
    ):
        for figure in figures_by_id(*runs).values():
            drawn = texts_of(figure)
            for model in figure.rows["corpus"].fill_null(figure.rows["model"]).unique():
                assert model in drawn, figure.id


def test_association_tests_have_their_interval_and_n() -> None:
    run = record("weat")
    for model, n in (("a", 16), ("b", 14)):
        where = {"experiment": "weat", "model": model, "language": "english", "measure": "weat", "value": 1.0}
        run.score(**where, dataset="weat6", low=0.5, high=1.5, n=n)
        run.score(**where, dataset="mine", low=0.5, high=1.5, n=234)
    figure = figures_by_id(finish(run))["weat"]
    texts = texts_of(figure)
    assert "6 names: career, family\u00a0· n\u00a0=\u00a014–16" in texts
    assert "mine\u00a0· n\u00a0=\u00a0234" in texts
    rules = [layer for layer in figure.spec["layer"] if layer["mark"]["type"] == "rule" and "x2" in layer["encoding"]]
    assert [rule["encoding"]["x2"]["field"] for rule in rules] == ["high"]
    assert "95 % intervals" in figure.drawing
    assert "95 % intervals" not in figure.caption


def test_affects_are_isolated_in_the_top_layer() -> None:
    """VAST's Figure 7; a lexicon that rates only valence is not in it."""
    run = record("vast", "m")
    where = {"experiment": "isolation", "model": "m", "language": "english", "n": 1034}
    for layer, components, context in product((3, 6), (None, 0, 1), ("bleached", "random")):
        slot = {"layer": layer, "components": components, "context": context, "value": 0.1 * layer}
        for measure in ("valence", "dominance", "arousal"):
            run.score(**where, **slot, dataset="anew", measure=measure)
        run.score(**where, **slot, dataset="bellezza", measure="valence")
    figure = figures_by_id(finish(run))["affects-isolated"]
    assert figure.rows.select("layer", "context", "dataset").unique().rows() == [(6, "bleached", "anew")]
    assert figure.rows.select("measure", "components").n_unique() == len(figure.rows) == 9
    drawn = texts_of(figure)
    assert all(one in drawn for one in ("m\u00a0· anew\u00a0· layer 6", "dominance", "raw"))


def test_debiasing_before_after_and_the_control() -> None:
    effects = {"original": 1.5, "projection": 0.5, "random": 1.4}
    run = debiased("vectors", effects, {"original": 0.8, "projection": 0.79})
    row = {"dataset": "weat6", "version": "random", "draw": 1, "measure": "weat", "value": 1.3}
    run.score(experiment="weat", model="vectors", language="english", **row)
    figures = figures_by_id(finish(run))
    assert list(figures) == ["debias", "stability"]
    assert set(figures["debias"].rows["version"]) == {"original", "projection", "random"}
    assert figures["debias"].rows["draw"].null_count() == len(figures["debias"].rows) == 11


def test_no_text_of_the_data_is_in_an_expression() -> None:
    """Names reach Vega only as data; its expressions are ours."""
    for figure in figures_by_id(random_vast(["'); alert(1); ('", "other"], tests=2, layers=2)).values():
        transforms = json.dumps([figure.spec.get("transform"), figure.spec.get("spec", {}).get("transform")])
        assert "alert" not in transforms
        drawn = draw_svg(figure)
        assert "var(" not in drawn
        assert light_colours()["c1"] in drawn


def test_the_mean_over_languages() -> None:
    """VAST's Figure 20: one line per context, without the languages' own."""
    run = record("vast", "m")
    for layer, context, language in product((0, 1), ("bleached", "random"), ("polish", "english", None)):
        place = {"model": "m", "language": language, "context": context, "layer": layer, "value": layer / 2}
        variant, dataset = (None, language) if language else ("mean", None)
        run.score(experiment="languages", measure="valence", variant=variant, dataset=dataset, n=7, **place)
    figures = figures_by_id(finish(run))
    assert len(figures["languages"].rows) == 8
    assert figures["languages-mean"].rows.select("variant", "layer", "context").rows() == [
        ("mean", layer, context) for layer in (0, 1) for context in ("bleached", "random")
    ]
    assert "n\u00a0=\u00a07" in texts_of(figures["languages-mean"])
    assert not {"languages-tokens", "languages-isolated"} & figures.keys()


def test_tokens_and_components_by_language() -> None:
    """VAST's Figures 23 to 27; what they show is in no figure of whole languages."""
    run = record("vast", "m")
    where = {"experiment": "languages", "model": "m", "measure": "valence", "context": "bleached", "n": 100}
    for language, layer in product(("polish", "spanish"), (0, 1, 2)):
        place = {**where, "language": language, "dataset": language, "layer": layer, "value": 0.1 * layer}
        run.score(**place)
        for subset, pooling in product(("single", "multiple"), ("first", "mean")):
            run.score(**place, variant="mixed-poles", subset=subset, pooling=pooling)
        for components in (0, 1) if layer else ():
            run.score(**place, components=components)
    for subset, pooling in product(("single", "multiple"), ("first", "mean")):
        run.score(**where, variant="mean", subset=subset, pooling=pooling, layer=1, value=0.1)
    figures = figures_by_id(finish(run))
    assert "languages-mean" not in figures
    assert len(figures["languages"].rows) == 6
    assert figures["languages-tokens"].rows["language"].value_counts(sort=True).rows() == [
        ("polish", 12), ("spanish", 12), ("mean", 4),
    ]  # fmt: skip
    assert set(figures["languages-isolated"].rows.select("layer", "components").rows()) == set(
        product((1, 2), (None, 0, 1))
    )
    drawn = texts_of(figures["languages-isolated"])
    assert all(one in drawn for one in ("raw", "polish", "layer 2"))
    assert "mean" in texts_of(figures["languages-tokens"])


STEPS = (0, 10, 1000)
STEP_FIGURES = ("valence-steps", "weat-steps", "accuracy-steps")


def trained(*steps: int) -> list[Run]:
    """Return a run per step, as the callback leaves it, with made-up numbers."""
    runs = []
    for step in steps:
        for study in ("vast", "predict"):
            run = record(study, {"label": {"family": "causal", "layers": 4}})
            run.checkpoints = {"label": ("tiny", step)}
            ends = {"low": -0.1, "high": 0.5, "n": 40, "language": "english", "model": "label"}
            for layer in (0, 2, 4) if study == "vast" else ():
                row = {"context": "bleached", "layer": layer, "value": step / 2000 + layer / 10, **ends}
                run.score(experiment="contextualization", dataset="bellezza", measure="valence", **row)
                for components in (None, 0):
                    run.score(experiment="bias", dataset="weat6", measure="weat", components=components, **row)
            for band in ("high", "low") if study == "predict" else ():
                row = {"dataset": "text", "subset": band, "measure": "top", "k": 1, "value": step / 2000}
                run.score(experiment="coverage", **row, **ends)
            runs.append(finish(run))
    return runs


def test_curves_by_step(tmp_path: Path) -> None:
    """Every step is drawn, in its order; the other figures, answers and the title show the last."""
    runs = trained(*STEPS)
    found = figures_by_id(*runs)
    for figure in (found[one] for one in STEP_FIGURES):
        assert figure.rows["model"].unique(maintain_order=True).to_list() == [f"tiny@step{step}" for step in STEPS]
        drawn = draw_svg(figure)
        assert all(f">{step:,}<" in drawn for step in STEPS)
    assert len(found["valence-steps"].rows) == found["weat-steps"].rows["components"].null_count() == 9
    assert len(found["accuracy-steps"].rows) == 6
    for name in ("valence-layers", "weat-layers", "coverage"):
        assert set(found[name].rows["model"]) == {"tiny@step1000"}
    every = read_runs(runs)
    text = " ".join(sentence for some in plain_answers(every).values() for sentence in some)
    assert "tiny@step1000: Valence is best" in text
    assert "tiny@step10 " not in text
    assert keep_last_steps(every).models == ["tiny@step1000"]
    page = write_report(runs, tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(f'id="{one}"' in page for one in STEP_FIGURES)
    assert not {*STEP_FIGURES} & figures_by_id(*trained(10)).keys()  # one step is no curve


def test_numbers_that_are_read_keep_their_decimals() -> None:
    """Only shapes are rounded: .004 at a point is not 0.0, and a tick at 0.25 is not 0.2."""
    run = record("weat", {"m": {"words": 5}})
    place = {"experiment": "weat", "model": "m", "language": "english", "dataset": "weat6", "measure": "weat"}
    run.score(**place, value=1.234, low=1.0, high=1.58, p=0.004, n=16)
    text = draw_on_page(figures_by_id(finish(run))["weat"], 480)
    assert "1.23 [1.00, 1.58], p = 0.004" in text
    assert not re.search(r'[ "]d="[^"]*\d\.\d\d', text)
