"""WordNet's database files: synonyms, hypernyms, and the base forms of words (Miller 1995)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from wordworth.catalog.resolve import DataSet, NameLike, located_data
from wordworth.errors import WordworthError, reason_of

T = TypeVar("T")
Synset = tuple[str, int]
"""Part of speech (n, v, a, r) and offset: what identifies a synset."""

_FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_HYPERNYM = ("@", "@i")
# Endings and what stands in their place in the base form, by part of speech (WordNet's morphy).
_ENDINGS = {
    "n": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "a": "er: est: er:e est:e",
    "r": "",
}
_RULES = {kind: [tuple(rule.split(":")) for rule in rules.split()] for kind, rules in _ENDINGS.items()}


@dataclass(frozen=True, eq=False)
class WordNet(DataSet):
    """Words are lower case, with spaces. Senses stand in the order of their frequency."""

    words: dict[Synset, tuple[str, ...]]
    hypernyms: dict[Synset, tuple[Synset, ...]]
    senses: dict[tuple[str, str], tuple[Synset, ...]]
    """(word, part of speech) → its synsets."""
    irregular: dict[tuple[str, str], tuple[str, ...]]
    """(form, part of speech) → base forms, where the folder has lists of exceptions."""

    def lemmas(self, word: str) -> frozenset[tuple[str, str]]:
        """Return the base forms of a word, each with its part of speech: those that WordNet holds."""
        form = word.lower()
        return frozenset(
            (base, kind) for kind in _FILES for base in self._bases(form, kind) if (base, kind) in self.senses
        )

    def _bases(self, form: str, kind: str) -> Iterator[str]:
        yield form
        if (form, kind) in self.irregular:
            yield from self.irregular[form, kind]
            return
        for ending, instead in _RULES[kind]:
            if form.endswith(ending) and len(form) > len(ending):
                stem = form.removesuffix(ending)
                yield stem + instead
                # running, bigger: WordNet lists them as exceptions, and not every copy has the list.
                if not instead and ending != "s" and len(stem) > 2 and stem[-1] == stem[-2]:
                    yield stem[:-1]

    def synsets(self, word: str) -> frozenset[Synset]:
        """Return every synset of every base form."""
        return frozenset(synset for lemma in self.lemmas(word) for synset in self.senses[lemma])

    @cached_property
    def hyponyms(self) -> dict[Synset, tuple[Synset, ...]]:
        """Return the hyponyms of each synset."""
        below: dict[Synset, list[Synset]] = {}
        for synset, above in self.hypernyms.items():
            for one in above:
                below.setdefault(one, []).append(synset)
        return {synset: tuple(under) for synset, under in below.items()}

    def __len__(self) -> int:
        return len(self.words)


def load_wordnet(name_or_path: NameLike = "wordnet-3.0") -> WordNet:
    """Load WordNet by its name in the catalog, or a folder with its `data.*` and `index.*` files (and `*.exc`)."""
    data = located_data(name_or_path, "wordnets")
    if not data.where.is_dir():
        raise WordworthError(f"{data.where} is no folder; give the one that holds WordNet's data.noun and index.noun")
    return _read(data.where, data)


def _read(folder: Path, data: DataSet) -> WordNet:
    words: dict[Synset, tuple[str, ...]] = {}
    hypernyms: dict[Synset, tuple[Synset, ...]] = {}
    senses: dict[tuple[str, str], tuple[Synset, ...]] = {}
    irregular: dict[tuple[str, str], tuple[str, ...]] = {}
    for kind, stem in _FILES.items():
        # Some copies cut the largest file in two.
        parts = [path for path in (folder / f"data.{stem}{part}" for part in ("", "1", "2")) if path.is_file()]
        index, exceptions = folder / f"index.{stem}", folder / f"{stem}.exc"
        if not parts or not index.is_file():
            raise WordworthError(f"{folder} lacks data.{stem} or index.{stem}; give a whole WordNet folder")
        for path in parts:
            for key, named, above in _parse_lines(path, "a synset", _synset, kind):
                words[key], hypernyms[key] = named, above
        for word, synsets in _parse_lines(index, "a word and its senses", _senses, kind):
            senses[word, kind] = synsets
        for form, bases in _parse_lines(exceptions, "a form", _forms, kind) if exceptions.is_file() else ():
            irregular[form, kind] = bases
    return WordNet(words=words, hypernyms=hypernyms, senses=senses, irregular=irregular, **data.facts)


def _parse_lines(path: Path, what: str, parse: Callable[[str, str], T], kind: str) -> Iterator[T]:
    """Yield what `parse` makes of every line, without the licence at the head, which begins with spaces."""
    for number, line in enumerate(path.read_text(encoding="latin-1").split("\n"), start=1):
        if line.strip() and not line.startswith("  "):
            try:
                yield parse(line, kind)
            except (ValueError, IndexError) as error:
                raise WordworthError(
                    f"{path}, line {number}: not {what} ({reason_of(error)}); fetch it again"
                ) from error


def _synset(line: str, kind: str) -> tuple[Synset, tuple[str, ...], tuple[Synset, ...]]:
    """Parse `offset file kind words(hex) (word id)… pointers(decimal) (symbol offset kind source/target)… | gloss`."""
    cells = line.partition("|")[0].split()
    count = int(cells[3], 16)
    # Adjectives may carry their place in a sentence: galore(ip).
    named = tuple(cell.partition("(")[0].replace("_", " ").lower() for cell in cells[4 : 4 + 2 * count : 2])
    if not named or len(named) != count:
        raise ValueError(f"{count:,} words are declared in this line")
    start = 4 + 2 * count
    pointers = cells[start + 1 : start + 1 + 4 * int(cells[start])]
    above = tuple((kind, int(pointers[at + 1])) for at in range(0, len(pointers), 4) if pointers[at] in _HYPERNYM)
    return (kind, int(cells[0])), named, above


def _senses(line: str, kind: str) -> tuple[str, tuple[Synset, ...]]:
    """Parse `word kind senses pointers (symbol)… senses tagged (offset)…`."""
    cells = line.split()
    count = int(cells[2])
    if not 0 < count < len(cells) - 2:
        raise ValueError(f"{cells[2][:20]} senses are declared in this line")
    return cells[0].replace("_", " "), tuple((kind, int(offset)) for offset in cells[-count:])


def _forms(line: str, kind: str) -> tuple[str, tuple[str, ...]]:
    """Parse `form base…`."""
    form, *bases = (cell.replace("_", " ") for cell in line.split())
    return form, tuple(bases)
