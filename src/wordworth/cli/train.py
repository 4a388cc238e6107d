"""Define `wordworth train-nli` and `finetune-nli`, which train NLI models on vectors, ELMo or any encoder."""

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from wordworth.cli import display
from wordworth.cli.commands import interrupt_message
from wordworth.cli.options import NO_DEFAULT, RUN_OPTIONS, model_argument, output_option, with_options
from wordworth.study.infer import LABEL_MAP
from wordworth.study.shared_settings import LayeredTakenOut, TakenOut
from wordworth.task.settings import DEVICE, HOW, ON, Name, Seeding, setting

Folder = Annotated[Path, output_option("DIR", "Where to write: the folder of the model.")]
_CHECKPOINT_NOTE = "Finished epochs are in {}; the same command continues after them."


class NliDataSettings(TakenOut, Seeding):
    """Choose the data to train an NLI model on, to stop by and to measure on."""

    data: tuple[Name, ...] = setting(
        (), "Pairs to train on: a name (`wordworth ls nli`) or .jsonl, .csv, .tsv, .parquet.", ON, catalog="nli"
    )
    dev: tuple[Name, ...] = setting((), "Labelled pairs that decide when to stop.", ON, catalog="nli")
    accuracy: tuple[Name, ...] = setting(
        (),
        "Labelled pairs to measure accuracy on; their premises are removed from the training data.",
        ON,
        catalog="nli",
    )
    label_map: Mapping[str, str] | None = setting(None, **LABEL_MAP)
    hold_out: float = setting(
        0.1,
        "Without --dev: share of the first data set's premises to hold out, to decide when to stop.",
        ON,
        least=0,
        most=0.9,
    )
    longest: int | None = setting(None, "Skip pairs with a sentence of more words than this.", ON, least=1)


class TrainSettings(NliDataSettings, LayeredTakenOut):
    """Set the decomposable attention model and its training."""

    vectors: Name = setting(
        "glove-6b-50d", "Word vectors, or a folder with ELMo's options.json and .hdf5.", ON, catalog="models/static"
    )
    network: str = setting(
        "default",
        "Network and training: default (ours), dev2020 (the authors' code), or dev2020-average (the same with "
        "averaged weights).",
        HOW,
        choices=("default", "dev2020", "dev2020-average"),
    )
    hidden: int = setting(200, "Width of the encoder, both directions together.", HOW, least=2, most=65_536)
    dropout: float = setting(0.2, "Dropout: share of units dropped in training.", HOW, least=0, most=0.95)
    epochs: int = setting(100, "Largest number of passes over the data.", HOW, least=1, most=100_000)
    patience: int | None = setting(
        None,
        "Stop after this many epochs without a better dev accuracy. Unless given: 5, or no limit for dev2020.",
        HOW,
        least=1,
    )
    batch: int = setting(32, "Largest number of pairs per step; all have the same length.", HOW, least=1, most=100_000)
    rate: float = setting(1e-3, "Learning rate of Adam.", HOW, least=1e-9, most=10)
    threads: int = setting(1, "Number of cores; the same number gives the same model.", HOW, least=1, most=1024)
    device: str = setting("auto", "auto, cpu or cuda.", HOW, choices=("auto", "cpu", "cuda"))


class FinetuneSettings(NliDataSettings):
    """Set the fine-tuning of an encoder."""

    epochs: int = setting(
        3, "Passes over the data; the one that is best on the held-out pairs is kept.", HOW, least=1, most=10_000
    )
    batch: int = setting(32, "Pairs per step.", HOW, least=1, most=100_000)
    rate: float = setting(3e-5, "Highest learning rate.", HOW, least=1e-9, most=10)
    precision: str = setting(
        "float32",
        "float32, or bfloat16 for products (faster on a GPU); weights stay float32.",
        HOW,
        choices=("float32", "bfloat16"),
    )
    device: str = setting("auto", group=HOW, **DEVICE)


def _train(settings: TrainSettings, output: Path, overwrite: bool, json: bool, **_: Any) -> None:
    from wordworth.files import refuse_unwritable
    from wordworth.nli.loading import vectors_to_train_on
    from wordworth.nli.train_nli import RECIPES, TrainingRecipe, discard_training
    from wordworth.nli.train_nli import train_nli as trained
    from wordworth.study.infer.versions import remove_before_training

    refuse_unwritable(output)
    if overwrite:
        discard_training(output)
    recipe_settings = _select_settings(settings, TrainingRecipe) | {"device": _device(settings.device)}
    if settings.patience is None:
        del recipe_settings["patience"]
    recipe = replace(RECIPES[settings.network], **recipe_settings)
    with interrupt_message(_CHECKPOINT_NOTE.format(output)):
        sets = _sets(settings)
        vectors = vectors_to_train_on(settings.vectors, settings.seed)
        results = trained(
            remove_before_training(vectors, settings, settings.seed, display.print_notice),
            sets,
            output,
            recipe=recipe,
            say=partial(display.print_notice, style=""),
        )
    if json:
        display.print_json({"folder": str(output), **results})
        return
    rows = [{"part": part, **row} for part in ("training", "dev", "test") for row in results[part]]
    _show(rows, f"best of {results['epochs']} epochs: {results['best_epoch']}", output)


def _select_settings(settings: NliDataSettings, recipe: type) -> dict[str, Any]:
    """Return the settings that are fields of a recipe."""
    return {name: value for name, value in settings if name in {field.name for field in fields(recipe)}}


def _device(name: str) -> str:
    """Return the device; auto is the accelerator if there is one."""
    import torch

    return name if name != "auto" else "cuda" if torch.cuda.is_available() else "cpu"


def _finetune(settings: FinetuneSettings, encoder: str, output: Path, overwrite: bool, json: bool, **_: Any) -> None:
    from wordworth.catalog.models import locate_language_model
    from wordworth.encode.training import best_epoch
    from wordworth.files import refuse_existing, refuse_unwritable
    from wordworth.nli.cross_encoder import untrained_cross_encoder
    from wordworth.nli.finetune_nli import FinetuneRecipe, discard_training, finetune_nli, is_unfinished
    from wordworth.nli.nli import accuracy
    from wordworth.repair.subwords import embed_words
    from wordworth.study.mitigation import learn_removed

    refuse_unwritable(output)
    if overwrite:
        discard_training(output)
    elif not is_unfinished(output):
        refuse_existing(output)
    recipe = FinetuneRecipe(**_select_settings(settings, FinetuneRecipe))
    sets = _sets(settings)
    place = locate_language_model(encoder)
    encoder_model = untrained_cross_encoder(place.place, device=settings.device, name=place.name, seed=settings.seed)
    subspace = learn_removed(settings, lambda words: embed_words(encoder_model.head_model, list(words)), settings.seed)
    training, dev_pairs = ([pair for data in part for pair in data.examples()] for part in (sets.training, sets.dev))
    with interrupt_message(_CHECKPOINT_NOTE.format(output)):
        model, history = finetune_nli(
            encoder_model,
            training,
            output,
            dev=dev_pairs,
            projection=subspace,
            recipe=recipe,
            say=partial(display.print_notice, style=""),
        )
    best_index = best_epoch(history)
    rows = [
        {"part": part, "name": data.name, "pairs": len(data), "accuracy": accuracy(model, data.examples())}
        for part, data_sets in (("dev", sets.dev), ("test", sets.tests))
        for data in data_sets
    ]
    if json:
        losses = [epoch["loss"] for epoch in history]
        display.print_json({"folder": str(output), "kept": best_index, "losses": losses, "accuracy": rows})
        return
    _show(rows, f"best of {len(history)} epochs: {best_index}", output)


def _sets(settings: NliDataSettings) -> Any:
    """Load the pairs to train on, to stop by and to measure on; report skipped ones."""
    from wordworth.nli.train_nli import load_sets

    options = {name: getattr(settings, name) for name in ("hold_out", "longest", "seed", "label_map")}
    sets = load_sets(settings.data, settings.dev, settings.accuracy, **options)
    for data_set in (*sets.training, *sets.dev, *sets.tests):
        for reason, count in data_set.left_out.items():
            if count:
                display.print_notice(f"skipped in {data_set.name}: {count:,} {reason}")
    return sets


def _show(rows: list[dict[str, Any]], summary: str, output: Path) -> None:
    cells = []
    for row in rows:
        accuracy = f"{100 * row['accuracy']:.2f}" if "accuracy" in row else ""
        cells.append((row["part"], row["name"], f"{row['pairs']:,}", accuracy))
    display.print_text_table("", ["part", "data", "pairs", "accuracy"], cells)
    display.print_line(summary)
    display.print_line(str(output))


_ENCODER = model_argument("A name of the catalog or the hub, or a folder.", ("encoder", "masked"), "ENCODER")
_TRAIN_OPTIONS = {**RUN_OPTIONS, "output": (Folder, NO_DEFAULT)}

train_nli = with_options(
    TrainSettings,
    _train,
    _TRAIN_OPTIONS,
    "Train the decomposable attention model on NLI data. Run it again to continue a stopped training.",
)

finetune_nli = with_options(
    FinetuneSettings,
    _finetune,
    {"encoder": (_ENCODER, NO_DEFAULT), **_TRAIN_OPTIONS},
    "Fine-tune any encoder on NLI data, without a bias direction if one is named; run it again to continue.",
)
