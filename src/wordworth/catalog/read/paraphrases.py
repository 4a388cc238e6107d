"""Paraphrase probes: sentences in threes that differ in one word, its hypernym and a sibling (Dudy & Bedrick 2020)."""

from dataclasses import dataclass

from wordworth.catalog.read.tables import read_text, tidy
from wordworth.catalog.resolve import DataSet, Named, located_data
from wordworth.errors import WordworthError


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
class Paraphrases(DataSet):
    """A set of triples."""

    triples: tuple[Triple, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    """Triples that probe nothing: the sentence, and why."""

    def __len__(self) -> int:
        return len(self.triples)


def load_paraphrases(name_or_path: Named) -> Paraphrases:
    """A set of the catalog (`rare`, `common`), or a file with three lines a triple: word, hypernym, sibling.

    Of the catalog's triples, counted from 1, `swapped` lists those whose sibling comes before the hypernym;
    `elsewhere` names the set that has a triple too and counts it.
    """
    data = located_data(name_or_path, "paraphrases")
    details = data.entry.details if data.entry else {}
    swapped, elsewhere = details.get("swapped", ()), details.get("elsewhere", {})
    lines = [tidy(line) for line in read_text(data.where).splitlines() if line.strip()]
    if not lines or len(lines) % 3:
        raise WordworthError(
            f"{data.where} has {len(lines)} sentences; it needs three per triple: word, hypernym and sibling"
        )
    triples, left_out = [], []
    for at in range(0, len(lines), 3):
        word, hypernym, sibling = lines[at : at + 3]
        if at // 3 + 1 in swapped:
            hypernym, sibling = sibling, hypernym
        if len({word, hypernym, sibling}) < 3:
            left_out.append((word, "two of the three sentences are the same"))
        elif also := elsewhere.get(str(at // 3 + 1)):
            left_out.append((word, f"also in {also}, where it is counted"))
        else:
            triples.append(Triple(word, hypernym, sibling))
    return Paraphrases(triples=tuple(triples), left_out=tuple(left_out), **data.facts)
