"""Analogy questions: a is to b as c is to d."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wordworth.catalog.fetch.sources import locate
from wordworth.catalog.read.tables import read_text
from wordworth.catalog.registry import entry, knows
from wordworth.errors import WordworthError
from wordworth.files import sha256_of

Question = tuple[str, str, str, str]


@dataclass(frozen=True)
class Section:
    """The questions `start` to `stop` (not included)."""

    name: str
    kind: Literal["semantic", "syntactic"]
    start: int
    stop: int


@dataclass(frozen=True, eq=False)
class Analogies:
    """All questions in order, and the sections they stand in."""

    name: str
    questions: tuple[Question, ...]
    sections: tuple[Section, ...]
    language: str = "english"
    licence: str = ""
    reference: str = ""
    source: str = ""
    sha256: str = ""

    def __len__(self) -> int:
        return len(self.questions)

    def of_kind(self, kind: Literal["semantic", "syntactic"]) -> tuple[Question, ...]:
        """The questions of the semantic, or of the syntactic sections."""
        return tuple(q for part in self.sections if part.kind == kind for q in self.questions[part.start : part.stop])


def load_analogies(name_or_path: str | Path = "google") -> Analogies:
    """Questions of the catalog by their name, or a file laid out as Google's by its path.

    Such a file has four words a line, and lines `: section`; a section whose name starts with `gram` is syntactic.
    """
    name = str(name_or_path)
    if isinstance(name_or_path, str) and knows(name, "analogies"):
        found = entry(name, "analogies")
        located = locate(name, found.sources)
        questions, sections = _read(located.path)
        return Analogies(
            name,
            questions,
            sections,
            language=found.language,
            licence=found.licence,
            reference=str(found.reference),
            source=located.source.place,
            sha256=located.sha256,
        )
    path = Path(name_or_path).expanduser()
    if not path.exists() and len(path.parts) == 1 and not path.suffix:
        entry(name, "analogies")
    questions, sections = _read(path)
    return Analogies(path.stem, questions, sections, source=str(path), sha256=sha256_of(path))


def _read(path: Path) -> tuple[tuple[Question, ...], tuple[Section, ...]]:
    questions: list[Question] = []
    starts: list[tuple[str, int]] = []
    for at, line in enumerate(read_text(path).splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        if words[0].startswith(":"):
            starts.append((line.strip().removeprefix(":").strip(), len(questions)))
        elif len(words) == 4:
            questions.append((words[0], words[1], words[2], words[3]))
        else:
            raise WordworthError(f"{path}, line {at}: {len(words)} words; a question has four")
    if not questions:
        raise WordworthError(f"{path} has no questions; it needs four words on each line")
    return tuple(questions), _sections(starts or [("all", 0)], len(questions))


def _sections(starts: Sequence[tuple[str, int]], end: int) -> tuple[Section, ...]:
    stops = [start for _, start in starts[1:]] + [end]
    return tuple(
        Section(name, "syntactic" if name.startswith("gram") else "semantic", start, stop)
        for (name, start), stop in zip(starts, stops, strict=True)
    )
