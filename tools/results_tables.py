"""The tables and figures that `tools.results` writes, each rendered from its runs."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tools.pages import DOCS, markdown
from tools.svg import draw_svg
from wordworth.measure import label
from wordworth.measure.calibration import DETECTABLE
from wordworth.nli.nli import LABELS
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import FORMULA, load_probe, probe_names
from wordworth.pages.figures.specification import choices_of, specification_curves, variants_of
from wordworth.paired import ComparisonSettings, compare, sides
from wordworth.paired.sides import models_of
from wordworth.papers.published import Quantity, load_published
from wordworth.results.run import Run
from wordworth.results.runs import TEST_LABELS, read_runs
from wordworth.results.table import format_interval, format_number, format_percent
from wordworth.results.vocabulary import ORIGINAL, RANDOM
from wordworth.study.debias import DEBIAS_METHODS
from wordworth.study.predict.study import ENDS

STATIC_MODELS = ("glove-6b-50d", "word2vec-news-26k")
NEUTRALITY = (("net-neutral", None), ("fraction-neutral", None), ("threshold", 0.5), ("threshold", 0.7))
"""Measure and threshold."""
RUDE = "polarity=rude,demonym=Iraqi"
STABILITY = (("principal", 2), ("principal", 3), ("principal", 4), ("cosine", None))
"""Measure and k."""
STABILITY_IN_PAPER: dict[str, tuple[float | None, ...]] = {
    "gendered": (0.57, 0.39, 0.24, 0.76),
    "names": (None, None, None, 0.80),
    "demonyms": (0.45, 0.39, 0.30, 0.56),
    "adherents": (0.71, 0.59, 0.40, 0.72),
}
"""Table 7 of Dev et al. and the text above it: GloVe of the Common Crawl, 300 dimensions."""
IS_PLAIN = pl.all_horizontal(pl.col(name).is_null() for name in ("variant", "subset", "draw", "control", "components"))
"""Scores of a measure itself, on whole data."""
IS_MEASURE = pl.col("variant").is_null() | pl.col("measure").is_in(["soft-match", "chi2", "exact"])
NUMBERS = ("value", "low", "high")
MAX_GUESSES = 12
COSTS = {
    "valence": ["valence"],
    "similarity": ["similarity"],
    "weat": ["weat"],
    "bias": ["direct-bias", "garg-cosine", "manzini"],
    "prediction": ["top", "perplexity"],
    "accuracy": ["accuracy"],
    **{name: ["net-neutral", "fraction-neutral", "threshold"] for name in probe_names()},
}
"""Experiment → the measures of it in the table of costs; of a probe of inference all that the paper prints."""
Render = Callable[..., str]

ONE_OUT = ("one target out", "one attribute out")
"""Variants without one word."""


def single_words(table: pl.DataFrame) -> list[str]:
    """Return the words without any one of which the conclusion is another, all other choices as they are."""
    others = [name for name in choices_of(table) if name != "words"]
    alike = table.filter(pl.col(name) == table.item(0, name) for name in others)
    flips = alike.filter(pl.col("words").is_in(ONE_OUT), pl.col("is_flipped"))
    return [str(word) for word in flips.get_column("without").unique(maintain_order=True)]


def format_score(row: Mapping[str, Any]) -> str:
    """Format a value with its interval, p and n."""
    text = f"{row['value']:.2f}"
    if row["low"] is not None:
        text += f" [{row['low']:.2f}, {row['high']:.2f}]"
    if row["p"] is not None:
        text += f", p = {row['p']:.1g}"
    return f"{text} ({row['n']:,})"


def tasks_by_model(run: Run) -> str:
    rows = run.scores.filter(IS_PLAIN, pl.col("measure").is_in(["valence", "weat", "similarity", "analogy"]))
    lines = []
    for (measure, dataset), group in rows.group_by(["measure", "dataset"], maintain_order=True):
        cells = {row["model"]: format_score(row) for row in group.iter_rows(named=True)}
        lines.append([f"{measure} {dataset}", *(cells.get(model, "") for model in STATIC_MODELS)])
    return markdown(["task", *STATIC_MODELS], lines)


def _best_layer(row: Mapping[str, Any]) -> str:
    layer = "" if row["layer"] is None else f" ({row['layer']})"
    return f"{row['value']:.3f}{layer}"


def similarity_by_sentences(run: Run) -> str:
    """Bommasani et al., Table 1: the best layer of mean/mean per number of sentences, with the layer in brackets."""
    is_static = pl.col("variant").is_null() & pl.col("layer").is_null()
    best = run.scores.filter(pl.col("measure") == "similarity", (pl.col("variant") == "best") | is_static)
    best = best.filter(pl.col("pooling").is_null() | pl.col("pooling").is_in(["mean", "mean/mean"]))
    datasets = best.get_column("dataset").unique(maintain_order=True).to_list()
    rows = []
    for (model, context, count), group in best.group_by(["model", "context", "sentences"], maintain_order=True):
        cells = {row["dataset"]: _best_layer(row) for row in group.iter_rows(named=True)}
        sentences = {None: "", "decontextualized": "only the words"}.get(context, "all")
        sentences = sentences if count is None else f"{count:,}"
        rows.append([str(model), sentences, *(cells[dataset] for dataset in datasets)])
    return markdown(["model", "sentences", *datasets], rows)


def similarity_by_pooling(run: Run) -> str:
    """Bommasani et al., Figure 1 in numbers: the best layer of every f and g over all sentences."""
    is_whole = pl.col("sentences").is_null()
    best = run.scores.filter(is_whole, measure="similarity", variant="best", context="aggregated")
    datasets = best.get_column("dataset").unique(maintain_order=True).to_list()
    rows = []
    for (pooling,), group in best.group_by(["pooling"], maintain_order=True):
        cells = {row["dataset"]: _best_layer(row) for row in group.iter_rows(named=True)}
        rows.append([str(pooling), *(cells[dataset] for dataset in datasets)])
    return markdown(["f/g", *datasets], rows)


def agreement_of_estimators(run: Run) -> str:
    rows = [
        [
            row["model"] or "both",
            " ".join(filter(None, [row["dataset"], row["subset"]])),
            f"{row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]",
            str(row["n"]),
        ]
        for row in run.scores.filter(pl.col("variant").is_null(), measure="agreement").iter_rows(named=True)
    ]
    return markdown(["model", "bias", "mean ρ of the estimators over layers", "layers"], rows)


def measures(experiment: str, *names: str, by: str = "", percent: bool = False) -> Render:
    """Return a renderer of an experiment: one row per model (and value of the column `by`), one column per measure."""
    down = ["model", by] if by else ["model"]

    def render(run: Run) -> str:
        shown = run.scores.filter(IS_MEASURE, pl.col("measure").is_in(names), experiment=experiment)
        rows: dict[tuple[str, ...], dict[str, str]] = {}
        for score in shown.iter_rows(named=True):
            cells = rows.setdefault(tuple(str(score[name] or "") for name in down), {})
            cells[label(score["measure"], score["variant"], score["k"])] = _format_interval(score, percent)
            count = f"{score['n']:,}"
            cells["n"] = count if cells.get("n", count) == count else ""  # words and types have no n in common
        heads = [name for name in dict.fromkeys(name for row in rows.values() for name in row) if name != "n"] + ["n"]
        return markdown([*down, *heads], [[*key, *(row.get(one, "") for one in heads)] for key, row in rows.items()])

    return render


def _format_interval(score: Mapping[str, Any], percent: bool) -> str:
    scale, places = (100, 1) if percent else (1, 2)
    value, *ends = (None if (one := score[name]) is None else f"{scale * one:.{places}f}" for name in NUMBERS)
    return f"{value} [{', '.join(filter(None, ends))}]" if all(ends) else str(value)


def confusions(run: Run) -> str:
    """Return for each model the share of each band's misses by the band of the guess."""
    texts = []
    for (model,), some in run.scores.filter(experiment="confusion").group_by("model", maintain_order=True):
        bands = sorted(dict.fromkeys([*some["subset"], *some["variant"]]), key=lambda band: band == ENDS)
        rows = []
        for (band,), own in some.group_by("subset", maintain_order=True):
            shares = {row["variant"]: f"{100 * row['value']:.1f}" for row in own.iter_rows(named=True)}
            rows.append([str(band), *(shares.get(other, "") for other in bands)])
        texts.append(f"{model}:\n\n{markdown(['band missed', *bands], rows)}")
    return "\n\n".join(texts)


def predicted_instead(run: Run) -> str:
    """Return for each model the guesses that answered most misses."""
    texts = []
    errors = run.item_table("prediction_errors").filter(pl.col("experiment") == "instead").collect()
    for (model,), some in errors.group_by("model", maintain_order=True):
        rows = [
            [row["guess"] or "(ends the line)", row["band"], f"{row['count']:,}", f"{100 * row['share']:.1f}"]
            for row in some.head(MAX_GUESSES).iter_rows(named=True)
        ]
        texts.append(f"{model}:\n\n{markdown(['guess', 'band', 'misses', '% of misses'], rows)}")
    return "\n\n".join(texts)


def pairs_per_probe() -> str:
    rows = []
    for name in probe_names():
        ours, formula = (PairSet.of(load_probe(name + end)) for end in ("", FORMULA))
        shape = " × ".join(f"{size:,}" for size in ours.shape)
        rows.append([f"`{name}`", f"{len(ours):,}", shape, f"{len(formula):,}", str(ours.probe.paper)])
    return markdown(["probe", "pairs here", "", "by the formula", "the paper"], rows)


def neutrality(run: Run) -> str:
    rows = []
    for probe in probe_names():
        for version in (ORIGINAL, "projection", RANDOM):
            scores = run.scores.filter(IS_PLAIN, dataset=probe, version=version)
            by_measure = {(row["measure"], row["threshold"]): row for row in scores.iter_rows(named=True)}
            shown = [by_measure[measure] for measure in NEUTRALITY]
            cells = [f"{row['value']:.3f} [{row['low']:.2f}, {row['high']:.2f}]" for row in shown]
            paper = _published_neutrality(probe) if version == ORIGINAL else ""
            rows.append([probe, f"`{version}`", *cells, f"{scores.item(0, 'n'):,}", paper])
    names = [label(measure, threshold=threshold) for measure, threshold in NEUTRALITY]
    return markdown(["probe", "version", *names, "pairs", "the paper"], rows)


def _published_neutrality(probe: str) -> str:
    """Return the figures of Tables 1, 3 and 5 of Dev et al. for GloVe."""
    values = {row.quantity: row.value for row in load_published() if (row.paper, row.model) == ("dev2020", "glove")}
    quantities = (Quantity(measure, threshold=threshold, dataset=probe) for measure, threshold in NEUTRALITY)
    return " ".join(f"{values[quantity]:.3f}" for quantity in quantities)


def farthest_pairs(run: Run) -> str:
    """Return the pair farthest from neutral in either direction of every probe."""
    pairs = run.item_table("sentence_pairs").filter(pl.col("subset").is_null(), pl.col("version") == ORIGINAL).collect()
    rows = []
    for _, group in pairs.group_by(["dataset", "extreme"], maintain_order=True):
        row = group.row(0, named=True)
        rows.append([f"{row['premise']} ⇒ {row['hypothesis']}", *(f"{row[name]:.2f}" for name in LABELS)])
    return markdown(["premise ⇒ hypothesis", *LABELS], rows)


def rude_entailment(run: Run) -> str:
    whole = pl.col("variant").is_null(), pl.col("draw").is_null()
    scores = run.scores.filter(*whole, dataset="nationality", subset=RUDE, measure="entailment")
    rows = [[f"`{row['version']}`", f"{row['value']:.3f}", f"{row['n']:,}"] for row in scores.iter_rows(named=True)]
    return markdown(["version", "entailment", "pairs"], rows)


def name_row(score: Mapping[str, Any]) -> str:
    """Return what the table of costs calls a score: experiment, data, measure and layer."""
    measure = label(score["measure"], None, score["k"], score["threshold"])
    parts = [part for part in (score["dataset"], score["subset"], measure) if part and part != score["experiment"]]
    layer = "" if score["layer"] is None else f", layer {score['layer']}"
    return f"{score['experiment']}: {' '.join(parts)}{layer}"


def _read_costs(run: Run) -> dict[str, dict[str, float]]:
    """Return row → version → value of the table of costs, and n of the original."""
    is_shown = pl.any_horizontal(
        (pl.col("experiment") == experiment) & pl.col("measure").is_in(names) for experiment, names in COSTS.items()
    )
    is_target = (pl.col("experiment") != "bias") | (pl.col("subset") == "professions")
    is_plain = pl.col("draw").is_null() & pl.col("variant").is_null() & pl.col("version").is_not_null()
    rows: dict[str, dict[str, float]] = {}
    for score in run.scores.filter(is_plain, is_shown, is_target).iter_rows(named=True):
        row = rows.setdefault(name_row(score), {})
        row[score["version"]] = score["value"]
        row.setdefault("n", score["n"])
    return {name: row for name, row in rows.items() if ORIGINAL in row}


def costs(*runs: Run) -> str:
    """One row per measure and one column per version; a star where a paired test, after Holm, finds a difference."""
    columns = [(ORIGINAL, runs[0]), *zip(DEBIAS_METHODS, runs, strict=True), (RANDOM, runs[0])]
    values = [_read_costs(run) for _, run in columns]
    real = [_real_differences(run, version) for version, run in columns]
    rows = []
    for name, first in values[0].items():
        cells = []
        for (version, _), by_name, differences in zip(columns, values, real, strict=True):
            value = by_name[name].get(version)
            cells.append("" if value is None else f"{value:.3f}{'*' if name in differences else ''}")
        rows.append([name, *cells, f"{first['n']:,.0f}"])
    return markdown(["measure", *(version for version, _ in columns), "n"], rows)


def _real_differences(run: Run, version: str) -> set[str]:
    """Return the rows in which a version differs from the original by the paired test of `wordworth compare`."""
    if version in (ORIGINAL, RANDOM):
        return set()
    names = set()
    for model in models_of(run):  # the network that infers over the vectors is a model of its own
        both = sides([run], (model, model), version=(ORIGINAL, version))
        for one in compare(*both, ComparisonSettings(layer="top")).differences:
            if one.is_real:
                columns = {**dict.fromkeys(("subset", "k", "threshold")), **one.columns, "layer": one.layers[0]}
                is_surprise = columns["measure"] == "bits-per-word"  # which the table has as perplexity
                names.add(name_row(columns | {"measure": "perplexity"} if is_surprise else columns))
    return names


def inlp_sentence(run: Run) -> str:
    rows = run.scores.filter(experiment="subspace", version="inlp")
    shares = rows.filter(measure="inlp")
    values = dict(zip(shares["variant"], shares["value"], strict=True))
    dimensions = rows.filter(measure="dimensions")["value"].item()
    return (
        f"A linear classifier separates the {shares.item(0, 'n'):,} words that lean most to either side of he − she "
        f"with an accuracy of {values['before']:.3f}; after {int(dimensions)} directions are removed, "
        f"{values['after']:.3f}, where guessing gets {values['chance']:.3f}."
    )


def stability_of_subspaces(*runs: Run) -> str:
    rows = []
    for kind, in_paper in STABILITY_IN_PAPER.items():
        by_vectors: dict[str, dict[Any, float | None]] = {"the paper's": dict(zip(STABILITY, in_paper, strict=True))}
        for model, run in zip(STATIC_MODELS, runs, strict=True):
            measured = run.scores.filter(experiment="stability", dataset=kind).iter_rows(named=True)
            if values := {(row["measure"], row["k"]): row["value"] for row in measured}:
                by_vectors[model] = values
        for vectors, values in by_vectors.items():
            cells = ("" if (value := values.get(name)) is None else f"{value:.2f}" for name in STABILITY)
            rows.append([kind, vectors, *cells])
    return markdown(["words", "vectors", "2nd", "3rd", "4th", "cosine"], rows)


def _sensitivity_of(scores: pl.DataFrame, row: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    where = {"experiment": "sensitivity", "model": row["model"], "dataset": row["dataset"]}
    variants = scores.filter(pl.col("subset").is_null(), **where)
    return {one["variant"]: one for one in variants.iter_rows(named=True)}


def weat_sensitivity(run: Run) -> str:
    rows = []
    tests = run.scores.filter(IS_PLAIN, measure="weat")
    for row in sorted(tests.iter_rows(named=True), key=lambda row: list(TEST_LABELS).index(row["dataset"])):
        scores = _sensitivity_of(run.scores, row)
        variants = variants_of(run, row["model"], row["dataset"])
        shares = pl.concat(
            variants.group_by(pl.col(choice).alias("option"), maintain_order=True).agg(pl.col("is_flipped").mean())
            for choice in choices_of(variants)
        ).filter(pl.col("is_flipped") > 0)
        most = shares.sort("is_flipped", descending=True, maintain_order=True).head(2)
        words = single_words(variants)
        median = scores["median"]
        rows.append(
            [
                TEST_LABELS[row["dataset"]],
                row["model"],
                format_number(row["value"]),
                f"{row['p']:.2g}",
                f"{median['n']:,}",
                *(format_percent(scores[name]["value"]) for name in ("significant", "same-sign", "flipped")),
                f"{format_number(median['low'])} … {format_number(median['high'])}",
                ", ".join(f"{option} {format_percent(share)}" for option, share in most.iter_rows()),
                ", ".join(words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else ""),
            ]
        )
    header = ["test", "vectors", "d", "p", "variants", "p < .05", "same sign", "flipped", "d from … to"]
    return markdown([*header, "options that flip most", "words that flip it by themselves"], rows)


def valence_sensitivity(run: Run) -> str:
    rows = []
    for row in run.scores.filter(IS_PLAIN, measure="valence", experiment="valence").iter_rows(named=True):
        variants = _sensitivity_of(run.scores, row)
        median = variants["median"]
        share = format_percent(variants["significant"]["value"])
        limits = f"{format_number(median['low'])} … {format_number(median['high'])}"
        rows.append([row["dataset"], row["model"], format_number(row["value"]), f"{median['n']:,}", share, limits])
    return markdown(["lexicon", "vectors", "ρ", "variants", "p < .05", "ρ from … to"], rows)


def specification_figure(run: Run) -> str:
    curve = next(iter(specification_curves(read_runs([run]))))
    return re.sub(r"\d+\.\d{3,}", lambda match: f"{float(match[0]):.2f}", draw_svg(curve))


def detection_limits(run: Run, sizes: Sequence[int | None] = (None,)) -> str:
    """Return the smallest d, and in brackets the dose, that each measure detects with power .8, by words per list."""
    limits = run.scores.filter(pl.col("measure").is_in([DETECTABLE, "detection-limit"]))
    places = limits.select("model", "dataset").unique(maintain_order=True).rows()
    columns = [(*place, k) for place in places for k in sizes]
    values = {row[:5]: row[5] for row in limits.select("model", "dataset", "k", "variant", "measure", "value").rows()}

    def show(*place: Any) -> str:
        d, dose = values[*place, DETECTABLE], values[*place, "detection-limit"]
        return f"{format_number(d)} ({format_number(dose)})" if d == d else "never"

    names = limits.get_column("variant").unique(maintain_order=True)
    rows = [[f"`{name}`", *(show(*column, name) for column in columns)] for name in names]
    heads = [", ".join([model, data] + ([f"{k} words"] if k else [])) for model, data, k in columns]
    return markdown(["measure", *heads], rows)


PREFERENCES = {
    "stereotype-share": "share that prefers the stereotype",
    "log-odds": "log-odds",
    "icat": "ICAT",
    "census-slope": "census slope",
}


def preferences(*runs: Run) -> str:
    """Return the main scores of sets of sentence pairs, a row per model and set."""
    rows = []
    for run in runs:
        whole = run.scores.filter(pl.col("subset").is_null())
        scores = {row["measure"]: row for row in whole.iter_rows(named=True)}
        first = scores["stereotype-share"]
        cells = [format_estimate(scores[name]) if name in scores else "" for name in PREFERENCES]
        rows.append([first["model"], f"`{first['dataset']}`", f"{first['n']:,}", *cells])
    return markdown(["model", "set", "pairs", *PREFERENCES.values()], rows)


def format_estimate(row: Mapping[str, Any]) -> str:
    """Format a value with its interval."""
    return f"{format_number(row['value'])} {format_interval(row['low'], row['high'])}"


def drawn(figure: Callable[[pl.DataFrame], Any]) -> Render:
    """Return a renderer of a figure of the report as SVG."""

    def render(run: Run) -> str:
        made = figure(read_runs([run]).scores)
        assert made is not None, "the run has no numbers for this figure"
        return draw_svg(made)

    return render


def check_example() -> str:
    """Return what `wordworth check` prints for the rules on its page."""
    rules = re.findall(
        r"^```toml\n(.*?)^```", (DOCS / "check.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )[0]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "rules.toml").write_text(rules, encoding="utf-8")
        environment = {**os.environ, "COLUMNS": "110"}
        for words in (
            "run weat glove-6b-50d --test weat6 -o runs/weat",
            "run valnorm glove-6b-50d --experiment valence --lexicon bellezza -o runs/valnorm",
            "check runs rules.toml",
        ):
            command = [sys.executable, "-m", "wordworth", *words.split()]
            answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if answer.returncode != 1:
        raise SystemExit(f"wordworth check ended with {answer.returncode}, not 1: {answer.stderr}")
    lines = "\n".join(line.rstrip() for line in answer.stdout.splitlines())
    return f"```text\n{lines.rstrip()}\n```"
