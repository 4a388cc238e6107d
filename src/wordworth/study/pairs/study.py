"""The study `pairs`: language models × sets of sentence pairs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wordworth.catalog.read.sentence_pairs import SentencePairs, load_sentence_pairs
from wordworth.catalog.resolve import NameLike, Origin
from wordworth.results.findings import Findings
from wordworth.study.inputs import record_word_model
from wordworth.study.pairs import PairsSettings
from wordworth.task.sentence_pairs import score_preferences, score_sentences
from wordworth.whole_words.model import WordModel, load_word_model
from wordworth.whole_words.surprisal import begin_with_bos

FAULTS = (
    "many of its pairs state no stereotype, compare groups that are not alternatives, or differ in more than the group "
    "(Blodgett et al. 2021), so a share near 50 % does not show that a model is unbiased"
)
END_OF_TEXT = "<|endoftext|>"
"""What separates documents in the training text of many models; the BOS of a chat model may begin a turn instead."""


def measure(models: Sequence[Origin | WordModel], settings: PairsSettings) -> Findings:
    """Measure causal and masked language models."""
    findings = Findings("pairs")
    sets = [_load_set(findings, named, settings) for named in settings.sets]
    for named in models:
        model = named if isinstance(named, WordModel) else load_word_model(named, settings.device, settings.precision)
        if model.family == "causal":
            model = _begin_document(model)
            token = "".join(model.tokenizer.convert_ids_to_tokens(list(model.before)))
            findings.notice("info", f"a sentence begins after {token}, so that its first word counts", model=model.name)
        record_word_model(findings, model)
        for data, numbers in sets:
            pairs = [data.pairs[number] for number in numbers]
            scores = score_sentences(model, pairs, settings.scored_words, settings.pll, is_per_word=data.is_per_word)
            findings.add(score_preferences(model.name, data, numbers, scores, settings))
    return findings


def _load_set(findings: Findings, named: NameLike, settings: PairsSettings) -> tuple[SentencePairs, list[int]]:
    """Return a set and the numbers of the pairs that are measured; record the set and what was left out."""
    data = load_sentence_pairs(named, settings.language)
    findings.add_data(data)
    for reason, count in data.left_out.items():
        findings.notice("info", f"{reason} were skipped", count=count, dataset=data.name)
    if data.has_faults:
        findings.notice("caution", FAULTS, dataset=data.name)
    count = len(data)
    if settings.sample is None or settings.sample >= count:
        return data, list(range(count))
    rows = np.random.default_rng(settings.seed).choice(count, settings.sample, replace=False)
    findings.notice("reduced", "pairs are measured, drawn at random", count=len(rows), total=count, dataset=data.name)
    return data, sorted(rows.tolist())


def _begin_document(model: WordModel) -> WordModel:
    """Return the model with what begins a document before a text.

    It is what its tokenizer puts there, else the token that separates documents, else BOS or the end of text.
    """
    token = model.tokenizer.get_added_vocab().get(END_OF_TEXT)
    if model.before or token is None:
        return begin_with_bos(model)
    return replace(model, before=(token,), around=model.around + 1)
