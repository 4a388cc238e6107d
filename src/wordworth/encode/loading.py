"""Networks and tokenizers from folders, GGUF files and the hub: safetensors only, and no code that comes with them."""

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging import ERROR, NOTSET, getLogger
from pathlib import Path
from typing import Any

import torch
from transformers import (
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
    MODEL_FOR_TEXT_ENCODING_MAPPING,
    MODEL_MAPPING,
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoModelForTextEncoding,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers.quantizers import AutoHfQuantizer
from transformers.utils import logging

from wordworth.catalog.fetch.hub import from_hub, snapshot
from wordworth.catalog.models import locate_language_model, weight_files
from wordworth.catalog.resolve import NameLike
from wordworth.encode.conversion import convert_gguf, converted_checkpoint
from wordworth.encode.model import LanguageModel, family_of, refuse_huge, wrap
from wordworth.encode.sentence import lies_at, load_sentence_encoder
from wordworth.encode.spread import DISK, SPREAD, device_map, fits, measure_weights, offload_folder
from wordworth.errors import LibraryErrors, WordworthError
from wordworth.files import checksum_of_input
from wordworth.progress import waiting

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
OWN_DTYPE = "auto"
"""The precision that the checkpoint has: what its configuration says, else what its weights are in."""
SLOW_IN_HALF = ("cpu",)
"""Kinds of device that are slower in half precision than in float32, which `auto` is there."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_BUFFER = re.compile(r"(position_ids|token_type_ids|inv_freq|masked_bias|causal_mask|version|(attn|attention)\.bias)$")
"""Tables that older files hold among the weights, and that every network makes itself."""


class NoHeadError(WordworthError):
    """A network is there, and the head that is asked for is not."""


def in_pooler(weight: str, network: PreTrainedModel) -> bool:
    """Return whether a weight is the pooler's, which hidden states and word prediction do not need."""
    return "pooler" in weight


def load_model(
    name_or_path: NameLike, *, device: str = "auto", dtype: str = "float32", name: str | None = None
) -> LanguageModel:
    """Load a model of the catalog, of a path (a GGUF file, a folder of safetensors or with one GGUF) or of the hub.

    Never code that comes with a model, never a pickle (but for the tensors of checkpoints that the catalog pins).
    """
    model = locate_language_model(name_or_path)
    if lies_at(Path(model.place)):
        _check_precision(dtype)
        own = torch.float32  # of its weights
        return load_sentence_encoder(Path(model.place), name or model.name, find_device(device), DTYPES.get(dtype, own))
    network, tokenizer, source = load_files(model.place, _base, called=name or model.name, device=device, dtype=dtype)
    with LibraryErrors(f"the files of {name_or_path} do not go together", "fetch it again"):
        return wrap(network, tokenizer, name=name or model.name, source=source)


def load_files(
    name_or_path: str | Path,
    kind: Callable[[PretrainedConfig], Any],
    *,
    called: str = "",
    device: str = "auto",
    dtype: str = "float32",
    may_lack: Callable[[str, PreTrainedModel], bool] = in_pooler,
    **settings: Any,
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast, str]:
    """Network, tokenizer, and where they came from. `kind` gives the library's class to load the network with.

    Every weight must be in the files, but for those that it `may_lack`; `settings` override the model's own. Progress
    messages name the model as `called`.
    """
    _check_precision(dtype)
    where = find_device(device)
    # `auto` is the library's word for it too.
    precision = DTYPES.get("float32" if dtype == OWN_DTYPE and where.type in SLOW_IN_HALF else dtype, OWN_DTYPE)
    with quietly():
        folder, source = _locate(name_or_path)
    with quietly(), waiting(f"loading {called or source}"):
        config = _config(folder, source)
        tokenizer = _tokenizer(folder, source)
        model_class = kind(config)
        with LibraryErrors(f"the weights of {source} cannot be placed on {device}"):
            place = _choose_placement(folder, model_class, config, device, where, precision)
        network: PreTrainedModel = _network(folder, source, model_class, may_lack, dtype=precision, **place, **settings)
        if not place:
            network = network.to(where)  # type: ignore[arg-type]  # the library wraps it
    if network.dtype not in DTYPES.values():
        own = str(network.dtype).removeprefix("torch.")
        raise WordworthError(f"{source} is kept in {own}, which is not run; choose --precision float32")
    _refuse_damaged(folder, source)
    return network, tokenizer, source


def _check_precision(dtype: str) -> None:
    if dtype not in (*DTYPES, OWN_DTYPE):
        raise WordworthError(f"there is no precision {dtype!r}; choose from {', '.join((*DTYPES, OWN_DTYPE))}")


@contextmanager
def quietly() -> Iterator[None]:
    """Without the library's progress bars and loading reports: bars appear for what takes no time, and the reports list
    heads that are left out on purpose. Missing weights are looked for in `_network`."""
    library: Any = logging
    bars, level = library.is_progress_bar_enabled(), library.get_verbosity()
    library.disable_progress_bar()
    library.set_verbosity_error()
    spreading = getLogger("accelerate")
    spreading.setLevel(ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The following device_map keys do not match any submodules")
            yield
    finally:
        library.set_verbosity(level)
        spreading.setLevel(NOTSET)
        if bars:
            library.enable_progress_bar()


def _locate(name_or_path: str | Path) -> tuple[Path, str]:
    """Return the folder to load from, and what messages and runs call it: a model of the hub with its commit."""
    name = str(name_or_path)
    path = Path(name_or_path).expanduser()
    if name.startswith("hf://"):
        return _convert_where_needed(from_hub(name)), name
    if path.exists():
        return _convert_where_needed(path), str(path)
    if path.is_absolute() or name.startswith((".", "~")):
        raise WordworthError(f"there is no model at {path}; give the path of a .gguf file or of a model's folder")
    folder = snapshot(name)
    return _convert_where_needed(folder), f"{name.partition('@')[0]}@{folder.name}"


def _convert_where_needed(path: Path) -> Path:
    """Return a folder of safetensors: this one, or what a GGUF file or a pinned checkpoint was converted into."""
    if path.is_file():
        if path.suffix != ".gguf":
            raise WordworthError(f"{path} is not a model; give a .gguf file, a folder with safetensors, or a hub name")
        return convert_gguf(path)
    if weight_files(path):
        return path
    if checkpoint := converted_checkpoint(path):
        return checkpoint
    ggufs = sorted(path.glob("*.gguf"))
    if len(ggufs) == 1:
        return convert_gguf(ggufs[0])
    if ggufs:
        raise WordworthError(f"{path} holds {len(ggufs)} GGUF files; give the path of one of them")
    raise WordworthError(
        f"{path} holds neither safetensors nor GGUF weights; pickled weights are not read, convert them first"
    )


def _refuse_damaged(folder: Path, source: str) -> None:
    """Weights in the hub's cache are links to files that are called by their sha256, which is measured here."""
    for file in weight_files(folder):
        blob = file.resolve()
        if _SHA256.fullmatch(blob.name) and checksum_of_input(blob) != blob.name:
            raise WordworthError(
                f"the weights of {source} are damaged in the hub's cache; remove {blob} and run it again"
            )


def _options(folder: Path) -> dict[str, Any]:
    """Return what every loader of the library is given: it never speaks to the hub itself."""
    return {"pretrained_model_name_or_path": str(folder), "trust_remote_code": False, "local_files_only": True}


def _config(folder: Path, source: str) -> PretrainedConfig:
    with LibraryErrors(f"the configuration of {source} cannot be read"):
        config: PretrainedConfig = AutoConfig.from_pretrained(**_options(folder))
        refuse_huge(config, source)
        quantization = getattr(config, "quantization_config", None)
        # The library would take the codes of a quantization that it does not know for the weights.
        quantizers: Any = AutoHfQuantizer
        if quantization and not quantizers.supports_quant_method(quantization):
            raise WordworthError(
                f"the weights of {source} are quantized by {quantization.get('quant_method')!r}, which transformers "
                "does not read; name the model that it was made from"
            )
    return config


def _tokenizer(folder: Path, source: str) -> PreTrainedTokenizerFast:
    with LibraryErrors(f"the tokenizer of {source} cannot be loaded"):
        tokenizer = AutoTokenizer.from_pretrained(**_options(folder))
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise WordworthError(
            f"{source} has no fast tokenizer, so a word cannot be located among its tokens; convert it to "
            "tokenizer.json"
        )
    return tokenizer


def _base(config: PretrainedConfig) -> Any:
    """Return the library's class for the base model, or of an encoder–decoder for the encoder.

    What has no such class, or keeps it inside of another, is loaded with its head.
    """
    if family_of(config) == "encoder-decoder" and type(config) in MODEL_FOR_TEXT_ENCODING_MAPPING:
        return AutoModelForTextEncoding
    if type(config) in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING:
        return AutoModelForImageTextToText
    return AutoModel if type(config) in MODEL_MAPPING else AutoModelForCausalLM


def _network(
    folder: Path, source: str, kind: Any, may_lack: Callable[[str, PreTrainedModel], bool], **settings: Any
) -> Any:
    name = kind.__name__.removeprefix("Auto")
    with LibraryErrors(f"the weights of {source} cannot be loaded as safetensors of {name}"):
        options = _options(folder) | {"use_safetensors": True, "output_loading_info": True}
        network, info = kind.from_pretrained(**options, **settings)
    # A gap would be filled at random.
    missing = sorted(key for key in info["missing_keys"] if not (may_lack(key, network) or _is_made(key, network)))
    if missing:
        base = f"{network.base_model_prefix}."
        kinds = NoHeadError if not any(key.startswith(base) for key in missing) else WordworthError
        raise kinds(
            f"{source} lacks the weights {missing[0]} ({len(missing)} in all), which would be random; fetch it "
            "again, or name a model that was trained for this"
        )
    unread = sorted(key for key in info["unexpected_keys"] if _belongs_inside(key, network))
    if unread:
        raise WordworthError(
            f"{source} holds the weights {unread[0]} ({len(unread)} in all), for which its configuration has no "
            "place; fetch it again, or name the model that it was made from"
        )
    if len(set(getattr(network, "hf_device_map", {}).values())) > 1:
        network.register_forward_pre_hook(_refuse_training)
    return network


def _is_made(key: str, network: PreTrainedModel) -> bool:
    """Return whether a network makes a weight itself, whatever the files hold: positions as sines, in Marian."""
    return "Sinusoidal" in type(network.get_submodule(key.rpartition(".")[0])).__name__


def _refuse_training(network: Any, _: Any) -> None:
    if network.training:
        raise WordworthError("a model that is spread or read from disk cannot be trained; choose --device cpu or cuda")


def _belongs_inside(key: str, network: PreTrainedModel) -> bool:
    """Return whether a weight without a place belongs to a module of the network, and not to another head or pooler."""
    if _BUFFER.search(key):
        return False
    base: Any = network.base_model
    inner, owner = key.removeprefix(f"{network.base_model_prefix}."), key.rpartition(".")[0]
    # A weight of no module is a head's, such as BART's bias.
    is_below = inner.partition(".")[0] in dict(base.named_children())
    return is_below or (owner != "" and owner in dict(network.named_modules()))


def _choose_placement(
    folder: Path, kind: Any, config: PretrainedConfig, device: str, where: torch.device, dtype: torch.dtype | str
) -> dict[str, Any]:
    """Return what the library is told of where the network goes; nothing where that is only the machine's memory."""
    count = size = 0
    if device in ("auto", SPREAD, DISK):
        count, size = measure_weights(folder, dtype)
    if not count or (device != DISK and fits(size, where)):
        # Straight to the device, where the library can: they need not fit the machine's memory as well.
        return {"device_map": {"": where}} if where.type == "cuda" else {}
    parts = device_map(kind, config, size / count, where, from_disk=device == DISK)
    return {"device_map": parts, "offload_folder": offload_folder().name}


def find_device(device: str) -> torch.device:
    """Return the device that computes."""
    if device in ("auto", SPREAD, DISK):
        device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise WordworthError(f"there is no CUDA device for {device!r}; choose --device cpu")
    if device == "cuda":
        device = f"cuda:{torch.cuda.current_device()}"
    try:
        return torch.device(device)
    except RuntimeError as error:
        raise WordworthError(f"there is no device {device!r}; choose auto, cpu, cuda, mps, spread or disk") from error
