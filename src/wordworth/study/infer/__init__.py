"""Measure how far NLI models are from neutral on neutral pairs (Dev, Li, Phillips & Srikumar 2020)."""

from collections.abc import Mapping
from typing import Any

from wordworth.study.base import Study
from wordworth.study.shared_settings import PROBE_SETTING, ElmoLayers
from wordworth.task.settings import DEVICE, ENGINE, HOW, MEASURED, ON, RANDOM_HELP, Intervals, Name, setting

MITIGATIONS = ("projection", "hard-debias", "inlp", "leace")


def _label_map(text: str) -> dict[str, str]:
    from wordworth.catalog.read.nli import parse_map  # which imports polars

    return parse_map(text)


LABEL_MAP: dict[str, Any] = {
    "help": "Meaning of a file's labels if they are numbers, such as 0=entailment,1=neutral,2=contradiction.",
    "group": ON,
    "metavar": "LABEL=MEANING,…",
    "parse": _label_map,
}


class InferSettings(Intervals, ElmoLayers):
    """Set probes, slices and mitigations; the defaults are the paper's: three probes, τ of 0.5 and 0.7, all pairs."""

    probes: tuple[Name, ...] = setting(
        (),
        "Probe: gender, nationality, religion (NAME:formula pairs all verbs with 95 objects), or a TOML file. All"
        " three unless given.",
        **PROBE_SETTING,
    )
    slices: tuple[str, ...] = setting(
        (),
        "Also score this slice of the pairs: polarity=rude,demonym=Iraqi.",
        MEASURED,
        option="slice",
        metavar="KEY=WORD,…",
    )
    by: tuple[str, ...] = setting(
        (), "Also score the pairs of each occupation, verb, object or kind.", MEASURED, metavar="KEY"
    )
    only: str = setting("", "Score only this slice of the pairs.", ON, metavar="KEY=WORD,…")
    thresholds: tuple[float, ...] = setting(
        (0.5, 0.7), "Threshold τ for the probability of neutral.", MEASURED, option="threshold", least=0, most=1
    )
    accuracy: tuple[Name, ...] = setting(
        (), "Labelled pairs, such as snli-test, to measure what mitigation costs in accuracy.", MEASURED, catalog="nli"
    )
    swaps: int = setting(
        20_000,
        "Number of control pairs that differ in another word of one kind (baker, tailor); 0: none.",
        MEASURED,
        least=0,
        most=100_000_000,
    )
    stability: bool = setting(
        False, "Also measure how well defined the subspaces of gender, demonyms and adherents are.", MEASURED
    )
    label_map: Mapping[str, str] | None = setting(None, may_differ=True, **LABEL_MAP)
    sample: int | None = setting(
        None, "Draw this many pairs of each probe, evenly; all unless given.", ON, metavar="N", least=1
    )
    articles: str = setting(
        "sound",
        "a/an by sound or by letter; dev2020: as in the authors' code, by letter, and the subject has A/An "
        "instead of The.",
        ON,
        choices=("sound", "letter", "dev2020"),
    )
    mitigate: tuple[str, ...] = setting(
        ("projection",), "Method to remove the bias.", HOW, choices=(*MITIGATIONS, "none"), may_differ=True
    )
    random: int = setting(8, RANDOM_HELP, HOW, least=0, most=1000, may_differ=True)
    against: tuple[Any, ...] = setting(
        (),
        "Also score a model that was trained on mitigated vectors, as another version.",
        HOW,
        catalog="models/nli",
        may_differ=True,
    )
    farthest: int = setting(
        10, "Number of pairs to save, those farthest from neutral.", HOW, least=0, most=10_000, may_differ=True
    )
    labels: tuple[str, ...] = setting(
        (),
        "Order of a transformer's outputs, if its files do not name them.",
        HOW,
        metavar="A,B,C",
        parse=lambda text: tuple(filter(None, text.split(","))),
    )
    device: str = setting("auto", group=HOW, may_differ=True, **DEVICE)
    engine: str = setting("local", group=HOW, **ENGINE)


STUDY = Study(
    name="infer",
    summary="Measure biased inferences: how far NLI models are from neutral on neutral pairs (Dev et al.).",
    settings=InferSettings,
    main="probes",
    kinds=frozenset({"nli"}),
    papers=("dev2020",),
    method=(
        "Biased inferences. Sentence pairs from templates differ in a word for a person, so neutral is the only right "
        "label. Net neutral, fraction neutral and thresholds are over all pairs, in every version of the model."
    ),
    example="wordworth run infer nli-glove --probe gender --sample 5000",
    default_models=("nli-glove",),
    quick={"sample": 20_000, "random": 2, "resamples": 300},
    full={"random": 2},
    full_audit_note=(
        "infer takes 2 random directions as its control, and 8 when it is run by itself, so that the mean over them "
        "is less exact."
    ),
    is_english_only=True,
)
