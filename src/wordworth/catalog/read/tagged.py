"""Sentences with part-of-speech tags: NLTK's zips of the Brown corpus and of the Penn Treebank sample."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from wordworth.errors import Foreign, WordworthError

Tagged = list[tuple[str, str]]

_BROWN = re.compile(r"(?:.*/)?c[a-r]\d\d")
_TREEBANK = re.compile(r"(?:.*/)?wsj_\d+\.mrg")
_TREE = re.compile(r"^(?=\()", re.MULTILINE)
"""Every tree begins at the left margin, and its other lines are indented."""
_LEAF = re.compile(r"\(([^\s()]+)\s+([^\s()]+)\)")
_TRACE = "-NONE-"
_PACKED = 1100
"""No byte of a zip archive unpacks into more (deflate: 1032)."""
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}


def tagged_sentences(path: Path) -> Iterator[Tagged]:
    """(word, tag) lists in the order of the texts; the members are known by their names, all others passed over."""
    for member in _members(path):
        with Foreign(f"{path} is not a zip of tagged texts", "fetch it again"), zipfile.ZipFile(path) as archive:
            text = archive.read(member).decode("latin-1")
        if _BROWN.fullmatch(member.filename):
            yield from filter(None, map(_tokens, text.splitlines()))
        else:
            yield from _treebank(text)


def _members(path: Path) -> list[zipfile.ZipInfo]:
    """The texts by name. None of them is read where they say that they are larger than a zip can hold."""
    with Foreign(f"{path} is not a zip of tagged texts", "fetch it again"), zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    texts = [one for one in members if _BROWN.fullmatch(one.filename) or _TREEBANK.fullmatch(one.filename)]
    if sum(one.file_size for one in texts) > _PACKED * path.stat().st_size:
        raise WordworthError(f"{path} is damaged: its texts cannot be as long as it says they are; fetch it again")
    return sorted(texts, key=lambda one: one.filename)


def _tokens(line: str) -> Tagged:
    """Return the `word/tag` tokens of a line; a slash inside the word stays."""
    tokens = [token.rpartition("/") for token in line.split()]
    return [_token(word, tag) for word, slash, tag in tokens if slash and word]


def _token(word: str, tag: str) -> tuple[str, str]:
    """Write brackets, quotation marks and slashes plainly, and take the first tag of `NN|JJ`."""
    return _BRACKETS.get(word, word).replace("\\/", "/"), tag.split("|")[0]


def _treebank(text: str) -> Iterator[Tagged]:
    """Yield the sentences of a file of trees: the tagged files of the Treebank do not mark where sentences end."""
    for tree in _TREE.split(text):
        sentence = [_token(word, tag) for tag, word in _LEAF.findall(tree) if tag != _TRACE]
        if sentence:
            yield sentence
