"""Declare settings that studies share: files of word vectors, a bias to remove, layers of ELMo."""

from typing import Any, Literal

from wordworth.errors import WordworthError
from wordworth.task.settings import CORPUS, HOW, MEASURED, ON, TEST, Name, Settings, comma_numbers, comma_pair, setting

ALL_LANGUAGES = "all"
"""Every language that a model knows and a study has words in."""
LEXICA_SETTING: dict[str, Any] = {"group": MEASURED, "option": "lexicon", "catalog": "lexica"}
PAIRS_SETTING: dict[str, Any] = {"group": MEASURED, "catalog": "pairs"}
TESTS_SETTING: dict[str, Any] = {"group": MEASURED, "option": "test", "catalog": "tests"}
PROBE_SETTING: dict[str, Any] = {"group": MEASURED, "option": "probe", "metavar": "NAME|FILE"}
"""Declarations of settings that name data."""


class OfEmbeddings(Settings):
    """Set the tests, languages and files of studies on word vectors."""

    tests: tuple[Name, ...] = setting((), f"{TEST}.", **TESTS_SETTING)
    languages: tuple[str, ...] = setting(
        (),
        "Language of the words: one for all models, or one per model in the same order. Repeat it for a "
        "multilingual model, or give all.",
        ON,
        option="language",
        catalog="languages",
        may_differ=True,
    )
    on_bad: Literal["stop", "drop"] = setting(
        "stop", "What to do with vectors that are NaN, zero or repeated: stop, or drop them.", ON, may_differ=True
    )
    file_format: str | None = setting(
        None, "Format of the embedding files, if it is not recognized.", ON, may_differ=True
    )


def comma_names(text: str) -> tuple[str, ...]:
    """Return `A,B,C` as two or more names."""
    names = tuple(part.strip() for part in text.split(","))
    if len(names) < 2 or not all(names):
        raise WordworthError(f"{text!r} is not two or more names with commas between, such as male,female")
    return names


class BiasSubspace(Settings):
    """Name a bias: the span of all that is named."""

    directions: tuple[tuple[str, str], ...] = setting(
        (),
        "Bias direction: two words, such as he,she. The direction is unit(unit(a) − unit(b)).",
        ON,
        option="direction",
        metavar="A,B",
        parse=comma_pair,
    )
    bias_pairs: tuple[Name, ...] = setting(
        (), "Word pairs (a word set or a file) whose first principal components are the bias.", ON, catalog="word_sets"
    )
    bias_words: tuple[Name, ...] = setting(
        (), "Words (a word set or a file) whose first principal components are the bias.", ON, catalog="word_sets"
    )
    bias_components: int = setting(
        1, "Number of principal components for --bias-pairs and --bias-words.", ON, least=1, most=1_000
    )
    concept: tuple[tuple[str, ...], ...] = setting(
        (),
        "Two or more classes of words, each a word set or a file. The span of their means is the bias.",
        ON,
        metavar="SET,SET,…",
        parse=comma_names,
    )
    raw: bool = setting(
        False, "Learn the bias from vectors at their own length; the authors' code makes them unit length.", HOW
    )

    def model_post_init(self, context: Any) -> None:
        for classes in self.concept:
            if isinstance(classes, str) or len(classes) < 2:
                text = classes if isinstance(classes, str) else ", ".join(map(str, classes))
                raise WordworthError(f"--concept is {text}: a concept has two or more classes; name them all, as A,B")

    @property
    def is_named(self) -> bool:
        """Return whether any subspace is named."""
        return bool(self.directions or self.bias_pairs or self.bias_words or self.concept)


class TakenOut(BiasSubspace):
    """Name what is removed from the training vectors of a network: a bias, or random directions."""

    random_directions: int = setting(
        0, "Number of random directions to remove in training, as a control.", HOW, least=0, most=1_000
    )


class ElmoLayers(Settings):
    """Choose layers of ELMo: 1 has no context; in those above, a word's vector is a mean over a text."""

    elmo_layers: tuple[int, ...] = setting(
        (1,),
        "Layers of ELMo to remove the bias from. 1: before the layers above it are computed. Others, such as "
        "1,2,3: from each layer after all are computed.",
        HOW,
        metavar="N,N",
        parse=lambda text: comma_numbers("--elmo-layers", text),
        least=1,
        most=1_000,
        may_differ=True,
    )
    corpus: Name = setting(
        "enwiki-sample",
        f"{CORPUS}. ELMo's vectors in context are averaged over it, to find a bias in them.",
        ON,
        metavar="NAME|FILE",
        catalog="corpora",
        may_differ=True,
    )

    @property
    def only_first(self) -> bool:
        """Return whether only the context-free layer is debiased, as the paper advises."""
        return self.elmo_layers == (1,)


class LayeredTakenOut(TakenOut, ElmoLayers):
    """Name what a network is trained without, and in which layers."""
