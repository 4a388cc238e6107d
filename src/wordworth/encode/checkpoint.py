"""A PyTorch checkpoint of the catalog becomes safetensors, once, in the cache. Only tensors are read from it, and only
where its sha256 is the one that the catalog pins: a stranger's pickle is not opened at all."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from pickle import UnpicklingError
from typing import Any
from zipfile import is_zipfile

import torch
from safetensors.torch import save_file
from transformers import AutoTokenizer, BertTokenizer
from transformers import __version__ as transformers_version

from wordworth.catalog.entry import Entry, Pinned
from wordworth.catalog.registry import entries
from wordworth.engine import cache
from wordworth.errors import WordworthError
from wordworth.files import measured_sum

FORMAT = "transformers-checkpoint"
CHECKPOINT = "pytorch_model.bin"
CONVERSION = 1  # raised whenever a checkpoint is converted differently


def converted_checkpoint(folder: Path) -> Path | None:
    """The folder that a checkpoint of the catalog was converted into; None where there is none."""
    path = folder / CHECKPOINT
    if not path.is_file():
        return None
    checksum = measured_sum(path)
    pinned = [pin for entry in entries("models") if entry.details["format"] == FORMAT for pin in _files(entry)]
    if checksum not in {pin.sha256 for pin in pinned if pin.name == CHECKPOINT}:
        return None

    def convert(into: Path) -> None:
        _convert(path, into / "model.safetensors")
        shutil.copyfile(folder / "config.json", into / "config.json")
        # A list of word pieces is BERT's kind of vocabulary, whatever the architecture's usual one is.
        kind: Any = BertTokenizer if (folder / "vocab.txt").is_file() else AutoTokenizer
        kind.from_pretrained(folder, local_files_only=True).save_pretrained(into)

    files = {file.name: measured_sum(file) for file in folder.iterdir() if file.is_file()}
    return cache.entry("conversions", [CONVERSION, f"transformers {transformers_version}", files], convert)


def _files(entry: Entry) -> Iterator[Pinned]:
    for source in entry.sources:
        yield from source.content


def _convert(path: Path, into: Path) -> None:
    try:
        # Mapped, so that the weights are not in memory; files of old versions of torch cannot be.
        read = torch.load(path, map_location="cpu", weights_only=True, mmap=is_zipfile(path))
    except (UnpicklingError, RuntimeError, EOFError) as error:
        raise WordworthError(
            f"{path} is not a checkpoint of tensors alone, so it is not read; fetch it again"
        ) from error
    tensors = read.get("state_dict", read) if isinstance(read, dict) else None
    if not isinstance(tensors, dict) or not all(isinstance(tensor, torch.Tensor) for tensor in tensors.values()):
        raise WordworthError(f"{path} does not hold a model's tensors by name; fetch it again")
    save_file(_apart(tensors), into, metadata={"format": "pt"})


def _apart(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Tied weights share their memory, which safetensors does not write; a copy is loaded and tied again."""
    met: set[int] = set()
    apart = {}
    for name, tensor in tensors.items():
        place = tensor.untyped_storage().data_ptr()
        apart[name] = tensor.clone().contiguous() if place in met else tensor.contiguous()
        met.add(place)
    return apart
