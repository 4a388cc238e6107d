"""What a version of a language model costs: geometry in some layers, whole words predicted, inference."""

from dataclasses import replace
from typing import Any

import polars as pl
from transformers import PreTrainedModel

from wordworth.catalog.fetch.sources import here
from wordworth.catalog.read.nli import NliData, load_nli
from wordworth.catalog.registry import entry
from wordworth.contexts import bleached, load_templates
from wordworth.encode import LanguageModel, checked_layers, in_contexts
from wordworth.encode.heads import Headed
from wordworth.encode.model import wrap
from wordworth.predict.model import wrap_word_model
from wordworth.run import Findings
from wordworth.study.debias import DebiasSettings
from wordworth.study.debias.tasks import load_task_data, measure
from wordworth.study.language_models import usual_pooling
from wordworth.study.predict import STUDY as PREDICT
from wordworth.task.nli import nli_probe

GEOMETRY = ("valence", "similarity", "weat", "bias")
TRAIN, TEST = "sick-train", "sick-test"


class Measuring:
    """All versions of one model are measured on the same data."""

    def __init__(self, headed: Headed, findings: Findings, settings: DebiasSettings) -> None:
        self.headed = headed
        whole: Any = headed.network
        head = whole.get_output_embeddings()
        self.wanted = [part for part in settings.wanted if part != "stability"]
        if "prediction" in self.wanted and head is None:
            findings.warn(f"Prediction was not measured: {headed.name} has no head for words.")
            self.wanted.remove("prediction")
        self.nli: tuple[NliData, ...] = ()
        if "nli" in self.wanted:
            lacking = [name for name in (TRAIN, TEST) if not here(name, entry(name, "nli").sources)]
            if lacking:
                findings.warn(f"Inference was not measured: {lacking[0]} is not here (`wordworth show {lacking[0]}`).")
                self.wanted.remove("nli")
            else:
                self.nli = tuple(load_nli(name) for name in (TRAIN, TEST))
                for data in self.nli:
                    findings.used_data(data, len(data))
        self.data = load_task_data(findings, settings) if set(self.wanted) & set(GEOMETRY) else None

    def version(self, network: PreTrainedModel, settings: DebiasSettings, *, inferring: bool = True) -> Findings:
        """What is found on one version."""
        headed, findings = self.headed, Findings()
        about: dict[str, Any] = {"name": headed.name, "source": headed.source}
        if "prediction" in self.wanted:
            words = wrap_word_model(network, headed.tokenizer, **about)
            model = words.reader.base
            chosen = {"corpus": settings.corpus, "words": settings.words, "soft_match": ("none",)}
            found = PREDICT([words], **chosen, seed=settings.seed, resamples=settings.resamples)
            found.models = {}
            kept = found.where(lambda row: row["experiment"] == "prediction", pl.col("experiment") == "prediction")
            findings.add(kept)
        else:
            model = wrap(network.base_model, headed.tokenizer, **about)  # type: ignore[arg-type]
        numbers = sorted(checked_layers(model, settings.layers or (model.layers // 2,)))
        if self.data is not None:
            findings.add(self._geometry(model, numbers, settings))
        if self.nli and inferring:
            train, test = self.nli
            for number in numbers:
                findings.add(nli_probe(model, train, test, number))
        return findings

    def _geometry(self, model: LanguageModel, numbers: list[int], settings: DebiasSettings) -> Findings:
        assert self.data is not None
        words = self.data.words()
        source = in_contexts(model, words, bleached(words, load_templates()), "bleached", numbers)
        layers = replace(source.layers(usual_pooling(model), "english"), setting=None)
        return measure(layers.in_memory(), self.data, settings)
