"""Define `wordworth check RUN RULES.toml`: pass, fail or undecided, by the interval."""

from pathlib import Path
from typing import Annotated

import typer

from wordworth.cli import display
from wordworth.cli.options import Json, output_option
from wordworth.errors import WordworthError

_RUN = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run or of an audit.")]
_RULES = Annotated[Path, typer.Argument(metavar="[RULES.toml]", help="File of rules; rules.toml unless given.")]
_JUNIT = Annotated[Path | None, output_option("FILE", "Write JUnit XML for a CI server to this file.", "--junit")]


def check(run: _RUN, rules: _RULES = Path("rules.toml"), junit: _JUNIT = None, json: Json = False) -> None:
    """Check a model's numbers against rules.

    A rule passes or fails if the 95 % interval is on one side of its limit, else it is undecided.
    Exit code: 0 all pass, 1 one fails, 3 none fails and one is undecided, 2 mistake in the rules.
    """
    from wordworth.files import refuse_unwritable, replacing
    from wordworth.results.run import find_runs, read_run
    from wordworth.rules import check, read_rules, to_junit

    rule_file = read_rules(rules)
    if junit is not None:
        refuse_unwritable(junit)
        if junit.is_dir():
            raise WordworthError(f"{junit} is a folder; name the file to write")
    result = check([read_run(folder) for folder in find_runs([run])], rule_file)
    if junit is not None:
        with replacing(junit) as temporary:
            temporary.write_text(to_junit(result), encoding="utf-8")
    if json:
        display.print_json(result.as_table())
    else:
        display.print_table(result.table)
        for rule_result in result.judged:
            if rule_result.verdict != "pass" or rule_result.notes:
                display.print_wrapped(f"{rule_result.rule} ({rule_result.verdict}): {rule_result}.")
        display.print_line(f"{result.summary}.")
    if result.code:
        raise typer.Exit(result.code)
