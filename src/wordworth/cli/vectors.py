"""Define `wordworth debias` and `export`, which write word vectors, or a network without a bias."""

from pathlib import Path
from typing import Annotated, Any

from wordworth.cli import display
from wordworth.cli.commands import interrupt_message
from wordworth.cli.options import LANGUAGE_MODELS, NO_DEFAULT, RUN_OPTIONS, model_argument, output_option, with_options
from wordworth.errors import format_names
from wordworth.study.debias import STUDY, DebiasSettings
from wordworth.study.static import ExportSettings

Vectors = Annotated[
    Path,
    output_option(
        "FILE", "File of vectors to write (.npz, .safetensors, .vec, .txt, .bin); for a language model, a folder."
    ),
]
Folder = Annotated[
    Path | None, output_option("DIR", "Folder of the run; runs/debias-DATE unless given.", "--run-output")
]


def _check_free(path: Path, overwrite: bool, *, is_file: bool = True) -> None:
    """Raise, before anything is computed, if an output cannot be written or must not be replaced."""
    from wordworth.embedding.writing import check_target
    from wordworth.files import refuse_existing, refuse_unwritable

    if is_file:
        check_target(path)
    refuse_unwritable(path)
    if not overwrite:
        refuse_existing(path)


def _debias(
    settings: DebiasSettings, model: str, output: Path, run_output: Path | None, overwrite: bool, json: bool, **_: Any
) -> None:
    from wordworth.catalog.models import kind_of, load_embeddings
    from wordworth.embedding import Embedding, save
    from wordworth.embedding.writing import check_words
    from wordworth.results.run import default_folder, refuse_taken
    from wordworth.study.names import resolve_inputs

    inputs = resolve_inputs([model], settings)
    STUDY.check(inputs)
    (resolved,) = inputs.models
    is_static = kind_of(resolved) == "static"
    _check_free(output, overwrite, is_file=is_static)
    folder = run_output or default_folder("debias")
    refuse_taken(folder, overwrite=overwrite)
    with interrupt_message():
        for vectors in load_embeddings(resolved) if is_static else ():
            check_words(vectors.words, output)
        run = STUDY.run_on(inputs)
        if isinstance(run.product, Embedding):
            save(run.product, output)
        elif run.product is not None:
            run.product.save(output)
        run.save(folder, overwrite=overwrite)
    display.print_run(run, as_json=json, other_files=[output])


def _export(settings: ExportSettings, model: str, output: Path, overwrite: bool, json: bool, **_: Any) -> None:
    from wordworth.embedding import save
    from wordworth.embedding.writing import check_words
    from wordworth.engine.engines import using
    from wordworth.study.static.study import export_layer, load_vocabulary

    _check_free(output, overwrite)
    check_words(load_vocabulary(settings.vocabulary), output)
    with interrupt_message(), using(settings.engine):
        result = export_layer(model, settings)
    save(result.embedding, output)
    embedding, steps = result.embedding, result.embedding.provenance.steps
    if json:
        facts = {"file": str(output), "words": len(embedding), "dimensions": embedding.dim, "layer": result.layer}
        facts |= {"steps": steps, "sentences": result.sentences, "windowed": result.windowed}
        display.print_json({**facts, "never_met": result.never_met, "dropped": result.dropped, "broken": result.broken})
        return
    notices = [f"{sentence}; the rest was used" for sentence in result.broken]
    if result.never_met:
        examples = format_names(result.never_met, 8)
        notices.append(f"not in the text, so decontextualized: {len(result.never_met):,} words ({examples})")
    if result.windowed:
        notices.append(f"longer than the model allows, so cut to a window: {result.windowed:,} contexts")
    for sentence in [*notices, *(f"dropped: {sentence}" for sentence in result.dropped)]:
        display.print_notice(sentence)
    display.print_line(f"{len(embedding):,} words × {embedding.dim}, {', '.join(steps)}")
    display.print_line(str(output))


_DebiasOption = model_argument(
    "A name of the catalog or the hub, a path, https://… or hf://owner/name/file.", ("static", *LANGUAGE_MODELS)
)
_ExportOption = model_argument("A language model: a name of the catalog or the hub, or a path.", LANGUAGE_MODELS)
_VECTOR_OPTIONS = {**RUN_OPTIONS, "output": (Vectors, NO_DEFAULT)}

debias = with_options(
    DebiasSettings,
    _debias,
    {"model": (_DebiasOption, NO_DEFAULT), "run_output": (Folder, None), **_VECTOR_OPTIONS},
    "Remove a bias from word vectors or a language model, save the result, and report the cost (Dev et al.).",
)

export = with_options(
    ExportSettings,
    _export,
    {"model": (_ExportOption, NO_DEFAULT), **_VECTOR_OPTIONS},
    "Reduce a language model to one vector per word, in a file that other programs read.",
)
