"""Load lexica: words with human ratings, from the catalog or from a user's own CSV or TSV."""

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
    """Yield a word with its valence and arousal from YAML below `Dictionary:`."""
    word = ""
    ratings: dict[str, str] = {}
    for line_number, line in enumerate(lines, start=1):
        if match := _WORD.match(line):
            word, ratings = match[1].strip("'\""), {}
        elif word and (match := _RATING.match(line)):
            ratings[match[1]] = match[2]
            if len(ratings) == 2:
                yield Record(line_number, (word, ratings.get("valence", ""), ratings.get("arousal", "")))
                word = ""


def _of_sentinet(lines: list[str]) -> Iterator[Record]:
    """Yield the positive minus the negative score of the word on each line, unless it is 0: those words are neutral."""
    for line_number, line in enumerate(lines, start=1):
        if match := _LITERAL.match(line.strip()):
            valence = float(match[2]) - float(match[3])
            if valence:
                yield Record(line_number, (match[1], str(valence)))


_LAYOUTS: Mapping[str, tuple[tuple[str, ...], Callable[[list[str]], Iterator[Record]]]] = {
    "cntext": (("word", "valence", "arousal"), _of_cntext),
    "sentinet": (("word", "valence"), _of_sentinet),
}
"""Layout of a file → its header and the function that reads its lines."""


@dataclass(frozen=True)
class LeftOut:
    """A row that was left out of the lexicon or merged, with the reason."""

    line: int
    """The line of the file; 0 if the reason is not in the file."""
    word: str
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.word!r} {self.reason}" if self.line else f"{self.word!r} {self.reason}"


@dataclass(frozen=True, eq=False)
class Lexicon(DataSet):
    """Unique words in the order of the file, with their ratings."""

    words: tuple[str, ...]
    ratings: Mapping[str, NDArray[np.float64]]
    """Valence, and possibly arousal and dominance; one number per word."""
    scale: tuple[float, float] | None
    """The ends of the valence scale, if known."""
    english: tuple[tuple[str, ...], ...] = ()
    """The English words that each word translates, if the lexicon has them."""
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
        """Merge words of one form into one row, under the first of them, with their mean ratings.

        `forms` maps the words with a vector to their spelling in the vocabulary or the tokenizer.
        """
        rows: dict[tuple[bool, str], list[int]] = {}
        for row, word in enumerate(self.words):
            rows.setdefault((word in forms, forms.get(word, word)), []).append(row)
        if len(rows) == len(self):
            return self
        firsts = {row: self.words[group[0]] for group in rows.values() for row in group[1:]}
        repeats = [
            LeftOut(0, self.words[row], f"has the same vector as {first!r}; their ratings are averaged")
            for row, first in sorted(firsts.items())
        ]
        first_rows = self.select([group[0] for group in rows.values()], self.name, (*self.left_out, *repeats))
        order, sizes = np.concatenate(list(rows.values())), np.array(list(map(len, rows.values())))
        starts = np.cumsum(sizes) - sizes
        means = {key: np.add.reduceat(values[order], starts) / sizes for key, values in self.ratings.items()}
        groups = rows.values() if self.english else ()
        english = (tuple(dict.fromkeys(word for row in group for word in self.english[row])) for group in groups)
        return replace(first_rows, ratings=means, english=tuple(english))


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

    A user's file needs a header; columns that are not given are found by obvious names. A rating that is not a number
    is an error, or with `drop_bad` a row that is left out and listed. The ratings of a repeated word are averaged,
    since a word has one vector.
    """
    origin = find(name_or_path, "lexica")
    if origin.entry is not None and "derived" in origin.entry.details:
        return replace(_derive_lexicon(origin.entry), name=origin.name)
    data = located_data(origin, "lexica", language or "english")
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
    names = [entry.name for entry in entries("lexica") if entry.language == language and "derived" not in entry.details]
    return tuple(sorted(names, key=lambda name: name != language))


def _of_catalog(data: Origin, entry: Entry, word_column: str | None, rating_column: str | None) -> Lexicon:
    layout = entry.layout(data.origin)
    form: Mapping[str, Any] = layout.get("format", {})
    if "layout" in form:
        header, rows_of = _LAYOUTS[form["layout"]]
        table = Records(data.where, header, tuple(rows_of(read_text(data.where).splitlines())))
    else:
        has_header, has_quotes = form.get("header", True), form.get("quotes", True)
        table = read_table(data.where, delimiter=layout.get("delimiter", ","), header=has_header, quotes=has_quotes)
    given_columns = {"word": word_column, "valence": rating_column}
    columns = layout["columns"] | {role: title for role, title in given_columns.items() if title}
    return replace(_lexicon(data, table, columns, form, drop_bad=True), scale=entry.scale)


def _check_scale(lexicon: Lexicon, scale: tuple[float, float]) -> None:
    for word, value in zip(lexicon.words, lexicon.valence, strict=True):
        if not scale[0] <= value <= scale[1]:
            raise WordworthError(
                f"{lexicon.source}: the rating {value:g} of {word!r} is outside the scale {scale[0]:g} to "
                f"{scale[1]:g}; give the scale the ratings are on"
            )


def _check_script(lexicon: Lexicon) -> None:
    """Raise if most words are not written in the script of the language, which must then be wrong."""
    foreign_words = [word for word in lexicon.words if not in_its_script(word, lexicon.language)]
    if 2 * len(foreign_words) > len(lexicon):
        raise WordworthError(
            f"{lexicon.source}: {len(foreign_words):,} of {len(lexicon):,} words, such as {quote(foreign_words[0])}, "
            f"are not written in the script of {lexicon.language}; give the words' own language with --language"
        )


def _obvious(table: Records, names: Sequence[str], content: str, option: str) -> str:
    """Return the only column with one of these names (in any case), the best name first."""
    for name in names:
        matches = [title for title in table.header if title.lower() == name]
        if len(matches) == 1:
            return matches[0]
    columns = format_names(title or "(blank)" for title in table.header)
    raise WordworthError(f"{table.path}: which column has the {content}? Give {option} NAME; the columns are {columns}")


def _lexicon(
    data: Origin, table: Records, columns: Mapping[str, str | int], form: Mapping[str, Any], drop_bad: bool
) -> Lexicon:
    at = {role: column(table, title) for role, title in columns.items()}
    kinds = [rating for rating in RATINGS if rating in at]
    for rating in kinds:
        check_commas(table.path, ((row.line, row.cells[at[rating]]) for row in table.rows))
    corrections: Mapping[str, str] = form.get("respelled", {})
    exclusions: Mapping[str, str] = form.get("leave_out", {})
    values: dict[str, list[list[float]]] = {}
    lines: dict[str, int] = {}
    english: dict[str, list[str]] = {}
    left_out: list[LeftOut] = []
    for row in table.rows:
        word = tidy(row.cells[at["word"]])
        numbers = [number(row.cells[at[rating]]) for rating in kinds]
        bad_cell = next((row.cells[at[r]] for r, value in zip(kinds, numbers, strict=True) if value is None), None)
        reason = "" if word else "has no word"
        if bad_cell is not None:
            reason = f"has a rating that is not a number: {quote(bad_cell)}"
        if reason and not drop_bad:
            raise WordworthError(
                f"{table.path}, line {row.line}: {quote(word)} {reason}; correct it, or drop such rows "
                "with --on-bad drop"
            )
        reason = reason or exclusions.get(word, "")
        if reason:
            left_out.append(LeftOut(row.line, word, reason))
            continue
        word = corrections.get(word, word)
        if "misread" in form and not word.isascii():  # its Latin-1 was decoded wrongly
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
    groups = (values[word] for word in words)
    matrix = np.array([rows[0] if len(rows) == 1 else np.mean(rows, axis=0) for rows in groups], dtype=np.float64)
    return Lexicon(
        words=words,
        ratings={rating: matrix[:, position].copy() for position, rating in enumerate(kinds)},
        scale=None,
        english=tuple(tuple(english[word]) for word in words) if english else (),
        left_out=tuple(left_out),
        **data.facts,
    )


def _derive_lexicon(entry: Entry) -> Lexicon:
    """Return the rows of `derived.lexicon` that translate an English word of `derived.words` (and of `derived.among`).

    A lexicon with English words is matched by these. For Chinese and Turkish, the ValNorm authors' translations are
    looked up in the lexicon, in either Chinese script. English words without a row are in `left_out`.
    """
    recipe = entry.details["derived"]
    lexicon = load_lexicon(recipe["lexicon"])
    allowed_words = set(load_lexicon(recipe.get("among", recipe["words"])).words)
    targets = tuple(word for word in load_lexicon(recipe["words"]).words if word in allowed_words)
    if "translation" in recipe:
        meanings = _list_translated(lexicon, targets, recipe["translation"])
    elif lexicon.language == "english":
        meanings = [(word,) if word in targets else () for word in lexicon.words]
    else:
        if not lexicon.english:
            raise WordworthError(
                f"{entry.name} needs the English translations in {lexicon.name}, but the copy from "
                f"{lexicon.source} has none; replace it with the other copy (`wordworth show {recipe['lexicon']}`)"
            )
        meanings = [tuple(w for w in map(str.lower, english) if w in targets) for english in lexicon.english]
    rows = [row for row, english in enumerate(meanings) if english]
    matches = {word for english in meanings for word in english}
    lexicon_words = {lexicon.words[row] for row in rows}
    merged_rows = [repeat for repeat in lexicon.left_out if repeat.word in lexicon_words]
    missing = [LeftOut(0, word, f"has no row in {lexicon.name}") for word in targets if word not in matches]
    return replace(
        lexicon.select(rows, entry.name, [*merged_rows, *missing]),
        english=tuple(meanings[row] for row in rows),
        by_english=True,
        licence=entry.licence,
    )


def _list_translated(lexicon: Lexicon, words: tuple[str, ...], table: str) -> list[tuple[str, ...]]:
    """Return the English words among `words` that each word of the lexicon translates."""
    forms = load_translations(table).forms
    spell = spellings(lexicon.language)
    row_of = {word: row for row, word in enumerate(lexicon.words)}
    for row, word in enumerate(lexicon.words):
        for form in spell(word):
            row_of.setdefault(form, row)
    meanings: list[tuple[str, ...]] = [() for _ in lexicon.words]
    for english in words:
        for translation in forms.get(english, ()):
            translated_row = next((row_of[form] for form in spell(translation) if form in row_of), None)
            if translated_row is not None and english not in meanings[translated_row]:
                meanings[translated_row] += (english,)
    return meanings
