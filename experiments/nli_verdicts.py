"""Tables of docs/method/infer-results.md: networks like Dev et al.'s with seeds, next to the paper's numbers.

    python -m experiments.nli_verdicts

The numbers are those of `nli_seeds.csv`, which `experiments/nli_seeds.py record` writes after hours of
an accelerator; Table 7 is computed here. The paper's are those that reports hold ours against.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy import stats
from tools.pages import DOCS, markdown, number_notes, put

from wordworth.catalog.models import load_embedding
from wordworth.embedding import Embedding
from wordworth.measure import label
from wordworth.papers.comparisons import IN_ALL_LAYERS, RETRAINED
from wordworth.papers.published import PaperNumber, Quantity, load_published
from wordworth.papers.verdicts import (
    MIN_REPEATS,
    NOT_MEASURED,
    VERDICTS,
    Verdict,
    judge,
    prediction_interval,
    why_not_judged,
)
from wordworth.results.table import format_list
from wordworth.task.geometry import Learn, load_bias_kinds
from wordworth.transform import stability

PAGE = DOCS / "method" / "infer-results.md"
RECORD = Path(__file__).with_name("nli_seeds.csv")
"""kind, probe, version, data, measure, value, low, high: means over seeds, with their 95 % intervals; notes after #.
Rows that are recorded anew have the values themselves too, in `by_seed`."""
PROBES = ("gender", "nationality", "religion")
MEASURES = ("net-neutral", "fraction-neutral", "threshold .5", "threshold .7")
MORE = ("gap-entailment", "gap-contradiction", "entailment (over-swap)")
"""Columns of the tables: measures as `label` shows them."""
AS_THEY_ARE = "as they are"
TRAINED = (AS_THEY_ARE, "projected in training", "random in training")
CHANGED = label("net-neutral", "change")
ACCURACY = ("snli-test", "accuracy")
TABLES = (1, 3, 5, 7, 8, 9, 10, 15)
KINDS = {"glove": "glove", "bert-base": "minilm"}
"""The paper's model → the networks here that stand for it."""
CALLED = {"glove": "GloVe", "bert-base": "MiniLM in BERT’s place", "elmo": "ELMo"}
NETWORKS = {"glove": "our decomposable attention over glove-840b-34k", "minilm": "minilm-l6"}
TRAINED_ON = {"glove": "snli-91k", "minilm": "snli-91k, mnli-32k, lingnli and sanli-wiki"}
NO_WEIGHTS = "ELMo’s weights are not on the package index"
NO_VALUES = "Not reproducible: values of single runs were not kept, so nothing is judged by this table."
NO_METHOD = "the paper does not say whether these are of words or of pairs"


class Row(NamedTuple):
    """A number over seeds: its mean, and a 95 % interval of the mean over seeds and subjects."""

    value: float
    low: float
    high: float
    by_seed: tuple[float, ...] = ()
    """The value of each seed; blank where only the mean was kept."""

    def columns(self) -> dict[str, float | str]:
        """Return the row as `nli_seeds.csv` has it."""
        return {**self._asdict(), "by_seed": " ".join(f"{one:.6f}" for one in self.by_seed)}

    @classmethod
    def of_columns(cls, row: Mapping[str, Any]) -> "Row":
        """Return what `columns` wrote."""
        by_seed = tuple(map(float, (row.get("by_seed") or "").split()))
        return cls(row["value"], row["low"], row["high"], by_seed)


def recorded(kind: str) -> dict[tuple[str, str, str, str], Row]:
    """(probe, version, data, measure) → number."""
    if not RECORD.exists():
        sys.exit(f"{RECORD} is not there; run experiments/nli_seeds.py first")
    rows = pl.read_csv(RECORD, comment_prefix="#").filter(pl.col("kind") == kind)
    return {
        (row["probe"], row["version"], row["data"], row["measure"]): Row.of_columns(row)
        for row in rows.iter_rows(named=True)
    }


def told(row: Row | None, places: int = 2) -> str:
    """`.39 [.35, .43]`."""
    if row is None:
        return ""
    value, low, high = (f"{one:.{places}f}".replace("0.", ".", 1) for one in row[:3])
    return f"{value} [{low}, {high}]"


def by_version(kind: str) -> str:
    """Each probe: the measures of the networks as they are, and of each of their versions."""
    found, blocks = recorded(kind), []
    tests = [data for data in ("snli-test", "mnli-dev") if any(key[2] == data for key in found)]
    for probe in PROBES:
        lines = []
        for version in dict.fromkeys(key[1] for key in found if key[0] == probe):
            cells = [told(found.get((probe, version, probe, measure))) for measure in (*MEASURES, *MORE)]
            rights = [told(found.get((probe, version, data, "accuracy")), 3) for data in tests]
            lines.append([version, *cells, *rights])
        if lines:
            blocks.append(f"**{probe}**\n\n{markdown(['vectors', *MEASURES, *MORE, *tests], lines)}")
    if not any(row.by_seed for row in found.values()):
        blocks.insert(0, NO_VALUES)
    return "\n\n".join(blocks)


def by_seed(kind: str) -> str:
    """Return the values of each seed, their mean, and the 95 % prediction interval of one more network."""
    lines = []
    for (probe, version, data, measure), row in recorded(kind).items():
        if version not in TRAINED or (data, measure) not in ((probe, MEASURES[0]), (probe, CHANGED), ACCURACY):
            continue
        of = "change of " + MEASURES[0] if measure == CHANGED else " ".join(dict.fromkeys([data, measure]))
        interval = _bounds(prediction_interval(row.by_seed)) if len(row.by_seed) >= MIN_REPEATS else ""
        values = [f"{value:.3f}" for value in (*row.by_seed, row.value)]
        lines.append([probe, version, of.removeprefix(f"{probe} "), *values, interval])
    if not lines:
        return "No networks were trained so far."
    seeds = max(len(line) for line in lines) - 5
    header = ["probe", "vectors", "what", *(f"seed {seed}" for seed in range(seeds)), "mean", "one more network"]
    return markdown(header, lines)


def _bounds(interval: tuple[float, float]) -> str:
    return "[{:.3f}, {:.3f}]".format(*interval)


def version_of(quantity: Quantity) -> str:
    """Return a published version as `nli_seeds.csv` calls it."""
    if not quantity.version:
        return AS_THEY_ARE
    removed = "random" if "random" in (quantity.version, quantity.removed) else "projected"
    return f"{removed} in training" if quantity.version in (RETRAINED, IN_ALL_LAYERS) else f"{removed} at the test"


def name_of(quantity: Quantity) -> str:
    """Return a published measure as `nli_seeds.csv` calls it."""
    return label(quantity.measure, quantity.variant or None, quantity.k, quantity.threshold)


class Judged(NamedTuple):
    """One number of the paper, beside ours."""

    table: int
    what: str
    measure: str
    paper: str
    here: str
    verdict: str


def judged() -> Iterator[Judged]:
    """The paper's numbers of `TABLES`, in their order."""
    found = {model: recorded(kind) for model, kind in KINDS.items()}
    vectors = load_embedding("glove-840b-34k")
    stable = dict(principal(vectors))
    missing = {kind: list(learn[0](vectors).missing) for kind, learn in load_bias_kinds().items()}
    own = [(table, one) for one in load_published() if one.paper == "dev2020" for table in _tables(one)]
    for table, one in sorted(own, key=lambda pair: pair[0]):
        dataset, measure = one.quantity.dataset, name_of(one.quantity)
        if one.model == "elmo":
            if measure == MEASURES[0]:
                yield Judged(
                    table, f"{dataset}, ELMo", measure, f"{one.value:.3f}", "", f"{NOT_MEASURED}: {NO_WEIGHTS}"
                )
        elif table == 7:
            ours = stable[dataset, measure]
            lost = f"{len(missing[dataset])} words have no vector: {format_list(missing[dataset], 9)}"
            obstacle = lost if missing[dataset] else NO_METHOD
            yield Judged(table, f"{dataset}, GloVe", measure, *_beside(one.value, ours, obstacle, change=False))
        else:
            yield from _of_networks(table, one, found[one.model])


def _tables(one: PaperNumber) -> list[int]:
    """Return the table that a number is judged in: the first that has it, if it is one of `TABLES`."""
    return [table for table in TABLES if one.places[0] == f"Table {table}"]


def _of_networks(table: int, one: PaperNumber, rows: dict[tuple[str, str, str, str], Row]) -> Iterator[Judged]:
    quantity = one.quantity
    version, dataset, change = version_of(quantity), quantity.dataset, bool(quantity.version)
    is_accuracy = quantity.measure == "accuracy"
    measure = name_of(quantity._replace(variant="change") if change else quantity)
    # An accuracy is of a network for one probe, whose bias was removed; the original is the same for all.
    probe = dataset if dataset in PROBES else quantity.removed or PROBES[0]
    ours = rows.get((probe, version, dataset, measure))
    if ours is None and is_accuracy:
        ours = _unpaired(*(rows.get((probe, which, dataset, "accuracy")) for which in (AS_THEY_ARE, version)))
    if ours is None or one.value is None:
        return
    same = quantity._replace(version="", removed="")
    before = next(two for two in load_published() if (two.model, two.quantity) == (one.model, same))
    theirs = one.value - (before.value or 0.0) if change else one.value
    whose = f"{dataset}, {CALLED[one.model]}"
    if is_accuracy and change:
        whose += f", {probe}"
    what = f"{whose}, {version}{': change' if change else ''}"
    accuracy = rows[probe, AS_THEY_ARE, "snli-test", "accuracy"].value
    kind = KINDS[one.model]
    obstacle = why_not_judged(one, NETWORKS[kind], TRAINED_ON[kind], accuracy)
    yield Judged(table, what, name_of(quantity), *_beside(theirs, ours, obstacle, change=change))


def _unpaired(before: Row | None, after: Row | None) -> Row | None:
    """A change of which no pairs by seed are recorded: its interval is wider than it need be."""
    if before is None or after is None:
        return None
    value, half = after.value - before.value, float(np.hypot(after.high - after.value, before.high - before.value))
    return Row(value, value - half, value + half)


def _beside(theirs: float | None, ours: Row, obstacle: str, *, change: bool) -> tuple[str, str, str]:
    assert theirs is not None
    obstacle = obstacle or ("" if ours.by_seed else "the values by seed were not kept")
    verdict = Verdict(NOT_MEASURED, obstacle) if obstacle else judge(theirs, ours.by_seed, change=change)
    paper = f"{theirs:+.3f}" if change else f"{theirs:.3f}"
    return paper, told(ours, 3), str(verdict)


def principal(embedding: Embedding) -> Iterator[tuple[tuple[str, str], Row]]:
    """Table 7: (words, figure) → the number, with a jackknife interval over words, or over pairs of them."""
    for kind, learn in load_bias_kinds().items():
        if kind == "names":  # which the paper has in its text, of another list
            continue
        value, words = figures(learn, embedding), learn[0](embedding).words
        units = words[::2] if kind == "gendered" else words
        without = [figures(learn, embedding, out) for out in units]
        many = len(units)
        reach = stats.t.ppf(0.975, many - 1)
        for at, name in enumerate([*(label("principal", k=k) for k in (2, 3, 4)), "cosine"]):
            each = np.array([one[at] for one in without])
            half = reach * float(np.sqrt((many - 1) / many * ((each - each.mean()) ** 2).sum()))
            yield (kind, name), Row(value[at], value[at] - half, value[at] + half)


def figures(learn: tuple[Learn, Learn], embedding: Embedding, out: str = "") -> tuple[float, ...]:
    """Return the ratios of principal values and the cosine, without a word in the full set."""
    full = learn[0](embedding.restrict([word for word in embedding.words if word != out]) if out else embedding)
    values = stability(full, learn[1](embedding))
    return (*values.ratios, values.cosine)


def verdicts() -> tuple[str, str]:
    """Return how many of each table's numbers have each verdict, and all of them."""
    every = list(judged())
    counts = []
    for table in TABLES:
        own = Counter(one.verdict.partition(":")[0] for one in every if one.table == table)
        counts.append([str(table), *(str(own[name]) for name in VERDICTS)])
    summary = markdown(["table", *VERDICTS], counts)
    verdicts, reasons = zip(*(one.verdict.partition(": ")[::2] for one in every), strict=True)
    numbers, notes = number_notes(reasons)
    rows = [[str(one.table), *one[1:-1], *end] for one, *end in zip(every, verdicts, numbers, strict=True)]
    return summary, markdown(["table", "what", "measure", "the paper", "here", "verdict", "why"], rows) + f"\n\n{notes}"


if __name__ == "__main__":
    put(PAGE, "seeds", by_version("glove"))
    put(PAGE, "seeds-minilm", by_version("minilm"))
    put(PAGE, "seeds-dev2020", by_seed("dev2020"))
    summary, table = verdicts()
    put(PAGE, "summary", summary)
    put(PAGE, "verdicts", table)
