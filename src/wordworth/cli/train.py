"""`wordworth train-nli` and `finetune-nli`: NLI models over word vectors or ELMo, and out of any encoder."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.cli.commands import OUTPUT, named, telling
from wordworth.cli.options import SHARED, output_option, with_options
from wordworth.study.infer import LABEL_MAP
from wordworth.study.shared_settings import LayeredTakenOut, TakenOut
from wordworth.task.settings import DEVICE, HOW, ON, Named, Seeded, setting

Folder = Annotated[Path, output_option("DIR", "Where to write: the folder of the model.")]
REQUIRED = inspect.Parameter.empty
_KEPT = "Epochs that have ended are in {}; the same command goes on after them."


@dataclass(frozen=True, kw_only=True)
class NliDataSettings(TakenOut, Seeded):
    """What an NLI model is trained on, stopped by and measured on."""

    data: tuple[Named, ...] = setting(
        (),
        "Pairs to train on: a name (`wordworth ls nli`) or .jsonl, .csv, .tsv, .parquet.",
        ON,
        catalog="nli",
    )
    dev: tuple[Named, ...] = setting((), "Pairs to stop by.", ON, catalog="nli")
    accuracy: tuple[Named, ...] = setting(
        (),
        "Labelled pairs that accuracy is measured on; their premises are never trained on.",
        ON,
        catalog="nli",
    )
    label_map: Mapping[str, str] | None = setting(None, **LABEL_MAP)
    hold_out: float = setting(
        0.1, "Without --dev: share of the premises of the first data set to stop by.", ON, least=0, most=0.9
    )
    longest: int | None = setting(None, "Leave out pairs with a sentence of more words than this.", ON, least=1)


@dataclass(frozen=True, kw_only=True)
class TrainSettings(NliDataSettings, LayeredTakenOut):
    """The decomposable attention model and its training."""

    vectors: Named = setting(
        "glove-6b-50d", "Word vectors, or a folder with ELMo's options.json and .hdf5.", ON, catalog="models/static"
    )
    hidden: int = setting(200, "Width of the encoder, both directions together.", HOW, least=2, most=65_536)
    dropout: float = setting(0.2, "Share of units dropped in training.", HOW, least=0, most=0.95)
    beside: bool | None = setting(None, "Put the vectors beside the encoder's output; only for ELMo if not given.", HOW)
    epochs: int = setting(100, "Passes over the data, at most.", HOW, least=1, most=100_000)
    patience: int = setting(5, "Epochs without a better dev accuracy before it stops.", HOW, least=1)
    batch: int = setting(32, "Pairs a step, at most; all of one length.", HOW, least=1, most=100_000)
    rate: float = setting(1e-3, "Learning rate, of Adam.", HOW, least=1e-9, most=10)
    smoothing: float = setting(0.0, "Label smoothing.", HOW, least=0, most=0.99)
    average: float = setting(
        0.999, "Decay of the averaged weights, which are kept; 0: no average.", HOW, least=0, most=1
    )
    threads: int = setting(1, "Cores; the same number gives the same model.", HOW, least=1, most=1024)
    device: str = setting("auto", "auto, cpu or cuda.", HOW, choices=("auto", "cpu", "cuda"))


@dataclass(frozen=True, kw_only=True)
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
    from wordworth.cli import display
    from wordworth.files import refuse_unwritable
    from wordworth.nli.loading import vectors_to_train_on
    from wordworth.nli.train_nli import NetworkSize, Recipe, discard_training
    from wordworth.nli.train_nli import train_nli as trained
    from wordworth.study.infer.versions import trained_without

    refuse_unwritable(output)
    if overwrite:
        discard_training(output)
    names = ("epochs", "patience", "batch", "rate", "smoothing", "average", "seed", "threads")
    recipe = Recipe(device=_device(settings.device), **{name: getattr(settings, name) for name in names})
    with telling(lambda: _KEPT.format(output)):
        sets = _sets(settings)
        vectors = vectors_to_train_on(settings.vectors, settings.seed)
        results = trained(
            trained_without(vectors, settings, settings.seed, display.notice),
            sets,
            output,
            NetworkSize(settings.hidden, dropout=settings.dropout, beside=settings.beside),
            recipe=recipe,
            say=_say,
        )
    if json:
        display.print_json({"folder": str(output), **results})
        return
    rows = [{"part": part, **one} for part in ("training", "dev", "test") for one in results[part]]
    _show(rows, f"best of {results['epochs']} epochs: {results['best_epoch']}", output)


def _say(sentence: str) -> None:
    from wordworth.cli import display

    display.notice(sentence, "")


def _device(named: str) -> str:
    """auto is the accelerator, where there is one."""
    import torch

    return named if named != "auto" else "cuda" if torch.cuda.is_available() else "cpu"


def _finetune(settings: FinetuneSettings, encoder: str, output: Path, overwrite: bool, json: bool, **_: Any) -> None:
    from wordworth.catalog.models import locate_language_model
    from wordworth.cli import display
    from wordworth.encode.training import best_epoch
    from wordworth.files import refuse_existing, refuse_unwritable
    from wordworth.nli.cross_encoder import untrained_cross_encoder
    from wordworth.nli.finetune_nli import FinetuneRecipe, discard_training, finetune_nli, is_unfinished
    from wordworth.nli.nli import accuracy
    from wordworth.repair.subwords import piece_vectors
    from wordworth.study.mitigation import taken_out

    refuse_unwritable(output)
    if overwrite:
        discard_training(output)
    elif not is_unfinished(output):
        refuse_existing(output)
    names = ("epochs", "rate", "batch", "precision", "seed")
    recipe = FinetuneRecipe(**{name: getattr(settings, name) for name in names})
    sets = _sets(settings)
    place = locate_language_model(encoder)
    fresh = untrained_cross_encoder(place.place, device=settings.device, name=place.name, seed=settings.seed)
    subspace = taken_out(settings, lambda words: piece_vectors(fresh.headed, list(words)), settings.seed)
    training, held = ([pair for one in part for pair in one.examples()] for part in (sets.training, sets.dev))
    with telling(lambda: _KEPT.format(output)):
        model, history = finetune_nli(fresh, training, output, dev=held, projection=subspace, recipe=recipe, say=_say)
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
    """The pairs to train on, to stop by and to measure on; what was left out of them is reported."""
    from wordworth.cli import display
    from wordworth.nli.examples import load_sets

    sets = load_sets(
        settings.data,
        settings.dev,
        settings.accuracy,
        hold_out=settings.hold_out,
        longest=settings.longest,
        seed=settings.seed,
        label_map=settings.label_map,
    )
    for one in (*sets.training, *sets.dev, *sets.tests):
        for reason, count in one.left_out.items():
            if count:
                display.notice(f"left out of {one.name}: {count:,} {reason}")
    return sets


def _show(rows: list[dict[str, Any]], best: str, output: Path) -> None:
    from wordworth.cli import display

    accuracies = [f"{100 * one['accuracy']:.2f}" if "accuracy" in one else "" for one in rows]
    cells = [
        (one["part"], one["name"], f"{one['pairs']:,}", right) for one, right in zip(rows, accuracies, strict=True)
    ]
    display.table("", ["part", "data", "pairs", "accuracy"], cells, right=[2, 3])
    display.line(best)
    display.line(str(output))


_RESTART = Annotated[
    bool,
    typer.Option("--overwrite", help="Replace what is there: begin anew.", rich_help_panel=OUTPUT),
]
_ENCODER = Annotated[
    str,
    typer.Argument(
        metavar="ENCODER",
        help="A name of the catalog or the hub, or a folder.",
        autocompletion=named("models", ("encoder", "masked")),
    ),
]
_SHARED = {**SHARED, "output": (Folder, REQUIRED), "overwrite": (_RESTART, False)}

train_nli = with_options(
    TrainSettings,
    _train,
    _SHARED,
    "Train the decomposable attention model on NLI data; run again, it goes on where it was stopped.",
)

finetune_nli = with_options(
    FinetuneSettings,
    _finetune,
    {"encoder": (_ENCODER, REQUIRED), **_SHARED},
    "Fine-tune any encoder on NLI data, without a bias direction if one is named; run again, it goes on.",
)
