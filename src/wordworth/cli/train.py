"""`wordworth train-nli` and `finetune-nli`: NLI models over word vectors or ELMo, and out of any encoder."""

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
_CHECKPOINT_NOTE = "Epochs that have ended are in {}; the same command goes on after them."


class NliDataSettings(TakenOut, Seeding):
    """What an NLI model is trained on, stopped by and measured on."""

    data: tuple[Name, ...] = setting(
        (), "Pairs to train on: a name (`wordworth ls nli`) or .jsonl, .csv, .tsv, .parquet.", ON, catalog="nli"
    )
    dev: tuple[Name, ...] = setting((), "Pairs to stop by.", ON, catalog="nli")
    accuracy: tuple[Name, ...] = setting(
        (), "Labelled pairs that accuracy is measured on; their premises are never trained on.", ON, catalog="nli"
    )
    label_map: Mapping[str, str] | None = setting(None, **LABEL_MAP)
    hold_out: float = setting(
        0.1, "Without --dev: share of the premises of the first data set to stop by.", ON, least=0, most=0.9
    )
    longest: int | None = setting(None, "Leave out pairs with a sentence of more words than this.", ON, least=1)


class TrainSettings(NliDataSettings, LayeredTakenOut):
    """The decomposable attention model and its training."""

    vectors: Name = setting(
        "glove-6b-50d", "Word vectors, or a folder with ELMo's options.json and .hdf5.", ON, catalog="models/static"
    )
    network: str = setting(
        "default",
        "The network and its training: ours, or those of the authors' code; dev2020-average keeps averaged weights.",
        HOW,
        choices=("default", "dev2020", "dev2020-average"),
    )
    hidden: int = setting(200, "Width of the encoder, both directions together.", HOW, least=2, most=65_536)
    dropout: float = setting(0.2, "Share of units dropped in training.", HOW, least=0, most=0.95)
    epochs: int = setting(100, "Passes over the data, at most.", HOW, least=1, most=100_000)
    patience: int | None = setting(
        None,
        "Epochs without a better dev accuracy before it stops; unless given 5, and for dev2020 no limit.",
        HOW,
        least=1,
    )
    batch: int = setting(32, "Pairs a step, at most; all of one length.", HOW, least=1, most=100_000)
    rate: float = setting(1e-3, "Learning rate, of Adam.", HOW, least=1e-9, most=10)
    threads: int = setting(1, "Cores; the same number gives the same model.", HOW, least=1, most=1024)
    device: str = setting("auto", "auto, cpu or cuda.", HOW, choices=("auto", "cpu", "cuda"))


class FinetuneSettings(NliDataSettings):
    """Fine-tuning of an encoder."""

    epochs: int = setting(3, "Passes over the data; the best on the held-out pairs is kept.", HOW, least=1, most=10_000)
    batch: int = setting(32, "Pairs a step.", HOW, least=1, most=100_000)
    rate: float = setting(3e-5, "Learning rate, at its height.", HOW, least=1e-9, most=10)
    precision: str = setting(
        "float32",
        "Of the network's numbers; bfloat16: of its products, faster on an accelerator; its weights stay float32.",
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
    chosen = _select_settings(settings, TrainingRecipe) | {"device": _device(settings.device)}
    if settings.patience is None:
        del chosen["patience"]
    recipe = replace(RECIPES[settings.network], **chosen)
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
    rows = [{"part": part, **one} for part in ("training", "dev", "test") for one in results[part]]
    _show(rows, f"best of {results['epochs']} epochs: {results['best_epoch']}", output)


def _select_settings(settings: NliDataSettings, recipe: type) -> dict[str, Any]:
    """Return the settings that are fields of a recipe."""
    return {name: value for name, value in settings if name in {field.name for field in fields(recipe)}}


def _device(named: str) -> str:
    """Return the device; auto is the accelerator if there is one."""
    import torch

    return named if named != "auto" else "cuda" if torch.cuda.is_available() else "cpu"


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
    fresh = untrained_cross_encoder(place.place, device=settings.device, name=place.name, seed=settings.seed)
    subspace = learn_removed(settings, lambda words: embed_words(fresh.head_model, list(words)), settings.seed)
    training, held = ([pair for one in part for pair in one.examples()] for part in (sets.training, sets.dev))
    with interrupt_message(_CHECKPOINT_NOTE.format(output)):
        model, history = finetune_nli(
            fresh,
            training,
            output,
            dev=held,
            projection=subspace,
            recipe=recipe,
            say=partial(display.print_notice, style=""),
        )
    best = best_epoch(history)
    rows = [
        {"part": part, "name": one.name, "pairs": len(one), "accuracy": accuracy(model, one.examples())}
        for part, several in (("dev", sets.dev), ("test", sets.tests))
        for one in several
    ]
    if json:
        losses = [epoch["loss"] for epoch in history]
        display.print_json({"folder": str(output), "kept": best, "losses": losses, "accuracy": rows})
        return
    _show(rows, f"best of {len(history)} epochs: {best}", output)


def _sets(settings: NliDataSettings) -> Any:
    """Return the pairs to train on, to stop by and to measure on; what was left out of them is reported."""
    from wordworth.nli.train_nli import load_sets

    more = {name: getattr(settings, name) for name in ("hold_out", "longest", "seed", "label_map")}
    sets = load_sets(settings.data, settings.dev, settings.accuracy, **more)
    for one in (*sets.training, *sets.dev, *sets.tests):
        for reason, count in one.left_out.items():
            if count:
                display.print_notice(f"skipped in {one.name}: {count:,} {reason}")
    return sets


def _show(rows: list[dict[str, Any]], best: str, output: Path) -> None:
    cells = []
    for one in rows:
        accuracy = f"{100 * one['accuracy']:.2f}" if "accuracy" in one else ""
        cells.append((one["part"], one["name"], f"{one['pairs']:,}", accuracy))
    display.print_text_table("", ["part", "data", "pairs", "accuracy"], cells)
    display.print_line(best)
    display.print_line(str(output))


_ENCODER = model_argument("A name of the catalog or the hub, or a folder.", ("encoder", "masked"), "ENCODER")
_TRAIN_OPTIONS = {**RUN_OPTIONS, "output": (Folder, NO_DEFAULT)}

train_nli = with_options(
    TrainSettings,
    _train,
    _TRAIN_OPTIONS,
    "Train the decomposable attention model on NLI data; run again, it goes on where it was stopped.",
)

finetune_nli = with_options(
    FinetuneSettings,
    _finetune,
    {"encoder": (_ENCODER, NO_DEFAULT), **_TRAIN_OPTIONS},
    "Fine-tune any encoder on NLI data, without a bias direction if one is named; run again, it goes on.",
)
