"""Makes the tables and the figure on sensitivity of docs/weat.md and docs/valnorm.md, from runs of this version."""

import re
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from pages import markdown, put

from wordworth.report.figures import draw_svg
from wordworth.report.figures.figure import OPTION, TRIED
from wordworth.report.figures.specification import specification_curves
from wordworth.report.naming import SHORT, number, percent
from wordworth.report.runs import read_runs
from wordworth.report.sensitivity_answers import single_words
from wordworth.run import Findings
from wordworth.study import study

HERE = Path(__file__).parent
PAGE = HERE / "weat.md"
MODELS = ["glove-6b-50d", "glove-840b-34k", "word2vec-news-26k"]
HEADER = ["test", "vectors", "d", "p", "variants", "p < .05", "same sign", "flipped", "d from … to"]
HEADER += ["options that flip most", "words that alone flip it"]


def measured(sensitivity: bool) -> tuple[Findings, float]:
    """The ten tests on all vectors, and the core seconds that took."""
    began = time.process_time()
    found = study("weat")(MODELS, sensitivity=sensitivity)
    return found, time.process_time() - began


def table(folder: Path) -> str:
    (run,) = read_runs([folder]).each
    rows = []
    plain = run.scores.filter(pl.col("measure") == "weat")
    for row in plain.sort(pl.col("dataset").str.slice(4).cast(pl.Int64), maintain_order=True).iter_rows(named=True):
        mine = run.scores.filter(TRIED, pl.col("model") == row["model"], pl.col("dataset") == row["dataset"])
        told = {one["measure"].removeprefix("sensitivity:"): one for one in mine.filter(~OPTION).iter_rows(named=True)}
        shares = [percent(told[name]["value"]) for name in ("significant", "same-sign", "flipped")]
        options = mine.filter(OPTION, pl.col("value") > 0).sort("value", descending=True, maintain_order=True).head(2)
        named = [
            f"{one['setting'].partition(': ')[2]} {percent(one['value'])}" for one in options.iter_rows(named=True)
        ]
        words = single_words(run, row["model"], row["dataset"])
        listed = ", ".join(words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else "")
        limits = f"{number(told['median']['low'])} … {number(told['median']['high'])}"
        cells = [
            SHORT[row["dataset"]],
            row["model"],
            number(row["value"]),
            f"{row['p']:.2g}",
            f"{told['median']['n']:,}",
        ]
        rows.append([*cells, *shares, limits, ", ".join(named), listed])
    return markdown(HEADER, rows)


def valence() -> str:
    """A row a lexicon and model."""
    scores = study("valnorm")(MODELS, experiments=["valence"], sensitivity=True).scores
    rows = []
    for row in scores.filter(pl.col("measure") == "valence").iter_rows(named=True):
        where = [pl.col(name) == row[name] for name in ("model", "dataset")]
        mine = scores.filter(TRIED, ~OPTION, *where).iter_rows(named=True)
        told = {one["measure"].removeprefix("sensitivity:"): one for one in mine}
        limits = " … ".join(number(told["median"][name]) for name in ("low", "high"))
        share = percent(told["significant"]["value"])
        rows.append([row["dataset"], row["model"], number(row["value"]), f"{told['median']['n']:,}", share, limits])
    return markdown(["lexicon", "vectors", "ρ", "variants", "p < .05", "ρ from … to"], rows)


def main() -> None:
    put(HERE / "valnorm.md", "sensitivity", valence())
    study("weat")(MODELS)  # so that the vectors are fetched and kept, and nothing of that is timed
    plain, without = measured(sensitivity=False)
    tried, seconds = measured(sensitivity=True)
    count = tried.scores.filter(TRIED, pl.col("measure") == "sensitivity:median").get_column("n").sum()
    tests = plain.scores.filter(pl.col("measure") == "weat").height
    told = (
        f"{tests} tests on three embeddings: {count:,} variants in {seconds - without:.0f} core seconds, beside the "
        f"{without:.1f} of the tests alone."
    )
    with TemporaryDirectory() as place:
        folder = Path(place) / "run"
        tried.save(folder)
        put(PAGE, "sensitivity", f"{table(folder)}\n\n{told}")
        curve = next(iter(specification_curves(read_runs([folder]))))
        drawn = re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", draw_svg(curve))
        (HERE / "figures" / "specification.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
