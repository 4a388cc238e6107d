"""The answers at the top of a report, in plain words; each points to the figure that shows it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import polars as pl

from wordworth.report.behaviour_answers import debiased, inferred, never_said
from wordworth.report.insights import associations, best_layers, partings, recoveries
from wordworth.report.naming import HARMLESS, TESTS, listed, number, percent, probability
from wordworth.report.runs import Gathered
from wordworth.report.sentences import Saying

SEPARATELY = 4
"""Up to this many models are spoken of one by one; of more, the first and the last."""
STRONGEST = 3


@dataclass(frozen=True)
class Answer:
    """A question and what the runs say to it."""

    question: str
    sayings: tuple[Saying, ...]


QUESTIONS: dict[str, tuple[Callable[[Gathered], Iterator[Saying]], ...]]


def answers(gathered: Gathered) -> list[Answer]:
    """The questions that these runs can answer."""
    found = []
    for question, makers in QUESTIONS.items():
        sayings = [saying for make in makers for saying in _few(list(make(gathered)))]
        if sayings:
            found.append(Answer(question, tuple(sayings)))
    return found


def said(gathered: Gathered) -> dict[str, list[str]]:
    """Question → plain sentences, as a terminal shows them."""
    return {
        answer.question: [
            (f"{saying.lead}: " if saying.lead else "")
            + (f"{saying.model}{'. ' if saying.whole else ' '}" if saying.model else "")
            + saying.text
            for saying in answer.sayings
        ]
        for answer in answers(gathered)
    }


def _few(sayings: list[Saying]) -> list[Saying]:
    """All, or of many models the highest and the lowest."""
    models = {saying.model for saying in sayings if saying.model}
    if len(models) <= SEPARATELY:
        return sayings
    ordered = sorted(sayings, key=lambda saying: saying.order, reverse=True)
    count = f"{len(models)} models"
    first, last = ordered[0].ends
    return [ordered[0].introduced(f"{first} of {count}"), ordered[-1].introduced(f"{last} of {count}")]


def _knows(gathered: Gathered) -> Iterator[Saying]:
    for best in best_layers(gathered.scores):
        interval = f" [{number(best.low)}, {number(best.high)}]" if best.low is not None else ""
        text = (
            f"is best read in layer {best.layer} of {best.top}: there the valence of {best.n:,} words agrees with "
            f"people’s ratings by ρ = {number(best.value)}{interval} ({best.dataset}, {best.setting})."
        )
        yield Saying(text, "valence-layers", best.model, best.value)
    rows = gathered.scores.filter(
        pl.col("experiment") == "valence", pl.col("measure") == "valence", pl.col("study") != "debias"
    )
    for (model,), mine in rows.group_by(["model"], maintain_order=True):
        told = listed([f"{number(row['value'])} on {row['dataset']}" for row in mine.iter_rows(named=True)])
        text = f"agrees with people on the valence of words by ρ = {told}."
        yield Saying(text, "intrinsic", str(model), mine.get_column("value")[0])


def _reduced(gathered: Gathered) -> Iterator[Saying]:
    """The best layer as a static embedding."""
    rows = gathered.scores.filter(
        pl.col("experiment") == "quality", pl.col("measure") == "similarity:best", pl.col("setting") == "aggregated"
    )
    for (model,), mine in rows.group_by(["model"], maintain_order=True):
        best = mine.sort("value", descending=True, maintain_order=True).unique(
            "dataset", keep="first", maintain_order=True
        )
        told = [
            f"{row['dataset']} {number(row['value'])} (layer {row['layer']}, {row['pooling']})"
            for row in best.sort("row").iter_rows(named=True)
        ]
        text = f"reduced to one vector a word reaches ρ = {listed(told)} on word similarity."
        yield Saying(text, "similarity-layers", str(model), best.select(pl.col("value").mean()).item())


def _context(gathered: Gathered) -> Iterator[Saying]:
    for found in partings(gathered.scores):
        agree = f"The settings agree most closely in layer {found.closest} (within {number(found.within)})"
        if found.parted is None:
            part = f"and stay within {number(0.1)} of each other to the top"
        else:
            part = (
                f"and have parted for good from layer {found.parted} of {found.top}: in the top layer they are "
                f"{number(found.at_top)} apart, so vectors there speak of the context"
            )
        share = 1.0 if found.parted is None else found.parted / found.top
        text = f"{agree} {part} ({found.dataset})."
        yield Saying(text, "valence-layers", found.model, share, whole=True, ends=("Latest", "Earliest"))


def _nullified(gathered: Gathered) -> Iterator[Saying]:
    for found in recoveries(gathered.scores):
        gain = found.nullified - found.raw
        if gain > 0:
            what = "Subtracting the mean" if found.pcs == 0 else f"Nullifying {found.pcs} components"
            text = (
                f"{what} in the top layer brings valence from {number(found.raw)} to {number(found.nullified)} "
                f"({found.dataset}, {found.setting})."
            )
        else:
            text = (
                f"Nullifying components recovers nothing in the top layer: valence is {number(found.raw)} raw "
                f"({found.dataset}, {found.setting})."
            )
        yield Saying(text, "isolation", found.model, gain, whole=True, ends=("Most", "Least"))


def _stereotypes(gathered: Gathered) -> Iterator[Saying]:
    rows = associations(gathered.scores)
    social = rows.filter(~pl.col("dataset").is_in(HARMLESS))
    for (model,), mine in social.group_by(["model"], maintain_order=True):
        strongest = mine.sort(pl.col("value").abs(), descending=True, maintain_order=True).head(STRONGEST)
        told = []
        for row in strongest.iter_rows(named=True):
            said = TESTS.get(row["dataset"], row["dataset"])
            said = said if row["value"] >= 0 else f"the reverse of “{said}”"
            told.append(f"{said} (d = {number(row['value'])}, {probability(row['p'])})")
        significant = mine.filter(pl.col("p") < 0.05, pl.col("value") > 0).height
        layer = mine.get_column("layer")[0]
        where = "" if layer is None else ", in the top layer with the best number of components nullified"
        text = (
            f"shows {significant} of {mine.height} social stereotypes at p < .05{where}. Strongest: {'; '.join(told)}."
        )
        figure = "weat" if layer is None else "weat-nullified"
        order = mine.select(pl.col("value").abs().mean()).item()
        yield Saying(text, figure, str(model), order, ends=("Strongest", "Weakest"))


def _disagreement(gathered: Gathered) -> Iterator[Saying]:
    rows = gathered.scores.filter(pl.col("measure") == "agreement")
    for (model,), mine in rows.group_by(["model"], maintain_order=True):
        lowest, highest = mine.sort("value").row(0, named=True), mine.sort("value").row(-1, named=True)
        text = (
            f"Estimators of one bias order the layers with a mean rank correlation from {number(lowest['value'])} "
            f"({lowest['dataset']}) to {number(highest['value'])} ({highest['dataset']}): which layer is least biased "
            "depends on the definition."
        )
        yield Saying(text, "agreement", str(model), highest["value"], whole=True)


def _left_out(gathered: Gathered) -> Iterator[Saying]:
    covered = gathered.scores.filter(pl.col("measure") == "coverage", pl.col("value") < 1)
    if not covered.is_empty():
        least = covered.sort("value").row(0, named=True)
        text = f"has {percent(least['value'])} of the {least['n']:,} items of {least['dataset']}, its lowest coverage."
        yield Saying(text, "left-out", least["model"], least["value"])
    total = sum(sum(run.manifest["left_out"].values()) for run in gathered.runs)
    if total:
        reasons: dict[str, int] = {}
        for run in gathered.runs:
            for reason, count in run.manifest["left_out"].items():
                reasons[reason] = reasons.get(reason, 0) + count
        most = sorted(reasons.items(), key=lambda pair: -pair[1])
        told = listed([f"{count:,} {reason}" for reason, count in most], 3)
        yield Saying(f"{total:,} items were left out of the numbers: {told}.", "left-out", "", 0.0, whole=True)
    else:
        yield Saying("No item was left out of the numbers.", "left-out", "", 0.0, whole=True)


QUESTIONS = {
    "Does it know what words mean?": (_knows, _reduced),
    "Where does context take over?": (_context,),
    "What does nullifying recover?": (_nullified,),
    "Whom does it stereotype?": (_stereotypes, _disagreement),
    "Which words does it never say?": (never_said,),
    "What does it infer that does not follow?": (inferred,),
    "What does debiasing change?": (debiased,),
    "What was left out?": (_left_out,),
}
