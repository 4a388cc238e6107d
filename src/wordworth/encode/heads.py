"""Networks with a task's head on top, loaded by the same rules as bare ones: safetensors only, no code of theirs."""

from dataclasses import dataclass
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from wordworth.catalog.models import locate_language_model
from wordworth.catalog.resolve import NameLike
from wordworth.encode.identity import LIBRARIES, Identity, hash_config, hash_network, hash_tokenizer
from wordworth.encode.loading import load_files
from wordworth.encode.model import max_length_of
from wordworth.errors import LibraryErrors, WordworthError


@dataclass(frozen=True, eq=False)
class HeadModel:
    """A network with its head, and what identifies it."""

    name: str
    source: str
    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    max_length: int | None

    def __repr__(self) -> str:
        return f"<{type(self.network).__name__} {self.name}>"

    @property
    def weights(self) -> str:
        """Return the sha256 of the network's tensors, as they are now."""
        return hash_network(self.network)

    @property
    def identity(self) -> Identity:
        """Return all that the network's numbers depend on, as it is now."""
        dtype = str(self.network.dtype).removeprefix("torch.")
        hashes = self.weights, hash_config(self.network.config), hash_tokenizer(self.tokenizer)
        return *LIBRARIES, *hashes, dtype, self.max_length


def load_with_head(
    kind: Any,
    name_or_path: NameLike,
    *,
    device: str = "auto",
    dtype: str = "float32",
    name: str | None = None,
    fresh: bool = False,
    **config: Any,
) -> HeadModel:
    """Load a model of a class of the library, such as AutoModelForSequenceClassification; names as in `load_model`.

    Every weight must be in the files, unless `fresh`: then the head may be new, drawn from torch's generator. `config`
    overrides the model's own configuration.
    """
    model = locate_language_model(name_or_path)
    network, tokenizer, source = load_files(
        model.place,
        lambda _: kind,
        called=name or model.name,
        device=device,
        dtype=dtype,
        may_lack=_in_head if fresh else lambda weight, network: False,
        **config,
    )
    with LibraryErrors(f"the files of {name_or_path} do not go together", "fetch it again"):
        return wrap_headed(network, tokenizer, name=name or model.name, source=source)


def wrap_headed(
    network: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, *, name: str, source: str = ""
) -> HeadModel:
    if network.config.pad_token_id is None:  # a head over the last token finds it by what is padding
        network.config.pad_token_id = padding_of(tokenizer)
    return HeadModel(name, source, network.train(False), tokenizer, max_length_of(network, tokenizer))


def _in_head(weight: str, network: PreTrainedModel) -> bool:
    """Return whether the weight is of the head; a pooler is, so it is new wherever the head is."""
    return not weight.startswith(f"{network.base_model_prefix}.") or "pooler" in weight


def padding_of(tokenizer: PreTrainedTokenizerFast) -> int:
    """Return the id that fills a batch up; where there is none, the one that ends a text, which is within none."""
    for token in (tokenizer.pad_token_id, tokenizer.eos_token_id):
        if token is not None:
            return int(token)
    raise WordworthError("the tokenizer has neither a padding token nor one that ends a text; give it one")
