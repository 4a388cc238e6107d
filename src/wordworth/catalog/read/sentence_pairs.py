"""Load pairs of a sentence with a stereotype and one against it: from the catalog, or a user's CSV or TSV."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from wordworth.catalog.read.tables import Records, number, parse_json, read_table, read_text, tidy
from wordworth.catalog.resolve import DataSet, NameLike, located_data
from wordworth.errors import WordworthError, format_names

COLUMN_NAMES = {
    "stereotype": ("stereotype", "sent_more"),
    "antistereotype": ("antistereotype", "sent_less"),
    "unrelated": ("unrelated",),
    "before": ("before", "context"),
    "type": ("type", "bias_type"),
    "group": ("group", "target"),
}
"""Field → names of its column, including those of published sets."""
UNUSABLE = "pairs with a blank sentence, or with the same one twice"
UNEQUAL = "pairs that differ in more than pronouns"
BALANCED_JOBS = "pairs on professions with about as many women as men"
PRONOUNS = frozenset({"he", "she", "him", "her", "his", "hers", "himself", "herself"})


class SentencePair(NamedTuple):
    """A sentence with a stereotype and one against it, with their facts."""

    stereotype: str
    antistereotype: str
    unrelated: str = ""
    """A meaningless sentence for the same place, in StereoSet."""
    before: str = ""
    """The text before the sentences."""
    type: str = ""
    """The kind of bias."""
    group: str = ""
    """The target or occupation; pairs of one group depend on each other."""
    women: float | None = None
    """The real share of women in the occupation."""


@dataclass(frozen=True)
class SentencePairs(DataSet):
    """A set of pairs."""

    pairs: tuple[SentencePair, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Reason → number of pairs that were left out."""
    is_per_word: bool = False
    """Whether sentences of different lengths are compared, by their mean over words."""
    has_faults: bool = False
    """Whether Blodgett et al. (2021) found many faulty pairs in it."""

    def __len__(self) -> int:
        return len(self.pairs)


def load_sentence_pairs(name_or_path: NameLike, language: str = "english") -> SentencePairs:
    """Load a set of the catalog by its name, or a CSV or TSV with the columns `stereotype` and `antistereotype`.

    Columns `type`, `group`, `before` and `unrelated` are optional; `language` is that of a user's own file.
    """
    data = located_data(name_or_path, "sentence_pairs", language)
    details = data.entry.details if data.entry else {}
    read_pairs = _READERS[details.get("format", "table")]
    pairs: list[SentencePair] = []
    left_out: Counter[str] = Counter()
    for pair in read_pairs(data.where):
        if isinstance(pair, str):
            left_out[pair] += 1
        elif not pair.stereotype or not pair.antistereotype or pair.stereotype == pair.antistereotype:
            left_out[UNUSABLE] += 1
        else:
            pairs.append(pair)
    if not pairs:
        raise WordworthError(f"{data.where} has no pairs; it needs a stereotype and an antistereotype on each line")
    flags = {"is_per_word": details.get("per_word", False), "has_faults": details.get("faults", False)}
    return SentencePairs(pairs=tuple(pairs), left_out=left_out, **flags, **data.facts)


PairReader = Iterator[SentencePair | str]
"""Pairs, or the reason why one is left out."""


def _rows(table: Records) -> Iterator[dict[str, str]]:
    return (dict(zip(table.header, map(tidy, row.cells), strict=True)) for row in table.rows)


def _read_table(path: Path) -> PairReader:
    """Read CrowS-Pairs or a user's table."""
    table = read_table(path)
    names = [next((name for name in options if name in table.header), "") for options in COLUMN_NAMES.values()]
    if not all(names[:2]):
        columns = format_names(name or "(blank)" for name in table.header)
        raise WordworthError(f"{path} has no columns stereotype and antistereotype; its columns are {columns}")
    for row in _rows(table):
        yield SentencePair._make([*(row[name] if name else "" for name in names), None])


def _read_stereoset(path: Path, task: str) -> PairReader:
    for record in parse_json(read_text(path), str(path), "fetch it again")["data"][task]:
        texts = {sentence["gold_label"]: tidy(sentence["sentence"]) for sentence in record["sentences"]}
        before = tidy(record["context"]) if task == "intersentence" else ""
        before += "." if before and before[-1] not in ".!?" else ""
        sides = texts["stereotype"], texts["anti-stereotype"], texts["unrelated"]
        yield SentencePair(*sides, before, type=record["bias_type"], group=record["target"])


def _read_winobias(path: Path) -> PairReader:
    for task in ("type1", "type2"):
        for split in ("dev", "test"):
            sides = [path / f"{side}_stereotyped_{task}.txt.{split}" for side in ("pro", "anti")]
            for pro, anti in zip(*(read_text(file).splitlines() for file in sides), strict=True):
                first, second = (tidy(re.sub(r"^\d+|[\[\]]", "", line)) for line in (pro, anti))
                occupation = next(word for word in re.findall(r"\[([^\]]+)\]", pro) if word.lower() not in PRONOUNS)
                pair = SentencePair(first, second, type=task, group=occupation.split()[-1].lower())
                words = [re.findall(r"\w+", text.lower()) for text in pair[:2]]
                is_alike = len(words[0]) == len(words[1]) and all(
                    word == other or {word, other} <= PRONOUNS for word, other in zip(*words, strict=True)
                )
                yield pair if is_alike else UNEQUAL


def _read_winogender(path: Path) -> PairReader:
    """Read the schemas whose pronoun refers to the person with the occupation."""
    stats = _rows(read_table(path / "occupations-stats.tsv"))
    women = {row["occupation"]: (number(row["bls_pct_female"]) or 0) / 100 for row in stats}
    texts = {row["sentid"]: row["sentence"] for row in _rows(read_table(path / "all_sentences.tsv"))}
    for name in texts:
        occupation, _, answer, gender, _ = name.split(".")
        if answer == "0" and gender == "female":
            of_woman, of_man, female_share = texts[name], texts[name.replace(".female.", ".male.")], women[occupation]
            first, second = (of_woman, of_man) if female_share > 0.5 else (of_man, of_woman)
            yield SentencePair(first, second, group=occupation, women=female_share)


def _read_bec_pro(path: Path) -> PairReader:
    """Read sentences in blocks of nine persons × twenty professions: first of men, then of women."""
    rows, block_size = list(_rows(read_table(path, quotes=False))), 180
    for start in range(0, len(rows), 2 * block_size):
        for man, woman in zip(rows[start:][:block_size], rows[start + block_size :][:block_size], strict=True):
            if (man["Gender"], woman["Gender"]) != ("male", "female"):
                raise WordworthError(f"{path} is not in blocks of {block_size} sentences; fetch it again")
            is_of_men = man["Prof_Gender"] == "male"
            first, second = (man, woman) if is_of_men else (woman, man)
            pair = SentencePair(first["Sentence"], second["Sentence"], group=man["Profession"])
            bias_type = "professions of men" if is_of_men else "professions of women"
            yield BALANCED_JOBS if man["Prof_Gender"] == "balanced" else pair._replace(type=bias_type)


_READERS: dict[str, Callable[[Path], PairReader]] = {
    "table": _read_table,
    "stereoset-intra": lambda path: _read_stereoset(path, "intrasentence"),
    "stereoset-inter": lambda path: _read_stereoset(path, "intersentence"),
    "winobias": _read_winobias,
    "winogender": _read_winogender,
    "bec-pro": _read_bec_pro,
}
