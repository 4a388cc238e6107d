"""What is damaged and who reads it: a row a reader, with a valid file made here and a digest of what was read."""

import bz2
import io
import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fuzz import models, options, references
from fuzz.made import digest, gzipped, zipped
from fuzz.mutations import mutated

WORDS = ["the", "café", "dog", "cat", "don't", "well-known", "null", "1,5"]
MATRIX = np.random.default_rng(0).normal(size=(len(WORDS), 5)).astype(np.float32)


@dataclass(frozen=True)
class Target:
    """A reader and a valid file for it."""

    file: str
    """The name of the file that is damaged, in a folder that may hold others."""
    make: Callable[[Path], bytes]
    """Makes the other files of the folder, and gives the bytes that are damaged."""
    read: Callable[[Path], str]
    """Reads the folder as the program does; gives a digest."""
    packed: Callable[[bytes], bytes] = bytes
    """How the damaged bytes are packed into the file."""
    damaged: Callable[[bytes, int], tuple[str, bytes]] = mutated
    """What a seed stands for: what was done, in words, and the bytes."""


def _vectors(name: str) -> Callable[[Path], str]:
    def read(folder: Path) -> str:
        from wordworth.embedding import load

        embedding = load(folder / name)
        return digest(embedding.words, np.array(embedding.matrix), embedding.provenance.dropped)

    return read


def _text(header: bool) -> bytes:
    rows = [" ".join([word, *(f"{x:.4f}" for x in row)]) for word, row in zip(WORDS, MATRIX, strict=True)]
    return ("\n".join([f"{len(WORDS)} 5"] * header + rows) + "\n").encode()


def _binary() -> bytes:
    rows = [word.encode() + b" " + row.tobytes() for word, row in zip(WORDS, MATRIX, strict=True)]
    return f"{len(WORDS)} 5\n".encode() + b"".join(rows)


def _npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def _npz() -> bytes:
    return _npz_around(_npy(MATRIX))


def _npz_around(vectors: bytes) -> bytes:
    return zipped({"words.npy": _npy(np.array(WORDS)), "vectors.npy": vectors})


def _safetensors() -> bytes:
    from safetensors.numpy import save

    return save({"vectors": MATRIX, "words": np.frombuffer("\n".join(WORDS).encode(), dtype=np.uint8)})


def _keyed(folder: Path) -> bytes:
    from gensim.models import KeyedVectors

    keyed = KeyedVectors(5)
    keyed.add_vectors(WORDS, MATRIX)
    keyed.lifecycle_events = None  # the time of day
    keyed.save(str(folder / "whole.kv"))
    return (folder / "whole.kv").read_bytes()


def _parquet(**columns: Any) -> bytes:
    import polars as pl

    stream = io.BytesIO()
    pl.DataFrame(columns).write_parquet(stream)
    return stream.getvalue()


def _beside(other: str, its: Callable[[], bytes], own: Callable[[], bytes]) -> Callable[[Path], bytes]:
    def make(folder: Path) -> bytes:
        (folder / other).write_bytes(its())
        return own()

    return make


def _bytes(make: Callable[[], bytes]) -> Callable[[Path], bytes]:
    return lambda folder: make()


def _index() -> bytes:
    return _parquet(word=WORDS)


VECTORS = {
    "word2vec": Target("v.txt", _bytes(lambda: _text(True)), _vectors("v.txt")),
    "glove": Target("v.txt", _bytes(lambda: _text(False)), _vectors("v.txt")),
    "word2vec-binary": Target("v.bin", _bytes(_binary), _vectors("v.bin")),
    "npz": Target("v.npz", _bytes(_npz), _vectors("v.npz")),
    "npz-inside": Target("v.npz", _bytes(lambda: _npy(MATRIX)), _vectors("v.npz"), _npz_around),
    "npy": Target("v.npy", _beside("v.parquet", _index, lambda: _npy(MATRIX)), _vectors("v.npy")),
    "npy-index": Target("v.parquet", _beside("v.npy", lambda: _npy(MATRIX), _index), _vectors("v.npy")),
    "histwords": Target(
        "1800-vocab.pkl",
        _beside("1800-w.npy", lambda: _npy(MATRIX), lambda: pickle.dumps(WORDS)),
        _vectors("1800-w.npy"),
    ),
    "safetensors": Target("v.safetensors", _bytes(_safetensors), _vectors("v.safetensors")),
    "gensim": Target("v.kv", _keyed, _vectors("v.kv")),
    "gz": Target("v.txt.gz", _bytes(lambda: gzipped(_text(True))), _vectors("v.txt.gz")),
    "gz-inside": Target("v.txt.gz", _bytes(lambda: _text(True)), _vectors("v.txt.gz"), gzipped),
    "bz2": Target("v.txt.bz2", _bytes(lambda: bz2.compress(_text(True))), _vectors("v.txt.bz2")),
    "zip": Target("v.zip", _bytes(lambda: zipped({"v.txt": _text(True)})), _vectors("v.zip")),
    "zip-inside": Target("v.zip", _bytes(_binary), _vectors("v.zip"), lambda data: zipped({"v.bin": data})),
}


def _lexicon(folder: Path) -> str:
    from wordworth.catalog.read.lexica import load_lexicon

    lexicon = load_lexicon(folder / "lexicon.csv")
    return digest(lexicon.words, lexicon.valence, lexicon.left_out)


def _pairs(folder: Path) -> str:
    from wordworth.catalog.read.pairs import load_pairs

    pairs = load_pairs(folder / "pairs.tsv")
    return digest(pairs.first, pairs.second, pairs.scores)


def _analogies(folder: Path) -> str:
    from wordworth.catalog.read.analogies import load_analogies

    analogies = load_analogies(folder / "questions.txt")
    return digest(analogies.questions, analogies.sections)


def _tests(name: str) -> Callable[[Path], str]:
    def read(folder: Path) -> str:
        from wordworth.catalog.read.association_tests import load_tests

        return digest(*(test.groups for test in load_tests(folder / name)))

    return read


def _templates(folder: Path) -> str:
    from wordworth.catalog.read.templates import load_templates

    templates = load_templates(str(folder / "templates.toml"))
    return digest(templates.bleached, templates.aligned, templates.edges)


def _corpus(name: str) -> Callable[[Path], str]:
    def read(folder: Path) -> str:
        from wordworth.catalog.read.corpora import load_corpus

        return digest(list(load_corpus(folder / name)))

    return read


def _nli(name: str) -> Callable[[Path], str]:
    def read(folder: Path) -> str:
        from wordworth.catalog.read.nli import load_nli

        data = load_nli(folder / name)
        return digest(data.examples(), sorted(data.left_out.items()))

    return read


def _frequencies(folder: Path) -> str:
    from wordworth.catalog.read.frequencies import load_frequencies

    return digest(sorted(load_frequencies(folder / "counts.txt").counts.items()))


def _paraphrases(folder: Path) -> str:
    from wordworth.catalog.read.paraphrases import load_paraphrases

    return digest(load_paraphrases(folder / "triples.txt").triples)


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
SEAT = json.dumps(
    {
        side: {"category": side, "examples": [f"{side} one", f"{side} two"]}
        for side in ("targ1", "targ2", "attr1", "attr2")
    }
).encode()
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
WIKI = b"""<mediawiki><siteinfo/>
<page><title>Cat</title><ns>0</ns><revision><text>The '''cat''' is a small [[animal|beast]] that lives with people.
* a list
{{box}} It sleeps for &lt;b&gt;most&lt;/b&gt; of the day, and at night it walks about.</text></revision></page>
</mediawiki>
"""


def _nli_parquet() -> bytes:
    return _parquet(**{key: [row[at] for row in NLI] for at, key in enumerate(NLI_KEYS)})


DATA = {
    "lexicon": Target("lexicon.csv", _bytes(lambda: LEXICON), _lexicon),
    "pairs": Target("pairs.tsv", _bytes(lambda: PAIRS), _pairs),
    "analogies": Target("questions.txt", _bytes(lambda: ANALOGIES), _analogies),
    "test-toml": Target("tests.toml", _bytes(lambda: TEST), _tests("tests.toml")),
    "test-json": Target("tests.json", _bytes(lambda: SEAT), _tests("tests.json")),
    "templates": Target("templates.toml", _bytes(lambda: TEMPLATES), _templates),
    "frequencies": Target("counts.txt", _bytes(lambda: b"the 100\ncat 7\ndog\t3.5\n"), _frequencies),
    "paraphrases": Target("triples.txt", _bytes(lambda: b"a cat sat\nan animal sat\na plant sat\n"), _paraphrases),
    "corpus": Target("text.txt", _bytes(lambda: LINES), _corpus("text.txt")),
    "corpus-gz": Target("text.txt.gz", _bytes(lambda: gzipped(LINES)), _corpus("text.txt.gz")),
    "corpus-jsonl": Target("text.jsonl", _bytes(lambda: JSONL), _corpus("text.jsonl")),
    "corpus-parquet": Target(
        "text.parquet", _bytes(lambda: _parquet(text=LINES.decode().splitlines())), _corpus("text.parquet")
    ),
    "corpus-wikipedia": Target("wiki.xml", _bytes(lambda: WIKI), _corpus("wiki.xml")),
    "nli-jsonl": Target("pairs.jsonl", _bytes(lambda: NLI_JSONL), _nli("pairs.jsonl")),
    "nli-tsv": Target("pairs.tsv", _bytes(lambda: NLI_TSV), _nli("pairs.tsv")),
    "nli-parquet": Target("pairs.parquet", _bytes(_nli_parquet), _nli("pairs.parquet")),
}


def _run_file(name: str) -> Callable[[Path], bytes]:
    """A run without the sums of its files, so that what is damaged is read."""

    def make(folder: Path) -> bytes:
        from made_runs import MadeRun

        run = MadeRun("weat", settings={"permutations": 100})
        run.model("toy", words=8, dimensions=5)
        row = {"model": "toy", "experiment": "association", "dataset": "weat1", "measure": "effect_size"}
        for value in (0.5, 1.25):
            run.score(**row, value=value, n=8)
        run.item(**row, item=WORDS, value=[float(at) for at in range(len(WORDS))])
        run.write(folder)
        return (folder / name).read_bytes()

    return make


def _run(folder: Path) -> str:
    from wordworth.run.reading import read_run

    run = read_run(folder)
    return digest(sorted(run.manifest.items()), run.scores.write_csv(), run.items.collect().write_csv())


def _reported(folder: Path) -> str:
    """The reader of a run's folder, and whoever uses what it lets pass."""
    from wordworth.report import write_report

    place = folder.parent / "report.md"
    place.unlink(missing_ok=True)
    return digest(write_report([folder], place, "md").read_bytes())


def _outcome_file(folder: Path) -> bytes:
    from wordworth.run.manifest import OUTCOME, Outcome, write_outcome

    failed = {"study": "vast", "models": ["toy", "café"], "reason": "the model has no such layer"}
    write_outcome(folder, Outcome((failed,), ("toy has no words for predict",)))
    return (folder / OUTCOME).read_bytes()


def _outcome(folder: Path) -> str:
    from wordworth.run.manifest import read_outcome

    return digest(repr(read_outcome(folder)))


RUNS = {name: Target(name, _run_file(name), _run) for name in ("run.json", "scores.csv", "items.parquet")}
RUNS |= {f"report {name}": Target(name, _run_file(name), _reported) for name in ("run.json", "scores.csv")}
RUNS |= {"audit.json": Target("audit.json", _outcome_file, _outcome)}


def _config(folder: Path) -> str:
    """As `wordworth run weat … --config FILE`, up to where the model would be loaded, which is not there."""
    from wordworth.cli import UsageError, app
    from wordworth.errors import WordworthError

    arguments = ["run", "weat", str(folder / "none.txt"), "--config", str(folder / "options.toml")]
    try:
        app(arguments, prog_name="wordworth", standalone_mode=False)
    except UsageError as error:
        raise WordworthError(error.format_message()) from error
    except WordworthError as error:
        if "none.txt" in str(error):
            return digest(str(error))
        raise
    return ""


OPTIONS = b'test = ["weat1", "weat2"]\npermutations = 500\nseed = 3\nlanguage = "english"\n'


def _taken(name: str) -> Callable[[Path], str]:
    def read(folder: Path) -> str:
        from wordworth.catalog.fetch.archives import take

        out = io.BytesIO()
        take(folder / name, "data/words.txt", out)
        return digest(out.getvalue())

    return read


def _tar() -> bytes:
    import tarfile

    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name in ("other.txt", "data/words.txt"):
            member = tarfile.TarInfo(name)
            member.size = len(LINES)
            archive.addfile(member, io.BytesIO(LINES))
    return stream.getvalue()


OTHERS = {
    **{name: Target(*row, damaged=options.damaged) for name, row in options.rows().items()},
    "config": Target("options.toml", _bytes(lambda: OPTIONS), _config),
    "archive-zip": Target(
        "a.whl", _bytes(lambda: zipped({"other.txt": LINES, "data/words.txt": LINES * 9})), _taken("a.whl")
    ),
    "archive-tar": Target("a.tar", _bytes(lambda: _tar()), _taken("a.tar")),
    "archive-tgz": Target("a.tar.gz", _bytes(lambda: gzipped(_tar())), _taken("a.tar.gz")),
    "archive-tgz-inside": Target("a.tar.gz", _bytes(lambda: _tar()), _taken("a.tar.gz"), gzipped),
}
MODELS = {name: Target(file, make, read) for name, (file, make, read) in models.rows().items()}
REFERENCES = {name: Target(*row) for name, row in references.rows().items()}
TARGETS: dict[str, Target] = VECTORS | DATA | REFERENCES | RUNS | OTHERS | MODELS


def _broken(folder: Path) -> str:
    """A reader with every fault that is looked for, by which the search itself is tested."""
    import os
    import time

    match (folder / "orders").read_bytes():
        case b"wait":
            time.sleep(600)
        case b"hang":
            while True:
                pass
        case b"memory":
            bytearray(8 << 30)
        case b"kill":
            os.abort()
    return "whole"


BROKEN = Target("orders", _bytes(lambda: b"whole"), _broken)
