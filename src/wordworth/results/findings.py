"""`Findings`: the scores and items of a task or a study, with what was used, left out, noted and failed."""

import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from wordworth.embedding import Embedding
from wordworth.engine.cache import damaged
from wordworth.engine.notices import notices
from wordworth.errors import WordworthError
from wordworth.measure import Measure
from wordworth.measure import named as measure_named
from wordworth.results.flags import few, joined
from wordworth.results.folder import default_folder, reserve, write_run
from wordworth.results.manifest import surroundings
from wordworth.results.reading import Run, read_run
from wordworth.results.schema import ITEMS, SCORES
from wordworth.results.vocabulary import EXPERIMENTS, Experiment, step_of

_PARTICULARS = re.compile(r"'[^']*'|\"[^\"]*\"|\d[\d,.]*")


class Described(Protocol):
    """Data that says where it came from: a lexicon, pairs, analogies."""

    @property
    def name(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def licence(self) -> str: ...
    @property
    def reference(self) -> str: ...
    @property
    def columns(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class About:
    """What a study says of itself, for those who read its runs."""

    models: tuple[str, ...] = ()
    """The models as they were named."""
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    """Name → sha256 over the content of each model and data set that was named, as it was when the run began."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Every setting's value, given or default."""
    may_differ: tuple[str, ...] = ()
    """Settings in which two runs may differ and still be compared."""
    method: str = ""
    """How it measures, in words."""
    papers: tuple[str, ...] = ()
    """Keys of the papers whose method it is."""
    references: Mapping[str, str] = field(default_factory=dict)
    """Key → BibTeX of all that the findings rest on."""
    command: tuple[str, ...] = ("python",)
    """The command line, without what may be secret in an address."""


@dataclass
class Findings:
    """Grows while a study runs. A task returns findings of its own, which a study adds to those it returns."""

    study: str = ""
    experiments: Mapping[str, Experiment] = field(default_factory=lambda: EXPERIMENTS)
    left_out: Counter[str] = field(default_factory=Counter)
    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    data: dict[str, dict[str, Any]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """Those of the notes that a user should see at once: what was asked for and could not be had."""
    failed: list[dict[str, Any]] = field(default_factory=list)
    """Parts that failed without costing the rest: their columns, and the reason."""
    embedding: Embedding | None = None
    """What the study made, where it makes an embedding."""
    network: Any = None
    """What the study made, where it makes a network: `save(folder)` writes it."""
    about: About = field(default_factory=About)
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    seconds: float = 0.0
    _scores: list[dict[str, Any]] = field(default_factory=list)
    _items: list[pl.DataFrame | pl.LazyFrame] = field(default_factory=list)

    def score(self, **row: Any) -> None:
        """One number, by the names of its columns."""
        self._check(row, SCORES, "scores")
        measure_named(row["measure"])
        self._scores.append({"study": self.study, **row, "flags": joined(row.get("flags"), few(row.get("n")))})

    def flag(self, reason: str) -> None:
        """Marks every number so far with a reason to read it with care; a blank one is none."""
        for row in self._scores:
            row["flags"] = joined(row["flags"], reason)

    def item(self, **columns: Any) -> None:
        """Many items at once: a column is a list, or one value for all."""
        self._check(columns, ITEMS, "items")
        lists = {name: column for name, column in columns.items() if not isinstance(column, str | int | float | None)}
        given = {"study": self.study, **columns}
        self._add_items(pl.DataFrame(lists, strict=False).select(_columns(lists, given)))

    def scanned_items(self, table: pl.LazyFrame, **columns: Any) -> None:
        """Items that lie on disk, as many as there are words in a text: `table` has some columns of the items, and
        `columns` are one value for all. They are read when they are asked for, and a part at a time when saved."""
        names = table.collect_schema().names()
        self._check(columns | dict.fromkeys(names), ITEMS, "items")
        self._add_items(table.select(_columns(names, {"study": self.study, **columns})))

    def _check(self, row: Mapping[str, Any], schema: Mapping[str, Any], table: str) -> None:
        unknown = row.keys() - schema.keys()
        if unknown:
            raise TypeError(f"{table} have no column {', '.join(sorted(unknown))}")
        experiment = row.get("experiment")
        if experiment is not None and experiment not in self.experiments:
            raise TypeError(f"no experiment {experiment!r} is declared (in its study, or in run/vocabulary.py)")
        setting = row.get("setting")
        if experiment is not None and isinstance(setting, str) and not self.experiments[experiment].allows(setting):
            raise TypeError(f"the experiment {experiment!r} has no setting {setting!r}")

    def _add_items(self, frame: pl.DataFrame | pl.LazyFrame) -> None:
        self._items.append(frame)
        reasons = frame.lazy().drop_nulls("left_out").group_by("left_out").len().collect(engine="streaming")
        self.left_out.update(dict(reasons.sort("left_out").iter_rows()))

    def add(self, other: "Findings", **columns: Any) -> None:
        """Everything that another found; `columns` are set in all of its scores and items."""
        for row in other._scores:
            self.score(**{name: value for name, value in row.items() if name != "study"} | columns)
        constants = [
            pl.lit(value).cast(ITEMS[name]).alias(name) for name, value in {"study": self.study, **columns}.items()
        ]
        self._items += [frame.with_columns(constants) for frame in other._items]
        self.left_out += other.left_out
        for sentence in other.notes:
            (self.warn if sentence in other.warnings else self.note)(sentence)
        for part in other.failed:
            self.failed.append({**part, **columns})
        for key, data in other.data.items():
            self._used(key, data)
        self.models |= other.models

    def where(self, scores: Callable[[dict[str, Any]], bool], items: pl.Expr) -> "Findings":
        """The scores and items that satisfy a condition each; notes and warnings are not taken along."""
        some = Findings(self.study, self.experiments, models=self.models, data=self.data, failed=self.failed)
        some._scores = [row for row in self._scores if scores(row)]
        for frame in self._items:
            some._add_items(frame.filter(items))
        return some

    @contextmanager
    def part(self, *kinds: type[WordworthError], asked: bool = False, **columns: Any) -> Iterator[None]:
        """A part whose failure costs nothing else: it is recorded with its columns and its reason, and reported.

        What was `asked` for by name still fails. `kinds` are the errors that are a failure of the part alone.
        """
        try:
            yield
        except WordworthError as error:
            if asked or not isinstance(error, kinds or WordworthError):
                raise
            self.failed.append({**columns, "reason": str(error)})
            place = ", ".join(f"{name} {value}" for name, value in columns.items() if value is not None)
            named = str(columns.get("model", "")) in str(error)
            self.warn(f"Not run: {error}" if named or not place else f"Not run: {place}: {error}")

    def left_out_by_kind(self) -> dict[str, int]:
        """Counts by reason, reasons that differ only in a word or a number taken together."""
        alike: dict[str, list[str]] = {}
        for reason in self.left_out:
            alike.setdefault(_PARTICULARS.sub("…", reason), []).append(reason)
        return {
            reasons[0] if len(reasons) == 1 else kind: sum(self.left_out[reason] for reason in reasons)
            for kind, reasons in alike.items()
        }

    def note(self, sentence: str) -> None:
        """A sentence that a reader of the scores should know; said once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def warn(self, sentence: str) -> None:
        """A note that is also shown at once."""
        if sentence not in self.notes:
            self.warnings.append(sentence)
        self.note(sentence)

    def used_model(self, name: str, facts: Mapping[str, Any]) -> None:
        """A model that went into the numbers. Two of one name are an error."""
        if name in self.models:
            raise WordworthError(f"two models are called {name}; name one LABEL=PATH to tell them apart")
        self.models[name] = {"name": name, **facts}

    def used_embedding(self, embedding: Embedding, language: str) -> None:
        """An embedding that went into the numbers."""
        origin = embedding.provenance
        facts = {"source": origin.source, "sha256": origin.sha256, "language": language, "words": len(embedding)}
        facts |= {"dimensions": embedding.dim, "steps": list(origin.steps), "dropped": list(origin.dropped)}
        self.used_model(embedding.name, facts)

    def used_data(self, data: Described, rows: int) -> None:
        """A data set that went into the numbers."""
        keys = ("name", "source", "sha256", "licence", "reference")
        columns = {"columns": dict(data.columns)} if data.columns else {}
        self._used(data.name, {key: getattr(data, key) for key in keys} | {"rows": rows} | columns)
        if columns:
            taken = ", ".join(f"{part} from {title!r}" for part, title in data.columns.items())
            self.note(f"{data.name}: its columns were read as {taken}.")

    def used_words(self, name: str, sets: Mapping[str, Sequence[str]], reference: str = "") -> None:
        """Word sets that went into the numbers; their checksum is that of the words, as JSON in UTF-8."""
        text = json.dumps({label: list(words) for label, words in sets.items()}, ensure_ascii=False)
        facts: dict[str, Any] = {
            "name": name,
            "source": "",
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "licence": "",
        }
        facts |= {"reference": reference, "rows": sum(len(words) for words in sets.values())}
        self._used(f"words of {name}", facts)  # a test and a lexicon may share a name: their measures differ

    def _used(self, key: str, facts: dict[str, Any]) -> None:
        before = self.data.setdefault(key, facts)
        if before["sha256"] != facts["sha256"]:
            raise WordworthError(
                f"two different data sets are called {facts['name']} ({before['source'] or 'words'} and "
                f"{facts['source'] or 'words'}); rename one, so that scores can be told apart"
            )

    @property
    def scores(self) -> pl.DataFrame:
        """One row a number: the table of `scores.csv`."""
        return pl.DataFrame(self._scores, schema=SCORES)

    @property
    def items(self) -> pl.DataFrame:
        """One row a word, pair or prediction: the table of `items.parquet`."""
        return self._scan().collect()

    @property
    def held_items(self) -> pl.DataFrame:
        """Those that do not lie on disk: all but a row a word of a text, which no table shows."""
        return pl.concat([pl.DataFrame(schema=ITEMS), *(one for one in self._items if isinstance(one, pl.DataFrame))])

    def _scan(self) -> pl.LazyFrame:
        return pl.concat([pl.LazyFrame(schema=ITEMS), *(frame.lazy() for frame in self._items)])

    def save(self, folder: str | Path | None = None, *, overwrite: bool = False) -> Run:
        """Writes the run: `run.json`, `scores.csv` and `items.parquet` in a folder, all of it or nothing."""
        place = default_folder(self.study) if folder is None else Path(folder)
        reserve(place, overwrite=overwrite)
        write_run(place, self.manifest(), self.scores, self._scan(), overwrite=overwrite)
        return read_run(place)

    def manifest(self) -> dict[str, Any]:
        """Return the keys of `run.manifest.Manifest`: what `run.json` says of the findings."""
        versions, hardware = surroundings()
        names = self.scores.get_column("measure").unique(maintain_order=True).to_list()
        declared: dict[str, Measure] = {name: measure_named(name) for name in names}
        return asdict(self.about) | {
            "study": self.study,
            "models": list(self.models.values()),
            "named": list(self.about.models),
            "steps": {name: parted[1] for name in self.models if (parted := step_of(name))},
            "damaged": damaged(),
            "seed": int(self.about.settings.get("seed", 0)),
            "data": list(self.data.values()),
            "left_out": self.left_out_by_kind(),
            "notes": list(dict.fromkeys((*self.notes, *notices()))),
            "failed": self.failed,
            "warnings": self.warnings,
            "measures": {name: {"formula": one.formula, "better": one.better} for name, one in declared.items()},
            "started": self.started.isoformat(timespec="seconds"),
            "seconds": round(self.seconds, 2),
            "versions": versions,
            "hardware": hardware,
            "layout": 2,
        }

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Counts the seconds inside into `seconds`."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.seconds += time.monotonic() - began


def _columns(given: Container[str], constants: Mapping[str, Any]) -> list[pl.Expr]:
    """All columns of items: those that are given, and constants for the rest."""
    return [
        (pl.col(name) if name in given else pl.lit(constants.get(name))).cast(kind).alias(name)
        for name, kind in ITEMS.items()
    ]
