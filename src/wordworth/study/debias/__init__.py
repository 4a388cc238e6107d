"""Debiasing: a bias taken out of an embedding, and what that cost (Bolukbasi et al. 2016, Dev et al. 2020)."""

from typing import Any

from wordworth.errors import WordworthError
from wordworth.study.base import Study
from wordworth.study.shared_settings import LEXICA, PAIRS, PROBES, TESTS, BiasSubspace
from wordworth.task.settings import (
    CORPUS,
    DEVICE,
    HOW,
    LAYERS,
    LEXICON,
    MEASURED,
    ON,
    RANDOM,
    TEST,
    Named,
    Permuted,
    setting,
)
from wordworth.task.settings import PAIRS as RATED_PAIRS

HARD = "hard-debias"
METHODS = ("projection", HARD, "inlp", "leace")
PARTS = ("stability", "valence", "similarity", "weat", "bias", "prediction", "nli")
CONTROLS, CONTROLS_OF_NETWORK = 8, 2
"""Random subspaces, as the paper has it; and of a language model, which is read anew for each."""

WORD_SET: dict[str, Any] = {"group": HOW, "catalog": "word_sets"}


class DebiasSettings(BiasSubspace, Permuted):
    """The subspace is the span of all that is named; he − she where nothing is."""

    mitigate: str = setting("projection", "How the bias is taken out.", HOW, choices=METHODS)
    specific: Named | None = setting(
        None, "Words that keep their part in the subspace, in hard-debias; Bolukbasi's for gender.", **WORD_SET
    )
    equalize: Named | None = setting(
        None, "Pairs made equally far from every other word, in hard-debias; Bolukbasi's for gender.", **WORD_SET
    )
    rounds: int = setting(35, "Classifiers, in inlp, at most.", HOW, least=1, most=10_000)
    without: tuple[str, ...] = setting((), "Leave a part of the measuring out.", MEASURED, choices=(*PARTS, "all"))
    lexica: tuple[Named, ...] = setting(("bellezza",), f"{LEXICON}.", **LEXICA)
    pairs: tuple[Named, ...] = setting(("ws-353", "simlex-999", "men"), f"{RATED_PAIRS}.", **PAIRS)
    tests: tuple[Named, ...] = setting((), f"{TEST}; WEAT 1 to 10 if not given.", **TESTS)
    random: int | None = setting(
        None,
        f"{RANDOM} {CONTROLS} if not given, {CONTROLS_OF_NETWORK} of a language model.",
        HOW,
        least=0,
        most=1000,
        may_differ=True,
    )
    nli: Named | None = setting(
        None, "Network over these vectors that infers; nli-glove where it reads them.", MEASURED, catalog="models/nli"
    )
    probes: tuple[Named, ...] = setting(
        (), "Probe: gender, nationality, religion or a TOML file; those that fit if not given.", **PROBES
    )
    layers: tuple[int, ...] = setting(
        (),
        "Layers of a language model, such as 0,8,16, that are measured; the middle one if not given.",
        MEASURED,
        **LAYERS,
    )
    corpus: Named = setting("enwiki-sample", f"{CORPUS}, in which a language model predicts.", ON, catalog="corpora")
    words: int = setting(2_000, "Cut the text after so many words; 0: read all.", ON, least=0)
    device: str = setting("auto", may_differ=True, **DEVICE)
    sample: int = setting(20_000, "Pairs of each probe, so many drawn evenly.", ON, least=1)

    def model_post_init(self, context: Any) -> None:
        super().model_post_init(context)
        if (self.specific or self.equalize) and self.mitigate != HARD:
            raise WordworthError("--specific and --equalize are for --mitigate hard-debias; leave them out")

    @property
    def wanted(self) -> tuple[str, ...]:
        """The parts that are measured."""
        return () if "all" in self.without else tuple(part for part in PARTS if part not in self.without)


STUDY = Study(
    name="debias",
    summary="Takes a bias out of word vectors or a language model and measures what that cost (Dev et al.).",
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
