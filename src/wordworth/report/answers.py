"""The answers at the top of a report, in plain words; each points to the figure that shows it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import polars as pl

from wordworth.report.behaviour_answers import debiased, inferred, never_said
from wordworth.report.insights import associations, best_layers, partings, recoveries
from wordworth.report.naming import HARMLESS, TESTS, listed, marked, number, percent, probability
from wordworth.report.runs import AS_IT_IS, Runs
from wordworth.report.sentences import Sentence

SEPARATELY = 4
"""Up to this many models are spoken of one by one; of more, the first and the last."""
STRONGEST = 3
LEVEL = 0.05


@dataclass(frozen=True)
class Answer:
    """A question and what the runs say to it."""

    question: str
    sentences: tuple[Sentence, ...]


QUESTIONS: dict[str, tuple[Callable[[Runs], Iterator[Sentence]], ...]]


def answers(runs: Runs) -> list[Answer]:
    """The questions that these runs can answer."""
    every = [
        Answer(question, tuple(sentence for write in writers for sentence in _few(list(write(runs)))))
        for question, writers in QUESTIONS.items()
    ]
    return [answer for answer in every if answer.sentences]


def plain_answers(runs: Runs) -> dict[str, list[str]]:
    """Question → sentences, as a terminal shows them."""
    return {answer.question: [_plain(sentence) for sentence in answer.sentences] for answer in answers(runs)}


def _plain(sentence: Sentence) -> str:
    lead = f"{sentence.lead}: " if sentence.lead else ""
    subject = f"{sentence.model}{'. ' if sentence.whole else ' '}" if sentence.model else ""
    return f"{lead}{subject}{sentence.text}"


def _few(sentences: list[Sentence]) -> list[Sentence]:
    """All, or of many models the highest and the lowest."""
    models = {sentence.model for sentence in sentences if sentence.model}
    if len(models) <= SEPARATELY:
        return sentences
    ordered = sorted(sentences, key=lambda sentence: sentence.order, reverse=True)
    ends = zip((ordered[0], ordered[-1]), ordered[0].ends, strict=True)
    return [replace(sentence, lead=f"{name} of {len(models)} models") for sentence, name in ends]


def _knows(runs: Runs) -> Iterator[Sentence]:
    for best in best_layers(runs.scores):
        interval = f" [{number(best.low)}, {number(best.high)}]" if best.low is not None else ""
        blank = "" if best.untrained is None else f", where the same network untrained has {number(best.untrained)}"
        judged = "" if best.held_out is None else f"; {number(best.held_out)} on words that had no part in the choice"
        text = (
            f"is best read in layer {best.layer} of {best.top}: there the valence of {best.n:,} words agrees with "
            f"people’s ratings by ρ = {number(best.value)}{interval}{blank}{judged} ({best.dataset}, {best.setting})."
        )
        yield Sentence(text, "valence-layers", best.model, best.value)
    rows = runs.scores.filter(AS_IT_IS, pl.col("experiment") == "valence", pl.col("measure") == "valence")
    for (model,), mine in rows.group_by(["model"], maintain_order=True):
        values = listed([f"{number(row['value'])} on {row['dataset']}" for row in mine.iter_rows(named=True)])
        text = f"agrees with people on the valence of words by ρ = {values}."
        yield Sentence(text, "intrinsic", str(model), mine.get_column("value")[0])


def _reduced(runs: Runs) -> Iterator[Sentence]:
    """The best layer as a static embedding."""
    rows = runs.scores.filter(
        pl.col("experiment") == "quality", pl.col("measure") == "similarity:best", pl.col("setting") == "aggregated"
    )
    for (model,), mine in rows.group_by(["model"], maintain_order=True):
        best = mine.sort("value", descending=True, maintain_order=True).unique(
            "dataset", keep="first", maintain_order=True
        )
        values = [
            f"{row['dataset']} {number(row['value'])} (layer {row['layer']}, {row['pooling']})"
            for row in best.sort("row").iter_rows(named=True)
        ]
        text = f"reduced to one vector a word reaches ρ = {listed(values)} on word similarity."
        yield Sentence(text, "similarity-layers", str(model), best.select(pl.col("value").mean()).item())


def _context(runs: Runs) -> Iterator[Sentence]:
    for parting in partings(runs.scores):
        agree = f"The settings agree most closely in layer {parting.closest} (within {number(parting.within)})"
        if parting.parted is None:
            part = f"and stay within {number(0.1)} of each other to the top"
        else:
            part = (
                f"and have parted for good from layer {parting.parted} of {parting.top}: in the top layer they are "
                f"{number(parting.at_top)} apart, so vectors there speak of the context"
            )
        share = 1.0 if parting.parted is None else parting.parted / parting.top
        text = f"{agree} {part} ({parting.dataset})."
        yield Sentence(text, "valence-layers", parting.model, share, whole=True, ends=("Latest", "Earliest"))


def _nullified(runs: Runs) -> Iterator[Sentence]:
    for recovery in recoveries(runs.scores):
        gain = recovery.nullified - recovery.raw
        if gain > 0:
            what = "Subtracting the mean" if recovery.pcs == 0 else f"Nullifying {recovery.pcs} components"
            text = (
                f"{what} in the top layer brings valence from {number(recovery.raw)} to {number(recovery.nullified)} "
                f"({recovery.dataset}, {recovery.setting})."
            )
        else:
            text = (
                f"Nullifying components recovers nothing in the top layer: valence is {number(recovery.raw)} raw "
                f"({recovery.dataset}, {recovery.setting})."
            )
        yield Sentence(text, "isolation", recovery.model, gain, whole=True, ends=("Most", "Least"))


def _stereotypes(runs: Runs) -> Iterator[Sentence]:
    rows = associations(runs.scores)
    social = rows.filter(~pl.col("dataset").is_in(HARMLESS))
    for (model,), mine in social.group_by(["model"], maintain_order=True):
        strongest = mine.sort(pl.col("value").abs(), descending=True, maintain_order=True).head(STRONGEST)
        shown = []
        for row in strongest.iter_rows(named=True):
            name = TESTS.get(row["dataset"], row["dataset"])
            association = name if row["value"] >= 0 else f"the reverse of “{name}”"
            interval = f" [{number(row['low'])}, {number(row['high'])}]" if row["low"] is not None else ""
            shown.append(f"{association} (d = {marked(row)}{interval}, {probability(row['p'])})")
        layer = mine.get_column("layer")[0]
        where = "" if layer is None else ", in the top layer with the best number of components nullified"
        text = f"shows {_significant(runs, mine)}{where}. Strongest: {'; '.join(shown)}."
        figure = "weat" if layer is None else "weat-nullified"
        order = mine.select(pl.col("value").abs().mean()).item()
        yield Sentence(text, figure, str(model), order, ends=("Strongest", "Weakest"))


def _significant(runs: Runs, mine: pl.DataFrame) -> str:
    """How many of a model's stereotypes are significant: corrected for all its tests, not corrected, and by chance."""
    positive = mine.filter(pl.col("value") > 0)
    corrected, plain = (positive.filter(pl.col(name) < LEVEL).height for name in ("p_holm", "p"))
    tests, versions = (mine.get_column(name).max() or 0 for name in ("tests", "versions"))
    over = f"{tests} test{'s' * (tests != 1)}"
    if versions > 1:
        nullified = mine.get_column("nullified").any()
        over += f" × {versions} {'layers and numbers of components' if nullified else 'layers'}"
    # Of two-sided tests half of the false alarms are of the reverse.
    two = any(run.manifest["settings"].get("sides") == "two" for run in runs.each)
    expected = LEVEL * mine.height / (2 if two else 1)
    return (
        f"{corrected} of {mine.height} social stereotypes at p < .05 after Holm’s correction over {over} ({plain} "
        f"without it; by chance alone {expected:.2g} would be expected)"
    )


def _disagreement(runs: Runs) -> Iterator[Sentence]:
    rows = runs.scores.filter(pl.col("measure") == "agreement")
    for (model,), mine in rows.group_by(["model"], maintain_order=True):
        lowest, highest = mine.sort("value").row(0, named=True), mine.sort("value").row(-1, named=True)
        text = (
            f"Estimators of one bias order the layers with a mean rank correlation from {number(lowest['value'])} "
            f"({lowest['dataset']}) to {number(highest['value'])} ({highest['dataset']}): which layer is least biased "
            "depends on the definition."
        )
        yield Sentence(text, "agreement", str(model), highest["value"], whole=True)


def _left_out(runs: Runs) -> Iterator[Sentence]:
    covered = runs.scores.filter(pl.col("measure") == "coverage", pl.col("value") < 1)
    if not covered.is_empty():
        least = covered.sort("value").row(0, named=True)
        text = f"has {percent(least['value'])} of the {least['n']:,} items of {least['dataset']}, its lowest coverage."
        yield Sentence(text, "left-out", least["model"], least["value"])
    most = sorted(runs.left_out.items(), key=lambda pair: -pair[1])
    text = "No item was left out of the numbers."
    if most:
        total, reasons = sum(runs.left_out.values()), listed([f"{count:,} {reason}" for reason, count in most], 3)
        text = f"{total:,} items were left out of the numbers: {reasons}."
    yield Sentence(text, "left-out", "", 0.0, whole=True)


def _failed(runs: Runs) -> Iterator[Sentence]:
    failed = [part for run in runs.each for part in run.manifest["failed"]]
    if failed:
        parts = "1 part of the runs" if len(failed) == 1 else f"{len(failed):,} parts of the runs"
        reasons = listed(list(dict.fromkeys(part["reason"].rstrip(".") for part in failed)), 2)
        yield Sentence(f"{parts} failed, and the rest stands without: {reasons}.", "failed", "", 0.0, whole=True)


QUESTIONS = {
    "Does it know what words mean?": (_knows, _reduced),
    "Where does context take over?": (_context,),
    "What does nullifying recover?": (_nullified,),
    "Whom does it stereotype?": (_stereotypes, _disagreement),
    "Which words does it never say?": (never_said,),
    "What does it infer that does not follow?": (inferred,),
    "What does debiasing change?": (debiased,),
    "What was left out?": (_failed, _left_out),
}
