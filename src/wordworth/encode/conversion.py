"""Weights in other formats become a folder of safetensors, once, in the cache: GGUF files, and pinned checkpoints.

GGUF is dequantised by transformers, with configuration and tokenizer. Of a PyTorch checkpoint only tensors are read,
and only where its sha256 is the one that the catalog pins: a stranger's pickle is not opened at all.
"""

import shutil
from contextlib import redirect_stderr
from dataclasses import dataclass
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from pickle import UnpicklingError
from typing import Any
from zipfile import is_zipfile

import numpy as np
import torch
from gguf import GGUFReader
from safetensors.torch import save_file
from tokenizers import processors
from transformers import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoTokenizer,
    BertTokenizer,
    PretrainedConfig,
    PreTrainedTokenizerFast,
)
from transformers import __version__ as transformers_version
from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from wordworth.catalog.models import tokenizers_next_to
from wordworth.catalog.registry import entries
from wordworth.encode.model import refuse_huge
from wordworth.engine.batching import free_memory
from wordworth.engine.cache import entry
from wordworth.errors import LibraryErrors, WordworthError
from wordworth.files import checksum_of_input
from wordworth.progress import waiting

MAGIC = b"GGUF"
ROPE_FACTORS = "rope_freqs.weight"
LLAMA3 = {"rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LLAMA3 |= {"original_max_position_embeddings": 8192}
"""How Llama 3.1 to 3.3 scale their positions. A file holds no more of it than the factors that this makes."""
SAFETENSORS = "name the model's safetensors"
ADD_BOS = "tokenizer.ggml.add_bos_token"
GGUF_CONVERSION = 2  # raised whenever a file is converted differently


def convert_gguf(path: Path) -> Path:
    """Return the folder that a GGUF file was converted into. It is whole or not there."""
    with path.open("rb") as stream:
        if stream.read(4) != MAGIC:
            raise WordworthError(f"{path} is not a GGUF file; fetch it again")
    checksum = checksum_of_input(path)

    def convert(folder: Path) -> None:
        with waiting(f"converting {path.name}"):
            _convert(path, folder)

    libraries = [f"transformers {transformers_version}", f"gguf {version('gguf')}"]
    tokenizer_files = {file.name: checksum_of_input(file) for file in tokenizers_next_to(path)}
    return entry("conversions", [GGUF_CONVERSION, *libraries, checksum, tokenizer_files], convert)


def _convert(path: Path, into: Path) -> None:
    where: dict[str, Any] = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    load: Any = load_gguf_checkpoint
    with LibraryErrors(f"{path} cannot be read as a GGUF model", "fetch another file"):
        config = AutoConfig.from_pretrained(**where)
        refuse_huge(config, str(path))
        reader = GGUFReader(str(path))
        _refuse_larger_than_memory(reader, path)
        _follow_rope(reader, config, path)
        tokenizer: Any = AutoTokenizer.from_pretrained(**where)
        _follow_bos(reader, tokenizer)
        # With its language-model head where it has one, so that the same folder serves prediction.
        kind: Any = AutoModelForCausalLM if type(config) in MODEL_FOR_CAUSAL_LM_MAPPING else AutoModel
        with torch.device("meta"):
            model = kind.from_config(config)
        # The library's own bar would appear next to ours.
        with redirect_stderr(StringIO()):
            tensors = load(str(path), return_tensors=True, model_to_load=_Names(model))["tensors"]
        _refuse_unread(reader, tensors, path)
        model.load_state_dict(tensors, strict=False, assign=True)
        model.tie_weights()
    absent = [name for name, weight in model.named_parameters() if weight.is_meta]
    if absent:
        raise WordworthError(f"{path} lacks the weights {absent[0]} ({len(absent)} in all); fetch another file")
    model.save_pretrained(into)
    tokenizer.save_pretrained(into)


def _refuse_larger_than_memory(reader: GGUFReader, path: Path) -> None:
    """The weights are all in memory once, in float32, while they are converted; what is made can be read from disk."""
    size, free = 4 * sum(int(tensor.n_elements) for tensor in reader.tensors), free_memory(torch.device("cpu"))
    if size > free:
        raise WordworthError(
            f"{path} takes {size / 1e9:,.1f} GB of memory to be converted, and {free / 1e9:,.1f} GB are free; convert "
            "it on a larger machine, or name the model's safetensors"
        )


def _follow_rope(reader: GGUFReader, config: PretrainedConfig, path: Path) -> None:
    """Set the scaling of positions that the file holds, which transformers does not read; stop at an unknown one."""
    factors = next((np.array(tensor.data) for tensor in reader.tensors if tensor.name == ROPE_FACTORS), np.ones(1))
    plain = dict(getattr(config, "rope_parameters", None) or {})
    if (factors != 1).any():
        config.rope_parameters = plain | LLAMA3 | {"factor": float(factors.max())}
        frequencies, _ = ROPE_INIT_FUNCTIONS["llama3"](config, torch.device("cpu"))
        bare = plain["rope_theta"] ** (-np.arange(len(frequencies)) / len(frequencies))
        if len(factors) != len(frequencies) or not np.allclose(bare / factors, frequencies.numpy(), rtol=1e-4, atol=0):
            raise WordworthError(f"{path} scales positions by {ROPE_FACTORS} otherwise than Llama 3; {SAFETENSORS}")
    fields = {name.partition(".")[2]: field.contents() for name, field in reader.fields.items() if ".rope." in name}
    kind, factor = fields.get("rope.scaling.type", "none"), fields.get("rope.scaling.factor", 1)
    if kind != "none" and factor != 1 and plain.get("rope_type", "default") == "default":
        raise WordworthError(f"{path} scales positions ({kind}, by {factor:g}), which is not read; {SAFETENSORS}")


@dataclass(frozen=True)
class _Names:
    """What the library maps a file's tensors by: the names of a network's weights, and those of its base.

    Given the network itself, it would make its table of names for every module, which takes minutes.
    """

    network: Any

    @property
    def config(self) -> PretrainedConfig:
        config: PretrainedConfig = self.network.config
        return config

    def state_dict(self) -> dict[str, torch.Tensor]:
        tensors: dict[str, torch.Tensor] = self.network.state_dict()
        return tensors

    def named_children(self) -> list[tuple[str, "_Names"]]:
        base = self.network.base_model
        return [] if base is self.network else [(self.network.base_model_prefix, _Names(base))]


def _refuse_unread(reader: GGUFReader, tensors: dict[str, torch.Tensor], path: Path) -> None:
    """Stop where the library dropped a tensor: what is read has as many numbers as the file."""
    in_file = sum(int(tensor.n_elements) for tensor in reader.tensors if tensor.name != ROPE_FACTORS)
    loaded = sum(tensor.numel() for tensor in tensors.values())
    if in_file != loaded:
        raise WordworthError(
            f"{path} holds {in_file:,} weights, and there is a place for {loaded:,} of them; {SAFETENSORS}"
        )


def _follow_bos(reader: GGUFReader, tokenizer: PreTrainedTokenizerFast) -> None:
    """Texts begin with the BOS token exactly when the file says so; the library's conversion may forget it."""
    field = reader.fields.get(ADD_BOS)
    if field is None or tokenizer.bos_token is None:
        return
    adds_bos, backend = bool(field.contents()), tokenizer.backend_tokenizer
    has = tokenizer("a")["input_ids"][0] == tokenizer.bos_token_id
    if adds_bos and not has:
        bos = tokenizer.bos_token
        template = processors.TemplateProcessing(
            single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, tokenizer.bos_token_id)]
        )
        before = [backend.post_processor] if backend.post_processor is not None else []
        backend.post_processor = processors.Sequence([*before, template])
    elif has and not adds_bos:
        # Only a template can have put it there; byte-level offsets do not need a post-processor.
        backend.post_processor = None


FORMAT = "transformers-checkpoint"
CHECKPOINT_FILE = "pytorch_model.bin"
CHECKPOINT_CONVERSION = 1  # raised whenever a checkpoint is converted differently


def converted_checkpoint(folder: Path) -> Path | None:
    """Return the folder that a checkpoint of the catalog was converted into; None where there is none."""
    path = folder / CHECKPOINT_FILE
    if not path.is_file():
        return None
    checksum = checksum_of_input(path)
    sources = (source for one in entries("models") if one.details["format"] == FORMAT for source in one.sources)
    if checksum not in {pin.sha256 for source in sources for pin in source.content if pin.name == CHECKPOINT_FILE}:
        return None

    def convert(into: Path) -> None:
        _write_tensors(path, into / "model.safetensors")
        shutil.copyfile(folder / "config.json", into / "config.json")
        # A list of word pieces is BERT's kind of vocabulary, whatever the architecture's usual one is.
        kind: Any = BertTokenizer if (folder / "vocab.txt").is_file() else AutoTokenizer
        kind.from_pretrained(folder, local_files_only=True).save_pretrained(into)

    files = {file.name: checksum_of_input(file) for file in folder.iterdir() if file.is_file()}
    return entry("conversions", [CHECKPOINT_CONVERSION, f"transformers {transformers_version}", files], convert)


def _write_tensors(path: Path, into: Path) -> None:
    try:
        # Mapped, so that the weights are not in memory; files of old versions of torch cannot be.
        checkpoint = torch.load(path, map_location="cpu", weights_only=True, mmap=is_zipfile(path))
    except (UnpicklingError, RuntimeError, EOFError) as error:
        raise WordworthError(f"{path} holds more than tensors, so it is not read; fetch it again") from error
    tensors = checkpoint.get("state_dict", checkpoint) if isinstance(checkpoint, dict) else None
    if not isinstance(tensors, dict) or not all(isinstance(tensor, torch.Tensor) for tensor in tensors.values()):
        raise WordworthError(f"{path} does not hold a model's tensors by name; fetch it again")
    # Tied weights share their memory, which safetensors does not write; copies are loaded and tied again.
    copies = {name: tensor.clone(memory_format=torch.contiguous_format) for name, tensor in tensors.items()}
    save_file(copies, into, metadata={"format": "pt"})
