"""Sentence pairs: whether a language model finds the sentence with a stereotype more probable."""

from typing import Literal

from wordworth.study.base import Study
from wordworth.task.settings import HOW, MEASURED, ON, Intervals, Name, Placement, setting


class PairsSettings(Placement, Intervals):
    """A sentence has the probability of its whole words, the first one included."""

    sets: tuple[Name, ...] = setting(
        ("crows-pairs",),
        "Sentence pairs: a name, or a CSV/TSV file with the columns stereotype and antistereotype.",
        MEASURED,
        option="set",
        metavar="NAME|FILE",
        catalog="sentence_pairs",
    )
    language: str = setting("english", "Language of your own file.", ON, catalog="languages")
    sample: int | None = setting(
        None, "Draw this many pairs of each set at random; all unless given.", ON, metavar="N", least=1
    )
    scored_words: Literal["all", "unmodified"] = setting(
        "all",
        "Words whose probabilities count: all, or only the unmodified ones, which both sentences have (as in "
        "CrowS-Pairs).",
        HOW,
    )
    pll: Literal["within_word_l2r", "original"] = setting(
        "within_word_l2r",
        "What a masked model masks. within_word_l2r: a subword and the rest of its word; original: only the "
        "subword, as in CrowS-Pairs.",
        HOW,
    )

    def in_words(self) -> str:
        if self.scored_words == "all":
            return ""
        return "Only words that both sentences have count, as in CrowS-Pairs."


STUDY = Study(
    name="pairs",
    summary="Measure how often the sentence with a stereotype is the more probable one (CrowS-Pairs, StereoSet …).",
    settings=PairsSettings,
    main="sets",
    kinds=frozenset({"causal", "masked"}),
    papers=("nangia2020", "nadeem2021", "rudinger2018", "blodgett2021"),
    method=(
        "Sentence pairs. A sentence has the probability of its whole words, the first one included: in a causal model "
        "each from the words before it, after the token that begins a document; in a masked one each from all "
        "other words."
    ),
    example="wordworth run pairs smollm2-135m --set crows-pairs --sample 200",
    default_models=("smollm2-135m",),
    is_audited=False,
)
