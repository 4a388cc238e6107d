"""Measure a model in training by studies with settings that take seconds, checked before training begins.

Measuring changes neither the model nor the random draws of the training: it uses a second network over the same weights
in memory, with its own modules, settings and hooks.
"""

import copy
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from wordworth.catalog.models import ModelKind, kind_of_class
from wordworth.encode import LanguageModel, wrap
from wordworth.errors import LibraryErrors, WordworthError
from wordworth.results.columns import model_label
from wordworth.results.findings import Findings
from wordworth.results.run import Run
from wordworth.study import STUDIES, WORD_MODEL_STUDIES, Study, study
from wordworth.study.names import KIND_IN_WORDS, resolve_inputs
from wordworth.task.settings import ByLayer, Settings, either
from wordworth.whole_words import WordModel, wrap_word_model


class StudyInTraining(NamedTuple):
    """A study and its settings in a training."""

    study: Study
    settings: Settings


def kind_of_network(network: PreTrainedModel) -> ModelKind:
    """Return causal, masked, or encoder for a network without a head that predicts words."""
    kind = kind_of_class(type(network).__name__)
    return "encoder" if kind == "nli" else kind


def choose_studies(changes: Mapping[str, Mapping[str, Any] | None], network: PreTrainedModel) -> list[StudyInTraining]:
    """Return the studies of a training with their settings, and raise if a setting is wrong.

    Studies that declare settings for a training are included unless they are None; `changes` take precedence.
    """
    kind = kind_of_network(network)
    possible = [name for name in STUDIES if kind in study(name).kinds | study(name).also_accepts]
    defaults: dict[str, Mapping[str, Any] | None] = {name: {} for name in possible if study(name).training}
    selection = {name: settings for name, settings in (defaults | dict(changes)).items() if settings is not None}
    if not selection:
        raise WordworthError(f"there is nothing to measure; choose from {either(possible)}")
    for name in selection:
        if name not in possible or study(name).command:
            raise WordworthError(
                f"{name} does not measure {KIND_IN_WORDS[kind][0]} in training; choose from {either(possible)}"
            )
    return [_configure_study(study(name), settings, network) for name, settings in selection.items()]


def _configure_study(measured_study: Study, overrides: Mapping[str, Any], network: PreTrainedModel) -> StudyInTraining:
    values = {**measured_study.training, **overrides}
    settings = measured_study.settings.of(measured_study.name, values)
    if isinstance(settings, ByLayer) and not settings.layers:
        depth = int(network.config.get_text_config().num_hidden_layers)
        settings = settings.model_copy(update={"layers": tuple(dict.fromkeys((0, depth // 2, depth)))})
    if getattr(settings, "engine", "local") != "local":
        raise WordworthError("a model in training is measured in its own process; set engine to local")
    inputs = resolve_inputs((), settings)
    measured_study.check(inputs)
    return StudyInTraining(measured_study, inputs.settings)


@dataclass(frozen=True)
class ModelInTraining:
    """A model in training, and the studies that measure it."""

    name: str
    """The name of the model in tables."""
    source: str
    tokenizer: PreTrainedTokenizerFast
    studies: tuple[StudyInTraining, ...]

    def run_studies(self, network: PreTrainedModel, step: int, *, strict: bool) -> Iterator[Run]:
        """Yield the run of each study on the network as it is now.

        A study that fails has a run with a notice of its reason; if `strict`, it raises.
        """
        label = model_label(self.name, step)
        checkpoints = {label: (self.name, step)}
        model: LanguageModel | WordModel | None = None
        for entry in self.studies:
            try:
                with LibraryErrors(f"{entry.study.name} could not be measured at step {step}", is_ours=not strict):
                    model = model or self._wrap(network, label)
                    measured_model = model
                    if isinstance(model, WordModel) and entry.study.name not in WORD_MODEL_STUDIES:
                        measured_model = model.reader.base
                    run = entry.study.run([measured_model], entry.settings, checkpoints=checkpoints)
            except WordworthError as error:
                if strict:
                    raise
                findings = Findings(entry.study.name, checkpoints=checkpoints)
                findings.notice("failed", str(error), model=self.name)
                run = entry.study.describe(findings, [label], entry.settings)
            yield run

    def _wrap(self, network: PreTrainedModel, label: str) -> LanguageModel | WordModel:
        """Return a model for studies, around a second network over the same weights."""
        shadow = copy_without_training(network)
        if not all(bool(torch.isfinite(weight).all()) for weight in shadow.parameters()):
            raise WordworthError(f"{label} has weights that are not finite: the training has diverged")
        facts: dict[str, Any] = {"name": label, "source": self.source}
        kind = kind_of_network(network)
        if kind == "encoder":
            return wrap(shadow, self.tokenizer, **facts)
        return wrap_word_model(shadow, self.tokenizer, family="causal" if kind == "causal" else "masked", **facts)


def copy_without_training(network: PreTrainedModel) -> PreTrainedModel:
    """Return a second network over the same weights, without gradients and with dropout off.

    accelerate's wrapper for mixed precision is removed: the weights are measured in the precision they are stored in.
    """
    memo: dict[int, Any] = {id(buffer): buffer.detach() for buffer in network.buffers()}
    for weight in network.parameters():
        memo[id(weight)] = nn.Parameter(weight.detach(), requires_grad=False)
    copied_network: PreTrainedModel = copy.deepcopy(network, memo)
    if vars(copied_network).pop("_original_forward", None) is not None:
        vars(copied_network).pop("forward", None)
    copied_network.train(False)
    return copied_network


@contextmanager
def keep_random_states(device: torch.device) -> Iterator[None]:
    """Restore the random states of Python, numpy and torch (on the CPU and on this device) afterwards."""
    python, legacy = random.getstate(), np.random.get_state()  # noqa: NPY002 - the state that others draw from
    on_device = [torch.cuda.current_device() if device.index is None else device.index] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=on_device):
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(legacy)  # noqa: NPY002
