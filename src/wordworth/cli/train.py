"""`wordworth train-nli`: an NLI model over word vectors or ELMo."""

from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.cli.common import Config, Json, Offline, one_of

Data = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME|FILE", help="Pairs to train on: a name (`wordworth ls nli`) or .jsonl, .tsv, .parquet."),
]


def train_nli(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder of the model.")],
    data: Data = None,
    dev: Annotated[list[str] | None, typer.Option(metavar="NAME|FILE", help="Pairs to stop by.")] = None,
    test: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME|FILE", help="Pairs to measure on; their premises are never trained on."),
    ] = None,
    vectors: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="Word vectors, or a folder with ELMo's options.json and .hdf5.")
    ] = "glove-6b-50d",
    hold_out: Annotated[
        float, typer.Option(help="Without --dev: share of the premises of the first data set to stop by.")
    ] = 0.1,
    longest: Annotated[
        int | None, typer.Option(help="Leave out pairs with a sentence of more words than this.")
    ] = None,
    hidden: Annotated[int, typer.Option(help="Width of the encoder, both directions together.")] = 200,
    dropout: Annotated[float, typer.Option(help="Share of units dropped in training.")] = 0.2,
    beside: Annotated[
        bool | None,
        typer.Option(
            "--beside/--no-beside", help="Put the vectors beside the encoder's output; only for ELMo if not given."
        ),
    ] = None,
    epochs: Annotated[int, typer.Option(help="Passes over the data, at most.")] = 100,
    patience: Annotated[int, typer.Option(help="Epochs without a better dev accuracy before it stops.")] = 5,
    batch: Annotated[int, typer.Option(help="Pairs a step, at most; all of one length.")] = 32,
    rate: Annotated[float, typer.Option(help="Learning rate of Adam.")] = 1e-3,
    smoothing: Annotated[float, typer.Option(help="Label smoothing.")] = 0.0,
    average: Annotated[
        float, typer.Option(help="Decay of the averaged weights, which are kept; 0: no average.")
    ] = 0.999,
    threads: Annotated[int, typer.Option(help="Cores; the same number gives the same model.")] = 1,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    seed: Annotated[int, typer.Option(help="Seed of all that is random.")] = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Begin anew where another training lies.")] = False,
    json: Json = False,
    offline: Offline = False,
    config: Config = None,
) -> None:
    """Train the decomposable attention model on NLI data; run again, it goes on where it was stopped."""
    from wordworth import display
    from wordworth.infer.train import Recipe
    from wordworth.infer.training import chosen_sets, cleared
    from wordworth.infer.training import train_nli as trained

    if overwrite:
        cleared(output)
    recipe = Recipe(
        epochs=epochs,
        patience=patience,
        batch=batch,
        rate=rate,
        smoothing=smoothing,
        average=average,
        seed=seed,
        threads=threads,
        device=one_of("device", device, ("cpu", "cuda")),
    )
    sets = chosen_sets(data or (), dev or (), test or (), hold_out=hold_out, longest=longest, seed=seed)
    for one in (*sets.training, *sets.dev, *sets.tests):
        for reason, count in one.left_out.items():
            if count:
                display.err.print(f"left out of {one.name}: {count:,} {reason}", style="yellow", markup=False)

    def say(sentence: str) -> None:
        display.err.print(sentence, markup=False, soft_wrap=True)

    results = trained(vectors, sets, output, hidden=hidden, dropout=dropout, beside=beside, recipe=recipe, say=say)
    if json:
        display.print_json({"folder": str(output), **results})
        return
    rows = [_row(part, one) for part in ("training", "dev", "test") for one in results[part]]
    display.table("", ["part", "data", "pairs", "accuracy"], rows, right=[2, 3])
    display.out.print(f"best of {results['epochs']} epochs: {results['best_epoch']}", markup=False)
    display.out.print(str(output), markup=False, soft_wrap=True)


def _row(part: str, one: dict[str, Any]) -> tuple[str, str, str, str]:
    right = f"{100 * one['accuracy']:.2f}" if "accuracy" in one else ""
    return part, one["name"], f"{one['pairs']:,}", right
