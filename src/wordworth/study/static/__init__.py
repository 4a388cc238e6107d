"""Contextual to static (Bommasani, Davis & Cardie 2020): language models reduced to one vector per word."""

from typing import Any, Literal

from wordworth.errors import WordworthError
from wordworth.study.base import Study
from wordworth.task.settings import CORPUS, HOW, MEASURED, ON, ByLayer, Intervals, Name, Placement, Seeding, setting
from wordworth.task.settings import PAIRS as PAIRS_HELP

EXPERIMENTS = ("quality", "bias", "agreement")
NO_TEXT = "none"
"""Instead of a text: encode only the words."""
PER_WORD = 100
"""Contexts of a word in an export."""
SIMILARITY = "similarity"
"""The vocabulary of the paper's four sets of pairs: 2,005 words."""
PAIRS = ("rg-65", "ws-353", "simlex-999", "simverb-3500")
"""The word pairs of the paper."""
TEXT_HELP: dict[str, Any] = {
    "help": f"{CORPUS} to draw sentences from; none: encode the words by themselves. Several are read as one.",
    "group": ON,
    "metavar": "NAME|FILE|none",
    "catalog": "corpora",
}


class StaticSettings(ByLayer, Intervals):
    """Blank choices are the paper's."""

    experiments: tuple[str, ...] = setting(
        (), "Experiments to run; all unless given.", MEASURED, option="experiment", choices=EXPERIMENTS, may_differ=True
    )
    pairs: tuple[Name, ...] = setting(
        (),
        f"{PAIRS_HELP}, for quality; RG-65, WordSim, SimLex and SimVerb unless given.",
        MEASURED,
        catalog="pairs",
        may_differ=True,
    )
    corpus: tuple[Name, ...] = setting(("enwiki-sample",), **TEXT_HELP)
    sentences: tuple[int, ...] = setting(
        (10_000, 50_000, 100_000, 500_000, 1_000_000),
        "Number of sentences to draw, for quality. Unless given: the paper's numbers, as far as the text suffices.",
        ON,
        least=1,
        most=100_000_000,
    )
    count: Literal["sentences", "contexts"] = setting(
        "sentences",
        "What --sentences counts: sentences, as in the authors' code, or contexts (one per sentence and word), as"
        " in the paper.",
        ON,
    )
    per_word: int = setting(20, "Contexts per word, in bias and agreement (paper, A.5).", ON, least=1, most=100_000)
    lower_case: bool = setting(False, "Lower-case the sentences.", ON)

    @property
    def is_without_text(self) -> bool:
        """Return whether words are encoded without a text."""
        return is_without_text(self.corpus)

    def model_post_init(self, context: Any) -> None:
        is_without_text(self.corpus)


def is_without_text(corpus: tuple[Name, ...]) -> bool:
    """Return whether no text is requested; raise for `none` next to a text."""
    has_none = NO_TEXT in map(str, corpus)
    if has_none and len(corpus) > 1:
        raise WordworthError("--corpus is none and a text at once; give one of them")
    return has_none


STUDY = Study(
    name="static",
    summary="Reduce language models to static embeddings: quality, bias and agreement of bias measures, by layer.",
    settings=StaticSettings,
    kinds=frozenset({"causal", "masked", "encoder", "sentence", "static"}),
    papers=("bommasani2020",),
    method=(
        "Contextual to static. A word’s vectors over many sentences are pooled to one, by layer and pooling. Word "
        "similarity is Spearman’s ρ. Bias is by the estimators of Bolukbasi, Garg and Manzini."
    ),
    example="wordworth run static minilm-l6 --pairs rg-65 --sentences 500 --experiment quality",
    quick={
        "sentences": (500,),
        "per_word": 1,
        "pairs": ("rg-65", "ws-353"),
        "experiments": ("quality", "bias"),
        "resamples": 300,
    },
    full={"sentences": (10_000,)},
    full_audit_note=(
        "static reads 10,000 sentences, the fewest of its paper; run by itself it reads all that the text has."
    ),
    is_english_only=True,
)


class ExportSettings(Placement, Seeding):
    """How a language model is reduced to one vector per word."""

    layer: int | None = setting(None, "Layer number. Unless given: a quarter of the way up, as in the paper.", HOW)
    vocabulary: Name = setting(
        SIMILARITY,
        "Words to export: `similarity`, a lexicon or word set of the catalog, or a file with one word per line.",
        ON,
    )
    corpus: tuple[Name, ...] = setting(("enwiki-sample",), **TEXT_HELP)
    per_word: int | None = setting(None, f"Contexts of a word; {PER_WORD} unless given.", ON, least=1, most=100_000)
    sentences: int | None = setting(
        None, "Number of sentences to draw, instead of --per-word.", ON, least=1, most=100_000_000
    )
    pooling: str = setting(
        "mean/mean", "Pooling F/G: F of a word's subwords, then G of its contexts.", HOW, metavar="F/G"
    )
    components: int | None = setting(
        None,
        "Remove the mean and this many principal components (Mu & Viswanath advise dimensions / 100).",
        HOW,
        least=0,
        most=1_000,
    )
    language: str = setting("english", "Language of the words and the text.", ON, catalog="languages")
    lower_case: bool = setting(False, "Lower-case the sentences.", ON)
