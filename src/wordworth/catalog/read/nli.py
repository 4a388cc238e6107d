"""Load labelled premises and hypotheses: from the catalog, the hub, or a user's jsonl, csv, tsv or parquet."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from wordworth.catalog.read.corpora import json_records, refuse, tsv_rows
from wordworth.catalog.read.tables import parse_json, read_table, tidy
from wordworth.catalog.resolve import DataSet, NameLike, located_data
from wordworth.errors import LibraryErrors, WordworthError, format_names, quote

RELATIONS = ("entailment", "neutral", "contradiction")
"""The possible labels."""
NO_LABEL = ("-", "", "-1", "hidden")
"""Labels of pairs on which the annotators did not agree, or whose label is not published."""
EXAMPLE = ",".join(f"{at}={label}" for at, label in enumerate(RELATIONS))
"""An example of a map of labels."""
# The names under which the three columns are published, in lower case, best first.
_COLUMNS = (
    ("premise", "sentence1", "sentence_a"),
    ("hypothesis", "sentence2", "sentence_b"),
    ("gold_label", "label", "entailment_label"),
)
_FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}
_FORMATS |= {".tsv": "tsv", ".txt": "tsv", ".parquet": "parquet"}

# The location of a record, for errors, and the record.
Records = Iterator[tuple[str, Mapping[str, Any]]]


@dataclass(frozen=True)
class NliData(DataSet):
    """Labelled pairs of sentences."""

    premises: tuple[str, ...]
    hypotheses: tuple[str, ...]
    labels: tuple[str, ...]
    """Values of `RELATIONS`."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Reason → number of pairs that were left out."""

    def __len__(self) -> int:
        return len(self.labels)

    def examples(self) -> list[tuple[str, str, str]]:
        """Return premise, hypothesis and label of each pair."""
        return list(zip(self.premises, self.hypotheses, self.labels, strict=True))

    def only(self, rows: Sequence[int], left_out: Mapping[str, int]) -> "NliData":
        """Return some of the pairs; `left_out` counts the others by reason."""
        premises, hypotheses, labels = (
            tuple(column[row] for row in rows) for column in (self.premises, self.hypotheses, self.labels)
        )
        reasons = Counter(self.left_out) + Counter(left_out)
        return replace(self, premises=premises, hypotheses=hypotheses, labels=labels, left_out=reasons)


def load_nli(name_or_path: NameLike, label_map: Mapping[str, str] | None = None) -> NliData:
    """Load a data set of the catalog, a user's file (.jsonl, .csv, .tsv, .txt with tabs, .parquet), or `hf://datasets/…`.

    The columns have the names of SNLI (sentence1, sentence2, gold_label), MultiNLI on the hub (premise, hypothesis,
    label) or SICK. Labels are words; `label_map` gives the meaning of others (`{"0": "entailment", …}`). Numbers need
    none if the file declares their classes.
    """
    meanings = check_map(label_map or {})
    data = located_data(name_or_path, "nli")
    conditions: Mapping[str, Sequence[str]] = data.entry.details.get("where", {}) if data.entry else {}
    path = data.where
    file_format = _FORMATS.get(Path(path.name.lower().removesuffix(".gz")).suffix)
    if file_format is None:
        raise WordworthError(f"{path}: NLI data is read from .jsonl, .csv, .tsv, .txt (tabs) and .parquet; convert it")
    records = {"jsonl": _jsonl, "csv": _csv, "tsv": _tsv, "parquet": _parquet}[file_format](path)
    premises, hypotheses, labels = [], [], []
    left_out: Counter[str] = Counter()
    columns: tuple[str, str, str] | None = None
    for place, record in records:
        if columns is None:
            columns = _columns(record, place)
        if any(record.get(column) not in allowed_values for column, allowed_values in conditions.items()):
            continue
        premise, hypothesis, relation = (record.get(column) for column in columns)
        label = str(relation if relation is not None else "").strip().lower()
        label = meanings.get(label, label)
        if label in NO_LABEL:
            left_out["pairs without a gold label"] += 1
            continue
        if label not in RELATIONS:
            raise WordworthError(
                f"{place}: the label is {quote(label)}; labels are {', '.join(RELATIONS)}, or - for none; where they "
                f"are others, say what they mean, such as --label-map {EXAMPLE}"
            )
        if not (isinstance(premise, str) and isinstance(hypothesis, str) and premise.strip() and hypothesis.strip()):
            left_out["pairs with a blank sentence"] += 1
            continue
        premises.append(tidy(premise))
        hypotheses.append(tidy(hypothesis))
        labels.append(label)
    if not labels:
        raise WordworthError(f"{path} has no labelled pair; it needs a premise, a hypothesis and a label on each line")
    return NliData(
        premises=tuple(premises), hypotheses=tuple(hypotheses), labels=tuple(labels), left_out=left_out, **data.facts
    )


def parse_map(text: str) -> dict[str, str]:
    """Parse `0=entailment,1=neutral,2=contradiction` into a map from a file's labels to their meanings."""
    assignments = [part.partition("=") for part in text.split(",")]
    if not all(equals and label.strip() for label, equals, _ in assignments):
        raise WordworthError(f"--label-map is {text[:60]!r}; write LABEL=MEANING with commas between, as {EXAMPLE}")
    return {label.strip().lower(): meaning.strip().lower() for label, _, meaning in assignments}


def check_map(label_map: Mapping[str, str]) -> dict[str, str]:
    """Return a map of labels in lower case; raise if a meaning is not a label."""
    meanings = {str(label).strip().lower(): str(meaning).strip().lower() for label, meaning in label_map.items()}
    for label, meaning in meanings.items():
        if meaning not in (*RELATIONS, "-"):
            raise WordworthError(
                f"--label-map gives {quote(label)} the meaning {quote(meaning)}; a label means "
                f"{', '.join(RELATIONS)}, or - for none"
            )
        if label in RELATIONS and label != meaning:
            raise WordworthError(f"--label-map gives {label} the meaning {meaning}; a label by its name keeps it")
    return meanings


def _columns(record: Iterable[str], place: str) -> tuple[str, str, str]:
    spelling_of = {name.lower(): name for name in record}
    columns = [next((spelling_of[name] for name in names if name in spelling_of), None) for names in _COLUMNS]
    for column, names in zip(columns, _COLUMNS, strict=True):
        if column is None:
            raise WordworthError(
                f"{place}: no column {' or '.join(names)} (found: {format_names(spelling_of.values())}); rename it"
            )
    premise, hypothesis, label = columns
    return str(premise), str(hypothesis), str(label)


def _jsonl(path: Path) -> Records:
    return ((f"{path}, line {number}", record) for number, record in json_records(path, refuse))


def _tsv(path: Path) -> Records:
    rows = tsv_rows(path, refuse)
    _, header = next(rows, (0, []))
    for number, cells in rows:
        if len(cells) != len(header):
            raise WordworthError(
                f"{path}, line {number}: {len(cells)} columns where there should be {len(header)}; correct the line"
            )
        yield f"{path}, line {number}", dict(zip(header, cells, strict=True))


def _csv(path: Path) -> Records:
    table = read_table(path)
    for row in table.rows:
        yield f"{path}, line {row.line}", dict(zip(table.header, row.cells, strict=True))


def _class_names(description: Any) -> dict[str, list[Any]]:
    """Return column → its classes in order, if a data set of the hub declares them."""
    for key in ("info", "features"):
        description = description.get(key) if isinstance(description, dict) else None
    columns = description.items() if isinstance(description, dict) else ()
    classes = {column: facts.get("names") for column, facts in columns if isinstance(facts, dict)}
    return {column: names for column, names in classes.items() if isinstance(names, list)}


def _parquet(path: Path) -> Records:
    with LibraryErrors(f"{path} is not a parquet file", "fetch or copy it again"):
        table = pl.read_parquet(path)
        metadata = pl.read_parquet_metadata(path)
    names = _class_names(parse_json(metadata.get("huggingface", "{}"), f"{path}, its description", "fetch it again"))
    for row, record in enumerate(table.iter_rows(named=True), start=1):
        for column, classes in names.items():
            value = record.get(column)
            if isinstance(value, int):
                record[column] = classes[value] if 0 <= value < len(classes) else "-"
        yield f"{path}, row {row}", record
