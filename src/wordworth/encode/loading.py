"""Networks and tokenizers from folders, GGUF files and the hub: safetensors only, and no code that comes with them."""

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from huggingface_hub.utils import logging as hub_logging
from transformers import (
    MODEL_FOR_TEXT_ENCODING_MAPPING,
    AutoConfig,
    AutoModel,
    AutoModelForTextEncoding,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers.utils import logging
from transformers.utils.hub import cached_file, extract_commit_hash

from wordworth.catalog.fetch.sources import is_offline
from wordworth.encode.bounds import refuse_huge
from wordworth.encode.checkpoint import converted_checkpoint
from wordworth.encode.gguf import converted
from wordworth.encode.model import LanguageModel, family_of, wrap
from wordworth.errors import Foreign, WordworthError, reason_of
from wordworth.files import measured_sum

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SNAPSHOT = re.compile(r"/models--([^/]+)/snapshots/([0-9a-f]{40})/?$")


@dataclass(frozen=True)
class _Place:
    """Where transformers shall load from."""

    where: str
    """A folder, or a name on the hub."""
    weights: str
    """Identity of the weights."""
    revision: str | None = None
    """The hub's commit, for a name."""
    snapshot: Path | None = None
    """The folder of that commit in the hub's cache."""

    @property
    def options(self) -> dict[str, Any]:
        """What every loader of the library is given."""
        return {"trust_remote_code": False, "local_files_only": is_offline(), "revision": self.revision or "main"}


def in_pooler(weight: str, network: PreTrainedModel) -> bool:
    """The pooler sits on top of the last layer and is not used by those who read hidden states or predict words."""
    return "pooler" in weight


def load_model(
    name_or_path: str | Path, *, device: str = "auto", dtype: str = "float32", name: str | None = None
) -> LanguageModel:
    """A model from a GGUF file, a folder of safetensors (or one GGUF), or the hub by its name.

    Never code that comes with a model, never a pickle (but for the tensors of checkpoints that the catalog pins).
    """
    network, tokenizer, weights = load_files(name_or_path, _base, device=device, dtype=dtype)
    local = Path(name_or_path).expanduser().exists()
    with Foreign(f"the files of {name_or_path} do not go together", "fetch it again"):
        return wrap(
            network,
            tokenizer,
            name=name or (Path(name_or_path).stem if local else str(name_or_path)),
            source=str(name_or_path),
            weights=weights,
        )


def load_files(
    name_or_path: str | Path,
    kind: Callable[[PretrainedConfig], Any],
    *,
    device: str = "auto",
    dtype: str = "float32",
    may_lack: Callable[[str, PreTrainedModel], bool] = in_pooler,
    **settings: Any,
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast, str]:
    """Network, tokenizer and the identity of the weights. `kind` gives the library's class to load the network with.

    Every weight must be in the files, but for those that it `may_lack`; `settings` override the model's own.
    """
    if dtype not in DTYPES:
        raise WordworthError(f"there is no precision {dtype!r}; choose from {', '.join(DTYPES)}")
    with quietly():
        place = _place(name_or_path)
        config = _config(place)
        tokenizer = _tokenizer(place)
        network: PreTrainedModel = _network(place, kind(config), may_lack, dtype=DTYPES[dtype], **settings).to(
            _device(device)
        )
    if place.snapshot:
        _refuse_damaged(place.snapshot, place.weights)
    return network, tokenizer, place.weights


@contextmanager
def quietly() -> Iterator[None]:
    """Without the library's progress bars and loading reports: bars appear for what takes no time, and the reports list
    heads that are left out on purpose. Missing weights are looked for in `_network`. The hub's retries are not shown
    either: the error that they end in is."""
    library: Any = logging
    hub: Any = hub_logging
    bars, level, hub_level = library.is_progress_bar_enabled(), library.get_verbosity(), hub.get_verbosity()
    library.disable_progress_bar()
    library.set_verbosity_error()
    hub.set_verbosity_error()
    try:
        yield
    finally:
        library.set_verbosity(level)
        hub.set_verbosity(hub_level)
        if bars:
            library.enable_progress_bar()


def _place(name_or_path: str | Path) -> _Place:
    path = Path(name_or_path).expanduser()
    if path.is_file():
        if path.suffix != ".gguf":
            raise WordworthError(f"{path} is not a model; give a .gguf file, a folder with safetensors, or a hub name")
        folder, checksum = converted(path)
        return _Place(str(folder), f"gguf:{checksum}")
    if path.is_dir():
        files = sorted(path.glob("*.safetensors"))
        if files and (commit := _SNAPSHOT.search(path.as_posix())):
            return _Place(str(path), f"{commit[1].replace('--', '/')}@{commit[2]}", snapshot=path)
        if files:
            sums = "".join(measured_sum(file) for file in files)
            return _Place(str(path), f"sha256:{hashlib.sha256(sums.encode()).hexdigest()}")
        checkpoint = converted_checkpoint(path)
        if checkpoint:
            return _Place(str(checkpoint[0]), f"checkpoint:{checkpoint[1]}")
        ggufs = sorted(path.glob("*.gguf"))
        if len(ggufs) == 1:
            return _place(ggufs[0])
        if ggufs:
            raise WordworthError(f"{path} holds {len(ggufs)} GGUF files; give the path of one of them")
        raise WordworthError(
            f"{path} holds neither safetensors nor GGUF weights; pickled weights are not read, convert them first"
        )
    if path.is_absolute() or str(name_or_path).startswith((".", "~")):
        raise WordworthError(f"there is no model at {path}; give the path of a .gguf file or of a model's folder")
    return _on_hub(str(name_or_path))


def _on_hub(named: str) -> _Place:
    """`name` or `name@revision`, at the commit that it stands for now: all files are loaded from that one.

    Without the commit, changed weights could be taken for those that are kept.
    """
    name, _, revision = named.partition("@")
    try:
        config = cached_file(name, "config.json", revision=revision or "main", local_files_only=is_offline())
    except (OSError, ValueError) as error:
        raise WordworthError(f"{_NO_CONFIG.format(named)}: {reason_of(error)}") from error
    commit = extract_commit_hash(config, None)
    if not commit:
        raise WordworthError(f"the hub's revision of {named} is not known; download it and give its folder")
    return _Place(name, f"{name}@{commit}", commit, Path(config or "").parent)


_NO_CONFIG = "the configuration of {} cannot be read (is it the name of a model, and is the hub in reach?)"


def _refuse_damaged(snapshot: Path, name: str) -> None:
    """Weights in the hub's cache are links to files that are called by their sha256, which is measured here."""
    for file in sorted(snapshot.glob("*.safetensors")):
        blob = file.resolve()
        if _SHA256.fullmatch(blob.name) and measured_sum(blob) != blob.name:
            raise WordworthError(
                f"the weights of {name} are damaged in the hub's cache; remove {blob} and run it again"
            )


def _config(place: _Place) -> PretrainedConfig:
    with Foreign(_NO_CONFIG.format(place.where)):
        config: PretrainedConfig = AutoConfig.from_pretrained(place.where, **place.options)
        refuse_huge(config, place.where)
    return config


def _tokenizer(place: _Place) -> PreTrainedTokenizerFast:
    with Foreign(f"the tokenizer of {place.where} cannot be loaded"):
        tokenizer = AutoTokenizer.from_pretrained(place.where, **place.options)
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise WordworthError(
            f"{place.where} has no fast tokenizer, so a word cannot be located among its tokens; convert it to "
            "tokenizer.json"
        )
    return tokenizer


def _base(config: PretrainedConfig) -> Any:
    """The base model alone; of an encoder–decoder, the encoder."""
    encoder_only = family_of(config) == "encoder-decoder" and type(config) in MODEL_FOR_TEXT_ENCODING_MAPPING
    return AutoModelForTextEncoding if encoder_only else AutoModel


def _network(place: _Place, kind: Any, may_lack: Callable[[str, PreTrainedModel], bool], **settings: Any) -> Any:
    name = kind.__name__.removeprefix("Auto")
    with Foreign(f"the weights of {place.where} cannot be loaded as safetensors of {name}"):
        network, info = kind.from_pretrained(
            place.where, use_safetensors=True, output_loading_info=True, **place.options, **settings
        )
    # A gap would be filled at random.
    missing = sorted(key for key in info["missing_keys"] if not may_lack(key, network))
    if missing:
        raise WordworthError(
            f"{place.where} lacks the weights {missing[0]} ({len(missing)} in all), which would be random; fetch it "
            "again, or name a model that was trained for this"
        )
    if kind is AutoModel and network.config.is_encoder_decoder:
        network = network.get_encoder()
    return network


def _device(device: str) -> torch.device:
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise WordworthError(f"there is no CUDA device for {device!r}; choose --device cpu")
    try:
        return torch.device(device)
    except RuntimeError as error:
        raise WordworthError(f"there is no device {device!r}; choose auto, cpu or cuda") from error
