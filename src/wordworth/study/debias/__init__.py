"""Remove a bias from an embedding, and measure what that costs (Bolukbasi et al. 2016, Dev et al. 2020)."""

from typing import Any

from wordworth.errors import WordworthError
from wordworth.study.base import Study
from wordworth.study.shared_settings import LEXICA_SETTING, PAIRS_SETTING, PROBE_SETTING, TESTS_SETTING, BiasSubspace
from wordworth.task.settings import (
    CORPUS,
    DEVICE,
    HOW,
    LAYERS,
    LEXICON,
    MEASURED,
    ON,
    RANDOM_HELP,
    TEST,
    Name,
    Permutations,
    setting,
)
from wordworth.task.settings import PAIRS as RATED_PAIRS

HARD = "hard-debias"
DEBIAS_METHODS = ("projection", HARD, "inlp", "leace")
DEBIAS_PARTS = ("stability", "valence", "similarity", "weat", "bias", "prediction", "nli")
CONTROLS, CONTROLS_OF_NETWORK = 8, 2
"""Random subspaces as in the paper; fewer for a language model, which is read again for each."""

WORD_SET: dict[str, Any] = {"group": HOW, "catalog": "word_sets"}


class DebiasSettings(BiasSubspace, Permutations):
    """Set the bias, the span of all that is named (he − she unless given), and what is measured."""

    mitigate: str = setting("projection", "Method to remove the bias.", HOW, choices=DEBIAS_METHODS)
    specific: Name | None = setting(
        None,
        "Words that keep their component in the subspace (hard-debias); Bolukbasi's for gender unless given.",
        **WORD_SET,
    )
    equalize: Name | None = setting(
        None,
        "Pairs to make equally far from every other word (hard-debias); Bolukbasi's for gender unless given.",
        **WORD_SET,
    )
    rounds: int = setting(35, "inlp: largest number of classifiers.", HOW, least=1, most=10_000)
    without: tuple[str, ...] = setting((), "Measurement to skip.", MEASURED, choices=(*DEBIAS_PARTS, "all"))
    lexica: tuple[Name, ...] = setting(("bellezza",), f"{LEXICON}.", **LEXICA_SETTING)
    pairs: tuple[Name, ...] = setting(("ws-353", "simlex-999", "men"), f"{RATED_PAIRS}.", **PAIRS_SETTING)
    tests: tuple[Name, ...] = setting((), f"{TEST}; WEAT 1 to 10 unless given.", **TESTS_SETTING)
    random: int | None = setting(
        None,
        f"{RANDOM_HELP} {CONTROLS} unless given, {CONTROLS_OF_NETWORK} for a language model.",
        HOW,
        least=0,
        most=1000,
        may_differ=True,
    )
    nli: Name | None = setting(
        None, "NLI network over these vectors; nli-glove if it reads them.", MEASURED, catalog="models/nli"
    )
    probes: tuple[Name, ...] = setting(
        (),
        "Probe: gender, nationality, religion or a TOML file. Unless given: those that fit the bias.",
        **PROBE_SETTING,
    )
    layers: tuple[int, ...] = setting(
        (), "Layers of a language model to measure, such as 0,8,16; the middle one unless given.", MEASURED, **LAYERS
    )
    corpus: Name = setting(
        "enwiki-sample", f"{CORPUS}, for the predictions of a language model.", ON, catalog="corpora"
    )
    words: int = setting(2_000, "Read only the first N words of the text; 0: all.", ON, least=0)
    device: str = setting("auto", may_differ=True, **DEVICE)
    sample: int = setting(20_000, "Draw this many pairs of each probe, evenly.", ON, least=1)

    def model_post_init(self, context: Any) -> None:
        super().model_post_init(context)
        if (self.specific or self.equalize) and self.mitigate != HARD:
            raise WordworthError("--specific and --equalize need --mitigate hard-debias; remove them, or add it")

    @property
    def measured_parts(self) -> tuple[str, ...]:
        """Return the parts that are measured."""
        return () if "all" in self.without else tuple(part for part in DEBIAS_PARTS if part not in self.without)


STUDY = Study(
    name="debias",
    summary="Remove a bias from word vectors or a language model and measure the cost (Dev et al.).",
    settings=DebiasSettings,
    kinds=frozenset({"static"}),
    also_accepts=frozenset({"causal", "masked", "encoder"}),
    papers=("bolukbasi2016", "dev2020", "belrose2023"),
    method=(
        "Debiasing. The bias direction or subspace taken out of the vectors by the named method, and the same "
        "measures again."
    ),
    command="debias",
    is_audited=False,
)
