"""Networks with a task's head on top, loaded by the same rules as bare ones: safetensors only, no code of theirs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerFast
from transformers import __version__ as transformers_version

from wordworth.catalog.sources import is_offline
from wordworth.encode.model import (
    DTYPES,
    _config,
    _device,
    _found,
    _max_length,
    _one_sentence,
    _quietly,
    _revision,
    _tokenizer,
    tokenizer_identity,
)
from wordworth.errors import WordworthError

quietly = _quietly
"""Without the library's progress bars and reports, where a network is saved too."""


@dataclass(frozen=True, eq=False)
class Headed:
    """A network with its head, and what identifies it."""

    name: str
    source: str
    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    weights: str
    """Identity of the weights: sha256 of the files, or the hub's revision."""
    max_length: int | None

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        dtype = str(self.network.dtype).removeprefix("torch.")
        return transformers_version, self.weights, tokenizer_identity(self.tokenizer), dtype, self.max_length


def load_with_head(
    kind: Any,
    name_or_path: str | Path,
    *,
    device: str = "auto",
    dtype: str = "float32",
    name: str | None = None,
    fresh: bool = False,
    **config: Any,
) -> Headed:
    """A model of one of the library's kinds, such as AutoModelForSequenceClassification.

    Every weight must be in the files, unless `fresh`: then the head may be new, drawn from torch's generator. `config`
    overrides the model's own configuration.
    """
    if dtype not in DTYPES:
        raise WordworthError(f"there is no precision {dtype!r}; choose from {', '.join(DTYPES)}")
    with quietly():
        where, weights = _found(name_or_path)
        settings = _config(where)
        tokenizer = _tokenizer(where)
        try:
            network, info = kind.from_pretrained(
                where,
                dtype=DTYPES[dtype],
                use_safetensors=True,
                trust_remote_code=False,
                local_files_only=is_offline(),
                output_loading_info=True,
                **config,
            )
        except (OSError, ValueError) as error:
            told = _one_sentence(f"{where} cannot be loaded as {kind.__name__.removeprefix('Auto')}", error)
            raise WordworthError(told) from error
    prefix = f"{network.base_model_prefix}."
    # A pooler belongs to the head: it is new wherever the head is.
    missing = [key for key in info["missing_keys"] if not fresh or (key.startswith(prefix) and "pooler" not in key)]
    if missing:
        raise WordworthError(
            f"{where} lacks the weights {sorted(missing)[0]} ({len(missing)} in all), so its head would be random; "
            "name a model that was trained for this"
        )
    network = network.to(_device(device)).train(False)
    if network.config.pad_token_id is None:  # a head over the last token finds it by what is padding
        network.config.pad_token_id = padding_of(tokenizer)
    return Headed(
        name=name or (Path(name_or_path).stem if weights else str(name_or_path)),
        source=str(name_or_path),
        network=network,
        tokenizer=tokenizer,
        weights=weights or _revision(where, settings),
        max_length=_max_length(network, tokenizer),
    )


def padding_of(tokenizer: PreTrainedTokenizerFast) -> int:
    """The id that fills a batch up; where there is none, the one that ends a text, which stands within none."""
    for token in (tokenizer.pad_token_id, tokenizer.eos_token_id):
        if token is not None:
            return int(token)
    raise WordworthError("the tokenizer has neither a padding token nor one that ends a text; give it one")
