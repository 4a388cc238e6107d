"""Load word pairs with human scores, analogy questions, and triples of paraphrase probes (Dudy & Bedrick 2020)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.tables import Records, check_commas, column, number, read_rows, read_table, read_text, tidy
from wordworth.catalog.registry import entries
from wordworth.catalog.resolve import DataSet, NameLike, located_data
from wordworth.errors import WordworthError, quote


@dataclass(frozen=True, eq=False)
class Pairs(DataSet):
    """Pairs in the published order, including repeated ones."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    scores: NDArray[np.float64]
    scale: tuple[float, float] | None = None
    left_out: tuple[str, ...] = ()
    """A note if a user's first line was read as the header."""

    def __len__(self) -> int:
        return len(self.first)

    def merge_forms(self, forms: Mapping[str, str]) -> "Pairs":
        """Merge pairs of the same forms, with their mean score, unless they are spelled the same.

        `forms` maps the words with a vector to their spelling in the vocabulary or the tokenizer.
        """
        rows: dict[tuple[str, str], list[int]] = {}
        for row, pair in enumerate(zip(self.first, self.second, strict=True)):
            rows.setdefault((forms.get(pair[0], pair[0]), forms.get(pair[1], pair[1])), []).append(row)
        if len(rows) == len(self):
            return self
        groups: list[list[int]] = []
        for members in rows.values():
            spellings = {(self.first[row], self.second[row]) for row in members}
            groups += [members] if len(spellings) > 1 else [[row] for row in members]
        if len(groups) == len(self):
            return self
        groups.sort()
        return replace(
            self,
            first=tuple(self.first[members[0]] for members in groups),
            second=tuple(self.second[members[0]] for members in groups),
            scores=np.array([self.scores[members].mean() for members in groups]),
        )


def load_pairs(name_or_path: NameLike, *, language: str = "english") -> Pairs:
    """Load pairs of the catalog by their name, or a user's own file by its path.

    Each line of a user's file has two words and a score, separated by tabs, commas, semicolons or spaces. A first line
    without a number is the header, which may name the columns word1, word2 and score.
    """
    data = located_data(name_or_path, "pairs", language)
    if data.entry is None:
        rows = read_rows(data.where, "\t;,")
        header = rows[0].cells if rows and all(number(cell) is None for cell in rows[0].cells) else ()
        table = Records(data.where, header, rows[1:] if header else rows)
        first, second, scores = _columns(table, "word1", "word2", "score")
        left_out = (f"line 1 is taken as the header: {', '.join(header)}",) if header else ()
        return Pairs(first=first, second=second, scores=scores, left_out=left_out, **data.facts)
    details = data.entry.details
    options = {"header": details.get("header", False), "comments": details.get("comments", False)}
    table = read_table(data.where, delimiter="\t", quotes=False, **options)
    names = details.get("columns", {"first": 1, "second": 2, "score": 3})
    first, second, scores = _columns(table, names["first"], names["second"], names["score"])
    return Pairs(first=first, second=second, scores=scores, scale=data.entry.scale, **data.facts)


def usual_pairs(language: str) -> tuple[str, ...]:
    """Return the names of the pairs of a language other than English: Multi-SimLex, or else all in the catalog."""
    names = [pairs.name for pairs in entries("pairs") if pairs.language == language]
    return (f"multisimlex-{language}",) if f"multisimlex-{language}" in names else tuple(names)


def _columns(
    table: Records, first: str | int, second: str | int, score: str | int
) -> tuple[tuple[str, ...], tuple[str, ...], NDArray[np.float64]]:
    columns: tuple[str | int, ...] = (first, second, score)
    if not all(name in table.header for name in columns):
        columns = (1, 2, 3)
    positions = [column(table, name) for name in columns]
    firsts, seconds, scores, lines = [], [], [], []
    for row in table.rows:
        if len(row.cells) <= max(positions):
            raise WordworthError(
                f"{table.path}, line {row.line}: {len(row.cells)} fields; each line has a word, a word and a score"
            )
        first_word, second_word, text = (row.cells[position] for position in positions)
        value = number(text)
        if value is None:
            raise WordworthError(
                f"{table.path}, line {row.line}: the score {quote(text)} is not a number; correct the line"
            )
        if not first_word.strip() or not second_word.strip():
            raise WordworthError(f"{table.path}, line {row.line}: a word is blank; correct the line")
        firsts.append(tidy(first_word))
        seconds.append(tidy(second_word))
        scores.append(value)
        lines.append((row.line, text))
    check_commas(table.path, lines)
    if not scores:
        raise WordworthError(f"{table.path} has no pairs; it needs a word, a word and a score on each line")
    return tuple(firsts), tuple(seconds), np.array(scores, dtype=np.float64)


AnalogyQuestion = tuple[str, str, str, str]


@dataclass(frozen=True)
class Section:
    """The questions `start` to `stop` (not included)."""

    name: str
    kind: Literal["semantic", "syntactic"]
    start: int
    stop: int


@dataclass(frozen=True, eq=False)
class Analogies(DataSet):
    """All questions in order, and their sections."""

    questions: tuple[AnalogyQuestion, ...]
    sections: tuple[Section, ...]

    def __len__(self) -> int:
        return len(self.questions)


def load_analogies(name_or_path: NameLike = "google") -> Analogies:
    """Return questions of the catalog by their name, or a file in Google's layout by its path.

    Such a file has four words per line, and lines `: section`; sections whose names start with `gram` are syntactic.
    """
    data = located_data(name_or_path, "analogies")
    if data.entry is not None and data.entry.details.get("table"):
        questions, sections = _read(sorted(data.where.glob("*.tsv")), "#", "\t", has_header=True)
    else:
        questions, sections = _read([data.where], ":", None, has_header=False)
    return Analogies(questions=questions, sections=sections, **data.facts)


def _read(
    paths: Sequence[Path], mark: str, delimiter: str | None, *, has_header: bool
) -> tuple[tuple[AnalogyQuestion, ...], tuple[Section, ...]]:
    """Read files in order: a line that begins with `mark` names a section, any other has four words.

    Above a header, lines that begin with `mark` are a citation.
    """
    questions: list[AnalogyQuestion] = []
    starts: list[tuple[str, int]] = []
    for path in paths:
        is_above_header = has_header
        for line_number, line in enumerate(read_text(path).splitlines(), start=1):
            is_marked = line.lstrip().startswith(mark)
            if not line.strip() or (is_above_header and is_marked):
                continue
            words = line.split(delimiter)
            if is_above_header:
                is_above_header = False
            elif is_marked:
                starts.append((" ".join(line.strip().removeprefix(mark).split()), len(questions)))
            elif len(words) == 4:
                questions.append((words[0], words[1], words[2], words[3]))
            else:
                raise WordworthError(f"{path}, line {line_number}: {len(words)} words; a question has four")
    if not questions:
        raise WordworthError(f"{paths[0]} has no questions; it needs four words on each line")
    return tuple(questions), _sections(starts or [("all", 0)], len(questions))


def _sections(starts: Sequence[tuple[str, int]], end: int) -> tuple[Section, ...]:
    stops = [start for _, start in starts[1:]] + [end]
    sections = []
    for (name, start), stop in zip(starts, stops, strict=True):
        sections.append(Section(name, "syntactic" if name.startswith("gram") else "semantic", start, stop))
    return tuple(sections)


@dataclass(frozen=True, slots=True)
class Triple:
    """Three sentences: with a word, with the word's hypernym, and with a sibling of the hypernym."""

    word: str
    hypernym: str
    sibling: str

    def __str__(self) -> str:
        return " / ".join(self.differing())

    def differing(self) -> tuple[str, str, str]:
        """Return the sentences without their common words at both ends."""
        word_lists = [sentence.split() for sentence in (self.word, self.hypernym, self.sibling)]
        while all(word_lists) and len({words[0] for words in word_lists}) == 1:
            word_lists = [words[1:] for words in word_lists]
        while all(word_lists) and len({words[-1] for words in word_lists}) == 1:
            word_lists = [words[:-1] for words in word_lists]
        word, hypernym, sibling = (" ".join(words) for words in word_lists)
        return word, hypernym, sibling


@dataclass(frozen=True)
class Paraphrases(DataSet):
    """A set of triples."""

    triples: tuple[Triple, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    """Triples that probe nothing: the sentence, and the reason."""

    def __len__(self) -> int:
        return len(self.triples)


def load_paraphrases(name_or_path: NameLike) -> Paraphrases:
    """Return a set of the catalog (`rare`, `common`), or a file with three lines per triple: word, hypernym, sibling.

    In the catalog, `swapped` lists the triples (from 1) whose sibling comes before the hypernym; `elsewhere` names
    another set that has the triple and counts it.
    """
    data = located_data(name_or_path, "paraphrases")
    details = data.entry.details if data.entry else {}
    swapped_triples, elsewhere = details.get("swapped", ()), details.get("elsewhere", {})
    lines = [tidy(line) for line in read_text(data.where).splitlines() if line.strip()]
    if not lines or len(lines) % 3:
        raise WordworthError(
            f"{data.where} has {len(lines)} sentences; it needs three per triple: word, hypernym and sibling"
        )
    triples, left_out = [], []
    for start in range(0, len(lines), 3):
        word, hypernym, sibling = lines[start : start + 3]
        if start // 3 + 1 in swapped_triples:
            hypernym, sibling = sibling, hypernym
        if len({word, hypernym, sibling}) < 3:
            left_out.append((word, "two of the three sentences are the same"))
        elif other_set := elsewhere.get(str(start // 3 + 1)):
            left_out.append((word, f"also in {other_set}, where it is counted"))
        else:
            triples.append(Triple(word, hypernym, sibling))
    return Paraphrases(triples=tuple(triples), left_out=tuple(left_out), **data.facts)
