"""docs/truth.md: counts first, then what a paper has too, then what was computed twice."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import fill

from tools.pages import WIDTH, markdown, number_notes

from truth.check import Check
from truth.papers import AGREE, OPEN, VERDICTS, Beside, not_here
from wordworth import __version__
from wordworth.measure import label
from wordworth.papers.published import citation, load_published
from wordworth.results.table import format_list

KINDS = {"weat": "effect sizes d of WEAT", "raters": "correlations between two groups of people"}
AGAINST_PEOPLE = {"valence", "similarity", "analogy"}
"""Measures that hold a model against what people said."""
HEAD = """\
Made by `make truth` with version {version}; only the reasons are written by hand, in `truth/explained.toml`. The
studies were run on the models that come with the package{data}. Their numbers were compared with those of the papers.
They were also computed a second time by code that shares no formula with the package (`truth/`): plain loops, SciPy,
scikit-learn and transformers, one sentence or pair at a time.
"""


def page(beside: Sequence[Beside], checks: Sequence[Check], *, data: bool) -> str:
    """Return the page in Markdown."""
    with_data = ", and on the Google News vectors of `$WORDWORTH_DATA`" if data else ""
    parts = [
        f"# Validation against the papers\n\n{fill(HEAD.format(version=__version__, data=with_data), WIDTH)}\n",
        _counts(beside, checks),
        "## Numbers that a paper has too\n",
        *_papers(beside),
        _elsewhere(beside),
        "## Numbers computed twice\n",
        _twice(checks),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _counts(beside: Sequence[Beside], checks: Sequence[Check]) -> str:
    verdicts = Counter(one.verdict for one in beside)
    twice = Counter(AGREE if check.agrees else OPEN for check in checks)
    rows = [
        ["a paper's, same model or people", *(str(verdicts[v]) for v in VERDICTS)],
        ["computed twice", str(twice[AGREE]), "", "", str(twice[OPEN])],
    ]
    return "\n".join([_table(["numbers", *VERDICTS], rows), f"{fill(what_agrees(beside), WIDTH)}\n"])


def what_agrees(beside: Sequence[Beside]) -> str:
    """Say of what kind the numbers are that agree with a paper, and what is not among them."""
    agreeing = [one.published for one in beside if one.verdict == AGREE]
    kinds = Counter(KINDS.get(one.quantity.measure, f"`{one.quantity.measure}`") for one in agreeing)
    counts = format_list([f"{count} {kind}" for kind, count in kinds.items()], max_names=len(kinds))
    text = f"The {len(agreeing)} that agree with a paper are {counts}." if agreeing else "None agrees with a paper."
    if not any(one.quantity.measure in AGAINST_PEOPLE for one in agreeing):
        text += " None compares a model with people."
    absent = dict.fromkeys(one.paper for one in load_published()).keys() - {one.paper for one in agreeing}
    papers = format_list(sorted(citation(paper) for paper in absent), max_names=len(absent))
    return text + (f" None is of {papers}." if absent else "")


def _papers(beside: Sequence[Beside]) -> Iterator[str]:
    ordered = sorted(beside, key=lambda one: one.published.paper)
    for paper, group in groupby(ordered, key=lambda one: one.published.paper):
        rows, reasons = [], []
        for one in group:
            theirs, ours = one.published, one.comparison.ours
            of = theirs.quantity
            place = ", ".join(filter(None, [theirs.model, of.dataset, of.subset, of.context, of.version]))
            number = f"{theirs.value:g}" if theirs.value is not None else f"{theirs.low:g} to {theirs.high:g}"
            measure = f"`{label(of.measure, of.variant or None, of.k, of.threshold)}`"
            numbers = [number, f"{ours['value']:.4g}", str(ours["n"])]
            rows.append([theirs.place, measure, place, *numbers, one.verdict])
            reasons.append(one.reason)
        header = ["where", "measure", "of", "paper", "here", "n", "verdict"]
        yield f"### {citation(paper)}\n\n{_table_with_notes([*header, 'why'], rows, reasons)}"


def _elsewhere(beside: Sequence[Beside]) -> str:
    rows = [[citation(paper), str(count), models] for paper, count, models in not_here(beside)]
    return (
        "### Not compared with a paper here\n\nTheir models come from a hub, or their data is not available.\n\n"
        + _table(["paper", "numbers", "models"], rows)
    )


def _twice(checks: Sequence[Check]) -> str:
    rows, shared = [], []
    kinds: dict[tuple[str, str, str], list[Check]] = {}
    for one in checks:
        kinds.setdefault((one.study, one.how, one.measure), []).append(one)
    for (study, how, kind), these in kinds.items():
        worst = max(these, key=lambda one: abs(one.ours - one.again))
        off = [one for one in these if not one.agrees]
        verdict = "agree" if not off else f"open: {'; '.join(f'{one.measure}, {one.of}' for one in off)}"
        apart = f"{abs(worst.ours - worst.again):.1e}"
        rows.append([study, f"`{kind}`", how, str(len(these)), apart, worst.of, verdict])
        shared.append(these[0].shared)
    head = ["study", "measure", "the second time", "numbers", "largest difference", "of", "verdict", "not checked"]
    return f"The last column lists what both computations share.\n\n{_table_with_notes(head, rows, shared)}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return markdown(header, rows) + "\n"


def _table_with_notes(header: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    """Return a table whose last column has the numbers of the notes under it."""
    numbers, text = number_notes(notes)
    if not text:
        return _table(header[:-1], rows)
    return _table(header, [[*row, number] for row, number in zip(rows, numbers, strict=True)]) + f"\n{text}\n"
