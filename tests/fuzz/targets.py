"""What is damaged and who reads it: per reader a valid file, made here, and the call that reads it."""

import bz2
import gzip
import io
import json
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from safetensors.numpy import save

from fuzz.models import MODELS, Target
from wordworth.catalog.fetch.archives import take
from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.frequencies import load_frequencies
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.nli import load_nli
from wordworth.catalog.read.pairs import load_analogies, load_pairs, load_paraphrases
from wordworth.catalog.read.templates import load_templates
from wordworth.catalog.read.word_sets import load_tests
from wordworth.embedding import load

WORDS = ["the", "café", "dog", "cat", "don't", "well-known", "null", "1,5"]
MATRIX = np.random.default_rng(0).normal(size=(len(WORDS), 5)).astype(np.float32)


def _of(file: str, content: bytes, read: Callable[[Path], object], pack: Callable[[bytes], bytes] = bytes) -> Target:
    return Target(file, lambda _: content, read, pack)


def _beside(file: str, content: bytes, other: str, its: bytes, read: Callable[[Path], object]) -> Target:
    """A file that is read with another beside it."""

    def make(folder: Path) -> bytes:
        (folder / other).write_bytes(its)
        return content

    return Target(file, make, read)


pack_gzip = partial(gzip.compress, mtime=0)


def pack_zip(members: dict[str, bytes]) -> bytes:
    """A zip archive of these files, of no date: the same bytes at any time."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def _parquet(**columns: Any) -> bytes:
    stream = io.BytesIO()
    pl.DataFrame(columns).write_parquet(stream)
    return stream.getvalue()


def _npz(vectors: bytes) -> bytes:
    return pack_zip({"words.npy": _npy(np.array(WORDS)), "vectors.npy": vectors})


def _keyed(folder: Path) -> bytes:
    from gensim.models import KeyedVectors

    keyed = KeyedVectors(5)
    keyed.add_vectors(WORDS, MATRIX)
    keyed.lifecycle_events = None  # the time of day
    keyed.save(str(folder / "whole.kv"))
    return (folder / "whole.kv").read_bytes()


_ROWS = [" ".join([word, *(f"{x:.4f}" for x in row)]) for word, row in zip(WORDS, MATRIX, strict=True)]
_GLOVE = ("\n".join(_ROWS) + "\n").encode()
_HEADER = f"{len(WORDS)} 5\n".encode()
_BINARY = _HEADER + b"".join(word.encode() + b" " + row.tobytes() for word, row in zip(WORDS, MATRIX, strict=True))
_TEXT = _HEADER + _GLOVE
_SAFETENSORS = save({"vectors": MATRIX, "words": np.frombuffer("\n".join(WORDS).encode(), dtype=np.uint8)})
VECTORS = {
    "word2vec": _of("v.txt", _TEXT, load),
    "glove": _of("v.txt", _GLOVE, load),
    "word2vec-binary": _of("v.bin", _BINARY, load),
    "npz": _of("v.npz", _npz(_npy(MATRIX)), load),
    "npz-inside": _of("v.npz", _npy(MATRIX), load, _npz),
    "npy": _beside("v.npy", _npy(MATRIX), "v.parquet", _parquet(word=WORDS), load),
    "npy-index": _beside(
        "v.parquet", _parquet(word=WORDS), "v.npy", _npy(MATRIX), lambda path: load(path.with_suffix(".npy"))
    ),
    "histwords": _beside(
        "1800-vocab.pkl",
        pickle.dumps(WORDS),
        "1800-w.npy",
        _npy(MATRIX),
        lambda path: load(path.with_name("1800-w.npy")),
    ),
    "safetensors": _of("v.safetensors", _SAFETENSORS, load),
    "gensim": Target("v.kv", _keyed, load),
    "gz": _of("v.txt.gz", pack_gzip(_TEXT), load),
    "gz-inside": _of("v.txt.gz", _TEXT, load, pack_gzip),
    "bz2": _of("v.txt.bz2", bz2.compress(_TEXT), load),
    "zip": _of("v.zip", pack_zip({"v.txt": _TEXT}), load),
    "zip-inside": _of("v.zip", _BINARY, load, lambda data: pack_zip({"v.bin": data})),
}


LEXICON = 'word,valence\nlove,8.7\nhate,2.1\n"well-known",6\ncafé,"7,5"\n'.encode()
PAIRS = "cat\tdog\t7.5\ncup\tcafé\t6.1\nold\tnew\t1.58\n".encode()
ANALOGIES = b": capital-common\nAthens Greece Oslo Norway\n: gram1-plural\ncat cats dog dogs\n"
TEST = b"""[[test]]
name = "flowers"
title = "Flowers and insects"
x = { label = "flowers", words = ["rose", "tulip"] }
y = { label = "insects", words = ["ant", "wasp"] }
a = { label = "pleasant", words = ["love", "peace"] }
b = { label = "unpleasant", words = ["hate", "war"] }
"""
SIDES = ("targ1", "targ2", "attr1", "attr2")
SEAT = json.dumps({side: {"category": side, "examples": [f"{side} one", f"{side} two"]} for side in SIDES}).encode()
TEMPLATES = b"""[mine]
language = "english"
bleached = "This is WORD"
aligned = [{ low = 1, high = 5, text = "It is bad to think of WORD" }, { low = 5.0, high = 9, text = "WORD is good" }]
"""
LINES = "A cat sat on the mat.\n\nThe café was old.\nA dog ran.\n".encode()
JSONL = b'{"text": "A cat sat.", "n": 1}\n{"text": "A dog\\nran off.", "n": 2}\n'
NLI = [("A cat sat.", "A cat.", "entailment"), ("A dog ran.", "No dog.", "contradiction"), ("A man.", "A hat.", "-")]
NLI_KEYS = ("sentence1", "sentence2", "gold_label")
NLI_JSONL = "".join(json.dumps(dict(zip(NLI_KEYS, row, strict=True))) + "\n" for row in NLI).encode()
NLI_TSV = "".join("\t".join(row) + "\n" for row in [NLI_KEYS, *NLI]).encode()
NLI_PARQUET = _parquet(**{key: [row[at] for row in NLI] for at, key in enumerate(NLI_KEYS)})
WIKI = b"""<mediawiki><siteinfo/>
<page><title>Cat</title><ns>0</ns><revision><text>The '''cat''' is a small [[animal|beast]] that lives with people.
* a list
{{box}} It sleeps for &lt;b&gt;most&lt;/b&gt; of the day, and at night it walks about.</text></revision></page>
</mediawiki>
"""


def _lines(path: Path) -> object:
    return list(load_corpus(path))


DATA = {
    "lexicon": _of("lexicon.csv", LEXICON, load_lexicon),
    "pairs": _of("pairs.tsv", PAIRS, load_pairs),
    "analogies": _of("questions.txt", ANALOGIES, load_analogies),
    "test-toml": _of("tests.toml", TEST, load_tests),
    "test-json": _of("tests.json", SEAT, load_tests),
    "templates": _of("templates.toml", TEMPLATES, lambda path: load_templates(str(path))),
    "frequencies": _of("counts.txt", b"the 100\ncat 7\ndog\t3.5\n", load_frequencies),
    "paraphrases": _of("triples.txt", b"a cat sat\nan animal sat\na plant sat\n", load_paraphrases),
    "corpus": _of("text.txt", LINES, _lines),
    "corpus-gz": _of("text.txt.gz", pack_gzip(LINES), _lines),
    "corpus-jsonl": _of("text.jsonl", JSONL, _lines),
    "corpus-parquet": _of("text.parquet", _parquet(text=LINES.decode().splitlines()), _lines),
    "corpus-wikipedia": _of("wiki.xml", WIKI, _lines),
    "nli-jsonl": _of("pairs.jsonl", NLI_JSONL, load_nli),
    "nli-tsv": _of("pairs.tsv", NLI_TSV, load_nli),
    "nli-parquet": _of("pairs.parquet", NLI_PARQUET, load_nli),
}


RUN_FILES = {
    "run.json": "run/run.json",
    "scores.csv": "run/scores.csv",
    "items.parquet": "run/items/rated_words.parquet",
}


def _run_file(file: str) -> Callable[[Path], bytes]:
    """Return what saves a run without the checksums of its files, so that what is damaged is read."""

    def make(folder: Path) -> bytes:
        from wordworth.results.findings import Findings

        findings = Findings("valnorm")
        findings.add_model("toy", {"words": 8, "dimensions": 5})
        place = {"model": "toy", "experiment": "valence", "dataset": "bellezza"}
        for layer, value in enumerate((0.5, 0.25)):
            findings.score(**place, layer=layer, measure="valence", value=value, n=len(WORDS))
        effects = [float(at) for at in range(len(WORDS))]
        findings.item("rated_words", **place, word=WORDS, rating=effects, value=effects)
        run = findings.to_run(command=["wordworth"], settings={"permutations": 100})
        run.started, run.versions, run.hardware = datetime(2026, 1, 2, tzinfo=UTC), {"wordworth": "1"}, {}
        run.save(folder / "run")
        run.files = {}
        (folder / "run" / "run.json").write_text(run.model_dump_json(indent=1), encoding="utf-8")
        return (folder / file).read_bytes()

    return make


def _report(path: Path) -> object:
    """Read a run's folder, and use what the reader lets pass."""
    from wordworth.pages.page import write_report

    run = next(folder for folder in path.parents if folder.name == "run")
    page = run.with_name("report.md")
    page.unlink(missing_ok=True)
    return write_report([run], page, "md")


def _config(path: Path) -> None:
    """As `wordworth run weat … --config FILE`, up to where the model would be loaded, which is not there."""
    from wordworth.cli import UsageError, app
    from wordworth.errors import WordworthError

    arguments = ["run", "weat", str(path.with_name("none.txt")), "--config", str(path)]
    try:
        app(arguments, prog_name="wordworth", standalone_mode=False)
    except UsageError as error:
        raise WordworthError(error.format_message()) from error
    except WordworthError as error:
        if "none.txt" not in str(error):
            raise


def _member(path: Path) -> None:
    take(path, "data/words.txt", io.BytesIO())


def _tar() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name in ("other.txt", "data/words.txt"):
            member = tarfile.TarInfo(name)
            member.size = len(LINES)
            archive.addfile(member, io.BytesIO(LINES))
    return stream.getvalue()


OPTIONS = b'test = ["weat1", "weat2"]\npermutations = 500\nseed = 3\nlanguage = "english"\n'
OTHERS = {
    **{name: Target(file, _run_file(file), _report) for name, file in RUN_FILES.items()},
    "config": _of("options.toml", OPTIONS, _config),
    "archive-zip": _of("a.whl", pack_zip({"other.txt": LINES, "data/words.txt": LINES * 9}), _member),
    "archive-tar": _of("a.tar", _tar(), _member),
    "archive-tgz": _of("a.tar.gz", pack_gzip(_tar()), _member),
    "archive-tgz-inside": _of("a.tar.gz", _tar(), _member, pack_gzip),
}


TARGETS: dict[str, Target] = VECTORS | DATA | OTHERS | MODELS
