"""Measure which whole words a model predicts, and which it never predicts (Dudy & Bedrick 2020)."""

from typing import Any, Literal

from wordworth.study.base import Study
from wordworth.task.settings import CORPUS, HOW, LAYERS, MEASURED, ON, Intervals, Name, Placement, setting


class PredictSettings(Placement, Intervals):
    """Set the text and the rules of prediction; a word is predicted from the left of its line or document."""

    corpus: Name = setting("enwiki-sample", f"{CORPUS}.", ON, catalog="corpora")
    words: int = setting(5_000, "Read only the first N words of the text; 0: all.", ON, least=0)
    language: str = setting("english", "Language of your own text.", ON, catalog="languages")
    by_document: bool = setting(False, "Read a word's left context from its document, not only from its line.", ON)
    punctuation: Literal["apart", "attached"] = setting(
        "apart",
        "apart: punctuation marks are separate words, the same for every tokenizer; attached: only white space "
        "separates words.",
        ON,
    )
    segmentation: Literal["icu", "spaces"] = setting(
        "icu",
        "How to find words in a language without spaces: icu finds them, spaces: the text has a space between words.",
        ON,
    )
    frequencies: Name | None = setting(
        None,
        "wordfreq, a file of words and counts, or a text to count. Unless given: the text of --fine-tune, else "
        "wordfreq.",
        ON,
        catalog="frequencies",
    )
    top: int = setting(10, "K of top-K: subwords considered at each step.", HOW, metavar="K", least=1, most=1_000)
    bands: Any = setting("10,100,1000", "Lower edges of the frequency bands.", HOW, metavar="A,B,…")
    soft_match: tuple[Any, ...] = setting(
        ("glove-6b-50d",),
        "What counts as a near miss: neighbours in an embedding or in word2vec (trained on the text of "
        "--fine-tune, else the corpus), synonyms, lemma, or none.",
        MEASURED,
        metavar="EMBEDDING",
        catalog="models/static",
    )
    paraphrases: tuple[Any, ...] = setting(
        (),
        "Paraphrase triples for rare words: rare, common, a file, or drawn (from the corpus and WordNet).",
        MEASURED,
        catalog="paraphrases",
    )
    beginning: Literal["given", "guessed"] = setting(
        "given",
        "given: a guess begins a new word; guessed: it may also continue the word before, as in the paper.",
        HOW,
    )
    boundary: Literal["required", "top-1", "ignored"] = setting(
        "required",
        "required: a guess must end where the word ends; top-1: only the first guess must; ignored: none must, as"
        " in the printed algorithm.",
        HOW,
    )
    layers: tuple[int, ...] = setting(
        (), "Layers to use in the paraphrase probe, such as 0,8,16; ¾ of the way up unless given.", HOW, **LAYERS
    )
    fine_tune: Name | None = setting(
        None, "First train each model on this text, in one pass.", HOW, catalog="corpora", may_differ=True
    )

    @property
    def frequency_source(self) -> Name:
        """Return the source of the frequencies."""
        return self.frequencies or self.fine_tune or "wordfreq"

    def as_table(self) -> dict[str, Any]:
        """Return the settings with the frequencies that are used, so that runs with other bands are not compared."""
        return super().as_table() | {"frequencies": str(self.frequency_source)}


STUDY = Study(
    name="predict",
    summary="Measure which words a model predicts, and which it never predicts (Dudy & Bedrick).",
    settings=PredictSettings,
    kinds=frozenset({"causal"}),
    also_accepts=frozenset({"masked"}),
    papers=("dudy2020",),
    method=(
        "Whole-word prediction. A word counts as predicted when its units, chosen one after the other, spell it "
        "and end. top-k is over tokens, Tk over types, by frequency in training text."
    ),
    example="wordworth run predict smollm2-135m --corpus enwiki-sample --words 2000",
    default_models=("smollm2-135m",),
    quick={"words": 3_000, "resamples": 300},
    training={"words": 2_000, "soft_match": ("none",), "resamples": 300},
    is_english_only=True,
)
