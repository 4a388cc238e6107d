"""Analogy questions: a is to b as c is to d."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wordworth.catalog.read.tables import read_text
from wordworth.catalog.resolve import DataSet, Named, located_data
from wordworth.errors import WordworthError

Question = tuple[str, str, str, str]


@dataclass(frozen=True)
class Section:
    """The questions `start` to `stop` (not included)."""

    name: str
    kind: Literal["semantic", "syntactic"]
    start: int
    stop: int


@dataclass(frozen=True, eq=False)
class Analogies(DataSet):
    """All questions in order, and the sections they stand in."""

    questions: tuple[Question, ...]
    sections: tuple[Section, ...]

    def __len__(self) -> int:
        return len(self.questions)


def load_analogies(name_or_path: Named = "google") -> Analogies:
    """Questions of the catalog by their name, or a file laid out as Google's by its path.

    Such a file has four words a line, and lines `: section`; a section whose name starts with `gram` is syntactic.
    """
    data = located_data(name_or_path, "analogies")
    if data.entry is not None and data.entry.details.get("table"):
        questions, sections = _read(sorted(data.where.glob("*.tsv")), "#", "\t", has_header=True)
    else:
        questions, sections = _read([data.where], ":", None, has_header=False)
    return Analogies(questions=questions, sections=sections, **data.facts)


def _read(
    paths: Sequence[Path], mark: str, delimiter: str | None, *, has_header: bool
) -> tuple[tuple[Question, ...], tuple[Section, ...]]:
    """Read files one after another: a line that begins with `mark` names a section, any other has four words.

    Above a header, lines that begin with `mark` are a citation.
    """
    questions: list[Question] = []
    starts: list[tuple[str, int]] = []
    for path in paths:
        is_above_header = has_header
        for at, line in enumerate(read_text(path).splitlines(), start=1):
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
                raise WordworthError(f"{path}, line {at}: {len(words)} words; a question has four")
    if not questions:
        raise WordworthError(f"{paths[0]} has no questions; it needs four words on each line")
    return tuple(questions), _sections(starts or [("all", 0)], len(questions))


def _sections(starts: Sequence[tuple[str, int]], end: int) -> tuple[Section, ...]:
    stops = [start for _, start in starts[1:]] + [end]
    return tuple(
        Section(name, "syntactic" if name.startswith("gram") else "semantic", start, stop)
        for (name, start), stop in zip(starts, stops, strict=True)
    )
