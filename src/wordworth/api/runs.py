"""What is done with runs in Python: report, check and compare them, and make model cards of them."""

from pathlib import Path
from typing import Any

from wordworth.pages.card import card_of, card_text, write_card
from wordworth.pages.page import write_report
from wordworth.pages.runs import read_runs
from wordworth.paired import Comparison, ComparisonSettings, sides
from wordworth.paired import compare as compare_sides
from wordworth.results.run import Run, find_runs, read_run
from wordworth.rules import Checked, read_rules
from wordworth.rules import check as check_runs
from wordworth.study.audit import unmeasured

Place = Run | str | Path
"""A run, or its folder."""


def report(*runs: Place, output: str | Path | None = None, form: str = "html", **chosen: Any) -> Path:
    """Write one report of runs, and return its path: HTML that needs nothing else, Markdown (`md`) or `latex` tables.

    Without `output` it is report.html in the run's folder. In the last two forms, `tables` chooses tables by name.
    """
    return write_report(runs, None if output is None else Path(output), form, **chosen)


def check(run: Place, rules: str | Path) -> Checked:
    """Apply the rules of a TOML file to a run or an audit's folder: `verdict`, and every rule in `judged`."""
    runs = [run] if isinstance(run, Run) else [read_run(folder) for folder in find_runs([Path(run)])]
    return check_runs(runs, read_rules(Path(rules)))


def card(*runs: Place, model: str = "", output: str | Path | None = None) -> str:
    """Return runs as a model card: metadata and a section in Markdown.

    `output` is a file to write; an existing README gets both in their places.
    """
    made = card_of(read_runs(runs), model, unmeasured)
    if output is None:
        return card_text(made)
    write_card(made, Path(output))
    return Path(output).read_text(encoding="utf-8")


def compare(
    first: Place,
    second: Place | None = None,
    *,
    models: tuple[str, str] | None = None,
    versions: tuple[str, str] | None = None,
    contexts: tuple[str, str] | None = None,
    **settings: Any,
) -> Comparison:
    """Compare two runs, or two models, versions or contexts of one, on the items that both have.

    `models` names a model of each run where a run has several, `versions` two versions of a model, such as
    ("projection", "original"), and `contexts` two contexts. `settings` are those of `ComparisonSettings`.
    """
    places = [one for one in (first, second) if one is not None]
    runs = [one if isinstance(one, Run) else read_run(one) for one in places]
    both = sides(runs, models, version=versions, context=contexts)
    return compare_sides(*both, ComparisonSettings(**settings))
