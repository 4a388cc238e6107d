"""A PyTorch checkpoint becomes safetensors, once, in the cache. Only tensors are read from it, nothing is run."""

import hashlib
import shutil
from pathlib import Path
from pickle import UnpicklingError

import torch
from safetensors.torch import save_file

from wordworth.errors import WordworthError
from wordworth.files import cache_dir, locked, replacing, sha256_of

CHECKPOINT = "pytorch_model.bin"


def converted_checkpoint(folder: Path) -> tuple[Path, str]:
    """The folder that a model's folder was converted into, and the sha256 of its files. It is whole or not there."""
    files = [file for file in sorted(folder.iterdir()) if file.is_file() and not file.name.startswith(".")]
    sums = "".join(f"{file.name} {sha256_of(file)}\n" for file in files)
    checksum = hashlib.sha256(sums.encode()).hexdigest()
    target = cache_dir() / "converted" / checksum
    with locked(target):
        if not target.is_dir():
            with replacing(target) as part:
                part.mkdir()
                _convert(folder / CHECKPOINT, part / "model.safetensors")
                for file in files:
                    if file.suffix in (".json", ".txt", ".model"):
                        shutil.copyfile(file, part / file.name)
    return target, checksum


def _convert(path: Path, into: Path) -> None:
    try:
        read = torch.load(path, map_location="cpu", weights_only=True)
    except (UnpicklingError, RuntimeError, EOFError) as error:
        raise WordworthError(
            f"{path} is not a checkpoint of tensors alone, so it is not read; fetch it again"
        ) from error
    tensors = read.get("state_dict", read) if isinstance(read, dict) else None
    if not isinstance(tensors, dict) or not all(isinstance(tensor, torch.Tensor) for tensor in tensors.values()):
        raise WordworthError(f"{path} does not hold a model's tensors by name; fetch it again")
    # Tied weights share their memory, which safetensors does not write; a copy is loaded and tied again.
    save_file({name: tensor.clone().contiguous() for name, tensor in tensors.items()}, into, metadata={"format": "pt"})
