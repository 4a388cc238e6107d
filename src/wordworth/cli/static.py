"""`wordworth run static MODEL…` and `wordworth export MODEL`: contextual models as static embeddings."""

from pathlib import Path
from typing import Annotated

import typer

from wordworth.cli.common import (
    Config,
    Device,
    Json,
    Models,
    Offline,
    Output,
    Overwrite,
    Precision,
    Resamples,
    Seed,
    free_target,
    leave,
    one_of,
    options,
)

Contexts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME|PATH",
        help="Text that sentences are drawn from: a corpus of the catalog or a file; several are one text. "
        "enwiki-sample if not given.",
    ),
]
LowerCase = Annotated[bool, typer.Option("--lower-case", help="Lower-case the text, as the authors' code does.")]


def run_static(
    models: Models = None,
    contexts: Contexts = None,
    sentences: Annotated[
        list[int] | None, typer.Option(help="Sentences to aggregate over; repeatable: all from one pass.")
    ] = None,
    per_word: Annotated[int, typer.Option(help="Contexts of a word in the bias experiments.")] = 20,
    pairs: Annotated[list[str] | None, typer.Option(help="Word pairs: a name or a file; repeatable.")] = None,
    experiment: Annotated[list[str] | None, typer.Option(help="quality, bias, agreement; all if not given.")] = None,
    lower_case: LowerCase = False,
    resamples: Resamples = 1_000,
    device: Device = "auto",
    precision: Precision = "float32",
    seed: Seed = 0,
    output: Output = None,
    overwrite: Overwrite = False,
    json: Json = False,
    offline: Offline = False,
    config: Config = None,
) -> None:
    """Contextual models reduced to static embeddings: quality and bias by layer (Bommasani et al.)."""
    from wordworth.study.static import static

    leave(
        "static",
        static,
        output,
        overwrite,
        json,
        models,
        options(seed, "fold", "one", "auto", 1, False, resamples=resamples),
        contexts=contexts or (),
        sentences=sentences or (),
        per_word=per_word,
        pairs=pairs or (),
        experiments=experiment or (),
        lower_case=lower_case,
        device=device,
        dtype=precision,
    )


def export(
    model: Annotated[str, typer.Argument(help="A language model: a name of the catalog or of the hub, or a path.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help=".vec or .txt (word2vec text), .bin, .npz.")
    ],
    layer: Annotated[
        int | None, typer.Option(help="Layer; −1 is the last. A quarter of the way up if not given.")
    ] = None,
    contexts: Contexts = None,
    vocabulary: Annotated[
        str, typer.Option(help="similarity (2,005 words), a lexicon, a word set, or a file with a word a line.")
    ] = "similarity",
    per_word: Annotated[int | None, typer.Option(help="Contexts of a word, at most; 100 if not given.")] = None,
    sentences: Annotated[int | None, typer.Option(help="Sentences in all, instead of --per-word.")] = None,
    pooling: Annotated[
        str, typer.Option(help="f/g: subwords by min, max, mean or last; contexts by min, max or mean.")
    ] = "mean/mean",
    weighting: Annotated[str, typer.Option(help="Weight of contexts: uniform or inverse-frequency.")] = "uniform",
    all_but_the_top: Annotated[
        int | None, typer.Option(metavar="K", help="Take the mean and K principal components off.")
    ] = None,
    language: Annotated[str, typer.Option(help="Language of text and words.")] = "english",
    lower_case: LowerCase = False,
    device: Device = "auto",
    precision: Precision = "float32",
    seed: Seed = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
    json: Json = False,
    offline: Offline = False,
    config: Config = None,
) -> None:
    """A static embedding out of a contextual model, in a file that other programs read."""
    from wordworth import display
    from wordworth.embedding import save
    from wordworth.study.static import export as exported

    free_target(output, overwrite)
    made = exported(
        model,
        layer=layer,
        contexts=contexts or (),
        vocabulary=vocabulary,
        per_word=per_word,
        sentences=sentences,
        pooling=pooling,
        weighting=one_of("weighting", weighting, ("uniform", "inverse-frequency")),
        all_but_the_top=all_but_the_top,
        language=language,
        lower_case=lower_case,
        device=device,
        dtype=precision,
        seed=seed,
    )
    save(made.embedding, output)
    count = len(made.embedding)
    if json:
        facts = {"file": str(output), "words": count, "dimensions": made.embedding.dim, "layer": made.layer}
        facts |= {"steps": made.embedding.provenance.steps, "sentences": made.sentences, "windowed": made.windowed}
        display.print_json({**facts, "never_met": made.never_met, "dropped": made.dropped, "broken": made.broken})
        return
    told = [f"{sentence}; the rest was used" for sentence in made.broken]
    if made.never_met:
        some = ", ".join(made.never_met[:8]) + (", …" if len(made.never_met) > 8 else "")
        told.append(f"never met, so decontextualized: {len(made.never_met):,} words ({some}); --json lists them")
    if made.windowed:
        told.append(f"longer than the model admits, so windowed: {made.windowed:,} contexts")
    told += [f"left out: {sentence}" for sentence in made.dropped]
    for sentence in told:
        display.err.print(sentence, style="yellow", markup=False, soft_wrap=True)
    size = f"{count:,} words × {made.embedding.dim}, {', '.join(made.embedding.provenance.steps)}"
    display.out.print(size, markup=False, soft_wrap=True)
    display.out.print(str(output), markup=False, soft_wrap=True)
