"""Debiasing: a bias taken out of an embedding, and what that cost (Bolukbasi et al. 2016, Dev et al. 2020)."""

from dataclasses import dataclass

from wordworth.errors import WordworthError
from wordworth.study.declaration import Study
from wordworth.task.settings import (
    HOW,
    MEASURED,
    ON,
    Intervals,
    Named,
    Permuted,
    comma_pair,
    setting,
)

METHODS = ("projection", "hard-debias", "inlp")
PARTS = ("stability", "valence", "similarity", "weat", "bias", "nli")


@dataclass(frozen=True, kw_only=True)
class DebiasSettings(Permuted, Intervals):
    """The subspace is the span of all that is named; he − she where nothing is."""

    directions: tuple[tuple[str, str], ...] = setting(
        (),
        "Two words, such as he,she (the default): unit(unit(a) − unit(b)).",
        ON,
        option="direction",
        metavar="A,B",
        parse=comma_pair,
    )
    pairs: tuple[Named, ...] = setting((), "First components of word pairs: a word set or a file.", ON)
    components_of: tuple[Named, ...] = setting((), "First components of words: a word set or a file.", ON)
    components: int = setting(1, "How many components of each of the two above.", ON, least=1, most=1_000)
    two_means: tuple[tuple[str, str], ...] = setting(
        (), "The difference of two sets' means.", ON, metavar="SET,SET", parse=comma_pair
    )
    raw: bool = setting(False, "Learn from vectors as they are, not made unit length as in the authors' code.", HOW)
    method: str = setting("projection", "How it is taken out.", HOW, choices=METHODS)
    specific: Named | None = setting(
        None, "hard-debias: words that keep their part in the subspace; Bolukbasi's for gender.", HOW
    )
    equalize: Named | None = setting(
        None, "hard-debias: pairs made equally far from every other word; Bolukbasi's for gender.", HOW
    )
    rounds: int = setting(35, "inlp: at most so many classifiers.", HOW, least=1, most=10_000)
    without: tuple[str, ...] = setting(
        (), "Leave a part of the measuring out.", MEASURED, choices=(*PARTS, "all"), may_differ=True
    )
    lexica: tuple[Named, ...] = setting(
        ("bellezza",), "Lexicon of valence.", MEASURED, option="lexicon", may_differ=True
    )
    similarity: tuple[Named, ...] = setting(
        ("ws-353", "simlex-999", "men"), "Rated pairs of similarity.", MEASURED, may_differ=True
    )
    tests: tuple[Named, ...] = setting(
        (),
        "Association test: a name or a TOML file; WEAT 1 to 10 if not given.",
        MEASURED,
        option="test",
        may_differ=True,
    )
    random: int = setting(8, "Random subspaces as the control.", HOW, least=0, most=1000, may_differ=True)
    control: str = setting(
        "gaussian",
        "Random subspaces: gaussian, or first components of 20 random words.",
        HOW,
        choices=("gaussian", "words"),
        may_differ=True,
    )
    nli: Named | None = setting(
        None, "Network over these vectors that infers; nli-glove where it reads them.", MEASURED, may_differ=True
    )
    probes: tuple[str, ...] = setting(
        (),
        "gender, nationality, religion or a TOML file; those that fit if not given.",
        MEASURED,
        option="probe",
        may_differ=True,
    )
    sample: int = setting(20_000, "Pairs of each probe, evenly drawn.", ON, least=1)

    def __post_init__(self) -> None:
        if self.method == "hard":
            object.__setattr__(self, "method", METHODS[1])
        super().__post_init__()
        if (self.specific or self.equalize) and self.method != "hard-debias":
            raise WordworthError("--specific and --equalize are for --method hard-debias; leave them out")

    @property
    def wanted(self) -> tuple[str, ...]:
        """The parts that are measured."""
        return () if "all" in self.without else tuple(part for part in PARTS if part not in self.without)


STUDY = Study(
    name="debias",
    summary="Takes a bias out of word vectors and measures what that cost (Dev et al.).",
    function="wordworth.study.debias.study:debias",
    settings=DebiasSettings,
    checks="wordworth.study.debias.treatment:check_named",
    tables_function="wordworth.study.debias.tables:debias_tables",
    kinds=frozenset({"static"}),
    papers=("bolukbasi2016", "dev2020"),
    method="Debiasing. The bias direction or subspace taken out of the vectors by the named method, and the same "
    "measures again.",
    command="debias",  # it writes an embedding too
    audited=False,
)
