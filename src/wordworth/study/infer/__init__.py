"""Biased inferences (Dev, Li, Phillips & Srikumar 2020): how far from neutral NLI models are where nothing follows."""

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
    "help": "What the labels of a file mean where they are no words, such as 0=entailment,1=neutral,2=contradiction.",
    "group": ON,
    "metavar": "LABEL=MEANING,…",
    "parse": _label_map,
}
"""Of a setting for labelled pairs."""


class InferSettings(Intervals, ElmoLayers):
    """Blank choices are the paper's: three probes, τ of 0.5 and 0.7, all pairs."""

    probes: tuple[Name, ...] = setting(
        (),
        "Probe: gender, nationality, religion (NAME:formula: all verbs with 95 objects), or a TOML file; all "
        "three if none.",
        **PROBE_SETTING,
    )
    slices: tuple[str, ...] = setting(
        (), "Measured next to the whole: polarity=rude,demonym=Iraqi.", MEASURED, option="slice", metavar="KEY=WORD,…"
    )
    by: tuple[str, ...] = setting((), "Each word by itself: occupation, verb, object, kind, …", MEASURED, metavar="KEY")
    only: str = setting("", "Score nothing but this slice.", ON, metavar="KEY=WORD,…")
    thresholds: tuple[float, ...] = setting(
        (0.5, 0.7), "τ of the thresholds.", MEASURED, option="threshold", least=0, most=1
    )
    accuracy: tuple[Name, ...] = setting(
        (),
        "Labelled pairs that accuracy is measured on, such as snli-test, to see what mitigation costs.",
        MEASURED,
        catalog="nli",
    )
    swaps: int = setting(
        20_000,
        "Pairs of the control, in which two words of one kind are exchanged (baker, tailor); 0: none.",
        MEASURED,
        least=0,
        most=100_000_000,
    )
    stability: bool = setting(
        False, "How well defined the subspaces of gender, demonyms and adherents are in its vectors, too.", MEASURED
    )
    label_map: Mapping[str, str] | None = setting(None, may_differ=True, **LABEL_MAP)
    sample: int | None = setting(
        None, "Pairs of each probe or set, so many drawn evenly instead of all.", ON, metavar="N", least=1
    )
    articles: str = setting(
        "sound",
        "a/an by sound or by letter; dev2020, as the authors' code: by letter, and for the subject A/An, not The.",
        ON,
        choices=("sound", "letter", "dev2020"),
    )
    mitigate: tuple[str, ...] = setting(
        ("projection",), "How the bias is taken out.", HOW, choices=(*MITIGATIONS, "none"), may_differ=True
    )
    random: int = setting(8, RANDOM_HELP, HOW, least=0, most=1000, may_differ=True)
    against: tuple[Any, ...] = setting(
        (), "A model trained on mitigated vectors, as a version.", HOW, catalog="models/nli", may_differ=True
    )
    farthest: int = setting(
        10, "Pairs farthest from neutral that are kept.", HOW, least=0, most=10_000, may_differ=True
    )
    labels: tuple[str, ...] = setting(
        (),
        "Order of a transformer's outputs, where its files do not name them.",
        HOW,
        metavar="A,B,C",
        parse=lambda text: tuple(filter(None, text.split(","))),
    )
    device: str = setting("auto", group=HOW, may_differ=True, **DEVICE)
    engine: str = setting("local", group=HOW, **ENGINE)


STUDY = Study(
    name="infer",
    summary="Biased inferences: how far from neutral NLI models are on pairs that are all neutral (Dev et al.).",
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
