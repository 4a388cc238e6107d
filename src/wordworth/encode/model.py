"""A language model ready to encode: network, fast tokenizer, and what identifies them."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch
from huggingface_hub.utils import logging as hub_logging
from torch import nn
from transformers import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    MODEL_FOR_MASKED_LM_MAPPING,
    MODEL_FOR_TEXT_ENCODING_MAPPING,
    AutoConfig,
    AutoModel,
    AutoModelForTextEncoding,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)
from transformers import __version__ as transformers_version
from transformers.utils import logging

from wordworth.catalog.fetch.sources import is_offline
from wordworth.encode.capabilities import accepted, looks_left_only, reuses_kv_cache
from wordworth.encode.checkpoint import converted_checkpoint
from wordworth.encode.gguf import converted
from wordworth.errors import WordworthError
from wordworth.files import sha256_of

Family = Literal["causal", "masked", "encoder-decoder"]
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
TRIAL = "It is pleasant to think of words in plain English"
UNLIMITED = 1_000_000
"""Tokenizers without a limit give an astronomical one."""


@dataclass(frozen=True, eq=False)
class LanguageModel:
    """Only the part that yields hidden states: no language-model head; of an encoder–decoder, the encoder."""

    name: str
    source: str
    """The path or hub name it was loaded from."""
    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    family: Family
    layers: int
    """L: hidden states are 0 (the input embedding) to L (after the final norm)."""
    dim: int
    max_length: int | None
    """Tokens admitted in one text, special ones included."""
    weights: str
    """Identity of the weights: sha256 of the files, or the hub's revision."""
    vocabulary: str
    """sha256 of the tokenizer."""
    left_only: bool
    """No token's states depend on what follows it."""
    reuses_kv_cache: bool
    """A prefix may be computed once and shared."""
    takes_types: bool

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        """All of the model that its states depend on, for the keys of what is kept on disk."""
        return transformers_version, self.weights, self.vocabulary, self.dtype, self.max_length

    @property
    def device(self) -> torch.device:
        return self.network.device

    @property
    def dtype(self) -> str:
        return str(self.network.dtype).removeprefix("torch.")

    @property
    def pad(self) -> int:
        pad = self.tokenizer.pad_token_id
        return 0 if pad is None else int(pad)


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
        where, weights = _found(name_or_path)
        config = _config(where)
        tokenizer = _tokenizer(where)
        network = _network(where, kind(config), DTYPES[dtype], _device(device), may_lack, settings)
    return network, tokenizer, weights or _revision(where, config)


def wrap(
    network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, *, name: str, source: str, weights: str
) -> LanguageModel:
    """A `LanguageModel` around a network and a tokenizer at hand. `weights` must identify the weights' values."""
    network = network.train(False).requires_grad_(False)
    family = family_of(network.config)
    ids = trial_ids(tokenizer)
    # A masked model cannot be left-only, so it is not even tried.
    left_only = family == "causal" and looks_left_only(network, ids)
    takes_types = "token_type_ids" in accepted(network) and "token_type_ids" in tokenizer.model_input_names
    return LanguageModel(
        name=name,
        source=source,
        network=network,
        tokenizer=tokenizer,
        family=family,
        layers=int(network.config.num_hidden_layers),
        dim=int(network.config.hidden_size),
        max_length=max_length_of(network, tokenizer),
        weights=weights,
        vocabulary=tokenizer_identity(tokenizer),
        left_only=left_only,
        reuses_kv_cache=left_only and not takes_types and reuses_kv_cache(network, ids),
        takes_types=takes_types,
    )


def tokenizer_identity(tokenizer: PreTrainedTokenizerFast) -> str:
    """sha256 of all that a tokenizer does."""
    return hashlib.sha256(tokenizer.backend_tokenizer.to_str().encode()).hexdigest()


@contextmanager
def quietly() -> Iterator[None]:
    """Without the library's progress bars and loading reports: bars appear for what takes no time, and the reports list
    heads that are left out on purpose. Missing weights are looked for in `_network`. The hub's retries are not told
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


def _found(name_or_path: str | Path) -> tuple[str, str]:
    """Where transformers shall load from, and the identity of the weights (blank for the hub: its revision serves)."""
    path = Path(name_or_path).expanduser()
    if path.is_file():
        if path.suffix != ".gguf":
            raise WordworthError(f"{path} is not a model; give a .gguf file, a folder with safetensors, or a hub name")
        folder, checksum = converted(path)
        return str(folder), f"gguf:{checksum}"
    if path.is_dir():
        files = sorted(path.glob("*.safetensors"))
        if files:
            sums = "".join(sha256_of(file) for file in files)
            return str(path), f"sha256:{hashlib.sha256(sums.encode()).hexdigest()}"
        checkpoint = converted_checkpoint(path)
        if checkpoint:
            return str(checkpoint[0]), f"checkpoint:{checkpoint[1]}"
        ggufs = sorted(path.glob("*.gguf"))
        if len(ggufs) == 1:
            return _found(ggufs[0])
        if ggufs:
            raise WordworthError(f"{path} holds {len(ggufs)} GGUF files; give the path of one of them")
        raise WordworthError(
            f"{path} holds neither safetensors nor GGUF weights; pickled weights are not read, convert them first"
        )
    if path.is_absolute() or str(name_or_path).startswith((".", "~")):
        raise WordworthError(f"there is no model at {path}; give the path of a .gguf file or of a model's folder")
    return str(name_or_path), ""


def _revision(name: str, config: PretrainedConfig) -> str:
    """The hub's commit that the files came from; without it, changed weights could be taken for cached ones."""
    commit = getattr(config, "_commit_hash", None)
    if not commit:
        raise WordworthError(f"the hub's revision of {name} is not known; download it and give its folder")
    return f"{name}@{commit}"


def _config(where: str) -> PretrainedConfig:
    try:
        config: PretrainedConfig = AutoConfig.from_pretrained(
            where, trust_remote_code=False, local_files_only=is_offline()
        )
    except (OSError, ValueError) as error:
        what = f"the configuration of {where} cannot be read (is it the name of a model, and is the hub in reach?)"
        raise WordworthError(_one_sentence(what, error)) from error
    return config


def _tokenizer(where: str) -> PreTrainedTokenizerFast:
    try:
        tokenizer = AutoTokenizer.from_pretrained(where, trust_remote_code=False, local_files_only=is_offline())
    except (OSError, ValueError, ImportError) as error:
        raise WordworthError(_one_sentence(f"the tokenizer of {where} cannot be loaded", error)) from error
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise WordworthError(
            f"{where} has no fast tokenizer, so a word cannot be located among its tokens; convert it to tokenizer.json"
        )
    return tokenizer


def _base(config: PretrainedConfig) -> Any:
    """The base model alone; of an encoder–decoder, the encoder."""
    encoder_only = family_of(config) == "encoder-decoder" and type(config) in MODEL_FOR_TEXT_ENCODING_MAPPING
    return AutoModelForTextEncoding if encoder_only else AutoModel


def _network(
    where: str,
    kind: Any,
    dtype: torch.dtype,
    device: torch.device,
    may_lack: Callable[[str, PreTrainedModel], bool],
    settings: dict[str, Any],
) -> PreTrainedModel:
    try:
        network, info = kind.from_pretrained(
            where,
            dtype=dtype,
            use_safetensors=True,
            trust_remote_code=False,
            local_files_only=is_offline(),
            output_loading_info=True,
            **settings,
        )
    except (OSError, ValueError) as error:
        what = f"the weights of {where} cannot be loaded as safetensors of {kind.__name__.removeprefix('Auto')}"
        raise WordworthError(_one_sentence(what, error)) from error
    # A gap would be filled at random.
    missing = sorted(key for key in info["missing_keys"] if not may_lack(key, network))
    if missing:
        raise WordworthError(
            f"{where} lacks the weights {missing[0]} ({len(missing)} in all), which would be random; fetch it again, "
            "or name a model that was trained for this"
        )
    if kind is AutoModel and network.config.is_encoder_decoder:
        network = network.get_encoder()
    moved: PreTrainedModel = network.to(device)
    return moved


def _one_sentence(what: str, error: Exception) -> str:
    """The library's messages run over many lines; the first says what happened."""
    first = str(error).strip().splitlines()
    return f"{what}: {first[0] if first else type(error).__name__}"


def _device(device: str) -> torch.device:
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise WordworthError(f"there is no CUDA device for {device!r}; choose --device cpu")
    try:
        return torch.device(device)
    except RuntimeError as error:
        raise WordworthError(f"there is no device {device!r}; choose auto, cpu or cuda") from error


def family_of(config: PretrainedConfig) -> Family:
    # T5's encoder alone no longer says that it came from an encoder–decoder.
    if config.is_encoder_decoder or config.model_type.endswith("t5"):
        return "encoder-decoder"
    # BERT and its kin have a causal head too, hence the second condition.
    if type(config) in MODEL_FOR_CAUSAL_LM_MAPPING and type(config) not in MODEL_FOR_MASKED_LM_MAPPING:
        return "causal"
    return "masked"


def max_length_of(network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> int | None:
    """The fewest tokens that any part admits. RoBERTa's kin count positions from padding_idx + 1 on."""
    limits = [tokenizer.model_max_length]
    for attribute in ("max_position_embeddings", "n_positions"):
        limit = getattr(network.config, attribute, None)
        if isinstance(limit, int) and limit > 0:
            limits.append(limit)
    for path, module in network.named_modules():
        if path.endswith("position_embeddings") and isinstance(module, nn.Embedding) and module.padding_idx is not None:
            limits.append(module.num_embeddings - module.padding_idx - 1)
    least = min(limits)
    return least if least < UNLIMITED else None


def trial_ids(tokenizer: PreTrainedTokenizerFast) -> list[int]:
    """Six different tokens to try a network with: those of a plain text, since odd ones may blow up rounding errors."""
    plain = tokenizer(TRIAL, add_special_tokens=False)["input_ids"]
    special = set(tokenizer.all_special_ids)
    return [token for token in dict.fromkeys([*plain, *range(len(tokenizer))]) if token not in special][:6]
