"""`wordworth audit [MODEL]`: all that applies to a model, and one report."""

import re
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.cli.common import (
    Device,
    Json,
    Offline,
    Precision,
    Seed,
    carry_out,
    one_of,
)
from wordworth.errors import WordworthError


def audit(
    models: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MODEL]", help="Names of the catalog or the hub, or paths; the defaults if not given."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Less of everything: minutes instead of hours.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Folder; runs/audit-MODEL if not given.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="static, causal, masked, encoder or nli, where the model's files do not tell.")
    ] = None,
    device: Device = "auto",
    precision: Precision = "float32",
    seed: Seed = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace runs in the folder that differ.")] = False,
    json: Json = False,
    offline: Offline = False,
) -> None:
    """Run all that applies to a model, skip what is in the folder already, and write one report."""
    from wordworth import display, report
    from wordworth.catalog.kinds import KINDS
    from wordworth.study import Options
    from wordworth.study.audit import DEFAULTS, plan

    chosen_kind = None if kind is None else one_of("kind", kind, KINDS)
    named = models or list(DEFAULTS)
    planned, left_out = plan(named, chosen_kind)
    folder = output or _default_folder(models, quick)
    given_places = {"device": device, "dtype": precision}
    steps = []
    for one in planned:
        asked = dict(one.step.quick) if quick else {}
        asked |= {name: value for name, value in given_places.items() if name in one.step.places}
        options = Options(seed=seed, resamples=one.step.quick_resamples) if quick else Options(seed=seed)
        recorded = {"models": list(one.models), **asked, **asdict(options)}
        steps.append((one, asked, options, _is_there(folder / one.step.study, recorded, overwrite)))
    loaded: dict[str, Any] = {}
    told: list[dict[str, Any]] = []
    for one, asked, options, there in steps:
        study, line = one.step.study, f"{one.step.study}: {', '.join(one.models)}"
        if there:
            display.err.print(f"{line} (there already)", style="dim", markup=False)
            told.append({"study": study, "models": one.models, "state": "kept"})
            continue
        display.err.print(line, markup=False)
        began = time.monotonic()
        try:
            given = _loaded(one.models, loaded, device, precision) if one.step.takes_loaded else None
            findings = carry_out(
                study, one.step.find, folder / study, overwrite, list(one.models), options, given, **asked
            )
        except WordworthError as error:  # the other studies can still be run; the exit code tells
            display.err.print(f"{study} failed: {error}", style="red", markup=False, soft_wrap=True)
            told.append({"study": study, "models": one.models, "state": "failed", "reason": str(error)})
            continue
        display.warnings_of(findings)
        told.append({"study": study, "models": one.models, "state": "run", "seconds": time.monotonic() - began})
    loaded.clear()
    if all(one["state"] == "failed" for one in told):
        raise WordworthError(f"every study of the audit failed; the first, {told[0]['study']}: {told[0]['reason']}")
    place = report.write_report([folder])
    said = report.plain_answers(report.read_runs([folder]))
    if json:
        display.print_json(
            {"folder": str(folder), "report": str(place), "studies": told, "answers": said, "left_out": left_out}
        )
    else:
        display.audit(said, left_out, place)
    if any(one["state"] == "failed" for one in told):
        raise typer.Exit(1)


def _default_folder(models: list[str] | None, quick: bool) -> Path:
    """The same folder for the same models, so that an audit that was broken off goes on."""
    names = [name.rpartition("=")[0] or Path(name.rpartition("=")[2]).name for name in models or ["defaults"]]
    safe = re.sub(r"[^\w.+-]+", "-", "+".join(names)).strip("-.")
    return Path("runs") / f"audit-{safe}{'-quick' if quick else ''}"


def _is_there(folder: Path, options: dict[str, Any], overwrite: bool) -> bool:
    """Whether the run is there already. Another one in its place is an error before anything is computed."""
    from wordworth import __version__, run

    reason = run.why_not_the_same(folder, options, __version__)
    if reason and not overwrite:
        told = f"{folder} holds another run ({reason})"
        raise WordworthError(f"{told}; choose another folder with -o, or replace it with --overwrite")
    if reason == "":
        run.reserve(folder, overwrite=overwrite)
    return reason is None


def _loaded(models: tuple[str, ...], loaded: dict[str, Any], device: str, precision: str) -> list[Any]:
    """Language models, loaded once for all studies that take them so; word vectors stay names."""
    from wordworth.study.static.reduction import is_static
    from wordworth.study.static.reduction import loaded as load

    for model in models:
        if model not in loaded and not is_static(model):
            loaded[model] = load(model, device, precision)
    return [loaded.get(model, model) for model in models]
