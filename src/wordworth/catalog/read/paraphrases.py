"""Paraphrase probes: sentences in threes that differ in one word, its hypernym and a sibling (Dudy & Bedrick 2020)."""

from dataclasses import dataclass
from pathlib import Path

from wordworth.catalog.fetch.sources import locate
from wordworth.catalog.read.tables import read_text, tidy
from wordworth.catalog.registry import entry, knows
from wordworth.errors import WordworthError
from wordworth.files import sha256_of


@dataclass(frozen=True, slots=True)
class Triple:
    """A sentence with a word, with the word's hypernym, and with a sibling of the hypernym."""

    word: str
    hypernym: str
    sibling: str

    def __str__(self) -> str:
        return " / ".join(self.differing())

    def differing(self) -> tuple[str, str, str]:
        """What is left of the sentences when the words that they share at both ends are taken off."""
        parts = [sentence.split() for sentence in (self.word, self.hypernym, self.sibling)]
        while all(parts) and len({words[0] for words in parts}) == 1:
            parts = [words[1:] for words in parts]
        while all(parts) and len({words[-1] for words in parts}) == 1:
            parts = [words[:-1] for words in parts]
        word, hypernym, sibling = (" ".join(words) for words in parts)
        return word, hypernym, sibling


@dataclass(frozen=True)
class Paraphrases:
    """A set of triples."""

    name: str
    triples: tuple[Triple, ...]
    source: str = ""
    sha256: str = ""
    licence: str = ""
    reference: str = ""
    left_out: tuple[tuple[str, str], ...] = ()
    """Triples that probe nothing: the sentence, and why."""

    def __len__(self) -> int:
        return len(self.triples)


def load_paraphrases(name_or_path: str | Path) -> Paraphrases:
    """A set of the catalog (`rare`, `common`), or a file with three lines a triple: word, hypernym, sibling."""
    name = str(name_or_path)
    if isinstance(name_or_path, str) and knows(name, "paraphrases"):
        found = entry(name, "paraphrases")
        located = locate(name, found.sources)
        told = (located.source.place, located.sha256, found.licence, str(found.reference))
        triples, left_out = _read(located.path, frozenset(found.details.get("swapped", ())))
        return Paraphrases(name, triples, *told, left_out)
    path = Path(name_or_path).expanduser()
    if not path.exists() and len(path.parts) == 1 and not path.suffix:
        entry(name, "paraphrases")
    triples, left_out = _read(path, frozenset())
    return Paraphrases(path.stem, triples, str(path), sha256_of(path), left_out=left_out)


def _read(path: Path, swapped: frozenset[int]) -> tuple[tuple[Triple, ...], tuple[tuple[str, str], ...]]:
    """`swapped` are the triples, counted from 1, whose sibling stands before the hypernym."""
    lines = [tidy(line) for line in read_text(path).splitlines() if line.strip()]
    if not lines or len(lines) % 3:
        raise WordworthError(
            f"{path} has {len(lines)} sentences; it needs three a triple: with the word, its hypernym, and a sibling"
        )
    triples, left_out = [], []
    for at in range(0, len(lines), 3):
        word, hypernym, sibling = lines[at : at + 3]
        if at // 3 + 1 in swapped:
            hypernym, sibling = sibling, hypernym
        if len({word, hypernym, sibling}) < 3:
            left_out.append((word, "two of the three sentences are the same"))
        else:
            triples.append(Triple(word, hypernym, sibling))
    return tuple(triples), tuple(left_out)
