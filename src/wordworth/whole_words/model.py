"""A language model with its head, ready to predict words."""

from dataclasses import dataclass, replace
from typing import Any, Literal, SupportsIndex

import torch
from transformers import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
    MODEL_FOR_MASKED_LM_MAPPING,
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoModelForMaskedLM,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from wordworth.catalog.models import locate_language_model
from wordworth.catalog.resolve import NameLike, find
from wordworth.encode.identity import Identity
from wordworth.encode.loading import NoHeadError, load_files
from wordworth.encode.model import LanguageModel, family_of, trial_ids, wrap
from wordworth.encode.passes import NoVectorsError
from wordworth.engine.batching import Budget
from wordworth.engine.engines import Recipe, load, loaded_alike
from wordworth.errors import LibraryErrors, WordworthError
from wordworth.whole_words.causal import CausalReader
from wordworth.whole_words.reader import Head, MaskedReader, Reader
from wordworth.whole_words.units import Units, units_of

WordFamily = Literal["causal", "masked"]
_CLASSES: tuple[tuple[WordFamily, Any, Any], ...] = (
    ("causal", MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING, AutoModelForImageTextToText),
    ("causal", MODEL_FOR_CAUSAL_LM_MAPPING, AutoModelForCausalLM),
    ("masked", MODEL_FOR_MASKED_LM_MAPPING, AutoModelForMaskedLM),
)


@dataclass(frozen=True, eq=False)
class RemoteReader:
    """The properties of a reader in other processes, for use in this one."""

    width: int
    budget: Budget
    base: LanguageModel
    identity: Identity

    @property
    def device(self) -> torch.device:
        return self.base.device


@dataclass(frozen=True, eq=False)
class WordModel:
    """A model that predicts words: a reader of token ids, the tokenizer, and its units as text."""

    name: str
    source: str
    family: WordFamily
    reader: Reader
    tokenizer: PreTrainedTokenizerFast
    units: Units
    before: tuple[int, ...]
    """The tokens that the tokenizer puts before a text (BOS, [CLS])."""
    limit: int | None
    """Maximum number of tokens in a text, or the width of a sliding attention if that is smaller."""
    around: int
    """Tokens that are added around a text."""
    dtype: str
    recipe: Recipe | None = None
    """The way another process loads the model, if it can be loaded by name; only the recipe is sent there."""

    def __repr__(self) -> str:
        return f"<{self.family} model {self.name}>"

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return super().__reduce_ex__(protocol) if self.recipe is None else (loaded_alike, (self.recipe, self.identity))

    def without_weights(self) -> "WordModel":
        """Return the model without its network, for a driver whose workers have it."""
        base, identity = self.reader.base.without_weights(), self.reader.identity
        reader: Any = RemoteReader(self.reader.width, self.reader.budget, base, identity)
        return replace(self, reader=reader)

    @property
    def identity(self) -> Identity:
        """Return all that predictions depend on at present, for cache keys."""
        return *self.reader.identity, self.family

    @property
    def device(self) -> torch.device:
        return self.reader.device


def load_word_model(
    name_or_path: NameLike, device: str = "auto", dtype: str = "float32", family: WordFamily | None = None
) -> WordModel:
    """Load a model of the catalog, of a path (safetensors, GGUF) or of the hub, with its language-model head.

    `family` is read from the model's configuration; BERT and similar models can also be loaded as `causal`, if trained
    so. If there are workers, they load the weights and this process only the rest.
    """
    options = {"name_or_path": name_or_path, "device": device, "dtype": dtype, "family": family}
    model: WordModel = load(Recipe(load_word_model_here, options))
    return model


def load_word_model_here(name_or_path: NameLike, device: str, dtype: str, family: WordFamily | None) -> WordModel:
    """Load the model in this process, whatever the engine."""
    options = {"name_or_path": name_or_path, "device": device, "dtype": dtype, "family": family}
    origin = find(name_or_path)
    network, tokenizer, source, family = load_network(origin, device, dtype, family)
    model = wrap_word_model(network, tokenizer, name=origin.name, source=source, family=family)
    model.reader.base = replace(model.reader.base, recipe=Recipe(load_word_model_here, options, "reader.base"))
    return model


def load_network(
    name_or_path: NameLike, device: str = "auto", dtype: str = "float32", family: WordFamily | None = None
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast, str, WordFamily]:
    """Load the network with its head and the tokenizer; also return their source and the kind of head."""
    origin = locate_language_model(name_or_path)

    def choose_class(config: PretrainedConfig) -> Any:
        return _head_of(config, family, origin.name)[1]

    try:
        files = load_files(origin.place, choose_class, called=origin.name, device=device, dtype=dtype)
    except NoHeadError as error:
        raise WordworthError(
            f"{origin.name} has no language-model head, only the network below it; name a causal or a masked language "
            "model, such as smollm2-135m"
        ) from error
    return *files, _head_of(files[0].config, family, origin.name)[0]


def wrap_word_model(
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    *,
    name: str,
    source: str = "",
    family: WordFamily | None = None,
) -> WordModel:
    """Return a `WordModel` of a network with its head and a tokenizer."""
    network = network.train(False).requires_grad_(False)
    family, _ = _head_of(network.config, family, name)
    try:
        base = wrap(network, tokenizer, name=name, source=source)
    except NoVectorsError:
        base = wrap(network, tokenizer, name=name, source=source, only_last=True)
    with LibraryErrors(f"{name} cannot predict units of a text", "use another model"):
        head = Head(network, base)
    before, after = frame(tokenizer)
    reader: Reader
    if family == "causal":
        if not base.left_only:
            raise WordworthError(f"{name} attends to what follows a word, so it cannot predict it from the left")
        reader, around = CausalReader(base, head, trial_ids(tokenizer)), len(before)
    else:
        mask = tokenizer.mask_token_id
        if mask is None:
            raise WordworthError(f"the tokenizer of {name} has no mask token, which a masked model needs")
        reader, around = MaskedReader(base, head, int(mask), after), len(before) + 1 + len(after)
    limits = filter(None, (base.max_length, _sliding(base.network.config)))
    return WordModel(
        name=name,
        source=source,
        family=family,
        reader=reader,
        tokenizer=tokenizer,
        units=units_of(tokenizer, reader.width),
        before=before,
        limit=min(limits, default=None),
        around=around,
        dtype=base.dtype,
    )


def frame(tokenizer: PreTrainedTokenizerFast) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the tokens that the tokenizer itself puts before and after a text.

    This is the rule for BOS: Gemma's tokenizer puts one, GPT-2's and SmolLM2's put none, and neither do we.
    """
    text = "a a"
    bare, full = (tokenizer(text, add_special_tokens=special)["input_ids"] for special in (False, True))
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return tuple(full[:start]), tuple(full[start + len(bare) :])
    raise WordworthError(
        f"the tokenizer of {tokenizer.name_or_path or 'the model'} changes a text when it adds special tokens"
    )


def _head_of(config: PretrainedConfig, choice: WordFamily | None, name: str) -> tuple[WordFamily, Any]:
    """Return the family of the model, and the library's class for it with a head."""
    usual = family_of(config)
    for family, mapping, head in _CLASSES:
        if usual != "encoder-decoder" and family == (choice or usual) and type(config) in mapping:
            return family, head
    request = f" as a {choice} model" if choice else ""
    raise WordworthError(
        f"{name} ({config.model_type}) has no head that predicts words from the left{request}; use a causal or a "
        "masked language model"
    )


def _sliding(config: PretrainedConfig) -> int | None:
    """Return the width of the sliding attention, if the model has one."""
    width = getattr(config, "sliding_window", None)
    return int(width) if isinstance(width, int) and getattr(config, "use_sliding_window", True) else None
