"""Settings of studies that take word vectors in files."""

from dataclasses import dataclass

from wordworth.embedding.streams import OnBad
from wordworth.task.settings import MEASURED, ON, TEST, Named, Settings, setting

ALL = "all"
"""Every language that a model knows and a study has words in."""


@dataclass(frozen=True, kw_only=True)
class OfEmbeddings(Settings):
    """Settings of studies that take word vectors in files."""

    tests: tuple[Named, ...] = setting((), f"{TEST}.", MEASURED, option="test", catalog="tests", may_differ=True)
    languages: tuple[str, ...] = setting(
        (),
        "Language of the words: one for all models, or one a model in order; of a model that knows several, as many as "
        "are given, or all.",
        ON,
        option="language",
        catalog="languages",
        may_differ=True,
    )
    on_bad: OnBad = setting(
        "stop",
        "Rows of an embedding that are NaN, zero, repeated …: stop or drop.",
        ON,
        choices=("stop", "drop"),
        may_differ=True,
    )
    file_format: str | None = setting(
        None,
        "Format of the embedding files, where the files do not show it.",
        ON,
        may_differ=True,
    )
