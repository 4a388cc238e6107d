"""Make a model card of runs: a section with numbers and sources, and the same numbers as `model-index` metadata."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.errors import LibraryErrors, WordworthError, nearest, require, visible
from wordworth.files import replacing, sha256_of
from wordworth.pages.cautions import NOTHING_MISSING, missing, remarks
from wordworth.pages.tables import Column
from wordworth.pages.writers import escape_md, markdown_table
from wordworth.results.main_scores import IN_CONTEXT, choose_main
from wordworth.results.run import MANIFEST, Run
from wordworth.results.runs import OVERALL, TEST_NAMES, Runs, Score, better_of, describe_place
from wordworth.results.table import ASPECTS, Cell, Row, Table, format_list
from wordworth.results.vocabulary import HARMLESS, Notice, caution_legend

BEGIN, END = "<!-- wordworth card -->", "<!-- /wordworth card -->"
"""The marks around the section, so that it can be replaced."""
ARROWS = {"higher": "↑", "lower": "↓", "zero": "→ 0"}
HUB_TASKS = {"causal": "text-generation", "masked": "fill-mask", "nli": "text-classification"}
"""Family of a model → the hub's name of its task; of others, feature-extraction."""
TOOL = "wordworth"

UnmeasuredFinder = Callable[[Mapping[str, Any], Mapping[str, Mapping[str, Any]], Collection[str]], Iterable[str]]
"""Facts of a model, study → settings of those that were run, experiments that have scores → what was not run, in
sentences. Whoever knows the studies gives it: this room only reads runs."""


@dataclass(frozen=True, eq=False)
class Card:
    """The runs of a model, as a card shows them."""

    model: str
    runs: Runs
    """Only of this model."""
    rows: tuple[Score, ...]
    """The main scores of the runs."""
    unmeasured: tuple[str, ...]
    """Sentences: what applies to the model and was not run."""

    @property
    def section(self) -> str:
        """Return the section in Markdown, between its marks."""
        sections = (_introduce(self), _list_numbers(self), _list_unmeasured(self))
        return "\n".join([BEGIN, *(text for lines in sections for text in (*lines, "")), END]) + "\n"


def card_of(runs: Runs, model_name: str, find_unmeasured: UnmeasuredFinder) -> Card:
    """Return the card of one model of these runs: the one that is wanted, or the only one."""
    if model_name and model_name not in runs.models:
        suggestion = nearest(model_name, runs.models) or f"; there are {format_list(runs.models)}"
        raise WordworthError(f"these runs have no model {model_name!r}{suggestion}")
    if not model_name and len(runs.models) != 1:
        count = f"{len(runs.models)} ({format_list(runs.models)})"
        raise WordworthError(f"a card is of one model, and these runs have {count}; say which with --model")
    model = model_name or runs.models[0]
    model_runs = _select_model(runs, model)
    rows = tuple(_choose_rows(model_runs))
    if not rows:
        raise WordworthError(f"the runs of {model} have no number of the model as it is; run a study on it first")
    settings = {run.study: run.settings for run in _select_scored(model_runs)}
    experiments = {*model_runs.scores.get_column("experiment").drop_nulls()}
    return Card(model, model_runs, rows, tuple(find_unmeasured(model_runs.facts.get(model, {}), settings, experiments)))


def _select_model(runs: Runs, model: str) -> Runs:
    """Return the runs with what they say of one model, or of none."""

    def is_about(notice: Notice) -> bool:
        return notice.model is None or notice.model == model

    scores = runs.scores.filter(pl.col("model").is_in([OVERALL, model]))
    each = []
    for at, run in enumerate(runs.each):  # a run without the model stays in its place, with nothing to say
        has_model = at in scores.filter(pl.col("model") == model).get_column("run")
        notices = [notice for notice in run.notices if has_model and is_about(notice)]
        each.append(run.model_copy(update={"notices": notices, "skipped": run.skipped if has_model else {}}))
    return replace(runs, each=tuple(each), scores=scores, notices=tuple(filter(is_about, runs.notices)))


def _select_scored(runs: Runs) -> list[Run]:
    """Return the runs that have scores."""
    return [runs.each[at] for at in runs.scores.get_column("run").unique().sort()]


def _choose_rows(runs: Runs) -> Iterator[Score]:
    """Choose the main numbers, every association test, and valence of held-out words."""
    main = choose_main(runs.scores)
    # The best layer is picked on the words that it is then judged on; next to it, what the other half of them gives.
    held_out = runs.scores.filter(IN_CONTEXT, pl.col("variant") == "held-out")
    held_out = held_out.join(main, on=["dataset", "context", "language"], how="semi", nulls_equal=True)
    rows = runs.scores.filter(pl.col("row").is_in({*main["row"], *held_out["row"]}), pl.col("value").is_finite())
    return rows.iter_rows(named=True)


def _introduce(card: Card) -> Iterator[str]:
    studies = format_list(list(dict.fromkeys(run.study for run in _select_scored(card.runs))))
    versions = format_list(sorted({run.versions.get(TOOL, "?") for run in _select_scored(card.runs)}))
    layer_note = (
        " A language model is listed with its best layer by valence, which flatters it; valence (held-out) is of half "
        "of the words, in the layer that the other half picked."
    )
    yield "## What its words are worth\n"
    yield (
        f"Measured on {escape_md(card.model)} with Wordworth {escape_md(versions)} ({escape_md(studies)}). In "
        "brackets: the 95 % interval over the words or items that a number is computed from; ↑ higher is better, ↓ "
        f"lower, → 0 nearer to 0.{layer_note if any(row['layer'] is not None for row in card.rows) else ''}"
    )


def _list_numbers(card: Card) -> Iterator[str]:
    rows = []
    for row in card.rows:
        better = "" if row["dataset"] in HARMLESS else ARROWS.get(better_of(row), "")
        means = f" ({TEST_NAMES[row['dataset']]})" if row["dataset"] in TEST_NAMES else ""
        names = (row["quantity"], f"{row['dataset'] or ''}{means}", describe_place(row), better)
        rows.append(Row(names, (Cell.of_score(row),)))
    table = Table("", ("measure", "data", "where", "better"), ("value [95 %]",), tuple(rows))
    yield from markdown_table(table, [Column(0, aspect) for aspect in ASPECTS if aspect != "interval"])
    legend = caution_legend((f"{row['quantity']} {row['dataset'] or ''}".strip(), row["cautions"]) for row in card.rows)
    if legend:
        yield f"\n{escape_md(legend)}."


def _list_unmeasured(card: Card) -> Iterator[str]:
    """List what was not run, what failed, and what has low coverage."""
    yield "### What was not measured\n"
    yield from (f"- {escape_md(sentence)}" for sentence in card.unmeasured)
    gaps = missing(card.runs)
    for heading, sentences in (gaps | remarks(card.runs)).items():
        yield from (f"- {escape_md(heading)}: {escape_md(sentence)}" for sentence in sentences)
    if not gaps:
        yield f"- {NOTHING_MISSING}"
    for reason, count in card.runs.skipped.items():
        yield f"- Items without a number: {count:,} {escape_md(reason)}."
    yield "- Anything that no test here asks about."


def _make_results(card: Card) -> Iterator[Any]:
    """Yield the numbers as huggingface_hub's `EvalResult`."""
    from huggingface_hub import EvalResult

    task = HUB_TASKS.get(str(card.runs.facts.get(card.model, {}).get("family", "")), "feature-extraction")
    for row in card.rows:
        run = card.runs.run_of(row)
        dataset = visible(row["dataset"] or row["experiment"])
        sums = {source.name: source.sha256 for source in run.data}
        arguments = {"measured_with": f"{TOOL} {run.versions.get(TOOL, '?')}", "study": row["study"]}
        arguments |= {"language": row["language"], "manifest_sha256": run.folder and sha256_of(run.folder / MANIFEST)}
        numbers = {"low_95": row["low"], "high_95": row["high"], "p": row["p"], "n": row["n"]}
        numbers = {name: value for name, value in numbers.items() if value is not None and isfinite(value)}
        yield EvalResult(
            task_type=task,
            task_name=f"{row['study']}: {row['experiment']}",
            dataset_type=dataset,
            dataset_name=dataset,
            dataset_config=visible(", ".join(filter(None, [row["experiment"], describe_place(row)]))),
            dataset_revision=sums.get(row["dataset"]) or None,
            dataset_args={name: visible(text) for name, text in arguments.items() if text},
            metric_type=row["quantity"],
            metric_name=row["quantity"],
            metric_value=row["value"],
            metric_args=numbers | ({"read_with_care": row["care"]} if row["care"] else {}),
        )


def card_text(card: Card, readme: Path | None = None) -> str:
    """Return a whole card: its metadata and the section; or a README with both in their places."""
    require("files and cards of the Hugging Face hub")
    from huggingface_hub import ModelCard

    with LibraryErrors(f"{readme} cannot be read as a model card", "correct the metadata between its lines of ---"):
        text = "" if readme is None else readme.read_bytes().decode("utf-8-sig")
        card_file = ModelCard(text if text.lstrip().startswith("---") else f"---\n{{}}\n---\n\n{text}")
    data: Any = card_file.data  # a ModelCardData, which the library's types do not say
    results = [result for result in data.eval_results or () if "measured_with" not in (result.dataset_args or {})]
    data.model_name = data.model_name or visible(card.model)
    data.eval_results = [*results, *_make_results(card)]
    card_file.text = _replace_section(card_file.text.replace("\r\n", "\n"), card.section)
    document = str(card_file).replace("\r\n", "\n")
    return document.replace("\n", "\r\n") if "\r\n" in text else document


def _replace_section(text: str, section: str) -> str:
    before, begin_mark, remainder = text.partition(BEGIN)
    if not begin_mark:
        return f"{text.rstrip()}\n\n{section}" if text.strip() else section
    _, end_mark, after = remainder.partition(END)
    if not end_mark or BEGIN in after:
        raise WordworthError(f"the file has {BEGIN} without one {END} behind it; put the marks right, or remove them")
    return f"{before}{section.rstrip()}{after}"


def write_card(card: Card, output: Path) -> None:
    """Write the card to a file: a new one, or into one that is there, between its marks."""
    if output.is_dir():
        raise WordworthError(f"{output} is a folder; name a file with -o")
    text = card_text(card, output if output.exists() else None)
    with replacing(output) as new:
        new.write_text(text, encoding="utf-8", newline="")
