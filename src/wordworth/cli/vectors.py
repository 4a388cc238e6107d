"""`wordworth debias MODEL -o FILE`: a bias taken out of word vectors or a network, with the report of what it cost."""

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.cli.commands import OUTPUT, named, telling
from wordworth.cli.options import SHARED, output_option, with_options
from wordworth.study.debias import STUDY, DebiasSettings
from wordworth.study.static import ExportSettings

Vectors = Annotated[
    Path,
    output_option(
        "FILE",
        "Where to write: a file of vectors (.npz, .safetensors, .vec or .txt, .bin); of a network, a folder.",
    ),
]
Folder = Annotated[
    Path | None, output_option("DIR", "Folder of the run; runs/debias-DATE if not given.", "--run-output")
]
Replaced = Annotated[
    bool, typer.Option("--overwrite", help="Replace what is there: the file, and the run.", rich_help_panel=OUTPUT)
]
REQUIRED = inspect.Parameter.empty


def _check_free(path: Path, overwrite: bool, *, is_file: bool = True) -> None:
    """Refuse, before anything is computed, an output that cannot be written or must not be replaced."""
    from wordworth.embedding.writing import check_target
    from wordworth.files import refuse_existing, refuse_unwritable

    if is_file:
        check_target(path)
    refuse_unwritable(path)
    if not overwrite:
        refuse_existing(path)


def _debias(
    settings: DebiasSettings,
    model: str,
    output: Path,
    run_output: Path | None,
    overwrite: bool,
    json: bool,
    **_: Any,
) -> None:
    from wordworth.catalog.kinds import kind_of
    from wordworth.catalog.models import load_embeddings
    from wordworth.cli.run import print_findings
    from wordworth.embedding import save
    from wordworth.embedding.writing import check_words
    from wordworth.results import default_folder, reserve

    STUDY.check([model], settings)
    static = kind_of(model) == "static"
    _check_free(output, overwrite, is_file=static)
    folder = run_output or default_folder("debias")
    reserve(folder, overwrite=overwrite)
    with telling():
        for vectors in load_embeddings(model) if static else ():
            check_words(vectors.words, output)
        findings = STUDY.run([model], settings)
        if findings.embedding is not None:
            save(findings.embedding, output)
        if findings.network is not None:
            findings.network.save(output)
        findings.save(folder, overwrite=overwrite)
    print_findings(STUDY, findings, folder, json, [output])


def _export(settings: ExportSettings, model: str, output: Path, overwrite: bool, json: bool, **_: Any) -> None:
    from wordworth.cli import display
    from wordworth.embedding import save
    from wordworth.embedding.writing import check_words
    from wordworth.engine.engines import using
    from wordworth.study.static.study import exported, load_vocabulary

    _check_free(output, overwrite)
    check_words(load_vocabulary(settings.vocabulary), output)
    with telling(), using(settings.engine):
        result = exported(model, settings)
    save(result.embedding, output)
    embedding, steps = result.embedding, result.embedding.provenance.steps
    if json:
        facts = {"file": str(output), "words": len(embedding), "dimensions": embedding.dim, "layer": result.layer}
        facts |= {"steps": steps, "sentences": result.sentences, "windowed": result.windowed}
        display.print_json({**facts, "never_met": result.never_met, "dropped": result.dropped, "broken": result.broken})
        return
    notices = [f"{sentence}; the rest was used" for sentence in result.broken]
    if result.never_met:
        some = ", ".join(result.never_met[:8]) + (", …" if len(result.never_met) > 8 else "")
        notices.append(f"never met, so decontextualized: {len(result.never_met):,} words ({some}); --json lists them")
    if result.windowed:
        notices.append(f"longer than the model admits, so windowed: {result.windowed:,} contexts")
    for sentence in [*notices, *(f"left out: {sentence}" for sentence in result.dropped)]:
        display.notice(sentence)
    display.line(f"{len(embedding):,} words × {embedding.dim}, {', '.join(steps)}")
    display.line(str(output))


_LANGUAGE_MODELS = ("causal", "masked", "encoder")
_Debiased = Annotated[
    str,
    typer.Argument(
        help="A name of the catalog or the hub, a path, https://… or hf://owner/name/file.",
        autocompletion=named("models", ("static", *_LANGUAGE_MODELS)),
    ),
]
_Exported = Annotated[
    str,
    typer.Argument(
        help="A language model: a name of the catalog or the hub, or a path.",
        autocompletion=named("models", _LANGUAGE_MODELS),
    ),
]
_SHARED = {**SHARED, "output": (Vectors, REQUIRED), "overwrite": (Replaced, False)}

debias = with_options(
    DebiasSettings,
    _debias,
    {
        "model": (_Debiased, REQUIRED),
        "run_output": (Folder, None),
        **_SHARED,
    },
    "Takes a bias out of word vectors or a language model, saves it, and reports what that cost (Dev et al.).",
)

export = with_options(
    ExportSettings,
    _export,
    {
        "model": (_Exported, REQUIRED),
        **_SHARED,
    },
    "A static embedding out of a contextual model, in a file that other programs read.",
)
