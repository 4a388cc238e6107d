"""Report, check and compare runs in Python, and make model cards."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wordworth.api.objects import describe, keep_text, to_toml
from wordworth.errors import WordworthError
from wordworth.pages.card import card_of, card_text, write_card
from wordworth.pages.page import write_report
from wordworth.paired import Comparison, ComparisonSettings, sides
from wordworth.paired import compare as compare_sides
from wordworth.results.run import Run, find_runs, read_run
from wordworth.results.runs import read_runs
from wordworth.rules import CheckResult, read_rules
from wordworth.rules import check as check_runs
from wordworth.study.audit import list_unmeasured

RunOrFolder = Run | str | Path


def report(*runs: RunOrFolder, output: str | Path | None = None, form: str = "html", **options: Any) -> Path:
    """Write one report of runs, and return its path: self-contained HTML, Markdown (`md`) or `latex` tables.

    Without `output` it is report.html in the run's folder. In the last two forms, `tables` chooses tables by name.
    """
    return write_report(runs, None if output is None else Path(output), form, **options)


def check(run: RunOrFolder, rules: str | Path | Mapping[str, Mapping[str, Any]]) -> CheckResult:
    """Apply rules to a run or an audit's folder: `verdict`, and every rule in `judged`.

    `rules` is a TOML file, or a dict of name → rule: {"weak": {"measure": "weat", "limit": "|value| < 0.5"}}.
    """
    runs = [run] if isinstance(run, Run) else [read_run(folder) for folder in find_runs([Path(run)])]
    if isinstance(rules, Mapping):
        rules = keep_text("rules", ".toml", to_toml({"rules": rules}))
    return check_runs(runs, read_rules(Path(rules)))


def card(*runs: RunOrFolder, model: str = "", output: str | Path | None = None) -> str:
    """Return runs as a model card: metadata and a section in Markdown.

    `output` is a file to write; in an existing README both are updated.
    """
    model_card = card_of(read_runs(runs), model, list_unmeasured)
    if output is None:
        return card_text(model_card)
    write_card(model_card, Path(output))
    return Path(output).read_text(encoding="utf-8")


def compare(
    first: RunOrFolder,
    second: RunOrFolder | None = None,
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
    runs = [_read(run) for run in (first, second) if run is not None]
    both_sides = sides(runs, models, version=versions, context=contexts)
    return compare_sides(*both_sides, ComparisonSettings(**settings))


def _read(run: Any) -> Run:
    if isinstance(run, str | Path):
        return read_run(run)
    if not isinstance(run, Run):
        raise WordworthError(f"compare takes runs and their folders; got {describe(run)}")
    return run
