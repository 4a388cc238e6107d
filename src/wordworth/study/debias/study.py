"""A bias taken out of an embedding, and what that cost: Tables 7 to 17 of Dev et al. 2020 as one table.

Every measure is taken on the embedding as it was (`original`), as it is after (the method), and, as the control,
without a random subspace of as many dimensions (`random`, the mean of eight).
"""

from dataclasses import dataclass, replace
from pathlib import Path

from wordworth.catalog.models import load_embeddings
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError, nearest
from wordworth.progress import progress
from wordworth.study.debias.costs import LANGUAGE, load_tasks, measure
from wordworth.study.debias.gather import ORIGINAL, absorb, absorb_controls
from wordworth.study.debias.plan import Plan, learn, treatment
from wordworth.study.debias.steadiness import steadiness
from wordworth.study.findings import Findings
from wordworth.study.options import Options
from wordworth.transform import random_components, random_directions, remove, vanished

PARTS = ("stability", "valence", "similarity", "weat", "bias")
CONTROLS = ("gaussian", "words")


@dataclass(frozen=True)
class Report:
    """What is measured before and after; blank lists are Bellezza, WordSim, SimLex and MEN, and WEAT 1 to 10."""

    without: tuple[str, ...] = ()
    """Of `PARTS`, those that are left out."""
    lexica: tuple[str | Path, ...] = ()
    pairs: tuple[str | Path, ...] = ()
    tests: tuple[str | Path, ...] = ()
    random: int = 8
    control: str = "gaussian"
    """Random directions: Gaussian, or the first components of 20 random words."""

    def __post_init__(self) -> None:
        for name in self.without:
            if name not in PARTS:
                close = nearest(name, list(PARTS)) or f"; there are {', '.join(PARTS)}"
                raise WordworthError(f"the report has no part {name!r}{close}")
        if self.random < 0:
            raise WordworthError(f"--random is {self.random}; it must be a whole number from 0 up")
        if self.control not in CONTROLS:
            raise WordworthError(f"--control is {self.control!r}; it can be {' or '.join(CONTROLS)}")

    @property
    def wanted(self) -> tuple[str, ...]:
        return tuple(part for part in PARTS if part not in self.without)


@dataclass(frozen=True, eq=False)
class Debiased:
    """The embedding, and what was found."""

    embedding: Embedding
    findings: Findings


def debias(
    model: str | Path | Embedding,
    plan: Plan | None = None,
    report: Report | None = None,
    *,
    options: Options | None = None,
) -> Debiased:
    """Takes a subspace out of every vector of an embedding of English words, and measures before and after."""
    plan, report, options = plan or Plan(), report or Report(), options or Options()
    findings = Findings("debias")
    embedding = model if isinstance(model, Embedding) else one_embedding(model)
    language = embedding.provenance.language or LANGUAGE
    findings.used_model(embedding, language)
    subspace = learn(embedding, plan, findings)
    findings.used_words(f"the subspace {subspace.name}", {"words": subspace.words})
    where = {"experiment": "subspace", "model": embedding.name, "dataset": subspace.name}
    findings.score(**where, measure="dimensions", value=len(subspace), n=len(subspace.words))
    treat, dimensions = treatment(embedding, subspace, plan, findings, options.seed)
    after = treat(embedding)
    findings.note(f"{embedding.name}: {after.provenance.steps[-1]}.")
    lost = vanished(embedding, after)
    if lost:
        some = ", ".join(lost[:8]) + (", …" if len(lost) > 8 else "")
        findings.warn(f"Nothing is left of the vectors of {len(lost):,} words ({some}): they lay in the subspace.")
    if language != LANGUAGE:
        findings.warn(
            f"{embedding.name} has {language} words and the report measures {LANGUAGE} ones, so it is left out."
        )
        return Debiased(after, findings)
    if "stability" in report.wanted:
        steadiness(findings, embedding)
    _measured(findings, embedding, after, dimensions, plan.method, report, options)
    return Debiased(after, findings)


def one_embedding(named: str | Path) -> Embedding:
    found = list(load_embeddings(named))
    if len(found) != 1:
        raise WordworthError(f"{named} holds {len(found)} embeddings; name one of them")
    return found[0]


def _measured(
    findings: Findings,
    before: Embedding,
    after: Embedding,
    dimensions: int,
    method: str,
    report: Report,
    options: Options,
) -> None:
    if not set(report.wanted) - {"stability"}:
        return
    tasks = load_tasks(findings, report.wanted, report.lexica, report.pairs, report.tests)
    forms = list(tasks.forms())
    # Only the words that are looked up: a random subspace is then taken out of thousands of vectors, not of millions.
    few = before.restrict(forms)
    drawn = random_directions if report.control == "gaussian" else None
    controls = []
    if report.random:
        given = {"count": report.random, "k": dimensions, "seed": options.seed}
        controls = drawn(before.dim, **given) if drawn else random_components(before, **given)
    with progress(f"Measuring {before.name}", 2 + len(controls)) as advance:
        for setting, version in ((ORIGINAL, few), (method, after.restrict(forms))):
            found = Findings("debias")
            measure(found, version, tasks, options)
            absorb(findings, found, setting)
            advance(1)
        # Of a control only the value is used, so that neither p nor an interval is worth its time.
        quick = replace(options, resamples=1, permutations=1, method="monte-carlo")
        every = []
        for control in controls:
            found = Findings("debias")
            measure(found, remove(few, control.basis, control.name), tasks, quick)
            every.append(found)
            advance(1)
    absorb_controls(findings, every)
