"""Runs as a section of a model card: the numbers with their intervals, what was not measured, and what they rest on."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.errors import WordworthError, nearest
from wordworth.files import replacing, sha256_of
from wordworth.report.captions import chance
from wordworth.report.insights import associations
from wordworth.report.leaderboard import leaderboard
from wordworth.report.markdown import escaped, line, power
from wordworth.report.missing import missing, remarks
from wordworth.report.naming import TESTS
from wordworth.report.runs import ALL, AS_IT_IS, Runs
from wordworth.run import Run
from wordworth.run.flags import COVERED, MARK, legend
from wordworth.run.numbers import format_list, format_number, format_percent
from wordworth.run.schema import main_scores
from wordworth.run.vocabulary import HARMLESS

BEGIN, END = "<!-- wordworth card -->", "<!-- /wordworth card -->"
"""What the section stands between, so that it can be replaced."""
TITLE = "## What its words are worth"
ARROWS = {"higher": "↑", "lower": "↓", "zero": "→ 0"}

Row = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Card:
    """A model's runs, as a card tells of them."""

    model: str
    runs: Runs
    """Of this model alone."""
    rows: tuple[Row, ...]
    """The scores that stand for the runs."""
    unmeasured: tuple[str, ...]
    """Sentences: what applies to the model and was not run."""

    @property
    def section(self) -> str:
        """The section in Markdown, between its marks."""
        parts = (_head(self), _numbers(self), _not_measured(self), _sources(self))
        return "\n".join([BEGIN, *(text for part in parts for text in part), END]) + "\n"


Unmeasured = Callable[[Mapping[str, Any], Mapping[str, Mapping[str, Any]], Collection[str]], Iterable[str]]
"""Facts of a model, study → settings of those that were run, experiments that have scores → what was not run, in
sentences. Whoever knows the studies gives it: this room reads runs alone."""


def _model(runs: Runs, wanted: str) -> str:
    """The model that is named, or the only one."""
    if wanted and wanted not in runs.models:
        has = f"; there are {format_list(runs.models)}"
        raise WordworthError(f"these runs have no model {wanted!r}{nearest(wanted, runs.models) or has}")
    if not wanted and len(runs.models) != 1:
        raise WordworthError(
            f"a card is of one model, and these runs have {len(runs.models)} ({format_list(runs.models)}); "
            "say which with --model"
        )
    return wanted or runs.models[0]


def card_of(runs: Runs, wanted: str, unmeasured: Unmeasured) -> Card:
    """The card of one model of these runs: the one that is wanted, or the only one."""
    model = _model(runs, wanted)
    mine = _of_model(runs, model)
    rows = tuple(_chosen(mine))
    if not rows:
        raise WordworthError(f"the runs of {model} have no number of the model as it is; run a study on it first")
    done = {run.manifest["study"]: run.manifest["settings"] for run in mine.each}
    measured = {*mine.scores.get_column("experiment").drop_nulls()}
    return Card(model, mine, rows, tuple(unmeasured(mine.facts.get(model, {}), done, measured)))


def _of_model(runs: Runs, model: str) -> Runs:
    """The runs with what they say of one model; what is said of none stays."""
    each = []
    for run in runs.each:
        scores = run.scores.filter(pl.col("model") == model)
        if len(scores):
            failed = [part for part in run.manifest["failed"] if part.get("model") in (None, "", model)]
            manifest = {**run.manifest, "failed": failed}
            each.append(replace(run, scores=scores, manifest=manifest))
    named = (ALL, model)
    outcome = replace(runs.outcome, failed=tuple(one for one in runs.outcome.failed if model in one["models"]))
    scores = runs.scores.filter(pl.col("model").is_in(named))
    return replace(runs, each=tuple(each), scores=scores, outcome=outcome)


def _chosen(runs: Runs) -> Iterator[Row]:
    """The main numbers: those of the leaderboard, every association test, and what else needs no choice of a layer."""
    board = [row for column in leaderboard(runs).columns for row in column.rows.values()]
    tests = associations(runs.scores).get_column("row").to_list()
    whole = runs.scores.filter(AS_IT_IS, pl.col("layer").is_null())
    versions = pl.col("setting").is_null() | (pl.col("setting") == "original")
    others = main_scores(whole.filter(versions)).get_column("row").to_list()
    picked = runs.scores.filter(pl.col("row").is_in(board), pl.col("layer").is_not_null())
    # The best layer is picked on the words that it is then judged on; beside it, what the other half of them gives.
    honest = runs.scores.filter(pl.col("measure") == "valence:held-out").join(
        picked, on=["dataset", "setting", "language"], how="semi", nulls_equal=True
    )
    rows = [*board, *tests, *others, *honest.get_column("row")]
    chosen = runs.scores.filter(pl.col("row").is_in(rows), pl.col("model") != ALL)
    # A test that stands in two runs of an audit (valnorm and weat) is one test.
    once = chosen.unique(["measure", "dataset", "language", "setting", "layer"], keep="last", maintain_order=True)
    return (row for row in once.iter_rows(named=True) if row["value"] is not None and isfinite(row["value"]))


def where(row: Row) -> str:
    """Where a score was measured, beside its data set: setting, pooling, layer."""
    words = [row[name] for name in ("setting", "pooling")]
    words += [f"layer {row['layer']}"] if row["layer"] is not None else []
    words += [row["language"]] if row["language"] not in (None, "english") else []
    return ", ".join(str(word) for word in words if word)


def manifest_sum(run: Run) -> str:
    """The sha256 of a run's manifest, which holds those of its other files."""
    return sha256_of(run.folder / "run.json")


def data_sum(run: Run, dataset: str | None) -> str:
    """The sha256 of a data set as the run read it; blank where the manifest has none."""
    stem = (dataset or "").partition("/")[0].partition(":")[0]
    sums = {one["name"]: one.get("sha256") or "" for one in run.manifest["data"]}
    return sums.get(dataset or "", "") or sums.get(stem, "")


def _head(card: Card) -> Iterator[str]:
    studies = format_list(list(dict.fromkeys(run.manifest["study"] for run in card.runs.each)))
    versions = format_list(sorted({run.manifest["versions"].get("wordworth", "?") for run in card.runs.each}))
    yield TITLE
    yield ""
    layered = (
        " A language model stands with its best layer by valence, which flatters it; valence:held-out is of half of "
        "the words, in the layer that the other half picked."
    )
    yield (
        f"Measured on {escaped(card.model)} with Wordworth {escaped(versions)} ({escaped(studies)}). A number stands "
        "with its 95 % interval, over the words or items that it is made of; ↑ higher is better, ↓ lower, → 0 nearer "
        f"to 0.{layered if any(row['layer'] is not None for row in card.rows) else ''}"
    )
    yield ""


def _numbers(card: Card) -> Iterator[str]:
    places = any(where(row) for row in card.rows)
    heads = {"measure": "---", "data": "---", **({"where": "---"} if places else {})}
    heads |= {"value [95 %]": "---:", "p": "---:", "n": "---:", "better": "---"}
    yield line(list(heads))
    yield line(list(heads.values()))
    for row in card.rows:
        value = format_number(row["value"]) + (MARK if row["flags"] else "")
        if row["low"] is not None and row["high"] is not None:
            value += rf" \[{format_number(row['low'])}, {format_number(row['high'])}\]"
        found = chance(card.runs, row)
        p = escaped(found.written(power)) if found else ""
        count = "" if row["n"] is None else f"{row['n']:,}"
        better = "" if row["dataset"] in HARMLESS else ARROWS.get(card.runs.better(row["measure"]), "")
        means = TESTS.get(row["dataset"], "")
        data = f"{row['dataset'] or ''}{f' ({means})' if means else ''}"
        names = [escaped(text) for text in (row["measure"], data, *([where(row)] if places else ()))]
        yield line([*names, value, p, count, better])
    yield ""
    without = [row["measure"] for row in card.rows if row["low"] is None]
    if without:
        yield f"Without an interval: {escaped(format_list(list(dict.fromkeys(without))))}."
        yield ""
    care = legend((f"{row['measure']} {row['dataset'] or ''}".strip(), row["flags"]) for row in card.rows)
    if care:
        yield f"{escaped(care)}."
        yield ""


def _not_measured(card: Card) -> Iterator[str]:
    """What was not run, what failed, what is covered too little; and that every measure is of what it names alone."""
    yield "### What was not measured"
    yield ""
    for sentence in card.unmeasured:
        yield f"- {escaped(sentence)}"
    found = missing(card.runs)
    for kind in [*found, *remarks(card.runs)]:
        for sentence in kind.every:
            yield f"- {escaped(kind.question)} {escaped(sentence)}"
    if not found:
        covered = format_percent(COVERED)
        yield f"- Of what was asked for, nothing failed, and every data set is covered to {covered} or more."
    for reason, count in card.runs.left_out.items():
        yield f"- Left out: {count:,} {escaped(reason)}."
    yield (
        "- Anything that no test here asks about: a bias that is not found was not found by these words, in this "
        "language."
    )
    yield ""


def _sources(card: Card) -> Iterator[str]:
    yield "### What the numbers rest on"
    yield ""
    yield line(["run", "sha256 of its manifest (run.json)", "began"])
    yield line(["---"] * 3)
    for run in card.runs.each:
        name = f"{run.manifest['study']} ({run.folder.resolve().name})"
        yield line([escaped(name), f"`{manifest_sum(run)}`", escaped(run.manifest["started"])])
    yield ""
    yield "The model and the data, as they were read:"
    yield ""
    yield line(["model or data", "sha256"])
    yield line(["---"] * 2)
    sums = {one["name"]: one.get("sha256") or one.get("weights") or "" for one in _parts(card)}
    for name, checksum in sums.items():
        yield line([escaped(name), f"`{checksum}`" if re.fullmatch(r"[\w:.-]+", checksum) else escaped(checksum)])
    yield ""


def _parts(card: Card) -> Iterator[Mapping[str, Any]]:
    facts = card.runs.facts.get(card.model, {})
    yield {"name": card.model, "sha256": facts.get("sha256"), "weights": facts.get("weights")}
    for run in card.runs.each:
        yield from run.manifest["data"]


def card_text(card: Card, readme: Path | None = None) -> str:
    """A whole card: its metadata and the section; or a README with both in their places."""
    from wordworth.report.card_metadata import placed  # which needs huggingface_hub, and reads this file

    return placed(card, readme)


def write_card(card: Card, output: Path) -> None:
    """Writes the card to a file: a new one, or into one that is there, between its marks."""
    text = card_text(card, output if output.exists() else None)
    with replacing(output) as new:
        new.write_text(text, encoding="utf-8", newline="")
