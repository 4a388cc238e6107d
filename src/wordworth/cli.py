"""The `wordworth` command."""

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

from wordworth import __version__
from wordworth.errors import WordworthError, nearest

app = typer.Typer(
    name="wordworth",
    help="What a word is worth to a model: word meaning, stereotypes, and the words it never says.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
run_app = typer.Typer(
    help="Run a study on models; leaves a folder with scores, items and a manifest.", no_args_is_help=True
)
app.add_typer(run_app, name="run")


def _config(context: typer.Context, path: Path | None) -> Path | None:
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


def _offline(value: bool) -> bool:
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
    typer.Option(
        metavar="FILE", help="TOML file with options; the command line wins.", callback=_config, is_eager=True
    ),
]
Offline = Annotated[bool, typer.Option("--offline", help="Fetch nothing.", callback=_offline, is_eager=True)]
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
OnBad = Annotated[str, typer.Option(help="Rows of an embedding that are NaN, zero, repeated…: stop or drop.")]

Format = Annotated[
    str | None, typer.Option("--format", help="Format of the embedding files, where it cannot be told from them.")
]


def _one_of(option: str, value: str, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        raise WordworthError(f"--{option} is {value!r}; it can be {', '.join(allowed[:-1])} or {allowed[-1]}")
    return value


def _options(seed: int, case: str, sides: str, method: str, permutations: int, balance: bool, **more: Any) -> Any:
    from wordworth.study import Options

    return Options(
        seed=seed,
        case=_one_of("case", case, ("fold", "exact")),
        sides=_one_of("sides", sides, ("one", "two")),
        method=_one_of("p-method", method, ("auto", "exact", "monte-carlo", "normal")),
        permutations=permutations,
        balance=balance,
        **more,
    )


def _leave(
    study: str,
    find: Callable[..., Any],
    output: Path | None,
    overwrite: bool,
    as_json: bool,
    models: list[str] | None,
    options: Any,
    **chosen: Any,
) -> None:
    """Runs the study `find` on the models with what was chosen, writes its folder, prints its table."""
    _one_of("on-bad", chosen["on_bad"], ("stop", "drop"))
    from wordworth import display, run

    folder = output or run.default_folder(study)
    run.reserve(folder, overwrite=overwrite)
    started, began = datetime.now(UTC), time.monotonic()
    findings = find(models or [], options=options, **chosen)
    versions, hardware = run.surroundings()
    manifest = run.Manifest(
        study=study,
        command=["wordworth", *sys.argv[1:]],
        options={"models": models or [], **chosen, **asdict(options)},
        seed=options.seed,
        models=list(findings.models.values()),
        data=list(findings.data.values()),
        left_out=dict(findings.left_out),
        notes=findings.notes,
        started=started.isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - began, 2),
        versions=versions,
        hardware=hardware,
    )
    run.write_run(folder, manifest, findings.scores, findings.items, overwrite=overwrite)
    if as_json:
        told = {"left_out": dict(findings.left_out), "notes": findings.notes}
        display.print_json({"folder": str(folder), "scores": findings.scores.to_dicts(), **told})
        return
    display.score_table(findings.scores, f"wordworth {study}")
    for sentence in findings.warnings:
        display.err.print(sentence, style="yellow", markup=False, soft_wrap=True)
    for reason, count in findings.left_out.items():
        display.err.print(f"left out: {count:,} {reason}", style="yellow", markup=False, soft_wrap=True)
    display.out.print(str(folder), markup=False, soft_wrap=True)


@run_app.command("valnorm")
def run_valnorm(
    models: Models = None,
    lexicon: Annotated[list[str] | None, typer.Option(help="Lexicon: a name or a CSV/TSV file; repeatable.")] = None,
    language: Language = None,
    experiment: Annotated[
        list[str] | None, typer.Option(help="valence, weat, similarity, analogy, corpus-size; all if not given.")
    ] = None,
    pairs: Annotated[list[str] | None, typer.Option(help="Word pairs: a name or a file; repeatable.")] = None,
    test: Test = None,
    corpus: Annotated[str | None, typer.Option(help="Text for corpus-size: a name or a file.")] = None,
    share: Annotated[list[float] | None, typer.Option(help="Percent of the corpus's lines; repeatable.")] = None,
    dimensions: Annotated[int, typer.Option(help="Of the vectors that corpus-size trains.")] = 300,
    word_column: Annotated[str | None, typer.Option(help="Column of the words in your own lexicon.")] = None,
    rating_column: Annotated[str | None, typer.Option(help="Column of the ratings in your own lexicon.")] = None,
    balance: Balance = False,
    case: Case = "fold",
    sides: Sides = "one",
    p_method: Method = "auto",
    permutations: Permutations = 10_000,
    resamples: Annotated[int, typer.Option(help="Bootstrap resamples of the intervals.")] = 1_000,
    analogy_vocabulary: Annotated[
        int, typer.Option(help="First words among which analogies are sought; 0: all.")
    ] = 300_000,
    on_bad: OnBad = "stop",
    file_format: Format = None,
    seed: Seed = 0,
    output: Output = None,
    overwrite: Overwrite = False,
    json: Json = False,
    offline: Offline = False,
    config: Config = None,
) -> None:
    """Quality of static embeddings by valence (ValNorm), with WEAT, similarity and analogies beside it."""
    from wordworth.study import valnorm
    from wordworth.study.corpus_size import SHARES

    more = {"resamples": resamples, "analogy_vocabulary": analogy_vocabulary}
    options = _options(seed, case, sides, p_method, permutations, balance, **more)
    _leave(
        "valnorm",
        valnorm,
        output,
        overwrite,
        json,
        models,
        options,
        lexica=lexicon or (),
        languages=language or (),
        experiments=experiment or (),
        pairs=pairs or (),
        tests=test or (),
        corpus=corpus,
        shares=share or SHARES,
        dim=dimensions,
        word_column=word_column,
        rating_column=rating_column,
        on_bad=on_bad,
        file_format=file_format,
    )


@run_app.command("weat")
def run_weat(
    models: Models = None,
    test: Test = None,
    language: Language = None,
    balance: Balance = False,
    case: Case = "fold",
    sides: Sides = "one",
    p_method: Method = "auto",
    permutations: Permutations = 10_000,
    on_bad: OnBad = "stop",
    file_format: Format = None,
    seed: Seed = 0,
    output: Output = None,
    overwrite: Overwrite = False,
    json: Json = False,
    offline: Offline = False,
    config: Config = None,
) -> None:
    """Association tests (WEAT): effect size and permutation p; the ten of the paper, or your own."""
    from wordworth.study import weat_study

    options = _options(seed, case, sides, p_method, permutations, balance)
    _leave(
        "weat",
        weat_study,
        output,
        overwrite,
        json,
        models,
        options,
        tests=test or (),
        languages=language or (),
        on_bad=on_bad,
        file_format=file_format,
    )


@app.command("ls")
def list_entries(
    kind: Annotated[
        str | None, typer.Argument(help="models, lexica, word-sets, tests, pairs, analogies, corpora, templates")
    ] = None,
    json: Json = False,
) -> None:
    """What can be named, with its licence and whether it is here."""
    from wordworth import display
    from wordworth.catalog.registry import entries
    from wordworth.catalog.show import is_here

    found = entries(kind)
    if json:
        keys = ("kind", "name", "title", "language", "licence", "count")
        display.print_json([{key: getattr(one, key) for key in keys} | {"here": is_here(one)} for one in found])
        return
    rows = [
        (one.name, one.title, one.language, f"{one.count:,}", one.licence, "yes" if is_here(one) else "")
        for one in found
    ]
    display.table(kind or "the catalog", ["name", "title", "language", "count", "licence", "here"], rows, right=[3])


@app.command()
def show(name: str, json: Json = False) -> None:
    """One entry of the catalog: count, first rows, licence, citation."""
    from wordworth import display
    from wordworth.catalog.registry import entry
    from wordworth.catalog.show import summary

    shown = summary(entry(name))
    if json:
        display.print_json(asdict(shown))
        return
    scale = f"{shown.scale[0]:g} to {shown.scale[1]:g}" if shown.scale else ""
    facts = {
        "kind": shown.kind,
        "title": shown.title,
        "language": shown.language,
        "count": f"{shown.count:,}",
        "scale": scale,
        "licence": shown.licence,
        "citation": shown.reference,
        "from": "; ".join(shown.sources),
        "here": "yes" if shown.here else f"no: `wordworth get {name}` fetches it",
        "note": shown.note,
    }
    for key, value in facts.items():
        if value:
            display.out.print(f"{key:9} {value}", markup=False)
    if shown.rows:
        display.table("", shown.header, shown.rows)
    for line in shown.left_out[:10]:
        display.err.print(f"left out: {line}", style="yellow", markup=False)
    if len(shown.left_out) > 10:
        display.err.print(f"left out: {len(shown.left_out) - 10} more", style="yellow")


@app.command()
def get(names: Annotated[list[str], typer.Argument(metavar="NAME…")], offline: Offline = False) -> None:
    """Fetch ahead, for machines that go offline; what is here already is read again and checked."""
    from wordworth import display
    from wordworth.catalog.registry import entry
    from wordworth.catalog.show import made_of
    from wordworth.catalog.sources import here, locate, verify

    wanted = {one.name: one for name in names for one in (entry(name), *made_of(entry(name)))}
    for one in wanted.values():
        if not one.sources:
            continue  # it stands in the catalog itself, or is made of entries that are fetched beside it
        had = here(one.name, one.sources)
        located = had or locate(one.name, one.sources)
        if had:
            verify(one.name, had)
        size = f"{located.source.bytes / 1e6:,.1f} MB"
        state = "checked" if had else "fetched"
        display.out.print(f"{state}  {one.name}  {size}  {located.path}", markup=False, soft_wrap=True)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"wordworth {__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """What a word is worth to a model: word meaning, stereotypes, and the words it never says."""


# What every complaint about the command line derives from, whichever click typer brings along.
UsageError: Any = typer.BadParameter.__base__


def main() -> None:
    """Runs the command; an error of the user's is one line on stderr and exit code 2."""
    try:
        code = app(prog_name="wordworth", standalone_mode=False)
    except WordworthError as error:
        told = str(error)
    except PermissionError as error:
        told = f"{error.filename} cannot be opened ({error.strerror}); check its rights"
    except UsageError as error:
        told = error.format_message()
        if not told:  # a command without its arguments has shown its help
            raise SystemExit(2) from None
        command = error.ctx.command_path if error.ctx else "wordworth"
        told = f"{told[0].lower()}{told[1:].rstrip('.')} (see `{command} --help`)"
    else:
        raise SystemExit(code or 0)
    sys.stderr.write(f"wordworth: {' '.join(told.split())}\n")
    raise SystemExit(2)
