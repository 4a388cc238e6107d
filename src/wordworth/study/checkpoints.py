"""The checkpoints of a training in a folder, as `Trainer` and others leave them, in the order of their steps."""

import re
from collections.abc import Iterator
from pathlib import Path

from wordworth.catalog.resolve import split_label
from wordworth.errors import WordworthError, listed
from wordworth.run.vocabulary import at_step

_NUMBER = re.compile(r"(\d{1,15})(?!.*\d)")
"""The last number of a name: of `checkpoint-500`, `step500` or `lr0.1-step500`."""
WEIGHTS = ("*.safetensors", "*.gguf")
TOKENIZERS = ("tokenizer*", "vocab*", "spiece*", "*.model", "*.gguf")


def checkpoints(named: str | Path) -> list[str]:
    """`NAME@step500=DIR/checkpoint-500` for each checkpoint of a folder: models that every study takes.

    A checkpoint is a folder in it that has a config.json and a number in its name. NAME is that of the folder, or the
    label of `LABEL=DIR`. One that cannot be loaded is an error now, and not after the others were measured.
    """
    label, folder = _folder(named)
    steps: dict[int, Path] = {}
    for place, step in _with_config(folder):
        if step in steps:
            raise WordworthError(
                f"{steps[step].name} and {place.name} in {folder} are both of step {step}; take one of them away"
            )
        if step is not None:
            _refuse_unreadable(place)
            steps[step] = place
    if not steps:
        raise WordworthError(
            f"{folder} holds no checkpoint: no folder in it has a config.json and a number of steps in its name, as "
            "checkpoint-500 has"
        )
    return [f"{at_step(label, step)}={steps[step]}" for step in sorted(steps)]


def without_step(named: str | Path) -> list[str]:
    """Folders beside the checkpoints that hold a model, and have no number in their names."""
    return [place.name for place, step in _with_config(_folder(named)[1]) if step is None]


def _folder(named: str | Path) -> tuple[str, Path]:
    label, target = split_label(named)
    folder = Path(target).expanduser()
    if not folder.is_dir():
        raise WordworthError(f"there is no folder {target}; give that in which a training's checkpoints lie")
    return label or folder.resolve().name.replace("=", "-"), folder  # a label ends at the first =


def _with_config(folder: Path) -> Iterator[tuple[Path, int | None]]:
    for place in sorted(folder.iterdir()):
        if (place / "config.json").is_file():
            number = _NUMBER.search(place.name)
            yield place, int(number[1]) if number else None


def _refuse_unreadable(place: Path) -> None:
    if not any(next(place.glob(kind), None) for kind in WEIGHTS):
        raise WordworthError(f"{place} has no weights as safetensors; save them so, or take the folder away")
    if not any(next(place.glob(kind), None) for kind in TOKENIZERS):
        held = listed(sorted(one.name for one in place.iterdir()))
        raise WordworthError(
            f"{place} has no tokenizer ({held}); give the Trainer one (processing_class), or copy tokenizer.json there"
        )
