"""A batch of windows: read once, then the paths that leave the texts, level by level."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from wordworth.predict.model import WordModel
from wordworth.predict.search import PredictionRules, Search
from wordworth.predict.unit_scores import score_units
from wordworth.predict.windows import Place, Window
from wordworth.predict.words import Word


class Outcome(NamedTuple):
    """What a model said of a word; see `PREDICTIONS`."""

    word: Word
    guess: str | None
    hit1: bool
    hitk: bool
    logp: float
    logp_naive: float
    units: int
    form: str


def predict_batch(model: WordModel, windows: Sequence[Window], rules: PredictionRules) -> list[Outcome]:
    """ln P(word) = Σ ln p(unit) + ln P(begin | word read) − ln P(begin | context).

    “Begin” is that the next unit begins a word, a line or is a special one. The context's last word is over, hence the
    division; the word itself ends, hence the factor (Pimentel & Meister 2024; Oh & Schuler 2024). So the words that may
    follow a context share a mass of 1, and the words of a text multiply to the probability of the text. It is that of
    the tokenizer's own units; other segmentations of the same word are not added. Where units mark the end of a word
    themselves, the product over the units is all of it.
    """
    places = [place for window in windows for place in window.places]
    texts = [number for number, window in enumerate(windows) for _ in window.places]
    firsts = np.cumsum([0, *(len(window.ids) - window.first for window in windows)])
    before = np.array([place.start - 1 - windows[text].first for text, place in zip(texts, places, strict=True)])
    own = np.array([unit for window in windows for unit in (*window.ids[window.first + 1 :], -1)], dtype=np.int64)
    search = Search(model, rules, places, texts, firsts[texts] + before)
    with torch.inference_mode():
        rows, state = model.reader.read([window.ids for window in windows], [window.first for window in windows])
        scores = score_units(model.reader, rows, rules.k, model.begins, search.query(), own)
        naive = np.add.reduceat(scores.own, np.stack([search.rows, search.rows + search.counts], axis=1).ravel())[::2]
        logp = naive
        if not model.units.trailing:
            logp = naive + scores.begin[search.rows + search.counts] - scores.begin[search.rows]
        steps = search.begin(scores, own)
        while steps:
            rows = model.reader.extend(state, steps)
            steps = search.follow(steps, score_units(model.reader, rows, rules.k, model.begins, search.query_at(steps)))
    return [
        Outcome(place.word, _guess(place, guess), hit1, hitk, p, p_naive, len(place.target.ids), place.target.form)
        for place, guess, hit1, hitk, p, p_naive in zip(
            places,
            search.guesses,
            search.hit1.tolist(),
            search.hitk.tolist(),
            logp.tolist(),
            naive.tolist(),
            strict=True,
        )
    ]


def _guess(place: Place, spelled: bytes | None) -> str | None:
    """Of what was spelled, as many parts as the word has. What does not begin a word goes on with the last one."""
    if spelled is None:
        return None
    word = b"".join(spelled.split()[: place.target.parts]).decode(errors="replace")
    goes_on = bool(spelled) and not spelled[:1].isspace() and not place.target.units.trailing
    return place.previous + word if goes_on else word
