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
class ReaderElsewhere:
    """In the place of a reader that is in other processes: what of it is said in this one."""

    width: int
    budget: Budget
    base: LanguageModel
    identity: Identity

    @property
    def device(self) -> torch.device:
        return self.base.device


@dataclass(frozen=True, eq=False)
class WordModel:
    """What predicts words: a reader of token numbers, the tokenizer, and its units as text."""

    name: str
    source: str
    family: WordFamily
    reader: Reader
    tokenizer: PreTrainedTokenizerFast
    units: Units
    before: tuple[int, ...]
    """The tokens that the model wants before a text (BOS, [CLS]): those that its tokenizer puts there, no others."""
    limit: int | None
    """Tokens admitted in one text, or the width of a sliding attention where that is less."""
    around: int
    """Tokens around a text while it is read."""
    dtype: str
    recipe: Recipe | None = None
    """How another process loads it, where it can be loaded by name; it is sent there as its recipe."""

    def __repr__(self) -> str:
        return f"<{self.family} model {self.name}>"

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return super().__reduce_ex__(protocol) if self.recipe is None else (loaded_alike, (self.recipe, self.identity))

    def without_weights(self) -> "WordModel":
        """Return what a driver knows of a model whose network is in its workers."""
        base, identity = self.reader.base.without_weights(), self.reader.identity
        reader: Any = ReaderElsewhere(self.reader.width, self.reader.budget, base, identity)
        return replace(self, reader=reader)

    @property
    def identity(self) -> Identity:
        """Return all that predictions depend on, as it is now, for the keys of what is kept on disk."""
        return *self.reader.identity, self.family

    @property
    def device(self) -> torch.device:
        return self.reader.device


def load_word_model(
    name_or_path: NameLike, device: str = "auto", dtype: str = "float32", family: WordFamily | None = None
) -> WordModel:
    """Load a model of the catalog, of a path (safetensors, GGUF) or of the hub, with its language-model head.

    `family` is read from the model's configuration; BERT and its kin can also be loaded as `causal`, if trained so.
    With workers, they load it and this process knows of it all but its weights.
    """
    options = {"named": name_or_path, "device": device, "dtype": dtype, "family": family}
    model: WordModel = load(Recipe(load_word_model_here, options))
    return model


def load_word_model_here(named: NameLike, device: str, dtype: str, family: WordFamily | None) -> WordModel:
    """Load it in this process, whatever the engine."""
    options = {"named": named, "device": device, "dtype": dtype, "family": family}
    resolved = find(named)
    network, tokenizer, source, family = load_network(resolved, device, dtype, family)
    model = wrap_word_model(network, tokenizer, name=resolved.name, source=source, family=family)
    model.reader.base = replace(model.reader.base, recipe=Recipe(load_word_model_here, options, "reader.base"))
    return model


def load_network(
    name_or_path: NameLike, device: str = "auto", dtype: str = "float32", family: WordFamily | None = None
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast, str, WordFamily]:
    """Load the network with its head, the tokenizer, where they came from, and the kind of head."""
    located = locate_language_model(name_or_path)

    def choose_class(config: PretrainedConfig) -> Any:
        return _head_of(config, family, located.name)[1]

    try:
        files = load_files(located.place, choose_class, called=located.name, device=device, dtype=dtype)
    except NoHeadError as error:
        raise WordworthError(
            f"{located.name} has no head for words, only the network below it; name a causal or a masked language "
            "model, such as smollm2-135m"
        ) from error
    return *files, _head_of(files[0].config, family, located.name)[0]


def wrap_word_model(
    network: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    *,
    name: str,
    source: str = "",
    family: WordFamily | None = None,
) -> WordModel:
    """Return a `WordModel` around a network with its head and a tokenizer at hand."""
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
            raise WordworthError(f"{name} looks at what follows a word, so it cannot predict it from the left alone")
        reader, around = CausalReader(base, head, trial_ids(tokenizer)), len(before)
    else:
        mask = tokenizer.mask_token_id
        if mask is None:
            raise WordworthError(f"the tokenizer of {name} has no mask token, which a masked model needs to predict")
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
    """Return the tokens that the tokenizer itself puts before a text, and behind it.

    This is the rule for BOS: Gemma's tokenizer puts one, GPT-2's and SmolLM2's put none, and neither do we.
    """
    text = "a a"
    bare, full = (tokenizer(text, add_special_tokens=special)["input_ids"] for special in (False, True))
    for at in range(len(full) - len(bare) + 1):
        if full[at : at + len(bare)] == bare:
            return tuple(full[:at]), tuple(full[at + len(bare) :])
    raise WordworthError(
        f"the tokenizer of {tokenizer.name_or_path or 'the model'} changes a text where it adds special tokens"
    )


def _head_of(config: PretrainedConfig, wanted: WordFamily | None, name: str) -> tuple[WordFamily, Any]:
    """Return how the model predicts words, and the library's class for it."""
    own = family_of(config)
    for family, mapping, head in _CLASSES:
        if own != "encoder-decoder" and family == (wanted or own) and type(config) in mapping:
            return family, head
    kind = f" as a {wanted} model" if wanted else ""
    raise WordworthError(
        f"{name} ({config.model_type}) has no head that predicts words from the left{kind}; use a causal or a masked "
        "language model"
    )


def _sliding(config: PretrainedConfig) -> int | None:
    """Return the tokens that some layer looks back on at most, if it does not look back on all."""
    width = getattr(config, "sliding_window", None)
    return int(width) if isinstance(width, int) and getattr(config, "use_sliding_window", True) else None
