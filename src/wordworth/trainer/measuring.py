"""What is measured of a model in training: studies with settings that take seconds, checked before it begins.

What measures it can change nothing of it, nor of what the training draws at random. The network that is measured is a
second one around the same weights in memory. It has modules, settings and hooks of its own, so neither the mode
(dropout), nor `use_cache`, nor which weights are trained is ever changed in the first.
"""

import copy
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from wordworth.catalog.kinds import HEADS, Kind
from wordworth.encode import LanguageModel, wrap
from wordworth.errors import Foreign, WordworthError
from wordworth.results import Findings
from wordworth.results.vocabulary import at_step
from wordworth.study import STUDIES, Study, study
from wordworth.study.checks import CALLED
from wordworth.task.settings import ByLayer, Settings, either
from wordworth.whole_words import WordModel, wrap_word_model

SAYING_WORDS = ("ForCausalLM", "LMHeadModel", "ForMaskedLM")
"""How the name of a class ends that gives words and nothing else; all others are measured without their heads."""


@dataclass(frozen=True)
class Chosen:
    """A study, and the settings that it has while a model is trained."""

    study: Study
    settings: Settings


def kind_of_network(network: PreTrainedModel) -> Kind:
    """Causal or masked, or an encoder: anything without a head that says words."""
    called = type(network).__name__
    return next((HEADS[end] for end in SAYING_WORDS if called.endswith(end)), "encoder")


def chosen_studies(asked: Mapping[str, Mapping[str, Any] | None], network: PreTrainedModel) -> list[Chosen]:
    """The studies of a training with their settings; what is wrong with them is said now.

    Those that declare settings for it are there unless they are asked for as None; the settings asked for go before.
    """
    kind = kind_of_network(network)
    usual: dict[str, Mapping[str, Any] | None] = {
        name: {} for name in STUDIES if study(name).training and kind in _takes(study(name))
    }
    wanted = {name: given for name, given in (usual | dict(asked)).items() if given is not None}
    if not wanted:
        raise WordworthError(f"there is nothing to measure; choose from {', '.join(_possible(kind))}")
    return [_chosen(study(name), given, kind, network) for name, given in wanted.items()]


def _takes(declared: Study) -> frozenset[Kind]:
    return declared.kinds | declared.beyond


def _possible(kind: Kind) -> list[str]:
    """Studies of a language model as it is, which it can be given loaded."""
    return [name for name in STUDIES if kind in _takes(study(name)) and not study(name).command]


def _chosen(declared: Study, given: Mapping[str, Any], kind: Kind, network: PreTrainedModel) -> Chosen:
    if declared.name not in _possible(kind):
        raise WordworthError(
            f"{declared.name} does not measure {CALLED[kind][0]} in training; choose from {either(_possible(kind))}"
        )
    chosen = {**declared.training, **given}
    settings = declared.settings.of(declared.name, chosen)
    if isinstance(settings, ByLayer) and not settings.layers:
        depth = int(network.config.num_hidden_layers)
        three = tuple(dict.fromkeys((0, depth // 2, depth)))
        settings = declared.settings.of(declared.name, {**chosen, "layers": three})
    if getattr(settings, "engine", "local") != "local":
        raise WordworthError("a model in training is measured in its own process; leave the engine local")
    declared.check([], settings)
    return Chosen(declared, settings)


@dataclass(frozen=True)
class Measuring:
    """A model in training, and the studies that it is measured by."""

    name: str
    """What tables call the training; a step of it is `NAME@step500`."""
    source: str
    tokenizer: PreTrainedTokenizerFast
    chosen: tuple[Chosen, ...]

    def at(self, network: PreTrainedModel, step: int, *, strict: bool) -> Iterator[Findings]:
        """The findings of each study on the network as it is now.

        A study that fails is recorded as a part that failed, with its reason; if `strict`, it raises.
        """
        label = at_step(self.name, step)
        model: LanguageModel | WordModel | None = None
        for one in self.chosen:
            findings = Findings(one.study.name)
            spared = Foreign(f"{one.study.name} could not be measured at step {step}", ours=not strict)
            with findings.part(asked=strict, model=label), spared:
                model = model or self._held(network, label)
                findings = one.study.run([_given(one.study, model)], one.settings)
            if not findings.about.models:  # it failed, and its run says so
                one.study.described(findings, [label], one.settings)
            yield findings

    def _held(self, network: PreTrainedModel, label: str) -> LanguageModel | WordModel:
        """A second network over the same weights, as the studies take it."""
        twin = still(network)
        if not all(bool(torch.isfinite(weight).all()) for weight in twin.parameters()):
            raise WordworthError(f"{label} has weights that are no finite numbers: the training has diverged")
        facts: dict[str, Any] = {"name": label, "source": self.source}
        kind = kind_of_network(network)
        if kind == "encoder":
            under: Any = twin.get_encoder() if twin.config.is_encoder_decoder else twin.base_model
            return wrap(under, self.tokenizer, **facts)
        return wrap_word_model(twin, self.tokenizer, family="causal" if kind == "causal" else "masked", **facts)


def _given(declared: Study, model: LanguageModel | WordModel) -> LanguageModel | WordModel:
    """The model with its head where words are predicted, and without it elsewhere."""
    if declared.name == "predict" or isinstance(model, LanguageModel):
        return model
    return model.reader.base


FORWARD = ("forward", "_original_forward")
"""What accelerate puts into a network whose passes it wraps for mixed precision."""


def still(network: PreTrainedModel) -> PreTrainedModel:
    """The network once more, over the same weights, without gradients and with dropout off.

    Mixed precision is left off with accelerate's wrapper: the weights are measured in the precision they are kept in.
    """
    known: dict[int, Any] = {}
    for weight in network.parameters():
        known[id(weight)] = nn.Parameter(weight.detach(), requires_grad=False)
    for buffer in network.buffers():
        known[id(buffer)] = buffer.detach()
    twin: PreTrainedModel = copy.deepcopy(network, known)
    if "_original_forward" in vars(twin):
        for name in FORWARD:
            vars(twin).pop(name, None)
    twin.train(False)
    return twin


@contextmanager
def random_states_kept(device: torch.device) -> Iterator[None]:
    """Whatever is drawn inside, Python, numpy and torch (on the CPU and on this device) go on as if it were not."""
    python, legacy = random.getstate(), np.random.get_state()  # noqa: NPY002 - the state that others draw from
    on_device = [torch.cuda.current_device() if device.index is None else device.index] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=on_device):
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(legacy)  # noqa: NPY002
