"""Files of the catalog that users may give as their own: WordNet's, wordfreq's lists, zips of tagged texts."""

from collections.abc import Callable
from pathlib import Path

from fuzz.made import Row, digest, gzipped, zipped

LICENCE = b"  1 This is a licence.  \n"
WORDNET = {
    "data.noun": b"""00000001 03 n 01 animal 0 001 ~ 00000002 n 0000 | a living thing
00000002 05 n 02 dog 0 domestic_dog 0 002 @ 00000001 n 0000 ~ 00000004 n 0000 | it barks
00000003 05 n 01 cat 0 001 @ 00000001 n 0000 | it mews
00000004 05 n 01 poodle 0 001 @ 00000002 n 0000 | it is curly
""",
    "index.noun": b"""animal n 1 1 ~ 1 0 00000001
cat n 1 1 @ 1 0 00000003
dog n 1 2 @ ~ 1 0 00000002
poodle n 1 1 @ 1 0 00000004
""",
    "noun.exc": b"dogz dog\nkine cow cattle\n",
}
BROWN = b"The/at cat/nn sat/vbd ./.\n\n\tA/at well-known/jj dog/nn|vb ran/vbd ./.\n"
TREEBANK = b"( (S (NP (DT The) (NN cat))\n  (VP (VBD sat)) (. .)))\n( (FRAG (DT A) (CD 1\\/2) (. .)))\n"


def _wordnet(name: str) -> Callable[[Path], bytes]:
    def make(folder: Path) -> bytes:
        for kind in ("noun", "verb", "adj", "adv"):
            for file in (f"data.{kind}", f"index.{kind}"):
                (folder / file).write_bytes(LICENCE + WORDNET.get(file, b""))
        (folder / "noun.exc").write_bytes(WORDNET["noun.exc"])
        return (folder / name).read_bytes()

    return make


def _read_wordnet(folder: Path) -> str:
    """The reader, and the way along what it names, as those go who use it."""
    from wordworth.catalog.read.wordnet import load_wordnet

    wordnet = load_wordnet(folder)
    above = [wordnet.words[synset][0] for several in wordnet.hypernyms.values() for synset in several]
    first = [wordnet.hypernyms[synsets[0]] for synsets in wordnet.senses.values()]
    return digest(wordnet.words, wordnet.hyponyms, sorted(wordnet.lemmas("dogz")), above, first)


def _packed(value: object) -> bytes:
    """MessagePack of short texts, small numbers, and lists and tables of fewer than 16."""
    if isinstance(value, str):
        return bytes([0xA0 + len(value.encode())]) + value.encode()
    if isinstance(value, dict):
        return bytes([0x80 + len(value)]) + b"".join(_packed(key) + _packed(one) for key, one in value.items())
    if isinstance(value, list):
        return b"\xdc" + len(value).to_bytes(2, "big") + b"".join(map(_packed, value))
    return bytes([value]) if isinstance(value, int) else b""


LIST = _packed([{"format": "cB", "version": 1}, [], ["the"], ["of", "café"], [], ["dog"]])


def _read_list(folder: Path) -> str:
    from wordworth.catalog.read.frequencies import centibels

    return digest(centibels(folder / "large.msgpack.gz"))


def _read_tagged(folder: Path) -> str:
    from wordworth.catalog.read.layouts import tagged_sentences

    return digest(list(tagged_sentences(folder / "tagged.zip")))


def _zip() -> bytes:
    return zipped({"brown/README": b"x", "brown/ca01": BROWN, "treebank/wsj_0001.mrg": TREEBANK})


def rows() -> dict[str, tuple[*Row, Callable[[bytes], bytes]]]:
    """File, maker, reader, and how the damaged bytes are packed."""
    table = {f"wordnet {name}": (name, _wordnet(name), _read_wordnet, bytes) for name in WORDNET}
    return {
        **table,
        "wordfreq": ("large.msgpack.gz", lambda _: gzipped(LIST), _read_list, bytes),
        "wordfreq-inside": ("large.msgpack.gz", lambda _: LIST, _read_list, gzipped),
        "tagged": ("tagged.zip", lambda _: _zip(), _read_tagged, bytes),
        "tagged-inside": (
            "tagged.zip",
            lambda _: BROWN + TREEBANK,
            _read_tagged,
            lambda data: zipped({"brown/ca01": data, "treebank/wsj_0001.mrg": data}),
        ),
    }
