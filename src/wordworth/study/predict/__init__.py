"""Measure which whole words a model predicts, and which it never predicts (Dudy & Bedrick 2020)."""

from typing import Any, Literal

from wordworth.study.base import Study
from wordworth.task.settings import CORPUS, HOW, LAYERS, MEASURED, ON, Intervals, Name, Placement, setting


class PredictSettings(Placement, Intervals):
    """Set the text and the rules of prediction; a word is predicted from the left of its line or document."""

    corpus: Name = setting("enwiki-sample", f"{CORPUS}.", ON, catalog="corpora")
    words: int = setting(5_000, "Cut the text after so many words; 0: read all.", ON, least=0)
    language: str = setting("english", "Language of the words, in your own text.", ON, catalog="languages")
    by_document: bool = setting(False, "Read a word's left context from its document, not only from its line.", ON)
    punctuation: Literal["apart", "attached"] = setting(
        "apart",
        "apart: marks are words of their own, the same for every tokenizer; attached: only white space parts words.",
        ON,
    )
    segmentation: Literal["icu", "spaces"] = setting(
        "icu", "Words in a language without spaces: icu finds their ends, or the text marks them by spaces.", ON
    )
    frequencies: Name | None = setting(
        None,
        "wordfreq, a file of words and counts, or a text to count; the text of --fine-tune, or wordfreq, unless given.",
        ON,
        catalog="frequencies",
    )
    top: int = setting(10, "Units looked at in each step of top-K.", HOW, metavar="K", least=1, most=1_000)
    bands: Any = setting("10,100,1000", "Lower edges of the bands of frequency.", HOW, metavar="A,B,…")
    soft_match: tuple[Any, ...] = setting(
        ("glove-6b-50d",),
        "What is near: an embedding, word2vec (trained on the text of --fine-tune, or else on the corpus), synonyms, "
        "lemma, or none.",
        MEASURED,
        metavar="EMBEDDING",
        catalog="models/static",
    )
    paraphrases: tuple[Any, ...] = setting(
        (),
        "Paraphrase triples, to probe the use of rare words: rare, common, a file, or drawn (from the corpus and "
        "WordNet).",
        MEASURED,
        catalog="paraphrases",
    )
    beginning: Literal["given", "guessed"] = setting(
        "given",
        "given: a guess begins a word, as in the probability of a word; guessed: it may also go on with the word "
        "before, as in the paper.",
        HOW,
    )
    boundary: Literal["required", "top-1", "ignored"] = setting(
        "required",
        "required: a guess must end where the word ends; top-1: only the first guess must, a path of top-K need not; "
        "ignored: the algorithm as printed.",
        HOW,
    )
    layers: tuple[int, ...] = setting(
        (),
        "Layers of a language model, such as 0,8,16, in the paraphrase probe; ¾ of the way up unless given.",
        HOW,
        **LAYERS,
    )
    fine_tune: Name | None = setting(
        None, "Train each model on this text first, in one pass.", HOW, catalog="corpora", may_differ=True
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
    summary="Which words a model says, and which it never says: accuracy, diversity and surprise (Dudy & Bedrick).",
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
