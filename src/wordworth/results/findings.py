"""Record scores, items, notices, models and data while a task or a study runs."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from wordworth.catalog.resolve import DataSet
from wordworth.embedding import Embedding
from wordworth.engine.cache import count_damaged
from wordworth.errors import WordworthError, print_traceback
from wordworth.measure import find_measure
from wordworth.results.columns import ITEM_TABLES, SCORES, SKIP, item_schema
from wordworth.results.run import DataFacts, MeasureFacts, ModelFacts, Run, surroundings
from wordworth.results.vocabulary import (
    CONTROL_KINDS,
    EXPERIMENT_TITLES,
    Caution,
    Notice,
    NoticeKind,
    coverage_cautions,
    size_cautions,
)

Keys = dict[str, Any]
"""Columns that say what a score or an item is of."""
_DETAILS = re.compile(r"'[^']*'|\"[^\"]*\"|\d[\d,.]*")


@dataclass
class Findings:
    """Collect what a study finds. A task returns its own findings, which a study adds to its own."""

    study: str = ""
    experiments: Collection[str] = field(default_factory=lambda: EXPERIMENT_TITLES)
    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    data: dict[str, dict[str, Any]] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    checkpoints: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Label of a checkpoint of a training → the model's name and the step."""
    product: Any = None
    """What the study made, where it makes one: an embedding, or a network; `save` writes it."""
    _scores: list[dict[str, Any]] = field(default_factory=list)
    _items: dict[str, list[pl.DataFrame | pl.LazyFrame]] = field(default_factory=dict)

    def score(self, *, cautions: Any = (), **row: Any) -> None:
        """Record one number, by the names of its columns; `cautions` are several `Caution`."""
        self._check(row, SCORES, "scores")
        measure = find_measure(row["measure"], row.get("variant")).name
        all_cautions = [*cautions, *coverage_cautions(row.get("coverage")), *size_cautions(row.get("n"), measure)]
        self._scores.append({"study": self.study, **row, "cautions": list(dict.fromkeys(all_cautions))})

    def set_coverage(self, coverage: float) -> None:
        """Set the coverage of every score so far, with its caution where it is low."""
        for row in self._scores:
            row["coverage"] = coverage
        self.add_cautions(coverage_cautions(coverage))

    def add_cautions(self, cautions: Iterable[Caution]) -> None:
        """Add cautions to every score so far."""
        for row in self._scores:
            row["cautions"] = list(dict.fromkeys([*row["cautions"], *cautions]))

    def item(self, table: str, **columns: Any) -> None:
        """Record many items of one table at once: a column is a list, or one value for all."""
        schema = item_schema(table)
        self._check(columns, schema, table)
        lists = {name: column for name, column in columns.items() if not isinstance(column, str | int | float | None)}
        frame = pl.DataFrame(lists, schema={name: schema[name] for name in lists}, strict=False)
        self._items.setdefault(table, []).append(frame.select(_complete(lists, columns, schema)))

    def scanned_items(self, table: str, frame: pl.LazyFrame, **columns: Any) -> None:
        """Record items that are on disk, one per word of a text; `columns` are one value for all.

        They are read when they are used, and in parts when they are saved.
        """
        names = frame.collect_schema().names()
        schema = item_schema(table)
        self._check(columns | dict.fromkeys(names), schema, table)
        self._items.setdefault(table, []).append(frame.select(_complete(names, columns, schema)))

    def _check(self, row: Mapping[str, Any], schema: Mapping[str, Any], table: str) -> None:
        unknown_columns = row.keys() - schema.keys()
        if unknown_columns:
            raise TypeError(f"{table} has no column {', '.join(sorted(unknown_columns))}")
        experiment, control = row.get("experiment"), row.get("control")
        if experiment is not None and experiment not in self.experiments:
            raise TypeError(f"no experiment {experiment!r} is declared (results/vocabulary.py)")
        if control is not None and control not in CONTROL_KINDS:
            raise TypeError(f"no control {control!r} is declared (results/vocabulary.py)")

    def add(self, other: "Findings", **columns: Any) -> None:
        """Add everything that another recorded; `columns` are set in all of its scores and items."""
        for row in other._scores:
            self.score(**{name: value for name, value in row.items() if name != "study"} | columns)
        for table, frames in other._items.items():
            schema = item_schema(table)
            constants = [pl.lit(value).cast(schema[name]).alias(name) for name, value in columns.items()]
            self._items.setdefault(table, []).extend(frame.with_columns(constants) for frame in frames)
        for notice in other.notices:
            self._add_notice(notice)
        for key, data in other.data.items():
            self._add_data(key, data)
        self.models |= other.models

    def select(self, scores: Callable[[dict[str, Any]], bool], items: pl.Expr) -> "Findings":
        """Return the scores and items that satisfy a condition each, without the notices."""
        selection = Findings(self.study, self.experiments, models=self.models, data=self.data)
        selection._scores = [row for row in self._scores if scores(row)]
        selection._items = {table: [frame.filter(items) for frame in frames] for table, frames in self._items.items()}
        return selection

    @contextmanager
    def part(self, *kinds: type[WordworthError], is_requested: bool = False, **place: Any) -> Iterator[None]:
        """Run a part whose failure costs nothing else: it becomes a notice with its place and reason.

        What the user named (`is_requested`) still fails. `kinds` are the errors that concern only this part.
        """
        try:
            yield
        except WordworthError as error:
            if is_requested or not isinstance(error, kinds or WordworthError):
                raise
            print_traceback(error)
            self.notice("failed", str(error), **place)

    def notice(self, kind: NoticeKind, reason: str, **fields: Any) -> None:
        """Record a notice, once. `more` are the other fields of `Notice`."""
        self._add_notice(Notice(kind=kind, reason=reason.rstrip("."), **fields))

    def _add_notice(self, notice: Notice) -> None:
        if notice not in self.notices:
            self.notices.append(notice)

    def add_model(self, name: str, facts: Mapping[str, Any]) -> None:
        """Record a model that was measured; raise if its name is taken."""
        if name in self.models:
            raise WordworthError(f"two models are called {name}; name one LABEL=PATH to tell them apart")
        self.models[name] = {"name": name, **facts}

    def add_embedding(self, embedding: Embedding, language: str) -> None:
        """Record an embedding that was measured."""
        origin = embedding.provenance
        facts = {"source": origin.source, "sha256": origin.sha256, "language": language, "words": len(embedding)}
        facts |= {"dimensions": embedding.dim, "steps": list(origin.steps), "dropped": list(origin.dropped)}
        facts |= {"corpus": origin.corpus, "percent": origin.percent, "decade": origin.decade}
        self.add_model(embedding.name, facts)

    def add_data(self, *datasets: DataSet, rows: int | None = None) -> None:
        """Record data sets that were used; `rows` are those of one that does not know how many it has."""
        keys = ("name", "source", "sha256", "licence", "reference")
        for data in datasets:
            columns = {"columns": dict(data.columns)} if data.columns else {}
            count = len(data) if rows is None and isinstance(data, Sized) else rows
            self._add_data(data.name, {key: getattr(data, key) for key in keys} | {"rows": count} | columns)

    def add_words(self, name: str, sets: Mapping[str, Sequence[str]], reference: str = "") -> None:
        """Record word sets that were used; their checksum is that of the words, as JSON in UTF-8."""
        text = json.dumps({label: list(words) for label, words in sets.items()}, ensure_ascii=False)
        facts = {"name": name, "source": "", "sha256": hashlib.sha256(text.encode()).hexdigest(), "licence": ""}
        rows = sum(len(words) for words in sets.values())
        # A test and a lexicon may share a name: their measures differ.
        self._add_data(f"words of {name}", facts | {"reference": reference, "rows": rows})

    def _add_data(self, key: str, facts: dict[str, Any]) -> None:
        earlier_facts = self.data.setdefault(key, facts)
        if earlier_facts["sha256"] != facts["sha256"]:
            raise WordworthError(
                f"two different data sets are called {facts['name']} ({earlier_facts['source'] or 'words'} and "
                f"{facts['source'] or 'words'}); rename one, so that scores can be distinguished"
            )

    @property
    def scores(self) -> pl.DataFrame:
        """Return the table of `scores.csv`."""
        return pl.DataFrame(self._scores, schema=SCORES)

    @property
    def items(self) -> dict[str, pl.LazyFrame]:
        """Return the item tables that have rows."""
        tables = [table for table in ITEM_TABLES if table in self._items]
        return {table: pl.concat([frame.lazy() for frame in self._items[table]]) for table in tables}

    def to_run(self, **fields: Any) -> Run:
        """Return the run of a study; `about` are the fields of `Run` that the study knows."""
        versions, hardware = surroundings()
        measures = self.scores.select("measure", "variant").unique(maintain_order=True)
        run = Run(
            study=self.study,
            models=[ModelFacts(**self._facts_of(label)) for label in self.models],
            data=[DataFacts(**facts) for facts in self.data.values()],
            measures=[_find_measure(*row) for row in measures.rows()],
            notices=self.notices,
            skipped=self.skipped(),
            damaged=count_damaged(),
            versions=versions,
            hardware=hardware,
            **fields,
        )
        run.scores = self._with_steps(self.scores.lazy()).collect()
        run.items = {table: self._with_steps(frame) for table, frame in self.items.items()}
        run.product = self.product
        return run

    def _facts_of(self, label: str) -> dict[str, Any]:
        name, step = self.checkpoints.get(label, (label, None))
        return {**self.models[label], "name": name, "step": step}

    def _with_steps(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Put the step of a checkpoint's label into its own column."""
        if not self.checkpoints:
            return frame
        names, steps = zip(*self.checkpoints.values(), strict=True)
        labels, model = list(self.checkpoints), pl.col("model")
        return frame.with_columns(
            model=model.replace(labels, names),
            step=model.replace_strict(labels, steps, default=None, return_dtype=pl.Int64),
        )

    def skipped(self) -> dict[str, int]:
        """Count the items that were not used, by reason; reasons that differ in a word or number count together."""
        counts: Counter[str] = Counter()
        for frame in self.items.values():
            reasons = frame.drop_nulls(SKIP).group_by(SKIP).len().collect(engine="streaming")
            counts.update(dict(reasons.sort(SKIP).iter_rows()))
        similar_reasons: dict[str, list[str]] = {}
        for reason in counts:
            similar_reasons.setdefault(_DETAILS.sub("…", reason), []).append(reason)
        return {
            reasons[0] if len(reasons) == 1 else pattern: sum(counts[reason] for reason in reasons)
            for pattern, reasons in similar_reasons.items()
        }


def _find_measure(name: str, variant: str | None) -> MeasureFacts:
    measure = find_measure(name, variant)
    return MeasureFacts(name=name, variant=variant, formula=measure.formula, better=measure.better)


def _complete(names: Collection[str], constants: Mapping[str, Any], schema: Mapping[str, Any]) -> list[pl.Expr]:
    """Return all columns of a table: those in `names` as they are, and constants for the rest."""
    return [
        (pl.col(name) if name in names else pl.lit(constants.get(name))).cast(dtype).alias(name)
        for name, dtype in schema.items()
    ]
