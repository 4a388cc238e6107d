"""What the commands share: options, the config file, and leaving a run behind."""

import os
import sys
import time
import tomllib
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.errors import WordworthError, nearest


def config(context: typer.Context, path: Path | None) -> Path | None:
    """Takes the options of a TOML file as defaults, so that options on the command line override them."""
    if path is None:
        return None
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WordworthError(f"--config {path} cannot be read ({error.strerror}); check the path") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WordworthError(f"{path} is not TOML: {error}") from error
    # Keys are the options as one writes them, less the dashes.
    known = {
        option.lstrip("-"): parameter
        for parameter in context.command.params
        for option in parameter.opts
        if parameter.name not in ("config", "help")
    }
    defaults: dict[str, Any] = {}
    for key, value in table.items():
        parameter = known.get(key.replace("_", "-"))
        if parameter is None or parameter.name is None:
            raise WordworthError(f"{path}: there is no option {key!r}{nearest(key, sorted(known))}")
        many = parameter.nargs == -1 or getattr(parameter, "multiple", False)
        if isinstance(value, list) != many and (not many or isinstance(value, dict)):
            raise WordworthError(f"{path}: {key} takes one value, not {value!r}")
        defaults[parameter.name] = [value] if many and not isinstance(value, list) else value
    context.default_map = {**(context.default_map or {}), **defaults}
    return path


def offline(value: bool) -> bool:
    if value:
        os.environ["WORDWORTH_OFFLINE"] = "1"
        os.environ["HF_HUB_OFFLINE"] = "1"
    return value


Models = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="MODEL…", help="Names of the catalog, paths, https://… or hf://owner/name/file; LABEL=… names one."
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="DIR", help="Folder to write; runs/STUDY-DATE if not given.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a run that is already in the folder.")]
Config = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="TOML file with options; the command line wins.", callback=config, is_eager=True),
]
Offline = Annotated[bool, typer.Option("--offline", help="Fetch nothing.", callback=offline, is_eager=True)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Language = Annotated[
    list[str] | None, typer.Option(help="Language of the models: one for all, or one a model in order.")
]
Test = Annotated[list[str] | None, typer.Option(help="Association test: a name (weat1 … weat10) or a TOML file.")]
Seed = Annotated[int, typer.Option(help="Seed of all that is random.")]
Case = Annotated[str, typer.Option(help="fold: also try lower case and a capital; exact: words as written.")]
Sides = Annotated[str, typer.Option(help="Sides of the permutation tests: one (as the paper) or two.")]
Method = Annotated[str, typer.Option("--p-method", help="auto, exact, monte-carlo, or normal (the authors' code).")]
Permutations = Annotated[int, typer.Option(help="Random partitions where they cannot all be counted.")]
Balance = Annotated[bool, typer.Option("--balance", help="Cut word sets at random to the size of the shorter one.")]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda.")]
Precision = Annotated[str, typer.Option(help="float32, bfloat16 or float16.")]
Resamples = Annotated[int, typer.Option(help="Bootstrap resamples of the intervals.")]
OnBad = Annotated[str, typer.Option(help="Rows of an embedding that are NaN, zero, repeated…: stop or drop.")]

Format = Annotated[
    str | None, typer.Option("--format", help="Format of the embedding files, where it cannot be told from them.")
]


def one_of(option: str, value: str, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        raise WordworthError(f"--{option} is {value!r}; it can be {', '.join(allowed[:-1])} or {allowed[-1]}")
    return value


def free_target(path: Path, overwrite: bool) -> None:
    """Refuses, before anything is computed, a file of vectors that cannot be written or must not be replaced."""
    from wordworth.embedding.writing import check_target

    check_target(path)
    if path.exists() and not overwrite:
        raise WordworthError(f"{path} is there already; choose another file with -o, or replace it with --overwrite")


def two_numbers(option: str, text: str | None) -> tuple[float, float] | None:
    """`LOW,HIGH` as numbers."""
    if text is None:
        return None
    low, comma, high = text.partition(",")
    try:
        pair = float(low), float(high)
    except ValueError as error:
        raise WordworthError(f"--{option} is {text!r}; write two numbers, such as 1,9") from error
    if not comma or not pair[0] < pair[1]:
        raise WordworthError(f"--{option} is {text!r}; write the lower number first, such as 1,9")
    return pair


def on_bad_checked(value: str) -> Any:
    """What to do with bad rows."""
    return one_of("on-bad", value, ("stop", "drop"))


def options(seed: int, case: str, sides: str, method: str, permutations: int, balance: bool, **more: Any) -> Any:
    from wordworth.study import Options

    return Options(
        seed=seed,
        case=one_of("case", case, ("fold", "exact")),
        sides=one_of("sides", sides, ("one", "two")),
        method=one_of("p-method", method, ("auto", "exact", "monte-carlo", "normal")),
        permutations=permutations,
        balance=balance,
        **more,
    )


def carry_out(
    study: str,
    find: Callable[..., Any],
    folder: Path,
    overwrite: bool,
    models: list[str],
    options: Any,
    given: list[Any] | None = None,
    **chosen: Any,
) -> Any:
    """Runs the study `find` on the models with what was chosen and writes its folder; gives the findings.

    `given` stands for the models where they are loaded already; the manifest has their names.
    """
    from wordworth import run
    from wordworth.study.citations import cited

    run.reserve(folder, overwrite=overwrite)
    started, began = datetime.now(UTC), time.monotonic()
    with run.watched(folder, study, models):
        findings = find(models if given is None else given, options=options, **chosen)
    versions, hardware = run.surroundings()
    manifest = run.Manifest(
        study=study,
        command=["wordworth", *sys.argv[1:]],
        options={"models": models, **chosen, **asdict(options)},
        seed=options.seed,
        models=list(findings.models.values()),
        data=list(findings.data.values()),
        left_out=findings.left_out_by_kind(),
        notes=findings.notes,
        started=started.isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - began, 2),
        versions=versions,
        hardware=hardware,
        references=cited(findings),
    )
    run.write_run(folder, manifest, findings.scores, findings.items, overwrite=overwrite)
    return findings


def leave(
    study: str,
    find: Callable[..., Any],
    output: Path | None,
    overwrite: bool,
    as_json: bool,
    models: list[str] | None,
    options: Any,
    **chosen: Any,
) -> None:
    """Runs a study, writes its folder, prints its tables."""
    from wordworth import display, run

    folder = output or run.default_folder(study)
    findings = carry_out(study, find, folder, overwrite, models or [], options, **chosen)
    if as_json:
        told = {"left_out": findings.left_out_by_kind(), "notes": findings.notes}
        display.print_json({"folder": str(folder), "scores": findings.scores.to_dicts(), **told})
        return
    display.tables_of(findings.scores, study, findings.items)
    display.warnings_of(findings)
    display.out.print(str(folder), markup=False, soft_wrap=True)
