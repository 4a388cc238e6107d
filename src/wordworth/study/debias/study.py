"""A bias taken out of an embedding, and what that cost: Tables 7 to 17 of Dev et al. 2020 as one table.

Every measure is taken on the embedding as it was (`original`), as it is after (the method), and, as the control,
without a random subspace of as many dimensions (`random`, the mean of eight).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wordworth.catalog.embeddings import load_embeddings
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError, nearest
from wordworth.progress import progress
from wordworth.study.debias.costs import LANGUAGE, load_tasks, measure
from wordworth.study.debias.gather import ORIGINAL, absorb, absorb_controls
from wordworth.study.debias.plan import Plan, learn, treatment
from wordworth.study.debias.steadiness import steadiness
from wordworth.study.findings import Findings
from wordworth.study.options import Options
from wordworth.transform import Subspace, random_components, random_directions, remove, vanished

PARTS = ("stability", "valence", "similarity", "weat", "bias", "nli")
CONTROLS = ("gaussian", "words")
SAMPLE = 20_000
"""Pairs of a probe: neutrality to about half a point, in seconds."""


@dataclass(frozen=True)
class Report:
    """What is measured before and after; blank lists are Bellezza, WordSim, SimLex and MEN, and WEAT 1 to 10,
    and the probes that fit."""

    without: tuple[str, ...] = ()
    """Of `PARTS`, those that are left out."""
    lexica: tuple[str | Path, ...] = ()
    pairs: tuple[str | Path, ...] = ()
    tests: tuple[str | Path, ...] = ()
    random: int = 8
    control: str = "gaussian"
    """Random directions: Gaussian, or the first components of 20 random words."""
    nli: str | Path | None = None
    """The network over these vectors that infers: `nli-glove` where it reads them."""
    probes: tuple[str, ...] = ()
    """Of inference; blank are those that fit the plan."""
    sample: int = SAMPLE
    """Pairs of a probe, evenly drawn."""

    def __post_init__(self) -> None:
        for name in self.without:
            if name not in PARTS:
                close = nearest(name, list(PARTS)) or f"; there are {', '.join(PARTS)}"
                raise WordworthError(f"the report has no part {name!r}{close}")
        for option, value, least in (("random", self.random, 0), ("sample", self.sample, 1)):
            if value < least:
                raise WordworthError(f"--{option} is {value}; it must be a whole number from {least} up")
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
    controls = _controls(embedding, dimensions, report, options.seed)
    versions = ((ORIGINAL, embedding), (plan.method, after))
    if {"valence", "similarity", "weat", "bias"} & set(report.wanted):
        _measured(findings, versions, controls, report, options)
    if "nli" in report.wanted:
        from wordworth.study.debias.inference import inference, probes_of, reader_of  # torch, for this part alone

        reader = reader_of(findings, embedding, report.nli)
        if reader is not None:
            probes = report.probes or probes_of(plan)
            inference(findings, reader, versions, controls, probes, report.sample, options)
    return Debiased(after, findings)


def one_embedding(named: str | Path) -> Embedding:
    found = list(load_embeddings(named))
    if len(found) != 1:
        raise WordworthError(f"{named} holds {len(found)} embeddings; name one of them")
    return found[0]


def _controls(embedding: Embedding, dimensions: int, report: Report, seed: int) -> list[Subspace]:
    if not report.random:
        return []
    if report.control == "gaussian":
        return random_directions(embedding.dim, count=report.random, k=dimensions, seed=seed)
    return random_components(embedding, count=report.random, k=dimensions, seed=seed)


def _measured(
    findings: Findings,
    versions: Sequence[tuple[str, Embedding]],
    controls: Sequence[Subspace],
    report: Report,
    options: Options,
) -> None:
    """What is measured on the vectors themselves."""
    tasks = load_tasks(findings, report.wanted, report.lexica, report.pairs, report.tests)
    forms = list(tasks.forms())
    # Only the words that are looked up: a random subspace is then taken out of thousands of vectors, not of millions.
    few = [(setting, version.restrict(forms)) for setting, version in versions]
    with progress(f"Measuring {few[0][1].name}", len(few) + len(controls)) as advance:
        for setting, version in few:
            found = Findings("debias")
            measure(found, version, tasks, options)
            absorb(findings, found, setting)
            advance(1)
        # Of a control only the value is used, so that neither p nor an interval is worth its time.
        quick = replace(options, resamples=1, permutations=1, method="monte-carlo")
        every = []
        for control in controls:
            found = Findings("debias")
            measure(found, remove(few[0][1], control.basis, control.name), tasks, quick)
            every.append(found)
            advance(1)
    absorb_controls(findings, every)
