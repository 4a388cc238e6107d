"""Generate the tables and figures of README.md and docs/ from runs of this version: `make results`.

    python -m tools.results              # every block
    python -m tools.results static.md    # the blocks of one page

`BLOCKS` says which study, models and settings each block comes from. Runs are kept under runs/results/ and read again
by blocks that share them; delete that folder to recompute. All blocks take about two hours on two cores. Texts and
probes that need $WORDWORTH_DATA are skipped without it. Only the papers' own figures are typed.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from tools.pages import DOCS, ROOT, markdown, put
from tools.svg import draw_svg
from wordworth.catalog.fetch.sources import here
from wordworth.catalog.registry import entry
from wordworth.nli.pairs import PairSet
from wordworth.nli.probe import FORMULA, load_probe, probe_names
from wordworth.pages.behaviour_answers import single_words
from wordworth.pages.figures.figure import OPTION, TRIED
from wordworth.pages.figures.meaning import intrinsic_tasks, valence_by_layer
from wordworth.pages.figures.specification import specification_curves
from wordworth.pages.naming import SHORT
from wordworth.pages.published import published
from wordworth.pages.runs import numbered, read_runs
from wordworth.paired import ComparisonSettings, compare, sides
from wordworth.paired.sides import models_of
from wordworth.results import ORIGINAL, RANDOM, Run, read_run
from wordworth.results.numbers import format_number, format_percent
from wordworth.study import study
from wordworth.study.debias import METHODS, PARTS
from wordworth.study.debias.study import cost_rows
from wordworth.study.predict.tables import predict_tables
from wordworth.study.tables import stability_rows

RUNS = ROOT / "runs" / "results"
STATIC_MODELS = ("glove-6b-50d", "word2vec-news-26k")
SENSITIVITY_MODELS = ("glove-6b-50d", "glove-840b-34k", "word2vec-news-26k")
NEUTRALITY = ("net-neutral", "fraction-neutral", "threshold:0.5", "threshold:0.7")
RUDE = "polarity=rude,demonym=Iraqi"
STABILITY_IN_PAPER: dict[str, tuple[float | None, ...]] = {
    "gendered": (0.57, 0.39, 0.24, 0.76),
    "names": (None, None, None, 0.80),
    "demonyms": (0.45, 0.39, 0.30, 0.56),
    "adherents": (0.71, 0.59, 0.40, 0.72),
}
"""Table 7 of Dev et al. and the text above it: GloVe of the Common Crawl, 300 dimensions."""
STABILITY_FIGURES = ("2nd", "3rd", "4th", "cosine")


@dataclass(frozen=True)
class Source:
    """A run that a block is made from."""

    study: str
    models: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def run(self) -> Run:
        """Return the saved run, or make it."""
        content = json.dumps([self.study, self.models, dict(self.settings)], default=list)
        folder = RUNS / f"{self.study}-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
        if not (folder / "run.json").exists():
            print(f"running {self.study} on {', '.join(self.models) or 'its defaults'}", file=sys.stderr)
            study(self.study)(list(self.models), **self.settings).save(folder)
        return read_run(folder)


Render = Callable[..., str]


@dataclass(frozen=True)
class Block:
    """A table on a page, or a figure in docs/figures/."""

    page: str
    name: str
    """The block's mark on the page; for a figure the file's name."""
    sources: tuple[Source, ...]
    render: Render

    @property
    def is_figure(self) -> bool:
        return self.name.endswith(".svg")

    def make(self) -> None:
        """Run what the block needs and write it."""
        text = self.render(*(source.run() for source in self.sources))
        if self.is_figure:
            (DOCS / "figures" / self.name).write_text(text, encoding="utf-8")
        else:
            put(ROOT / self.page if self.page == "README.md" else DOCS / self.page, self.name, text)


def format_score(row: Mapping[str, Any]) -> str:
    """Format a value with its interval, p and n."""
    text = f"{row['value']:.2f}"
    if row["low"] is not None:
        text += f" [{row['low']:.2f}, {row['high']:.2f}]"
    if row["p"] is not None:
        text += f", p = {row['p']:.1g}"
    return f"{text} ({row['n']:,})"


def tasks_by_model(run: Run) -> str:
    rows = run.scores.filter(pl.col("measure").is_in(["valence", "weat", "similarity", "analogy"]))
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
    is_static = (pl.col("measure") == "similarity") & pl.col("layer").is_null()
    best = run.scores.filter((pl.col("measure") == "similarity:best") | is_static)
    best = best.filter(pl.col("pooling").is_null() | pl.col("pooling").is_in(["mean", "mean/mean"]))
    datasets = best.get_column("dataset").unique(maintain_order=True).to_list()
    rows = []
    for (model, setting), group in best.group_by(["model", "setting"], maintain_order=True):
        cells = {row["dataset"]: _best_layer(row) for row in group.iter_rows(named=True)}
        sentences = {None: "", "decontextualized": "the words alone", "aggregated": "all"}.get(setting)
        if sentences is None:
            sentences = f"{int(str(setting).partition(':')[2]):,}"
        rows.append([str(model), sentences, *(cells[dataset] for dataset in datasets)])
    return markdown(["model", "sentences", *datasets], rows)


def similarity_by_pooling(run: Run) -> str:
    """Bommasani et al., Figure 1 in numbers: the best layer of every f and g over all sentences."""
    best = run.scores.filter(measure="similarity:best", setting="aggregated")
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
            row["dataset"],
            f"{row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]",
            str(row["n"]),
        ]
        for row in run.scores.filter(measure="agreement").iter_rows(named=True)
    ]
    return markdown(["model", "bias", "mean ρ of the estimators over layers", "layers"], rows)


def tables_titled(title: str) -> Render:
    """Return a renderer of the tables of `predict` whose title ends so, one per model where they differ by model."""

    def render(run: Run) -> str:
        texts = []
        for table in predict_tables(run.scores, run.items.collect()):
            *model, end = table.title.split(" · ")
            if end == title:
                texts.append("".join(f"{name}:\n\n" for name in model) + markdown(table.header, table.rows))
        return "\n\n".join(texts)

    return render


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
        for version in ("original", "projection", "random"):
            scores = run.scores.filter(dataset=probe, setting=version)
            by_measure = {row["measure"]: row for row in scores.iter_rows(named=True)}
            cells = [
                f"{row['value']:.3f} [{row['low']:.2f}, {row['high']:.2f}]"
                for row in (by_measure[measure] for measure in NEUTRALITY)
            ]
            paper = _published_neutrality(probe) if version == "original" else ""
            rows.append([probe, f"`{version}`", *cells, f"{scores.item(0, 'n'):,}", paper])
    return markdown(["probe", "setting", *NEUTRALITY, "pairs", "the paper"], rows)


def _published_neutrality(probe: str) -> str:
    """Return the figures of Tables 1, 3 and 5 of Dev et al. for GloVe."""
    values = {
        row.measure: row.value
        for row in published()
        if (row.paper, row.model, row.dataset, row.setting) == ("dev2020", "glove", probe, "original")
    }
    return " ".join(f"{values[measure]:.3f}" for measure in NEUTRALITY)


def farthest_pairs(run: Run) -> str:
    """Return the pair farthest from neutral in every group of every probe."""
    is_whole_probe = ~pl.col("dataset").str.contains("/")
    is_original = pl.col("setting") == "original"
    far = run.items.filter(is_original, is_whole_probe, pl.col("group").str.starts_with("largest ")).collect()
    rows = []
    for _, group in far.group_by(["dataset", "group"], maintain_order=True):
        row = group.row(0, named=True)
        rows.append([row["item"], *(f"{row[name]:.2f}" for name in ("entailment", "value", "contradiction"))])
    return markdown(["premise ⇒ hypothesis", "entailment", "neutral", "contradiction"], rows)


def rude_entailment(run: Run) -> str:
    scores = run.scores.filter(dataset=f"nationality/{RUDE}", measure="entailment")
    shown = scores.filter(~pl.col("setting").str.starts_with("random:")).iter_rows(named=True)
    rows = [[f"`{row['setting']}`", f"{row['value']:.3f}", f"{row['n']:,}"] for row in shown]
    return markdown(["setting", "entailment", "pairs"], rows)


def costs(*runs: Run) -> str:
    """One row per measure and one column per version; a star where a paired test, after Holm, finds a difference."""
    columns = [(ORIGINAL, runs[0]), *zip(METHODS, runs, strict=True), (RANDOM, runs[0])]
    values = [{name: (row, count) for name, row, count in cost_rows(run.scores)} for _, run in columns]
    real = [_real_differences(run, version) for version, run in columns]
    rows = []
    for name, (_, count) in values[0].items():
        cells = []
        for (version, _), by_name, differences in zip(columns, values, real, strict=True):
            value = by_name[name][0].get(version)
            cells.append("" if value is None else f"{value:.3f}{'*' if name in differences else ''}")
        rows.append([name, *cells, f"{count:,}"])
    return markdown(["measure", *(version for version, _ in columns), "n"], rows)


def _real_differences(run: Run, version: str) -> set[str]:
    """Return the rows in which a version differs from the original by the paired test of `wordworth compare`."""
    if version in (ORIGINAL, RANDOM):
        return set()
    names = set()
    for model in models_of(run):  # the network that infers over the vectors is a model of its own
        both = sides([run], (model, model), (ORIGINAL, version))
        for one in compare(*both, ComparisonSettings(layer="top")).differences:
            if one.real:
                measure = "perplexity" if one.measure == "bits-per-word" else one.measure
                layer = "" if one.layers[0] is None else f", layer {one.layers[0]}"
                name = " ".join(part for part in (one.dataset, measure) if part and part != one.experiment)
                names.add(f"{one.experiment}: {name}{layer}")
    return names


def inlp_sentence(run: Run) -> str:
    rows = run.scores.filter(experiment="subspace", setting="inlp")
    values = dict(zip(rows["measure"], rows["value"], strict=True))
    count = int(rows.select(pl.col("n").max()).item())
    return (
        f"A linear classifier tells the {count:,} words that lean most to either side of he − she apart "
        f"with an accuracy of {values['inlp:before']:.3f}; after {int(values['dimensions'])} directions are out, "
        f"{values['inlp:after']:.3f}, where guessing gets {values['inlp:chance']:.3f}."
    )


def stability_of_subspaces(*runs: Run) -> str:
    rows = []
    for kind, in_paper in STABILITY_IN_PAPER.items():
        by_vectors = {"the paper's": dict(zip(STABILITY_FIGURES, in_paper, strict=True))}
        for model, run in zip(STATIC_MODELS, runs, strict=True):
            measured = dict(stability_rows(run.scores))
            if kind in measured:
                by_vectors[model] = {**measured[kind]}
        for vectors, values in by_vectors.items():
            cells = ("" if (value := values.get(name)) is None else f"{value:.2f}" for name in STABILITY_FIGURES)
            rows.append([kind, vectors, *cells])
    return markdown(["words", "vectors", *STABILITY_FIGURES], rows)


def _sensitivity_of(scores: pl.DataFrame, row: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    variants = scores.filter(TRIED, ~OPTION, model=row["model"], dataset=row["dataset"])
    return {one["measure"].removeprefix("sensitivity:"): one for one in variants.iter_rows(named=True)}


def weat_sensitivity(run: Run) -> str:
    (read,) = read_runs([run.folder]).each
    rows = []
    tests = read.scores.filter(measure="weat").sort(pl.col("dataset").str.slice(4).cast(pl.Int64), maintain_order=True)
    for row in tests.iter_rows(named=True):
        variants = _sensitivity_of(read.scores, row)
        options = read.scores.filter(TRIED, OPTION, pl.col("value") > 0, model=row["model"], dataset=row["dataset"])
        most = options.sort("value", descending=True, maintain_order=True).head(2).iter_rows(named=True)
        words = single_words(read, row["model"], row["dataset"])
        median = variants["median"]
        rows.append(
            [
                SHORT[row["dataset"]],
                row["model"],
                format_number(row["value"]),
                f"{row['p']:.2g}",
                f"{median['n']:,}",
                *(format_percent(variants[name]["value"]) for name in ("significant", "same-sign", "flipped")),
                f"{format_number(median['low'])} … {format_number(median['high'])}",
                ", ".join(f"{one['setting'].partition(': ')[2]} {format_percent(one['value'])}" for one in most),
                ", ".join(words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else ""),
            ]
        )
    header = ["test", "vectors", "d", "p", "variants", "p < .05", "same sign", "flipped", "d from … to"]
    return markdown([*header, "options that flip most", "words that flip it by themselves"], rows)


def valence_sensitivity(run: Run) -> str:
    rows = []
    for row in run.scores.filter(measure="valence").iter_rows(named=True):
        variants = _sensitivity_of(run.scores, row)
        median = variants["median"]
        share = format_percent(variants["significant"]["value"])
        limits = f"{format_number(median['low'])} … {format_number(median['high'])}"
        rows.append([row["dataset"], row["model"], format_number(row["value"]), f"{median['n']:,}", share, limits])
    return markdown(["lexicon", "vectors", "ρ", "variants", "p < .05", "ρ from … to"], rows)


def specification_figure(run: Run) -> str:
    curve = next(iter(specification_curves(read_runs([run.folder]))))
    return re.sub(r"\d+\.\d{3,}", lambda match: f"{float(match[0]):.2f}", draw_svg(curve))


def drawn(figure: Callable[[pl.DataFrame], Any]) -> Render:
    """Return a renderer of a figure of the report as SVG."""

    def render(run: Run) -> str:
        made = figure(numbered(run.scores))
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


def _available(names: Sequence[str], kind: str) -> tuple[str, ...]:
    """Return the names whose data is on this machine."""
    return tuple(name for name in names if here(name, entry(name, kind).sources))


def blocks() -> list[Block]:
    """Return every block with the runs that it is made from."""
    valnorm = Source("valnorm", STATIC_MODELS)
    vast = Source("vast", ("smollm2-135m",), {"lexica": ("bellezza",), "experiments": ("contextualization",)})
    texts = ("enwiki-sample", *_available(("wikitext", "brown", "reddit"), "corpora"))
    quality = Source(
        "static",
        ("minilm-l6", *STATIC_MODELS),
        {
            "corpus": texts,
            "sentences": (1_000, 5_000, 10_000, 20_000, 50_000, 100_000),
            "experiments": ("quality",),
            "resamples": 500,
        },
    )
    estimators = Source(
        "static",
        ("minilm-l6", "smollm2-135m"),
        {"corpus": ("enwiki-sample",), "per_word": 3, "experiments": ("agreement",), "resamples": 500},
    )
    predict = Source(
        "predict",
        ("smollm2-135m", "gemma3-270m"),
        {
            "soft_match": ("glove-6b-50d", "synonyms", "lemma"),
            "paraphrases": _available(("rare", "common"), "paraphrases"),
        },
    )
    infer = Source("infer")
    rude = Source("infer", (), {"probes": ("nationality",), "only": RUDE, "random": 0})
    static_debiased = tuple(Source("debias", ("glove-6b-50d",), {"mitigate": method}) for method in METHODS)
    network = {"without": ("stability", "bias"), "words": 1_000, "directions": (("he", "she"),)}
    network_debiased = tuple(Source("debias", ("smollm2-135m",), network | {"mitigate": one}) for one in METHODS)
    word2vec = Source("debias", ("word2vec-news-26k",), {"without": PARTS[1:]})
    weat = Source("weat", SENSITIVITY_MODELS, {"sensitivity": True})
    valence = Source("valnorm", SENSITIVITY_MODELS, {"experiments": ("valence",), "sensitivity": True})
    return [
        Block("README.md", "results", (valnorm,), tasks_by_model),
        Block("README.md", "valnorm.svg", (valnorm,), drawn(intrinsic_tasks)),
        Block("README.md", "vast.svg", (vast,), drawn(valence_by_layer)),
        Block("static.md", "sentences", (quality,), similarity_by_sentences),
        Block("static.md", "poolings", (quality,), similarity_by_pooling),
        Block("static.md", "agreement", (estimators,), agreement_of_estimators),
        Block("predict.md", "prediction", (predict,), tables_titled("% of words and of types predicted")),
        Block("predict.md", "surprise", (predict,), tables_titled("surprise")),
        Block("predict.md", "coverage", (predict,), tables_titled("% covered, by training frequency")),
        Block(
            "predict.md",
            "soft-match",
            (predict,),
            tables_titled("% of words predicted, near misses counted (soft match)"),
        ),
        Block(
            "predict.md", "paraphrase", (predict,), tables_titled("paraphrases recognised, of rare and of common words")
        ),
        Block("predict.md", "confusion", (predict,), tables_titled("% of a band's misses, by the band of the guess")),
        Block("predict.md", "instead", (predict,), tables_titled("said instead")),
        Block("infer.md", "counts", (), pairs_per_probe),
        Block("infer.md", "neutrality", (infer,), neutrality),
        Block("infer.md", "largest", (infer,), farthest_pairs),
        Block("infer.md", "slice", (rude,), rude_entailment),
        Block("debias.md", "costs", static_debiased, costs),
        Block("debias.md", "inlp", (static_debiased[METHODS.index("inlp")],), inlp_sentence),
        Block("debias.md", "stability", (static_debiased[0], word2vec), stability_of_subspaces),
        Block("debias.md", "network", network_debiased, costs),
        Block("check.md", "table", (), check_example),
        Block("weat.md", "sensitivity", (weat,), weat_sensitivity),
        Block("weat.md", "specification.svg", (weat,), specification_figure),
        Block("valnorm.md", "sensitivity", (valence,), valence_sensitivity),
    ]


def main(pages: Sequence[str]) -> None:
    for block in blocks():
        if not pages or block.page in pages:
            block.make()
            print(f"{block.page}: {block.name}", file=sys.stderr)


if __name__ == "__main__":
    main([Path(page).name for page in sys.argv[1:]])
