"""One declaration per setting: type, default, help, bounds, and whether runs that differ in it can be compared.

The settings of a study are one frozen pydantic model whose fields are made by `setting`. The Python signature, the
options of the command, `--config`, `settings` in `run.json`, the table in the docs and what `compare` refuses are
derived from it.
"""

import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self, Union, get_args, get_origin

import pydantic
from pydantic import BaseModel, ConfigDict, SkipValidation, ValidationInfo, field_validator

from wordworth.catalog.registry import is_name, language_named
from wordworth.engine.engines import PATTERN
from wordworth.errors import WordworthError, nearest
from wordworth.statistics.choices import PERMUTATIONS, RESAMPLES, Count, Method, Sides

MEASURED, ON, HOW = "what is measured", "on what", "how"
HELP_GROUPS = (MEASURED, ON, HOW)
"""Headings of the help, in this order; `output` follows them."""

MAX_WHOLE_NUMBER = 2**31 - 1
"""The bound of whole numbers without another one: libraries accept no larger one."""
POOLING: dict[str, Any] = {
    "help": "Pooling of a word's subwords. Unless given: last in models that read left to right, else mean.",
    "choices": ("", "first", "last", "mean", "max", "min"),
}
COMPONENTS_SETTING: dict[str, Any] = {
    "help": "Largest number of principal components to nullify.",
    "least": 0,
    "most": 1_000,
    "may_differ": True,
}
DEVICE: dict[str, Any] = {
    "help": "auto, cpu, mps, cuda or cuda:N; spread (over all GPUs); disk (read layer by layer from the model's "
    "files).",
    "metavar": "DEVICE",
    "pattern": r"auto|cpu|mps|cuda(:\d{1,3})?|spread|disk",
}
"""Of a setting that says where a model runs."""
LAYERS: dict[str, Any] = {"metavar": "N,N", "parse": lambda text: comma_numbers("--layers", text), "may_differ": True}
"""Of a setting that names layers of a language model."""
LEXICON, TEST, PAIRS, CORPUS = (
    "Lexicon: a name or a CSV/TSV file",
    "Association test: a name (weat1 … weat10) or a TOML file",
    "Rated word pairs: a name or a file",
    "Text: a corpus of the catalog or a file",
)
"""How the help of an option begins that several studies have."""
RANDOM_HELP = "Number of random directions or subspaces to remove, as a control."
ENGINE: dict[str, Any] = {
    "help": "local (this process), ray (workers on this machine) or ray:ADDRESS (a cluster).",
    "pattern": PATTERN,
    "may_differ": True,
    "metavar": "ENGINE",
}
SENSITIVITY = (
    "Sensitivity (Simonsohn et al. 2020): numbers again under all combinations of the choices that their items name; "
    "flipped ones have another conclusion (p < .05 and the sign, or neither). Fewer words have less power."
)
Name = Annotated[str | Path, SkipValidation]
"""A name of the catalog, a path, or a loaded object; in the settings of a study that runs, `Origin`."""


@dataclass(frozen=True)
class SettingSpec:
    """What is declared of a setting besides its type and default."""

    help: str
    group: str
    option: str = ""
    """How the command spells it, without the dashes; blank: the name of the field."""
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    may_differ: bool = False
    metavar: str = ""
    pattern: str = ""
    """Regular expression of a valid text; `help` says it in words."""
    parse: Callable[[str], Any] | None = None
    """Makes the value of a text on the command line, where that is not a plain word or number."""
    catalog: str = ""
    """The kind of catalog entry that can be named, for completion in a shell: `lexica`, `models/static`."""


def setting(default: Any, help: str, group: str = HOW, **more: Any) -> Any:  # noqa: A002
    """Declare a field of a study's settings; `more` are the other fields of `Declared`.

    Runs that differ in what is measured can be compared: what both measure is the same.
    """
    more.setdefault("may_differ", group == MEASURED)
    return pydantic.Field(default, description=help, json_schema_extra={"declared": SettingSpec(help, group, **more)})  # type: ignore[dict-item]


@dataclass(frozen=True)
class SettingField:
    """A setting as its readers see it."""

    name: str
    type: Any
    """The type of one value."""
    many: bool
    default: Any
    declared: SettingSpec

    @property
    def option(self) -> str:
        """Return how the command spells it, without the dashes."""
        return self.declared.option or self.name.replace("_", "-")

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the values that it can have; blank where any is possible."""
        return get_args(self.type) if get_origin(self.type) is Literal else self.declared.choices

    @property
    def is_repeatable(self) -> bool:
        """Return whether the option can be given several times; else one text holds all values, with commas."""
        return self.many and (self.declared.parse is None or get_origin(self.type) is tuple)


class Settings(BaseModel):
    """The settings of a study; those of every study derive from this."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except pydantic.ValidationError as error:
            problem = error.errors(include_url=False)[0]
            option = next(field.option for field in self.fields() if field.name == problem["loc"][0])
            raise WordworthError(f"--{option} is {problem['input']!r}: {problem['msg']}") from error

    @field_validator("*", mode="before")
    @classmethod
    def _check_declared(cls, value: Any, info: ValidationInfo) -> Any:
        field = next(one for one in cls.fields() if one.name == info.field_name)
        if field.many and not isinstance(value, tuple):
            value = (value,) if isinstance(value, str) or not isinstance(value, Sequence) else tuple(value)
        if field.declared.catalog == "languages":
            value = tuple(map(language_named, value)) if field.many else value and language_named(value)
        for one in value if field.many else [value]:
            _check(field, one)
        return value

    @classmethod
    @cache
    def fields(cls) -> tuple[SettingField, ...]:
        """Return the settings in the order of their declaration."""
        return tuple(
            SettingField(name, *_one_type(info.annotation), info.default, info.json_schema_extra["declared"])  # type: ignore[arg-type, index]
            for name, info in cls.model_fields.items()
        )

    @classmethod
    def by_name(cls) -> dict[str, SettingField]:
        """Return the settings by name, in Python's plural and as the option has it (`lexica`, `lexicon`)."""
        by_option = {field.option.replace("-", "_"): field for field in cls.fields()}
        return by_option | {field.name: field for field in cls.fields()}

    @classmethod
    def of(cls, study: str, chosen: Mapping[str, Any]) -> Self:
        """Return the settings with these values, by any of their names."""
        fields, values = cls.by_name(), {}
        for name, value in chosen.items():
            if name not in fields:
                near = nearest(name, [*fields]) or f"; there are {', '.join(field.name for field in cls.fields())}"
                raise WordworthError(f"{study} has no setting {name!r}{near}")
            values[fields[name].name] = value
            if fields[name].name != name and fields[name].name in chosen:
                raise WordworthError(f"{fields[name].name} was given twice, once as {name}; give it once")
        try:
            return cls(**values)
        except WordworthError as error:  # which names options; whoever calls from Python knows settings
            names = {field.option: field.name for field in cls.fields()}
            message = re.sub(r"--([a-z-]+)", lambda option: names.get(option[1], option[0]), str(error))
            raise WordworthError(message) from error

    @classmethod
    def may_differ(cls) -> list[str]:
        """Return the settings in which two runs may differ and still be compared."""
        return [field.name for field in cls.fields() if field.declared.may_differ]

    def in_words(self) -> str:
        """Return what a report's method must say of the settings; blank where it says it anyway."""
        return ""

    def as_table(self) -> dict[str, Any]:
        """Return names and values as JSON holds them."""
        return {field.name: _plain(getattr(self, field.name)) for field in self.fields()}


def _one_type(hint: Any) -> tuple[Any, bool]:
    """Return the type of one value without `None`, and whether there may be several."""
    is_many = get_origin(hint) is tuple and get_args(hint)[-1] is Ellipsis
    one = get_args(hint)[0] if is_many else hint
    if get_origin(one) in (Union, types.UnionType) and type(None) in get_args(one):
        one = Union[tuple(kind for kind in get_args(one) if kind is not type(None))]  # noqa: UP007 - of a list of types
    return get_args(one)[0] if get_origin(one) is Annotated else one, is_many


def _check(field: SettingField, value: Any) -> None:
    declared, option = field.declared, f"--{field.option}"
    if value is None:
        return
    parts = value.split(",") if isinstance(value, str) and field.is_repeatable else []
    if len(parts) > 1 and all(part in field.choices or is_name(declared.catalog, part) for part in parts):
        again = " ".join(f"{option} {part}" for part in parts)
        raise WordworthError(f"{option} takes one name; repeat it: {again} (in Python: {field.name}={parts})")
    if field.choices and value not in field.choices:
        close = nearest(str(value), list(field.choices))
        raise WordworthError(f"{option} is {value!r}{close or '; it can be ' + either(field.choices)}")
    if declared.pattern and not (isinstance(value, str) and re.fullmatch(declared.pattern, value)):
        raise WordworthError(f"{option} is {value!r}; it can be {declared.help.rstrip('.')}")
    is_whole, low = field.type is int, declared.least
    high = MAX_WHOLE_NUMBER if declared.most is None and is_whole else declared.most
    if low is None and high is None:
        return
    is_number = isinstance(value, int if is_whole else int | float) and not isinstance(value, bool)
    if not (is_number and (low is None or value >= low) and (high is None or value <= high)):  # NaN is neither
        upper = "up" if declared.most is None else f"to {high:,}"
        bounds = upper if low is None else f"from {low:,} {upper}"
        kind = "a whole number" if is_whole else "a number"
        raise WordworthError(f"{option} is {value!r}; it must be {kind} {bounds}")


def either(words: Sequence[str], joint: str = "or") -> str:
    """Return `a, b or c`."""
    return f" {joint} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, int | float | bool) or (isinstance(value, str) and "://" not in value):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    from wordworth.catalog.resolve import Origin, public_name  # which fetches: too much for a help

    if isinstance(value, str | Origin):
        return public_name(value) if isinstance(value, str) else str(value)  # without a token in the address
    name = getattr(value, "name", None) if not isinstance(value, Path) else None
    return name if isinstance(name, str) else getattr(value, "__name__", None) or str(value)


class Seeding(Settings):
    """All that is random is drawn from one seed."""

    seed: int = setting(0, "Random seed.", least=0)


class Intervals(Seeding):
    """How intervals are computed."""

    resamples: int = setting(RESAMPLES, "Bootstrap resamples per interval.", least=1, most=100_000, may_differ=True)

    @property
    def bootstrap(self) -> dict[str, Any]:
        """Return how an interval is resampled, as arguments of the statistics."""
        return {"resamples": self.resamples, "seed": self.seed}


class Permutations(Intervals):
    """How p-values and intervals of association tests are computed."""

    sides: Sides = setting("one", "Sides of the permutation test; the papers use one.", may_differ=True)
    p_method: Method = setting(
        "auto", "How p is computed. auto: exact if all partitions can be counted, else Monte Carlo.", may_differ=True
    )
    p_count: Count = setting(
        "inclusive",
        "inclusive: count partitions with a statistic ≥ the observed one; strict: only > (as in the papers).",
        may_differ=True,
    )
    permutations: int = setting(
        PERMUTATIONS,
        "Random permutations, used if they cannot all be counted.",
        least=1,
        most=10_000_000,
        may_differ=True,
    )

    @property
    def permutation(self) -> dict[str, Any]:
        """Return how a permutation test is done, as arguments of the statistics."""
        how = {"sides": self.sides, "method": self.p_method, "count": self.p_count}
        return {**how, "permutations": self.permutations, "seed": self.seed}


class Sensitive(Permutations):
    """Whether a conclusion is tried under other choices."""

    sensitivity: bool = setting(
        False,
        "Also count how often other defensible choices (words, vectors, estimators) change the conclusion.",
        MEASURED,
    )
    draws: int = setting(
        50, "Random halves of the word sets that --sensitivity draws, for each kind of set.", least=1, most=10_000
    )

    def in_words(self) -> str:
        return SENSITIVITY if self.sensitivity else ""


class WordLookup(Settings):
    """How the words of a list are looked up in a vocabulary."""

    case: Literal["fold", "exact"] = setting(
        "fold", "fold: also try words in lower case and with a capital; exact: only as written.", ON
    )
    balance: bool = setting(False, "Cut the longer word set at random to the size of the shorter one.", ON)


class Placement(Settings):
    """Where and how a language model runs."""

    device: str = setting("auto", may_differ=True, **DEVICE)
    engine: str = setting("local", **ENGINE)
    precision: str = setting(
        "float32",
        "Precision of the weights; auto: the checkpoint's own on a GPU, float32 on a CPU.",
        choices=("float32", "bfloat16", "float16", "auto"),
        may_differ=True,
    )


class ByLayer(Placement):
    """What is measured in every layer of a language model can be measured in some."""

    layers: tuple[int, ...] = setting(
        (), "Layers of a language model, such as 0,8,16 (-1 is the last); all unless given.", MEASURED, **LAYERS
    )

    def in_words(self) -> str:
        if not self.layers:
            return ""
        last = " (-1 is the last)" if min(self.layers) < 0 else ""
        return (
            f"Not all layers of a language model were measured but {either(list(map(str, self.layers)), 'and')}{last}; "
            "the best and the top layer, and correlations over layers, are among these."
        )


def comma_numbers(option: str, text: str) -> tuple[int, ...]:
    """`0,8,16` as whole numbers."""
    parts = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch(r"-?\d{1,9}", part) for part in parts):
        raise WordworthError(f"{option} is {text[:40]!r}; write whole numbers with commas between, such as 0,8,16")
    return tuple(map(int, parts))


def comma_pair(text: str) -> tuple[str, str]:
    """`A,B` as two words."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise WordworthError(f"{text!r} is not two words with a comma between them; write for example he,she")
    return parts[0], parts[1]


def two_numbers(text: str) -> tuple[float, float]:
    """`LOW,HIGH` as numbers."""
    low, comma, high = text.partition(",")
    try:
        pair = float(low), float(high)
    except ValueError as error:
        raise WordworthError(f"--scale is {text!r}; write two numbers, such as 1,9") from error
    if not comma or not pair[0] < pair[1]:
        raise WordworthError(f"--scale is {text!r}; write the lower number first, such as 1,9")
    return pair
