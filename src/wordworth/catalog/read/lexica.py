"""Lexica: words with human ratings, from the catalog or from a user's own CSV or TSV."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.tables import Record, Records, check_commas, column, number, read_table, read_text, tidy
from wordworth.catalog.read.word_sets import load_translations
from wordworth.catalog.registry import Entry, entries, in_its_script
from wordworth.catalog.resolve import DataSet, NameLike, Origin, find, located_data
from wordworth.embedding.core import lower, spellings
from wordworth.errors import WordworthError, format_names, quote

_WORD = re.compile(r" {4}(\S.*):$")
_RATING = re.compile(r" {8}(\w+): (\S+)$")
_LITERAL = re.compile(r"<WORD><NAME>(.*)</NAME><PSCORE>(.*)</PSCORE><NSCORE>(.*)</NSCORE></WORD>")
RATINGS = ("valence", "arousal", "dominance")
WORD_NAMES = ("word", "words", "term")
RATING_NAMES = ("valence", "rating", "score", "mean")


def _of_cntext(lines: list[str]) -> Iterator[Record]:
    """YAML below `Dictionary:`, a word with its valence and arousal."""
    word = ""
    ratings: dict[str, str] = {}
    for at, line in enumerate(lines, start=1):
        if found := _WORD.match(line):
            word, ratings = found[1].strip("'\""), {}
        elif word and (found := _RATING.match(line)):
            ratings[found[1]] = found[2]
            if len(ratings) == 2:
                yield Record(at, (word, ratings.get("valence", ""), ratings.get("arousal", "")))
                word = ""


def _of_sentinet(lines: list[str]) -> Iterator[Record]:
    """Yield a word a line with a positive and a negative score; words without either are neutral, and are not taken."""
    for at, line in enumerate(lines, start=1):
        if found := _LITERAL.match(line.strip()):
            worth = float(found[2]) - float(found[3])
            if worth:
                yield Record(at, (found[1], str(worth)))


_LAYOUTS: Mapping[str, tuple[tuple[str, ...], Callable[[list[str]], Iterator[Record]]]] = {
    "cntext": (("word", "valence", "arousal"), _of_cntext),
    "sentinet": (("word", "valence"), _of_sentinet),
}
"""Layout of a file → its header and what reads its lines."""


@dataclass(frozen=True)
class LeftOut:
    """A row that is not a row of its own in the lexicon, and why."""

    line: int
    """The line of the file; 0 where the reason is none of the file's own."""
    word: str
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.word!r} {self.reason}" if self.line else f"{self.word!r} {self.reason}"


@dataclass(frozen=True, eq=False)
class Lexicon(DataSet):
    """Unique words in the order of the file, with their ratings."""

    words: tuple[str, ...]
    ratings: Mapping[str, NDArray[np.float64]]
    """valence, and arousal and dominance where there are; one number a word."""
    scale: tuple[float, float] | None
    """The ends of the valence scale, where they are known."""
    english: tuple[tuple[str, ...], ...] = ()
    """The English words that each word was chosen to translate, where the lexicon says."""
    by_english: bool = False
    """Whether the words are those of an English lexicon, so that translations of one English word count once."""
    left_out: tuple[LeftOut, ...] = ()

    def __len__(self) -> int:
        return len(self.words)

    @property
    def valence(self) -> NDArray[np.float64]:
        return self.ratings["valence"]

    def select(self, rows: Sequence[int], name: str, left_out: Iterable[LeftOut] = ()) -> "Lexicon":
        """Return only these rows, under another name."""
        return replace(
            self,
            name=name,
            words=tuple(self.words[row] for row in rows),
            ratings={key: values[list(rows)] for key, values in self.ratings.items()},
            english=tuple(self.english[row] for row in rows) if self.english else (),
            left_out=tuple(left_out),
        )

    def merge_forms(self, forms: Mapping[str, str]) -> "Lexicon":
        """Return a lexicon in which words of one form are one row, under the first of them, with their mean ratings.

        `forms` has the words that have a vector, as the vocabulary or the tokenizer has them.
        """
        rows: dict[tuple[bool, str], list[int]] = {}
        for row, word in enumerate(self.words):
            rows.setdefault((word in forms, forms.get(word, word)), []).append(row)
        if len(rows) == len(self):
            return self
        firsts = {row: self.words[same[0]] for same in rows.values() for row in same[1:]}
        repeats = [
            LeftOut(0, self.words[row], f"has the same vector as {first!r}; their ratings are averaged")
            for row, first in sorted(firsts.items())
        ]
        kept = self.select([same[0] for same in rows.values()], self.name, (*self.left_out, *repeats))
        order, sizes = np.concatenate(list(rows.values())), np.array(list(map(len, rows.values())))
        starts = np.cumsum(sizes) - sizes
        means = {key: np.add.reduceat(values[order], starts) / sizes for key, values in self.ratings.items()}
        english = [
            dict.fromkeys(word for row in same for word in self.english[row]) for same in rows.values() if self.english
        ]
        return replace(kept, ratings=means, english=tuple(map(tuple, english)))


def load_lexicon(
    name_or_path: NameLike,
    *,
    word_column: str | None = None,
    rating_column: str | None = None,
    language: str | None = None,
    scale: tuple[float, float] | None = None,
    drop_bad: bool = False,
) -> Lexicon:
    """Return a lexicon of the catalog by its name, or a user's own file by its path.

    A user's file needs a header; its columns are found by obvious names where they are not given, and a rating that is
    no number is an error unless `drop_bad`, which leaves the row out and says so. A word that stands more than once
    has its ratings averaged: one vector can only be held against one number.
    """
    declared = find(name_or_path, "lexica")
    if declared.entry is not None and "derived" in declared.entry.details:
        return replace(_derive_lexicon(declared.entry), name=declared.name)
    data = located_data(declared, "lexica", language or "english")
    if data.entry is not None:
        return _of_catalog(data, data.entry, word_column, rating_column)
    table = read_table(data.where)
    columns = {
        "word": word_column or _obvious(table, WORD_NAMES, "words", "--word-column"),
        "valence": rating_column or _obvious(table, RATING_NAMES, "ratings", "--rating-column"),
    }
    lexicon = _lexicon(data, table, columns, {}, drop_bad)
    _check_script(lexicon)
    if scale is not None:
        _check_scale(lexicon, scale)
    return replace(lexicon, scale=scale, columns=columns)


def lexica_in(language: str) -> tuple[str, ...]:
    """List the lexica of a language: first the one named after it, then the others in the catalog's order."""
    every = [one.name for one in entries("lexica") if one.language == language and "derived" not in one.details]
    return tuple(sorted(every, key=lambda name: name != language))


def _of_catalog(data: Origin, declared: Entry, word_column: str | None, rating_column: str | None) -> Lexicon:
    layout = declared.layout(data.origin)
    form: Mapping[str, Any] = layout.get("format", {})
    if "layout" in form:
        header, rows_of = _LAYOUTS[form["layout"]]
        table = Records(data.where, header, tuple(rows_of(read_text(data.where).splitlines())))
    else:
        table = read_table(
            data.where,
            delimiter=layout.get("delimiter", ","),
            header=form.get("header", True),
            quotes=form.get("quotes", True),
        )
    chosen = {"word": word_column, "valence": rating_column}
    columns = layout["columns"] | {role: title for role, title in chosen.items() if title}
    return replace(_lexicon(data, table, columns, form, drop_bad=True), scale=declared.scale)


def _check_scale(lexicon: Lexicon, scale: tuple[float, float]) -> None:
    for word, value in zip(lexicon.words, lexicon.valence, strict=True):
        if not scale[0] <= value <= scale[1]:
            raise WordworthError(
                f"{lexicon.source}: the rating {value:g} of {word!r} is outside the scale {scale[0]:g} to "
                f"{scale[1]:g}; give the scale the ratings are on"
            )


def _check_script(lexicon: Lexicon) -> None:
    """Latin words cannot be Chinese ones: a language that most words are not written in is a mistake."""
    strange = [word for word in lexicon.words if not in_its_script(word, lexicon.language)]
    if 2 * len(strange) > len(lexicon):
        raise WordworthError(
            f"{lexicon.source}: {len(strange):,} of {len(lexicon):,} words, such as {quote(strange[0])}, are not "
            f"written in the script of {lexicon.language}; give the words' own language with --language"
        )


def _obvious(table: Records, names: Sequence[str], what: str, option: str) -> str:
    """Return the one column whose name says what it is (in any case), the best name first."""
    for name in names:
        matching = [title for title in table.header if title.lower() == name]
        if len(matching) == 1:
            return matching[0]
    columns = format_names(title or "(blank)" for title in table.header)
    raise WordworthError(f"{table.path}: which column has the {what}? Say {option} NAME; the columns are {columns}")


def _lexicon(
    data: Origin, table: Records, columns: Mapping[str, str | int], form: Mapping[str, Any], drop_bad: bool
) -> Lexicon:
    at = {role: column(table, title) for role, title in columns.items()}
    kept = [rating for rating in RATINGS if rating in at]
    for rating in kept:
        check_commas(table.path, ((row.line, row.cells[at[rating]]) for row in table.rows))
    respelled: Mapping[str, str] = form.get("respelled", {})
    refused: Mapping[str, str] = form.get("leave_out", {})
    values: dict[str, list[list[float]]] = {}
    lines: dict[str, int] = {}
    english: dict[str, list[str]] = {}
    left_out: list[LeftOut] = []
    for row in table.rows:
        word = tidy(row.cells[at["word"]])
        numbers = [number(row.cells[at[rating]]) for rating in kept]
        bad = next((row.cells[at[r]] for r, value in zip(kept, numbers, strict=True) if value is None), None)
        reason = "" if word else "has no word"
        if bad is not None:
            reason = f"has a rating that is not a number: {quote(bad)}"
        if reason and not drop_bad:
            raise WordworthError(
                f"{table.path}, line {row.line}: {quote(word)} {reason}; correct it, or drop such rows "
                "with --on-bad drop"
            )
        reason = reason or refused.get(word, "")
        if reason:
            left_out.append(LeftOut(row.line, word, reason))
            continue
        word = respelled.get(word, word)
        if "misread" in form and not word.isascii():  # its Latin-1 was taken for another encoding
            word = word.encode(form["misread"]).decode("latin-1")
        if form.get("lower"):
            word = lower(word, data.language)
        if word in values:
            left_out.append(LeftOut(row.line, word, f"is on line {lines[word]} already; their ratings are averaged"))
        values.setdefault(word, []).append([value for value in numbers if value is not None])
        lines.setdefault(word, row.line)
        if "english" in at:
            meaning = tidy(row.cells[at["english"]])
            if meaning not in english.setdefault(word, []):
                english[word].append(meaning)
    if not values:
        raise WordworthError(f"{table.path} has no word with a rating; check the columns {dict(columns)}")
    words = tuple(sorted(values) if form.get("sort") else values)
    rated = (values[word] for word in words)
    matrix = np.array([rows[0] if len(rows) == 1 else np.mean(rows, axis=0) for rows in rated], dtype=np.float64)
    return Lexicon(
        words=words,
        ratings={rating: matrix[:, place].copy() for place, rating in enumerate(kept)},
        scale=None,
        english=tuple(tuple(english[word]) for word in words) if english else (),
        left_out=tuple(left_out),
        **data.facts,
    )


def _derive_lexicon(declared: Entry) -> Lexicon:
    """Return the rows of `derived.lexicon` that stand for an English word of `derived.words` (and of `derived.among`).

    A lexicon that names its English words is matched through them. Chinese and Turkish have the ValNorm authors'
    translations instead, which are looked up among the lexicon's words in either Chinese script. English words that
    no row stands for are in `left_out`.
    """
    recipe = declared.details["derived"]
    whole = load_lexicon(recipe["lexicon"])
    among = set(load_lexicon(recipe.get("among", recipe["words"])).words)
    wanted = tuple(word for word in load_lexicon(recipe["words"]).words if word in among)
    if "translation" in recipe:
        meanings = _list_translated(whole, wanted, recipe["translation"])
    elif whole.language == "english":
        meanings = [(word,) if word in wanted else () for word in whole.words]
    else:
        if not whole.english:
            raise WordworthError(
                f"{declared.name} is found through the English beside the words of {whole.name}, and the copy from "
                f"{whole.source} has none; put the other one in its place (`wordworth show {recipe['lexicon']}`)"
            )
        meanings = [tuple(w for w in map(str.lower, english) if w in wanted) for english in whole.english]
    rows = [row for row, english in enumerate(meanings) if english]
    covered = {word for english in meanings for word in english}
    kept = {whole.words[row] for row in rows}
    merged = [one for one in whole.left_out if one.word in kept]
    missing = [LeftOut(0, word, f"has no row in {whole.name}") for word in wanted if word not in covered]
    return replace(
        whole.select(rows, declared.name, [*merged, *missing]),
        english=tuple(meanings[row] for row in rows),
        by_english=True,
        licence=declared.licence,
    )


def _list_translated(whole: Lexicon, wanted: tuple[str, ...], table: str) -> list[tuple[str, ...]]:
    """List for each word of the lexicon the wanted English words that it translates."""
    forms = load_translations(table).forms
    spelled = spellings(whole.language)
    row_of = {word: row for row, word in enumerate(whole.words)}
    for row, word in enumerate(whole.words):
        for form in spelled(word):
            row_of.setdefault(form, row)
    meanings: list[tuple[str, ...]] = [() for _ in whole.words]
    for english in wanted:
        for translation in forms.get(english, ()):
            at = next((row_of[form] for form in spelled(translation) if form in row_of), None)
            if at is not None and english not in meanings[at]:
                meanings[at] += (english,)
    return meanings
