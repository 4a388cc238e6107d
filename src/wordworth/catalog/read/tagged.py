"""Sentences with part-of-speech tags: NLTK's zips of the Brown corpus and of the Penn Treebank sample."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from wordworth.errors import WordworthError

Tagged = list[tuple[str, str]]

_BROWN = re.compile(r"(?:.*/)?c[a-r]\d\d")
_TREEBANK = re.compile(r"(?:.*/)?wsj_\d+\.pos")
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}


def tagged_sentences(path: Path) -> Iterator[Tagged]:
    """(word, tag) lists in the order of the texts; the members are known by their names, all others passed over."""
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise WordworthError(f"{path} is not a zip of tagged texts ({error}); fetch it again") from error
    with archive:
        for member in sorted(archive.namelist()):
            if _BROWN.fullmatch(member):
                yield from filter(None, map(_tokens, archive.read(member).decode("latin-1").splitlines()))
            elif _TREEBANK.fullmatch(member):
                yield from _treebank(archive.read(member).decode("latin-1"))


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
