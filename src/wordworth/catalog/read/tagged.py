"""Sentences with part-of-speech tags: NLTK's zips of the Brown corpus and of the Penn Treebank sample."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from wordworth.errors import Foreign, WordworthError

Tagged = list[tuple[str, str]]

_BROWN = re.compile(r"(?:.*/)?c[a-r]\d\d")
_TREEBANK = re.compile(r"(?:.*/)?wsj_\d+\.pos")
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
    """`word/tag` tokens; a slash inside the word stays, and of `NN|JJ` the first tag is taken."""
    tokens: Tagged = []
    for token in line.split():
        word, slash, tag = token.rpartition("/")
        if slash and word:
            tokens.append((_BRACKETS.get(word, word).replace("\\/", "/"), tag.split("|")[0]))
    return tokens


def _treebank(text: str) -> Iterator[Tagged]:
    """A blank line or a rule ends a sentence, and so does a token tagged as a full stop."""
    sentence: Tagged = []
    for line in [*text.splitlines(), ""]:
        tokens = _tokens(line.strip().removeprefix("[").removesuffix("]"))
        sentence += tokens
        if sentence and (not line.strip() or line.startswith("===") or (tokens and tokens[-1][1] == ".")):
            yield sentence
            sentence = []
