"""The main numbers of each model, for the terminal and Python: its profile, then the other main scores."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from wordworth.embedding.layers import NOT_FOUND
from wordworth.measure import main_measures
from wordworth.pages.leads import tell_detectable
from wordworth.pages.profile import ProfileRow, profile
from wordworth.results.columns import KEY
from wordworth.results.main_scores import choose_main, main_scores
from wordworth.results.runs import AS_IT_IS, IS_ORIGINAL, OVERALL, TESTS, Runs, Score, describe_place, keep_last_steps
from wordworth.results.table import Cell, Row, Table
from wordworth.results.vocabulary import ORIGINAL, RANDOM, caution_legend

MAX_HEADLINES = 10
"""Numbers of a model that are shown."""
NAME_COLUMNS = ("measure", "data")
QUANTITY = ["experiment", "language", "dataset", "subset", "quantity"]


def headlines(runs: Runs) -> Iterator[Table]:
    """Yield one table per model with its main numbers, then one with those before and after a change.

    A question of the profile comes with its verdict. Of a training the last step is shown.
    """
    runs = keep_last_steps(runs)
    answers = profile(runs)
    limits = list(tell_detectable(runs))
    main = choose_main(runs.scores)
    for model in [*runs.models, OVERALL]:
        table = runs.scores.filter(pl.col("model") == model, pl.col("draw").is_null(), pl.col("control").is_null())
        topics = [topic for topic in answers if topic.subject == model][:MAX_HEADLINES]
        extras = _choose(table, main.filter(pl.col("model") == model), topics)
        scores = [*(topic.score for topic in topics), *extras]
        if scores:
            slots = [_row(topic.score, topic.question.name, topic.verdict) for topic in topics]
            title, rows = _lift_place(model, [*slots, *map(_row, extras)])
            names = [*(topic.question.name for topic in topics), *(row["dataset"] or row["quantity"] for row in extras)]
            cautions = [score["cautions"] for score in scores]
            sides = {score["sides"] for score in scores if score["p"] is not None} - {None}
            notes = [
                " ".join(sentence for name, sentence in limits if name == model).removesuffix("."),
                caution_legend(zip(names, cautions, strict=True)),
                f"p: {' or '.join(sorted(sides))}-sided permutation test" if sides else "",
                f"{len(table) - len(scores):,} more in scores.csv" if len(table) > len(scores) else "",
            ]
            yield Table(title, NAME_COLUMNS, ("value",), rows, note="; ".join(filter(None, notes)))
        versions = table.drop_nulls("version")
        if versions.get_column("version").n_unique() > 1:
            yield _compare_versions(model, versions)


def _choose(scores: pl.DataFrame, main: pl.DataFrame, answers: Sequence[ProfileRow]) -> Sequence[Score]:
    """Return a model's scores that answer no question, of every experiment in turn, as many as there is room for.

    They are the main ones, slices of them, and whole ones of other experiments. Of a model that has none of these, all
    are taken: those of the top layer, without components nullified.
    """
    experiments = {*main.get_column("experiment"), *(answer.score["experiment"] for answer in answers)}
    measures = {*main.get_column("measure"), *(answer.score["measure"] for answer in answers)}
    is_main, is_plain = pl.col("measure").is_in(main_measures()), pl.col("layer").is_null()
    is_slice = pl.col("subset").is_not_null() & pl.col("variant").is_null() & is_main & is_plain
    is_new_measure = is_plain | (is_main & ~pl.col("measure").is_in(measures))
    is_other = pl.col("subset").is_null() & ~pl.col("experiment").is_in(experiments) & is_new_measure
    is_shown = is_slice | is_other | pl.lit(main.is_empty() and not answers)
    is_number = pl.col("value").is_finite() & (pl.col("measure") != "coverage")
    candidates = scores.filter(IS_ORIGINAL, AS_IT_IS | pl.col("version").is_null(), is_shown, is_number)
    raw_last = candidates.sort("components", descending=True, nulls_last=True, maintain_order=True)
    rows = pl.concat([main, raw_last.unique(QUANTITY, keep="last", maintain_order=True)])
    answer_keys = {(answer.score["quantity"], answer.score["dataset"], None) for answer in answers}
    is_new = [key not in answer_keys for key in rows.select("quantity", "dataset", "subset").iter_rows()]
    is_rest = pl.Series(is_new, dtype=pl.Boolean) & ~rows["row"].is_in([answer.score["row"] for answer in answers])
    extras = rows.filter(is_rest).unique("row", keep="first", maintain_order=True)
    turn = pl.int_range(pl.len()).over("experiment", pl.col("subset").is_null())
    return extras.with_columns(turn=turn).sort("turn", "row").head(MAX_HEADLINES - len(answers)).sort("row").to_dicts()


def _row(score: Score, question: str = "", verdict: str = "") -> tuple[str, Row]:
    """Return where in a model a score was measured, and its row: the question or measure, the data and the value."""
    slot = "" if score["row"] is None else describe_place({**score, "version": None, "subset": None})
    data, subset = score["dataset"] or "", (score["subset"] or "").replace("=", " = ")  # so that it wraps there
    subject = TESTS[data]["subject"] if data in TESTS else ""
    description = data if question else ", ".join(filter(None, [f"{data} {subject}".strip(), subset]))
    return slot, Row((question or score["quantity"], description), (Cell.of_score(score),), verdict)


def _lift_place(title: str, rows_by_slot: Sequence[tuple[str, Row]]) -> tuple[str, tuple[Row, ...]]:
    """Return the title with the place that all rows share, and the rows; with their own places if they differ."""
    slots = {slot for slot, _ in rows_by_slot if slot}
    if len(slots) < 2:
        return ", ".join([title, *slots]), tuple(row for _, row in rows_by_slot)
    return title, tuple(replace(row, remark=": ".join(filter(None, [slot, row.remark]))) for slot, row in rows_by_slot)


def _compare_versions(model: str, scores: pl.DataFrame) -> Table:
    """Return a table of the main numbers of the original, and the same of each version of it."""
    names = scores.get_column("version").unique(maintain_order=True).to_list()
    versions = sorted(names, key=lambda name: (name != ORIGINAL, name == RANDOM))
    key = [name for name in KEY if name not in ("model", "version")]
    values = {(row["version"], *(row[name] for name in key)): row["value"] for row in scores.iter_rows(named=True)}
    rows = []
    for score in main_scores(scores.filter(IS_ORIGINAL)).head(MAX_HEADLINES).iter_rows(named=True):
        score_key = [score[name] for name in key]
        _, row = _row(score)
        rows.append(replace(row, cells=tuple(Cell(values.get((version, *score_key))) for version in versions)))
    return Table(f"{model}: before and after", NAME_COLUMNS, tuple(versions), tuple(rows))


def name_missing(runs: Runs) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each model that has no vector for words of lexica and tests, with these data sets and words."""
    frames = [run.item_table(table) for run in runs.each for table in ("rated_words", "association_words")]
    rows = pl.concat([frame.select("model", "dataset", "word", "skipped") for frame in frames])
    missing = rows.filter(pl.col("skipped") == NOT_FOUND).drop("skipped").unique(maintain_order=True).collect()
    for (model,), group in missing.group_by(["model"], maintain_order=True):
        data, words = (group.get_column(name).unique(maintain_order=True).to_list() for name in ("dataset", "word"))
        yield str(model), data, words
