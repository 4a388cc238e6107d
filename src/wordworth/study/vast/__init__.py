"""Measure what a language model knows about a word, layer by layer: VAST (Wolfe & Caliskan 2022)."""

from typing import Any, Literal

from wordworth.catalog.registry import entries, knows
from wordworth.errors import WordworthError, nearest
from wordworth.study.base import Study
from wordworth.study.shared_settings import LEXICA_SETTING, PAIRS_SETTING, TESTS_SETTING
from wordworth.task.settings import (
    COMPONENTS_SETTING,
    CORPUS,
    HOW,
    LEXICON,
    MEASURED,
    ON,
    POOLING,
    TEST,
    ByLayer,
    Intervals,
    Name,
    Permutations,
    either,
    setting,
    two_numbers,
)
from wordworth.task.settings import PAIRS as RATED_PAIRS

VAST_EXPERIMENTS = ("contextualization", "tokenization", "isolation", "probes", "validation", "bias", "languages")
DEFAULT_CONTEXTS = ("random", "bleached", "aligned", "misaligned")
SENTENCE_CONTEXTS = ("decontextualized", "bleached", "aligned", "misaligned")
"""Contexts of a sentence encoder, whose vector of a random context hardly depends on the word."""
CONTROL_NAMES = {
    "untrained": "the same network with random weights",
    "shuffled": "shuffled ratings",
    "poles-out": "the lexicon without the polar words",
}
CONTROLS = tuple(CONTROL_NAMES)
COMPONENT_WORDS = {
    "all": "all words of the language’s lexica, the WEATs and the poles",
    "sample": "a fixed sample of the words of the language’s lexica, the WEATs and the poles",
    "scored": "the scored words",
}
BLEACHED_ONLY = ("tokenization", "validation", "bias")
"""Experiments that use the bleached text with any setting of the contexts."""
TOKEN_EXPERIMENTS = ("tokenization", "probes")
"""Experiments on the vectors of tokens, which a sentence encoder does not have."""
LANGUAGES = ("english", "chinese", "turkish", "polish", "french", "spanish", "portuguese")
"""The paper's seven (Figures 20 to 22)."""


class VastSettings(ByLayer, Permutations, Intervals):
    """Set experiments, contexts, data and controls; the defaults are the paper's."""

    lexica: tuple[Name, ...] = setting((), f"{LEXICON}. Bellezza, ANEW and Warriner unless given.", **LEXICA_SETTING)
    experiments: tuple[str, ...] = setting(
        (),
        "Experiments to run; all unless given, but `languages` only on a multilingual model.",
        MEASURED,
        option="experiment",
        choices=VAST_EXPERIMENTS,
    )
    contexts: tuple[str, ...] = setting(
        (),
        "Context of the words. Unless given: the paper's four; for a sentence encoder, decontextualized replaces "
        "random.",
        MEASURED,
        option="context",
        choices=(*DEFAULT_CONTEXTS, "decontextualized"),
    )
    pairs: tuple[Name, ...] = setting(
        (), f"{RATED_PAIRS}, for validation; WordSim, SimLex, RareWord and MEN unless given.", **PAIRS_SETTING
    )
    tests: tuple[Name, ...] = setting((), f"{TEST}; WEAT 1 to 10 unless given.", **TESTS_SETTING)
    controls: tuple[str, ...] = setting(
        (),
        "Controls for contextualization: random weights, shuffled ratings, a lexicon without the polar words. All"
        " three unless given.",
        MEASURED,
        option="control",
        choices=(*CONTROLS, "none"),
    )
    language: str = setting("english", "Language of the lexicon, polar words and templates.", ON, catalog="languages")
    corpus: Name = setting(
        "enwiki-sample",
        f"{CORPUS} to draw random contexts from, or none.",
        ON,
        metavar="NAME|FILE|none",
        catalog="corpora",
    )
    language_corpus: tuple[Name, ...] = setting(
        (),
        "Text for the random contexts of a language in `languages`: LANGUAGE=NAME or LANGUAGE=FILE.",
        ON,
        metavar="LANGUAGE=NAME|FILE",
    )
    templates: str = setting("vast", "vast, vast-code (the authors' wording), or a TOML file.", ON, catalog="templates")
    word_column: str | None = setting(None, "Word column of your own lexicon.", ON)
    rating_column: str | None = setting(None, "Rating column of your own lexicon.", ON)
    scale: tuple[float, float] | None = setting(
        None, "Lowest and highest rating of your own lexicon's scale.", ON, metavar="LOW,HIGH", parse=two_numbers
    )
    pooling: str = setting("", group=HOW, **POOLING)
    components: int = setting(12, group=HOW, **COMPONENTS_SETTING)
    component_words: str = setting(
        "all",
        "Words to fit components on. all: the language's lexica (English: Bellezza, ANEW, Warriner), WEAT 1 to 10"
        " and the poles; sample: 2,500 of them; scored: only the scored words.",
        HOW,
        choices=("all", "sample", "scored"),
    )
    probes: Literal["standardized", "authors"] = setting(
        "standardized",
        "standardized: standardized vectors, CoLA's in-domain test, the treebank's tags; authors: as VAST's code,"
        " vectors unchanged, CoLA's out-of-domain test, universal tags.",
        HOW,
    )
    balance: bool = setting(False, "Cut the longer set of polar words at random to the size of the shorter one.", ON)

    def in_words(self) -> str:
        """Return sentences on the chosen controls, and on what components are fitted on."""
        experiments, controls = self.experiments or VAST_EXPERIMENTS, self.controls or CONTROLS
        sentences = []
        if "contextualization" in experiments and "none" not in controls:
            sentences.append(f"Controls: {either([CONTROL_NAMES[control] for control in controls], 'and')}.")
        if {"isolation", "bias"} & {*experiments}:
            sentences.append(f"Mean and components are fitted on {COMPONENT_WORDS[self.component_words]}.")
        if "validation" in experiments:
            sentences.append("For word similarity they are fitted on the words of the pairs.")
        return " ".join([*sentences, *filter(None, [super().in_words()])])

    def model_post_init(self, context: Any) -> None:
        for text in self.language_corpus:
            label = str(text).partition("=")[0]
            if label not in LANGUAGES:
                hint = nearest(label, list(LANGUAGES)) or f"; write LANGUAGE=PATH with one of {', '.join(LANGUAGES)}"
                raise WordworthError(f"--language-corpus {text} is of none of the languages{hint}")


def _list_languages() -> list[str] | None:
    """Return the languages, in addition to English, with polar words, templates and a lexicon."""
    from wordworth.catalog.read.word_sets import polar_languages

    lexica, templates = ({member.language for member in entries(kind)} for kind in ("lexica", "templates"))
    languages = [member for member in polar_languages() if member in lexica & templates and knows(member, "lexica")]
    return [member for member in languages if member != "english"]


STUDY = Study(
    name="vast",
    summary="Measure what a language model knows about a word, by layer and context (VAST).",
    settings=VastSettings,
    main="lexica",
    kinds=frozenset({"causal", "masked", "encoder", "sentence"}),
    papers=("wolfe2022", "toney2021"),
    method="VAST. ValNorm’s valence in every layer of a language model, by the context of a word.",
    example="wordworth run vast smollm2-135m --lexicon bellezza --experiment contextualization",
    quick={
        "lexica": ("bellezza",),
        "experiments": ("contextualization", "isolation", "validation", "bias"),
        "pairs": ("ws-353",),
        "controls": ("shuffled", "poles-out"),
        "component_words": "sample",
        "resamples": 300,
    },
    training={
        "lexica": ("bellezza",),
        "experiments": ("contextualization", "bias"),
        "contexts": ("bleached",),
        "tests": ("weat1", "vast-weat3", "weat6", "weat8"),
        "controls": ("none",),
        "components": 0,
        "component_words": "scored",
        "resamples": 300,
    },
    non_english_settings={"corpus": "none"},
    languages=_list_languages,
)
