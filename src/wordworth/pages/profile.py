"""The profile of a model: one number per question, and what tells whether it is high, low or usual.

The page draws it and the terminal lists it. Which score answers is the choice of `numbers.py`, as everywhere.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from wordworth.measure import SIMILARITY, VALENCE, WEAT
from wordworth.papers.comparisons import Networks, networks_of
from wordworth.papers.published import ANY_KIND, MIN_ACCURACY, Standing, kind_of, standing
from wordworth.results.main_scores import (
    ALPHA,
    FIRST_DATASETS,
    IN_CONTEXT,
    IS_ABOVE,
    IS_DIFFERENCE,
    IS_VALUE,
    ON_FIRST_LEXICON,
    choose_tests,
    main_numbers,
    numbers_of_versions,
)
from wordworth.results.runs import AS_IT_IS, IS_ORIGINAL, IS_PLAIN, TESTS, Runs, Score
from wordworth.results.table import format_interval, format_number, format_percent
from wordworth.results.vocabulary import ORIGINAL, RANDOM, Caution
from wordworth.statistics.effect_size import holm

Scale = Literal["ρ", "Δρ", "d", "share"]
CONTEXT_CHANGE, RARE_WORDS, NULLIFIED = "context change", "top-1 of rare words", "nullified"
"""Quantities that only the profile has: how much valence differs between contexts, and top-1 over the rarest band."""
RARE_BANDS = ("low", "below", "mid")
"""Bands of frequency that can represent rare words, the first choice first."""
STRONG_RHO, MODERATE_RHO = 0.6, 0.3
EFFECTS = ((0.8, "strong"), (0.5, "medium"), (0.2, "weak"))
"""The least |d|, and what Cohen calls it."""


@dataclass(frozen=True)
class RowQuestion:
    """What a row of the profile asks, and which scores can answer it."""

    name: str
    asks: str
    """What the number is, in a few words."""
    scale: Scale
    quantity: str
    """The measure with its parameters; its score on one data set answers."""
    datasets: tuple[str, ...] = ()
    """Data sets in the order in which they are taken."""
    is_exclusive: bool = False
    """Whether no other data set answers; else the first one measured does."""

    def ends(self, lowest: float) -> tuple[float, float]:
        """Return the ends of the row's own axis; below 0 there is room only where it is needed."""
        if self.scale == "d":
            return -2.0, 2.0
        if self.scale == "share" or lowest >= 0:
            return 0.0, 1.0
        return (-0.2 if lowest >= -0.2 else -1.0), 1.0


QUESTIONS = (
    RowQuestion("Valence", "ρ with rated pleasantness", "ρ", VALENCE, FIRST_DATASETS[VALENCE]),
    RowQuestion("Context", "largest Δρ of valence between contexts", "Δρ", CONTEXT_CHANGE),
    RowQuestion("Similarity", "ρ with rated similarity", "ρ", SIMILARITY, FIRST_DATASETS[SIMILARITY]),
    RowQuestion("Analogy", "share of analogies solved", "share", "analogy"),
    RowQuestion("Gender stereotype", "effect size d", "d", WEAT, ("weat6", "weat7", "weat8"), True),
    RowQuestion("Race stereotype", "effect size d", "d", WEAT, ("weat3", "vast-weat3", "weat4", "weat5"), True),
    RowQuestion("Age stereotype", "effect size d", "d", WEAT, ("weat10",), True),
    RowQuestion("Words predicted", "top-1, share of words", "share", "top-1"),
    RowQuestion("Rare words", "top-1, share of rare words", "share", "top-1 of rare words"),
    RowQuestion("Diversity", "T1, share of different words", "share", "T1"),
    RowQuestion("Gender inference", "mean probability of neutral", "share", "net-neutral", ("gender",), True),
    RowQuestion("Nationality inference", "mean probability of neutral", "share", "net-neutral", ("nationality",), True),
    RowQuestion("Religion inference", "mean probability of neutral", "share", "net-neutral", ("religion",), True),
    RowQuestion("NLI accuracy", "share of labelled pairs that are right", "share", "accuracy"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class ProfileRow:
    """The answer to one question for one model, or for one version of it."""

    question: RowQuestion
    subject: str
    """The label of the model, with the version where something was removed from it."""
    score: Score
    """Its `value`, `low`, `high`, `n`, `dataset`, `layer`, `context` and `cautions` are shown."""
    published: Standing | None
    """The range of comparable models in papers; None where nothing is comparable."""
    controls: tuple[tuple[str, float], ...]
    """untrained, shuffled, random (directions removed) or nullified (ours at best, as papers have it) → value."""
    verdict: str
    """At most 20 words, without a full stop."""
    ends: tuple[float, float]
    """Ends of the row's axis: the same for all models of a report."""

    def percent(self, value: float) -> float:
        """Return where a value is between the ends of the axis, in percent."""
        low, high = self.ends
        return round(100 * min(1.0, max(0.0, (value - low) / (high - low))), 1)

    @property
    def end_texts(self) -> list[str]:
        """Return the ends of the axis as they are printed."""
        return [f"{end:g}".replace("0.", ".").replace("-", "−") for end in self.ends]

    @property
    def interval(self) -> str:
        """Return the interval, blank where there is none."""
        low, high = self.score["low"], self.score["high"]
        return "" if low is None or high is None else format_interval(low, high)

    @property
    def published_text(self) -> str:
        """Return the published range and whose it is; blank where none is comparable."""
        return str(self.published or "")

    @property
    def alt(self) -> str:
        """Return the drawing in words."""
        ticks = "".join(f", {name} {format_number(value)}" for name, value in self.controls)
        published_range = f", published {self.published_text}" if self.published else ""
        number = f"{format_number(self.score['value'])} {self.interval}".strip()
        return f"{self.question.name}, {self.subject}: {number}{ticks}{published_range}"


def profile(runs: Runs) -> list[ProfileRow]:
    """Return the rows of all models by question, in the order of the report; of trainings give the last step."""
    tests = choose_tests(runs.scores)
    significant = find_significant(tests)
    sources = (main_numbers(runs.scores), tests, numbers_of_versions(runs.scores), *_made_here(runs))
    numbers = pl.concat([table.select(runs.scores.columns) for table in sources])
    networks = networks_of(runs)
    rows = list[ProfileRow]()
    for question in QUESTIONS:
        answers = list(_answers(question, numbers))
        facts = [(row, _controls(runs, row), _compare_with_published(runs, networks, row)) for row in answers]
        values = [value for row, controls, _ in facts for value in (row["value"], row["low"], *dict(controls).values())]
        ends = question.ends(min((value for value in values if value is not None), default=0.0))
        for row, controls, (counterpart, published) in facts:
            verdict = _judge(question, row, runs, significant) + _judge_place(row, counterpart, published)
            ticks = controls if counterpart is row else (*controls, (NULLIFIED, counterpart["value"]))
            rows.append(ProfileRow(question, _subject(row), row, published, ticks, verdict, ends))
    return rows


def subjects(rows: list[ProfileRow]) -> list[str]:
    """Return the models and versions of a profile, in order."""
    return list(dict.fromkeys(row.subject for row in sorted(rows, key=lambda row: row.score["model_at"])))


def _subject(row: Score) -> str:
    version = row["version"]
    return str(row["model"]) if version in (None, ORIGINAL) else f"{row['model']}, {version}"


def _answers(question: RowQuestion, numbers: pl.DataFrame) -> Iterator[Score]:
    """Yield a score per subject: all of one data set where one has all models, else each model's first."""
    rows = numbers.filter(pl.col("quantity") == question.quantity, pl.col("value").is_finite())
    if question.is_exclusive:
        rows = rows.filter(pl.col("dataset").is_in(question.datasets))
    if rows.is_empty():
        return
    order = {name: at for at, name in enumerate(question.datasets)}
    rank = pl.col("dataset").replace_strict(order, default=len(order), return_dtype=pl.Int64)
    rated = rows.with_columns(models=pl.col("model").n_unique().over("dataset").cast(pl.Int64), place=rank)
    is_foreign = (pl.col("language") != "english").fill_null(value=False)
    candidates = rated.sort(-pl.col("models"), is_foreign, "place", "row", nulls_last=True, maintain_order=True)
    first = candidates.unique(["model", "version"], keep="first", maintain_order=True)
    yield from first.select(numbers.columns).sort("model_at", "row", maintain_order=True).iter_rows(named=True)


def _made_here(runs: Runs) -> Iterator[pl.DataFrame]:
    """Yield scores that no study records: how much contexts change valence in the top layer, top-1 of rare words."""
    schema = runs.scores.schema
    in_context = runs.scores.filter(AS_IT_IS, IN_CONTEXT, IS_PLAIN, pl.col("value").is_finite(), pl.col("layer") > 0)
    is_top = pl.col("layer") == pl.col("layer").max().over("model")
    top = in_context.filter(ON_FIRST_LEXICON).filter(is_top, pl.col("context").n_unique().over("model") > 1)
    change = (pl.col("value").max() - pl.col("value").min()).over("model")
    blank = dict.fromkeys(("row", "context", "low", "high", "n", "cautions", "care"), pl.lit(None))
    changes = top.with_columns(value=change, quantity=pl.lit(CONTEXT_CHANGE), **blank)
    yield changes.unique("model", keep="first", maintain_order=True).cast(schema)
    is_rare = (pl.col("experiment") == "coverage") & (pl.col("quantity") == "top-1")
    rare = runs.scores.filter(AS_IT_IS, is_rare, pl.col("subset").is_in(RARE_BANDS))
    order = {name: at for at, name in enumerate(RARE_BANDS)}
    rarest = rare.sort(pl.col("subset").replace_strict(order, return_dtype=pl.Int64), maintain_order=True)
    once = rarest.unique(["model", "dataset"], keep="first", maintain_order=True)
    yield once.with_columns(quantity=pl.lit(RARE_WORDS)).cast(schema)


def _controls(runs: Runs, row: Score) -> tuple[tuple[str, float], ...]:
    """Return what an untrained network, shuffled ratings or random directions give in the same place."""
    if row["version"] not in (None, ORIGINAL):
        match = [pl.col(name).eq_missing(pl.lit(row[name])) for name in ("model", "dataset", "quantity", "study")]
        random = runs.scores.filter(*match, pl.col("version") == RANDOM, pl.col("draw").is_null()).tail(1)
        return tuple(random.select("version", "value").iter_rows())
    if row["quantity"] not in (VALENCE, SIMILARITY):
        return ()
    match = [pl.col(name).eq_missing(pl.lit(row[name])) for name in ("model", "dataset", "measure", "context", "layer")]
    is_value = pl.col("control").is_in(["untrained", "shuffled"]) & pl.col("draw").is_null()
    controls = runs.scores.filter(*match, is_value, *IS_VALUE, pl.col("value").is_finite())
    once = controls.unique("control", keep="last", maintain_order=True).sort("control", descending=True)
    return tuple(once.select("control", "value").iter_rows())


def _is_above_control(runs: Runs, row: Score) -> bool | None:
    """Return whether a score is significantly above all its controls; None where none was tested."""
    slot = [pl.col(name).eq_missing(pl.lit(row[name])) for name in ("model", "dataset", "measure", "context", "layer")]
    is_above = runs.scores.filter(*slot, *IS_DIFFERENCE).select(IS_ABOVE).to_series().drop_nulls()
    return None if is_above.is_empty() else bool(is_above.all())


def _compare_with_published(runs: Runs, networks: Networks, row: Score) -> tuple[Score, Standing | None]:
    """Return the score that papers have too, and the range of comparable models: alike in quantity and kind.

    Papers report valence of language models at its best over components nullified, so ours at its best is compared.
    """
    if row["quantity"] in (CONTEXT_CHANGE, RARE_WORDS) or Caution.LOW_COVERAGE in (row["cautions"] or ()):
        return row, None
    quantity = networks.quantity(row)
    if row["measure"] in ANY_KIND:
        is_near_chance = row["measure"] == "net-neutral" and _accuracy(runs, row) < MIN_ACCURACY
        return row, None if is_near_chance else standing(row["name"], None, quantity)
    kind = kind_of(runs.facts.get(row["model"], {}))
    if row["measure"] != VALENCE or row["layer"] is None:
        return row, standing(row["name"], kind, quantity._replace(pooling=""))
    slot = [pl.col(name) == row[name] for name in ("model", "dataset", "context", "layer", "measure")]
    rows = runs.scores.filter(*slot, pl.col("experiment") == "isolation", pl.col("variant").is_null())
    if rows.is_empty():
        return row, None
    best = rows.sort("value", descending=True, nulls_last=True, maintain_order=True).row(0, named=True)
    counterpart = best if best["components"] is not None and best["value"] > row["value"] else row
    return counterpart, standing(row["name"], kind, quantity._replace(pooling=""), is_best=True)


def _accuracy(runs: Runs, row: Score) -> float:
    """Return the accuracy of an NLI model on labelled pairs, 1 where it was not measured."""
    is_accuracy = pl.col("model") == row["model"], pl.col("measure") == "accuracy", pl.col("variant").is_null()
    best = runs.scores.filter(*is_accuracy, IS_ORIGINAL).get_column("value").max()
    return 1.0 if best is None else float(best)  # type: ignore[arg-type]


def find_significant(tests: pl.DataFrame) -> dict[tuple[str, str], bool]:
    """Return model and test → whether its p, one-sided as recorded, is below .05 after Holm over the model's tests."""
    significance: dict[tuple[str, str], bool] = {}
    for (model,), rows in tests.drop_nulls("p").group_by(["model"], maintain_order=True):
        corrected_ps = holm(rows.get_column("p").to_list())
        for dataset, p in zip(rows.get_column("dataset"), corrected_ps, strict=True):
            significance[str(model), dataset] = bool(p < ALPHA)
    return significance


def _judge(question: RowQuestion, row: Score, runs: Runs, significant: Mapping[tuple[str, str], bool]) -> str:
    """Return what the number says by itself, in at most 14 words."""
    if question.scale == "d":
        return _judge_effect(row, significant.get((row["model"], row["dataset"])))
    if question.scale == "ρ":
        return _judge_agreement(row, _is_above_control(runs, row))
    return _judge_share(row)


def _judge_place(row: Score, counterpart: Score, published: Standing | None) -> str:
    """Return where the number is among published ones, in at most 7 words; blank where none is comparable."""
    if published is None:
        return ""
    side = published.side(counterpart["value"], counterpart["low"], counterpart["high"])
    best = "" if counterpart is row else f"at best {format_number(counterpart['value'])}, "
    return f", {best}{side} the published {published.range}"


def _judge_effect(row: Score, is_significant: bool | None) -> str:
    """Say how strong an association is; against the stereotype only by its interval, because p has one side."""
    about, value, low, high = TESTS[row["dataset"]]["about"], row["value"], row["low"], row["high"]
    size = next((name for threshold, name in EFFECTS if abs(value) >= threshold), "negligible")
    if value < 0:
        is_reversed = high is not None and high < 0
        return f"{size} {about} association in reverse" if is_reversed else f"no {about} association"
    if is_significant is False:
        return f"no significant {about} association"
    unsure = " but uncertain" if low is not None and low <= 0 else ""
    return f"{size}{unsure} {about} association{', not tested' if is_significant is None else ''}"


def _judge_agreement(row: Score, is_above: bool | None) -> str:
    """Say how well associations agree with people, and whether a control does as well."""
    if row["low"] is not None and row["low"] <= 0:
        return "no clear agreement"
    size = "strong" if row["value"] >= STRONG_RHO else "moderate" if row["value"] >= MODERATE_RHO else "weak"
    return f"{size} agreement{', not above its control' if is_above is False else ''}"


def _judge_share(row: Score) -> str:
    value = row["value"]
    share = format_percent(value)
    match row["quantity"]:
        case "context change":
            return f"contexts change ρ by up to {format_number(value)} in layer {row['layer']}"
        case "analogy":
            return f"solves {share} of the analogies"
        case "top-1":
            return f"the first guess is right for {share} of words"
        case "top-1 of rare words":
            return f"the first guess is right for {share} of words in the band “{row['subset']}”"
        case "T1":
            return f"{format_percent(1 - value)} of the different words are never the first guess"
        case "accuracy" if value < MIN_ACCURACY:
            return f"right for {share} of pairs, near chance: its inferences mean little"
        case "accuracy":
            return f"right for {share} of pairs"
    return f"neutral with probability {format_number(value)} instead of 1"
