"""Words with ratings in one setting, and the poles they are held against: what every valence experiment starts from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.lexica import Lexicon
from wordworth.contexts import polar_ratings, rescaled
from wordworth.errors import WordworthError
from wordworth.measure import sc_weat
from wordworth.study.vast.encodings import Encodings, Group

TEMPLATE_SCALE = (1.0, 9.0)


@dataclass(frozen=True, eq=False)
class Scale:
    """A lexicon's words and two poles, encoded in one setting."""

    lexicon: Lexicon
    setting: str
    words: Group
    high: Group
    low: Group

    def effects(self, layer: int, pooling: str, rows: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
        """SC-WEAT of the words (all that were encoded, or some rows of them) in one layer."""
        targets = self.words.vectors(layer, pooling)
        chosen = targets if rows is None else targets[rows]
        return sc_weat(chosen, self.high.vectors(layer, pooling), self.low.vectors(layer, pooling))

    def by_layer(
        self, layers: Sequence[int], pooling: str, rows: NDArray[np.intp] | None = None
    ) -> NDArray[np.float64]:
        """(layers, words)"""
        return np.stack([self.effects(layer, pooling, rows) for layer in layers])

    def ratings(self, of: str = "valence") -> NDArray[np.float64]:
        return self.lexicon.ratings[of][self.words.positions]


def nine_points(lexicon: Lexicon) -> dict[str, float]:
    """The lexicon's valence on the templates' scale of 1 to 9."""
    if lexicon.scale is None:
        raise WordworthError(
            f"the aligned settings need to know the scale of {lexicon.name}'s ratings; give --scale LOW,HIGH"
        )
    return dict(zip(lexicon.words, rescaled(lexicon.valence.tolist(), lexicon.scale, TEMPLATE_SCALE), strict=True))


def in_setting(
    encodings: Encodings, lexicon: Lexicon, setting: str, pleasant: Sequence[str], unpleasant: Sequence[str]
) -> Scale:
    """The lexicon and the valence poles in a setting. In misaligned the poles stay aligned (VAST, appendix)."""
    poles = {}
    ratings = None
    if setting in ("aligned", "misaligned"):
        known = nine_points(lexicon)
        ratings = [known[word] for word in lexicon.words]
        poles = polar_ratings(pleasant, unpleasant, known)
    if setting == "random":
        encodings.draw([*pleasant, *unpleasant, *lexicon.words])
    polar_setting = "aligned" if setting == "misaligned" else setting
    high, low = (
        encodings.group(polar_setting, side, [poles[word] for word in side] if poles else None)
        for side in (pleasant, unpleasant)
    )
    for side, group in (("pleasant", high), ("unpleasant", low)):
        if len(group.positions) < 2:
            why = next(iter(group.reasons.values()), "")
            raise WordworthError(f"{len(group.positions)} of the {side} words could be encoded {setting} ({why})")
    return Scale(lexicon, setting, encodings.group(setting, lexicon.words, ratings), high, low)
