"""One declaration a setting: type, default, a sentence of help, bounds, and whether runs that differ in it compare.

A study's settings are one frozen dataclass whose fields are made by `setting`. The Python signature, the options of the
command, `--config`, `settings` in `run.json`, the table in the docs and what `compare` refuses are derived from it.
"""

import dataclasses
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self, get_args, get_origin

from wordworth.engine.engines import PATTERN
from wordworth.errors import WordworthError, nearest
from wordworth.statistics.choices import PERMUTATIONS, RESAMPLES, Count, Method, Sides

MEASURED, ON, HOW = "what is measured", "on what", "how"
GROUPS = (MEASURED, ON, HOW)
"""Headings of the help, in this order; `output` follows them."""

LARGEST = 2**31 - 1
"""Of whole numbers of which nothing else is declared: libraries take none that is larger than the machine's."""
POOLING: dict[str, Any] = {
    "help": "Pooling of a word's subwords; last if not given, or mean in a model that reads both ways.",
    "choices": ("", "first", "last", "mean", "max", "min"),
}
COMPONENTS: dict[str, Any] = {
    "help": "Principal components to nullify: so many at most.",
    "least": 0,
    "most": 1_000,
    "may_differ": True,
}
DEVICE: dict[str, Any] = {
    "help": "auto, cpu, cuda, or cuda:1 and so on; spread: over all there are; disk: layer by layer from its files.",
    "metavar": "DEVICE",
    "pattern": r"auto|cpu|mps|cuda(:\d{1,3})?|spread|disk",
}
"""Of a setting that says where a model runs."""
LEXICON, TEST, PAIRS, CORPUS = (
    "Lexicon: a name or a CSV/TSV file",
    "Association test: a name (weat1 … weat10) or a TOML file",
    "Rated word pairs: a name or a file",
    "Text: a corpus of the catalog or a file",
)
"""How the help of an option begins that several studies have."""
RANDOM = "Random directions or subspaces taken out as the control."
ENGINE: dict[str, Any] = {
    "help": "Where shards of the work run: local, ray (workers here) or ray:ADDRESS (a cluster).",
    "pattern": PATTERN,
    "may_differ": True,
    "metavar": "ENGINE",
}
SENSITIVITY = (
    "Sensitivity (Simonsohn et al. 2020): numbers again under all combinations of the choices that their items name; "
    "flipped are those whose conclusion (p < .05 and the sign, or neither) is another. Fewer words have less power."
)
Named = str | Path
"""A name of the catalog, or a path."""


@dataclass(frozen=True)
class Declared:
    """What is declared of a setting beside its type and default."""

    help: str
    group: str
    option: str = ""
    """How the command spells it, without the dashes; blank: the field's own name."""
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    may_differ: bool = False
    metavar: str = ""
    pattern: str = ""
    """What a text must be like; `help` says it in words."""
    parse: Callable[[str], Any] | None = None
    """Makes the value of what stands on the command line, where that is not a plain word or number."""
    catalog: str = ""
    """The kind of entry in the catalog that can be named, for a shell that completes it: `lexica`, `models/static`; or
    `languages`."""


def setting(default: Any, help: str, group: str = HOW, **more: Any) -> Any:  # noqa: A002
    """Declare a field of a study's settings; `more` are the other parts of its declaration."""
    return dataclasses.field(default=default, metadata={"declared": Declared(help, group, **more)})


@dataclass(frozen=True)
class Field:
    """A setting as its readers see it."""

    name: str
    type: Any
    """Of one value."""
    many: bool
    default: Any
    declared: Declared

    @property
    def option(self) -> str:
        """How the command spells it, without the dashes."""
        return self.declared.option or self.name.replace("_", "-")

    @property
    def repeatable(self) -> bool:
        """Whether the option can be given several times; else one word holds all values, with commas between."""
        return self.many and (self.declared.parse is None or get_origin(self.type) is tuple)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a study can be asked for; every study's settings derive from this."""

    def __post_init__(self) -> None:
        for field in self.fields():
            value = getattr(self, field.name)
            if field.many and not isinstance(value, tuple):
                value = (value,) if isinstance(value, str) or not isinstance(value, Sequence) else tuple(value)
                object.__setattr__(self, field.name, value)
            for one in value if field.many else [value]:
                _check(field, one)

    @classmethod
    def fields(cls) -> tuple[Field, ...]:
        """The settings in the order of their declaration."""
        hints = typing.get_type_hints(cls)
        return tuple(
            Field(one.name, *_one_type(hints[one.name]), one.default, one.metadata["declared"])
            for one in dataclasses.fields(cls)
        )

    @classmethod
    def of(cls, study: str, chosen: Mapping[str, Any]) -> Self:
        """Settings by name, in Python's plural or as the option has it (`lexica`, `lexicon`).

        An unknown name is an error that suggests one.
        """
        fields = cls.fields()
        known = {field.name: field.name for field in fields}
        spelled = {field.option.replace("-", "_"): field.name for field in fields} | known
        for name in chosen:
            if name not in spelled:
                near = nearest(name, [*spelled]) or f"; there are {', '.join(known)}"
                raise WordworthError(f"{study} has no setting {name!r}{near}")
            if name not in known and spelled[name] in chosen:
                raise WordworthError(f"{spelled[name]} was given twice, once as {name}; give it once")
        return cls(**{spelled[name]: value for name, value in chosen.items()})

    @classmethod
    def may_differ(cls) -> tuple[str, ...]:
        """The settings in which two runs may differ and still be compared."""
        return tuple(field.name for field in cls.fields() if field.declared.may_differ)

    def in_words(self) -> str:
        """What a report's method must say of the settings chosen; blank where it says it anyway."""
        return ""

    def as_table(self) -> dict[str, Any]:
        """Names and values as JSON holds them."""
        return {field.name: _plain(getattr(self, field.name)) for field in self.fields()}


def _one_type(hint: Any) -> tuple[Any, bool]:
    """The type of one value, and whether there may be several; `None` beside a type is left away."""
    if get_origin(hint) is tuple and get_args(hint)[-1] is Ellipsis:
        return get_args(hint)[0], True
    if get_origin(hint) in (typing.Union, types.UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not type(None)]
        return (kinds[0] if len(kinds) == 1 else hint), False
    return hint, False


def _check(field: Field, value: Any) -> None:
    declared, option = field.declared, f"--{field.option}"
    if value is None:
        return
    if declared.choices and value not in declared.choices:
        close = nearest(str(value), list(declared.choices))
        raise WordworthError(f"{option} is {value!r}{close or '; it can be ' + either(declared.choices)}")
    if declared.pattern and not (isinstance(value, str) and re.fullmatch(declared.pattern, value)):
        raise WordworthError(f"{option} is {value!r}; it can be {declared.help.rstrip('.')}")
    whole, low = field.type is int, declared.least
    high = LARGEST if declared.most is None and whole else declared.most
    if low is None and high is None:
        return
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise WordworthError(f"{option} is {value!r}; it must be a {'whole ' if whole else ''}number")
    if not ((low is None or value >= low) and (high is None or value <= high)):  # NaN is neither
        upper = "up" if declared.most is None else f"to {high:,}"
        bounds = upper if low is None else f"from {low:,} {upper}"
        raise WordworthError(f"{option} is {value!r}; it must be a {'whole ' if whole else ''}number {bounds}")


def either(words: Sequence[str], joint: str = "or") -> str:
    """`a, b or c`."""
    return f" {joint} ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, str) and "://" in value:
        from wordworth.catalog.resolve import public_name  # which fetches: too much for a help

        return public_name(value)  # a token in an address does not belong into a run
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    name = getattr(value, "name", None) if not isinstance(value, Path) else None
    return name if isinstance(name, str) else getattr(value, "__name__", None) or str(value)


@dataclass(frozen=True, kw_only=True)
class Seeded(Settings):
    """All that is random is drawn from one seed."""

    seed: int = setting(0, "Seed of all that is random.", least=0)


@dataclass(frozen=True, kw_only=True)
class Intervals(Seeded):
    """How intervals are computed."""

    resamples: int = setting(RESAMPLES, "Bootstrap resamples of the intervals.", least=1, most=100_000, may_differ=True)


@dataclass(frozen=True, kw_only=True)
class Permuted(Intervals):
    """How p-values and intervals of association tests are computed."""

    sides: Sides = setting(
        "one", "Sides of the permutation tests: one (as the paper) or two.", choices=("one", "two"), may_differ=True
    )
    p_method: Method = setting(
        "auto",
        "How p is computed: exact where it can be enumerated, else Monte Carlo.",
        choices=("auto", "exact", "monte-carlo"),
        may_differ=True,
    )
    p_count: Count = setting(
        "inclusive",
        "What p counts: partitions that give as much, the observed one among them; strict: more (as the papers).",
        choices=("inclusive", "strict"),
        may_differ=True,
    )
    permutations: int = setting(
        PERMUTATIONS,
        "Random permutations where they cannot all be counted.",
        least=1,
        most=10_000_000,
        may_differ=True,
    )


@dataclass(frozen=True, kw_only=True)
class Sensitive(Permuted):
    """Whether a conclusion is tried under other choices."""

    sensitivity: bool = setting(
        False, "How often other defensible choices (words, vectors, estimators) flip the conclusion.", MEASURED,
        may_differ=True,
    )  # fmt: skip
    draws: int = setting(50, "Random halves of the word sets, of each kind, in --sensitivity.", least=1, most=10_000)

    def in_words(self) -> str:
        return SENSITIVITY if self.sensitivity else ""


@dataclass(frozen=True, kw_only=True)
class WordLookup(Settings):
    """How the words of a list are looked up in a vocabulary."""

    case: Literal["fold", "exact"] = setting(
        "fold", "fold: also try lower case and a capital; exact: words as written.", ON, choices=("fold", "exact")
    )
    balance: bool = setting(False, "Cut word sets at random to the size of the shorter one.", ON)


@dataclass(frozen=True, kw_only=True)
class Placement(Settings):
    """Where and how a language model runs."""

    device: str = setting("auto", may_differ=True, **DEVICE)
    engine: str = setting("local", **ENGINE)
    precision: str = setting(
        "float32",
        "Of the network's numbers; auto: the checkpoint's own on an accelerator, float32 on a CPU.",
        choices=("float32", "bfloat16", "float16", "auto"),
        may_differ=True,
    )


@dataclass(frozen=True, kw_only=True)
class ByLayer(Placement):
    """What is measured in every layer of a language model can be measured in some."""

    layers: tuple[int, ...] = setting(
        (),
        "Layers of a language model, such as 0,8,16 (-1 is the last); all if not given. None above them is computed.",
        MEASURED,
        metavar="N,N",
        parse=lambda text: comma_numbers("--layers", text),
        may_differ=True,
    )

    def in_words(self) -> str:
        if not self.layers:
            return ""
        last = " (-1 is the last)" if min(self.layers) < 0 else ""
        return (
            f"Not all layers of a language model were measured but {either(list(map(str, self.layers)), 'and')}{last}; "
            "the best and the top layer, and what is correlated over layers, are of these."
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
        raise WordworthError(f"{text!r} is not two names with a comma between, such as he,she")
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
