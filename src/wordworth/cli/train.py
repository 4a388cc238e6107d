"""`wordworth train-nli` and `finetune-nli`: NLI models over word vectors or ELMo, and out of any encoder."""

from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.cli.common import (
    Config,
    Device,
    Json,
    Offline,
    Seed,
    one_of,
)
from wordworth.errors import WordworthError

Folder = Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder of the model.")]
Dev = Annotated[list[str] | None, typer.Option(metavar="NAME|FILE", help="Pairs to stop by.")]
Test = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME|FILE", help="Pairs to measure on; their premises are never trained on."),
]
HoldOut = Annotated[float, typer.Option(help="Without --dev: share of the premises of the first data set to stop by.")]
Longest = Annotated[int | None, typer.Option(help="Leave out pairs with a sentence of more words than this.")]

Data = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME|FILE", help="Pairs to train on: a name (`wordworth ls nli`) or .jsonl, .tsv, .parquet."),
]


def train_nli(
    output: Folder,
    data: Data = None,
    dev: Dev = None,
    test: Test = None,
    vectors: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="Word vectors, or a folder with ELMo's options.json and .hdf5.")
    ] = "glove-6b-50d",
    hold_out: HoldOut = 0.1,
    longest: Longest = None,
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
    seed: Seed = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Begin anew where another training lies.")] = False,
    json: Json = False,
    offline: Offline = False,
    config: Config = None,
) -> None:
    """Train the decomposable attention model on NLI data; run again, it goes on where it was stopped."""
    from wordworth import display
    from wordworth.infer.training.fit import Recipe
    from wordworth.infer.training.train_nli import NetworkSize, chosen_sets, cleared
    from wordworth.infer.training.train_nli import train_nli as trained

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
    sets = _told(chosen_sets(data or (), dev or (), test or (), hold_out=hold_out, longest=longest, seed=seed))

    def say(sentence: str) -> None:
        display.err.print(sentence, markup=False, soft_wrap=True)

    results = trained(
        vectors, sets, output, NetworkSize(hidden, dropout=dropout, beside=beside), recipe=recipe, say=say
    )
    if json:
        display.print_json({"folder": str(output), **results})
        return
    rows = [_row(part, one) for part in ("training", "dev", "test") for one in results[part]]
    display.table("", ["part", "data", "pairs", "accuracy"], rows, right=[2, 3])
    display.out.print(f"best of {results['epochs']} epochs: {results['best_epoch']}", markup=False)
    display.out.print(str(output), markup=False, soft_wrap=True)


def finetune_nli(
    encoder: Annotated[str, typer.Argument(help="A name of the catalog or the hub, or a folder.")],
    output: Folder,
    data: Data = None,
    dev: Dev = None,
    test: Test = None,
    project: Annotated[
        str, typer.Option(metavar="A,B", help="Take this direction out of the subword embeddings, all the while.")
    ] = "",
    hold_out: HoldOut = 0.1,
    longest: Longest = None,
    epochs: Annotated[int, typer.Option(help="Passes over the data; the best on the held-out pairs is kept.")] = 3,
    batch: Annotated[int, typer.Option(help="Pairs a step.")] = 32,
    rate: Annotated[float, typer.Option(help="Learning rate at its height.")] = 3e-5,
    device: Device = "auto",
    seed: Seed = 0,
    json: Json = False,
    offline: Offline = False,
    config: Config = None,
) -> None:
    """Fine-tune any encoder on NLI data, with a bias direction taken out of its subwords if one is named."""
    from wordworth import display
    from wordworth.catalog.language_models import locate_language_model
    from wordworth.infer.model.cross_encoder import untrained_cross_encoder
    from wordworth.infer.model.nli import accuracy
    from wordworth.infer.model.projection import piece_vectors
    from wordworth.infer.training.finetune_nli import FinetuneRecipe, finetune_nli
    from wordworth.infer.training.train_nli import chosen_sets
    from wordworth.transform import difference_direction

    if output.exists():
        raise WordworthError(f"{output} is there already; choose another folder with -o")
    words = [word.strip() for word in project.split(",")] if project else []
    if words and (len(words) != 2 or not all(words)):
        raise WordworthError(f"--project is {project!r}; write two words, such as he,she")
    recipe = FinetuneRecipe(epochs=epochs, rate=rate, batch=batch, seed=seed)
    sets = _told(chosen_sets(data or (), dev or (), test or (), hold_out=hold_out, longest=longest, seed=seed))
    found = locate_language_model(encoder)
    fresh = untrained_cross_encoder(found.place, device=device, name=found.name, seed=seed)
    direction = difference_direction(piece_vectors(fresh.headed, words), *words) if words else None
    training, held = ([pair for one in part for pair in one.examples()] for part in (sets.training, sets.dev))
    model, history = finetune_nli(fresh, training, output, dev=held, projection=direction, recipe=recipe)
    rows = [
        {"part": part, "name": one.name, "pairs": len(one), "accuracy": accuracy(model, one.examples())}
        for part, several in (("dev", sets.dev), ("test", sets.tests))
        for one in several
    ]
    if json:
        display.print_json({"folder": str(output), "kept": history.kept, "losses": history.losses, "accuracy": rows})
        return
    display.table("", ["part", "data", "pairs", "accuracy"], [_row(one["part"], one) for one in rows], right=[2, 3])
    display.out.print(f"best of {len(history.losses)} epochs: {history.kept}", markup=False)
    display.out.print(str(output), markup=False, soft_wrap=True)


def _told(sets: Any) -> Any:
    """The sets again, once what was left out of them is told."""
    from wordworth import display

    for one in (*sets.training, *sets.dev, *sets.tests):
        for reason, count in one.left_out.items():
            if count:
                display.err.print(f"left out of {one.name}: {count:,} {reason}", style="yellow", markup=False)
    return sets


def _row(part: str, one: dict[str, Any]) -> tuple[str, str, str, str]:
    right = f"{100 * one['accuracy']:.2f}" if "accuracy" in one else ""
    return part, one["name"], f"{one['pairs']:,}", right
