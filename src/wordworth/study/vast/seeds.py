"""How far the draw of the contexts matters: valence in random contexts over several draws."""

import numpy as np

from wordworth.catalog.read.lexica import Lexicon
from wordworth.run import Findings
from wordworth.statistics.correlation import pearson
from wordworth.study.vast.words import WordsInSettings
from wordworth.task.valence import effect_sizes


def seeds(findings: Findings, words: WordsInSettings, lexica: list[Lexicon]) -> None:
    """ρ over `--seeds` draws of one context a word: the mean, the least and the greatest."""
    chosen = words.chosen
    if chosen.seeds < 2 or "random" not in words.settings:
        return
    draws = [words, *(words.with_seed(chosen.seed + at) for at in range(1, chosen.seeds))]
    for lexicon in lexica:
        every = []
        for draw in draws:
            layers, poles = draw.rated(lexicon, "random").layers(draw.pooling)
            effects, people = effect_sizes(layers, poles), lexicon.valence[layers.positions]
            every.append(pearson(effects, people, resamples=1).value)
        by_draw = np.stack(every)  # draws × slots
        where = {**layers.columns, "language": words.language, "dataset": lexicon.name, "measure": "valence:seeds"}
        for at, slot in enumerate(layers.slots):
            mean, low, high = (
                float(one) for one in (by_draw[:, at].mean(), by_draw[:, at].min(), by_draw[:, at].max())
            )
            place = {**where, **slot._asdict(), "experiment": "contextualization"}
            findings.score(**place, value=mean, low=low, high=high, n=len(people))
    findings.note(f"valence:seeds is over {len(draws)} draws of the random contexts; its limits are their ends.")
