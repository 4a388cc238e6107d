"""Read WordNet's database files: synonyms, hypernyms, and the base forms of words (Miller 1995)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from wordworth.catalog.resolve import DataSet, NameLike, located_data
from wordworth.errors import WordworthError, reason_of

T = TypeVar("T")
Synset = tuple[str, int]
"""The identifier of a synset: part of speech (n, v, a, r) and offset."""

_FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_HYPERNYM = ("@", "@i")
# Endings and their replacements in the base form, by part of speech (WordNet's morphy).
_ENDINGS = {
    "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "a": "er: est: er:e est:e",
    "r": "",
}
_RULES = {kind: [tuple(rule.split(":")) for rule in rules.split()] for kind, rules in _ENDINGS.items()}


@dataclass(frozen=True, eq=False)
class WordNet(DataSet):
    """The database. Words are in lower case, with spaces; senses are in the order of their frequency."""

    words: dict[Synset, tuple[str, ...]]
    hypernyms: dict[Synset, tuple[Synset, ...]]
    senses: dict[tuple[str, str], tuple[Synset, ...]]
    """(word, part of speech) → its synsets."""
    irregular: dict[tuple[str, str], tuple[str, ...]]
    """(form, part of speech) → base forms, if the folder has lists of exceptions."""

    def lemmas(self, word: str) -> frozenset[tuple[str, str]]:
        """Return the base forms of a word in WordNet, each with its part of speech."""
        form = word.lower()
        return frozenset((base, pos) for pos in _FILES for base in self._bases(form, pos) if (base, pos) in self.senses)

    def _bases(self, form: str, pos: str) -> Iterator[str]:
        yield form
        if (form, pos) in self.irregular:
            yield from self.irregular[form, pos]
            return
        for ending, replacement in _RULES[pos]:
            if form.endswith(ending) and len(form) > len(ending):
                stem = form.removesuffix(ending)
                yield stem + replacement
                # running, bigger: WordNet lists them as exceptions, but some copies lack the list.
                if not replacement and ending != "s" and len(stem) > 2 and stem[-1] == stem[-2]:
                    yield stem[:-1]

    def synsets(self, word: str) -> frozenset[Synset]:
        """Return every synset of every base form."""
        return frozenset(synset for lemma in self.lemmas(word) for synset in self.senses[lemma])

    @cached_property
    def hyponyms(self) -> dict[Synset, tuple[Synset, ...]]:
        """Return the hyponyms of each synset."""
        hyponyms: dict[Synset, list[Synset]] = {}
        for synset, parents in self.hypernyms.items():
            for parent in parents:
                hyponyms.setdefault(parent, []).append(synset)
        return {synset: tuple(children) for synset, children in hyponyms.items()}

    def __len__(self) -> int:
        return len(self.words)


def load_wordnet(name_or_path: NameLike = "wordnet-3.0") -> WordNet:
    """Load WordNet by its name in the catalog, or a folder with its `data.*` and `index.*` files (and `*.exc`)."""
    data = located_data(name_or_path, "wordnets")
    if not data.where.is_dir():
        raise WordworthError(f"{data.where} is not a folder; give the one with WordNet's data.noun and index.noun")
    return _read(data.where, data)


def _read(folder: Path, data: DataSet) -> WordNet:
    words: dict[Synset, tuple[str, ...]] = {}
    hypernyms: dict[Synset, tuple[Synset, ...]] = {}
    senses: dict[tuple[str, str], tuple[Synset, ...]] = {}
    irregular: dict[tuple[str, str], tuple[str, ...]] = {}
    for pos, stem in _FILES.items():
        # Some copies split the largest file in two.
        data_files = [path for path in (folder / f"data.{stem}{number}" for number in ("", "1", "2")) if path.is_file()]
        index, exceptions = folder / f"index.{stem}", folder / f"{stem}.exc"
        if not data_files or not index.is_file():
            raise WordworthError(f"{folder} lacks data.{stem} or index.{stem}; give a complete WordNet folder")
        for path in data_files:
            for key, names, parents in _parse_lines(path, "a synset", _synset, pos):
                words[key], hypernyms[key] = names, parents
        for word, synsets in _parse_lines(index, "a word and its senses", _senses, pos):
            senses[word, pos] = synsets
        for form, bases in _parse_lines(exceptions, "a form", _forms, pos) if exceptions.is_file() else ():
            irregular[form, pos] = bases
    return WordNet(words=words, hypernyms=hypernyms, senses=senses, irregular=irregular, **data.facts)


def _parse_lines(path: Path, description: str, parse: Callable[[str, str], T], pos: str) -> Iterator[T]:
    """Yield the result of `parse` for every line after the licence, whose lines begin with spaces."""
    for number, line in enumerate(path.read_text(encoding="latin-1").split("\n"), start=1):
        if line.strip() and not line.startswith("  "):
            try:
                yield parse(line, pos)
            except (ValueError, IndexError) as error:
                raise WordworthError(
                    f"{path}, line {number}: not {description} ({reason_of(error)}); fetch it again"
                ) from error


def _synset(line: str, pos: str) -> tuple[Synset, tuple[str, ...], tuple[Synset, ...]]:
    """Parse `offset file kind words(hex) (word id)… pointers(decimal) (symbol offset kind source/target)… | gloss`."""
    cells = line.partition("|")[0].split()
    count = int(cells[3], 16)
    # Adjectives may have a syntactic marker: galore(ip).
    names = tuple(cell.partition("(")[0].replace("_", " ").lower() for cell in cells[4 : 4 + 2 * count : 2])
    if not names or len(names) != count:
        raise ValueError(f"{count:,} words are declared in this line")
    start = 4 + 2 * count
    pointers = cells[start + 1 : start + 1 + 4 * int(cells[start])]
    parents = tuple((pos, int(pointers[i + 1])) for i in range(0, len(pointers), 4) if pointers[i] in _HYPERNYM)
    return (pos, int(cells[0])), names, parents


def _senses(line: str, pos: str) -> tuple[str, tuple[Synset, ...]]:
    """Parse `word kind senses pointers (symbol)… senses tagged (offset)…`."""
    cells = line.split()
    count = int(cells[2])
    if not 0 < count < len(cells) - 2:
        raise ValueError(f"{cells[2][:20]} senses are declared in this line")
    return cells[0].replace("_", " "), tuple((pos, int(offset)) for offset in cells[-count:])


def _forms(line: str, kind: str) -> tuple[str, tuple[str, ...]]:
    """Parse `form base…`."""
    form, *bases = (cell.replace("_", " ") for cell in line.split())
    return form, tuple(bases)
