"""Findings in a notebook: they show themselves, can be saved as a run, and a run can be reported and compared."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wordworth.pages import card_of, card_text, read_runs, write_card, write_report
from wordworth.paired import Comparison, ComparisonSettings, sides
from wordworth.paired import compare as compared
from wordworth.results import Findings, Run
from wordworth.results import read_run as read
from wordworth.rules import Checked, read_rules
from wordworth.rules import check as checked
from wordworth.study.audit import unmeasured


class Results(Findings):
    """What a study found: `scores`, `items`, notes and warnings; `save` writes the run that the command would leave."""

    def save(self, folder: str | Path | None = None, *, overwrite: bool = False) -> "SavedRun":
        """Writes the run's folder (runs/STUDY-DATE if none is given)."""
        return SavedRun(**vars(super().save(folder, overwrite=overwrite)))

    def __repr__(self) -> str:
        shown = self.scores.drop("study").select(
            column.name for column in self.scores.drop("study") if column.null_count() < len(column)
        )
        return f"{self.study}: {len(self.scores):,} scores\n{shown}"


class SavedRun(Run):
    """A run in its folder."""

    def report(self, output: str | Path | None = None, form: str = "html", **chosen: Sequence[str]) -> Path:
        """Writes its report (report.html in the folder if no file is named) and gives the file's path.

        With the form `md` or `latex`, `tables` chooses what is in it.
        """
        return write_report([self.folder], None if output is None else Path(output), form, **chosen)

    def compare(self, other: Run, **settings: Any) -> Comparison:
        """Which differences from another run are real: paired tests on the items that both have."""
        return compare(self, other, **settings)


def read_run(folder: str | Path) -> SavedRun:
    """A run's folder read back, and checked."""
    return SavedRun(**vars(read(Path(folder))))


def report(
    *folders: str | Path | Run, output: str | Path | None = None, form: str = "html", **chosen: Sequence[str]
) -> Path:
    """One report of runs: HTML that needs nothing else, Markdown (`md`) or tables in `latex`.

    Of these two, `tables` chooses what is in it, as `--table` does.
    """
    places = [one.folder if isinstance(one, Run) else Path(one) for one in folders]
    return write_report(places, None if output is None else Path(output), form, **chosen)


def check(run: Run | str | Path, rules: str | Path) -> Checked:
    """The rules of a TOML file held against a run, or an audit's folder: `verdict`, and every rule in `judged`."""
    return checked([run.folder if isinstance(run, Run) else Path(run)], read_rules(Path(rules)))


def card(*folders: str | Path | Run, model: str = "", output: str | Path | None = None) -> str:
    """Runs as a model card: metadata and a section in Markdown. `output` is a file to write, or a README that is there
    and gets both in their places."""
    places = [one.folder if isinstance(one, Run) else Path(one) for one in folders]
    made = card_of(read_runs(places), model, unmeasured)
    if output is None:
        return card_text(made)
    write_card(made, Path(output))
    return Path(output).read_text(encoding="utf-8")


def compare(
    first: Run | str | Path,
    second: Run | str | Path,
    models: tuple[str, str] | None = None,
    settings: tuple[str, str] | None = None,
    **chosen: Any,
) -> Comparison:
    """Which differences between two runs are real; `models` names one of each where a run has several.

    `settings` are two values of the column `setting` to hold against each other, such as original and projection;
    the rest are those of `ComparisonSettings`.
    """
    runs = [one if isinstance(one, Run) else read_run(one) for one in (first, second)]
    return compared(*sides(runs, models, settings), ComparisonSettings(**chosen))
