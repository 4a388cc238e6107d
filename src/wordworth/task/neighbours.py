"""The nearest words of a lexicon's words, for a reader to look at: items, no score."""

import numpy as np

from wordworth.catalog.read.lexica import Lexicon
from wordworth.embedding import Layers
from wordworth.embedding.cosine import nearest_neighbours
from wordworth.run import Findings
from wordworth.task.settings import WordLookup
from wordworth.task.words import rated_words

NEIGHBOURS = 10
MOST = 2_000
"""Words of a lexicon, at most, whose neighbours are looked for among the whole vocabulary."""


def neighbours(layers: Layers, lexicon: Lexicon, settings: WordLookup) -> Findings:
    """The ten nearest words of every word of a lexicon that is not too long, in every slot."""
    findings = Findings()
    words, lexicon = rated_words(findings, layers, lexicon, settings)
    if not 0 < len(words) <= MOST or len(layers) <= NEIGHBOURS:
        return findings
    rows = np.array([layers.index[form] for form in words.forms], dtype=np.intp)
    for slot, matrix in layers.each():
        places, cosine = nearest_neighbours(matrix, rows, NEIGHBOURS)
        findings.item(
            **layers.columns,
            **slot._asdict(),
            experiment="neighbours",
            language=lexicon.language,
            dataset=lexicon.name,
            item=list(words.words),
            found_as=[", ".join(layers.words[row] for row in near) for near in places.tolist()],
            value=cosine[:, 0].tolist(),
        )
    return findings
