"""Calibration: which measure of bias would notice a bias of a given size, and with how many words."""

from wordworth.study.base import Study
from wordworth.study.shared_settings import PROBE_SETTING, OfEmbeddings
from wordworth.task.settings import HOW, MEASURED, Name, Placement, Seeding, WordLookup, comma_numbers, setting


class CalibrateSettings(OfEmbeddings, WordLookup, Placement, Seeding):
    """Blank tests are WEAT 1 to 10."""

    sizes: tuple[int, ...] = setting(
        (4, 8, 16, 25),
        "Words per list of targets. The sizes of the test's own lists are always measured.",
        MEASURED,
        metavar="N,N",
        parse=lambda text: comma_numbers("--sizes", text),
        least=2,
        most=1_000,
    )
    layer: int | None = setting(
        None, "Layer number of a language model, in bleached contexts; a quarter of the way up unless given.", MEASURED
    )
    probes: tuple[Name, ...] = setting(
        (),
        "Probe of an NLI model, whose hypotheses have two groups: gender unless given, or a TOML file.",
        **PROBE_SETTING,
    )
    sentences: int = setting(
        10, "Sentences of a probe, drawn at random, that each word is read in.", HOW, least=1, most=10_000
    )
    lists: int = setting(1_000, "Number of lists to draw for each size and dose.", HOW, least=20, most=100_000)
    permutations: int = setting(
        1_999, "Random permutations for each list, used if they cannot all be counted.", HOW, least=19, most=1_000_000
    )


STUDY = Study(
    name="calibrate",
    summary="Test which bias measures notice an injected bias of known size, and how often they raise a false alarm.",
    settings=CalibrateSettings,
    main="tests",
    kinds=frozenset({"static", "sentence", "causal", "masked", "encoder", "nli"}),
    papers=("caliskan2017", "bommasani2020"),
    method=(
        "Calibration. The difference of X and Y along the direction from B to A is removed. Then lists are drawn from "
        "all target words with replacement. Those in X are moved up by half a dose, those in Y down. A dose is the "
        "words’ standard deviation along the direction. WEAT detects where its one-sided p is at most .05. "
        "Other measures detect where they exceed 95 % of other lists without a bias."
    ),
    example="wordworth run calibrate glove-6b-50d --test weat6",
    is_audited=False,
)
