"""`load`: a file of word vectors becomes an `Embedding`.

Its format is recognised by content and name; in doubt it stops and asks. What was read once is kept in the cache: the
matrix as a `.npy` that is mapped, the words as one UTF-8 text.
"""

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from wordworth.embedding import arrays, pickles, spacy_vectors, word2vec
from wordworth.embedding.arrays import map_matrix
from wordworth.embedding.blocks import VectorFile, gather
from wordworth.embedding.core import Embedding, Provenance
from wordworth.embedding.streams import Flaws, Kind, OnBad, compression, inner_name, plain_name, sample, sha256_of_all
from wordworth.engine.cache import entry
from wordworth.errors import Foreign, WordworthError, nearest
from wordworth.files import measured_sum

FORMATS = {
    "word2vec": "text with a header line",
    "fasttext": "the .vec text of fastText, the same",
    "glove": "text without a header",
    "numberbatch": "text whose words are /c/LANGUAGE/word",
    "word2vec-binary": "the .bin of word2vec",
    "npz": "arrays words and vectors",
    "safetensors": "tensors words and vectors",
    "gensim": "KeyedVectors.save or Word2Vec.save",
    "histwords": "1800-w.npy with 1800-vocab.pkl beside it",
    "npy-parquet": "a .npy matrix with a parquet index beside it",
    "spacy": "the folder of a spaCy model: vectors, key2row and strings.json",
}
_TEXT = ("word2vec", "fasttext", "glove", "numberbatch")
# Languages as this project names them → as ConceptNet does: all that it has many words of, so that one that is added to
# the catalog needs no line here.
_LANGUAGES = """
afrikaans:af arabic:ar armenian:hy asturian:ast azerbaijani:az basque:eu belarusian:be bulgarian:bg catalan:ca
chinese:zh czech:cs danish:da dutch:nl english:en esperanto:eo estonian:et faroese:fo finnish:fi french:fr galician:gl
georgian:ka german:de greek:el hebrew:he hindi:hi hungarian:hu icelandic:is ido:io indonesian:id irish:ga italian:it
japanese:ja kazakh:kk khmer:km korean:ko kurdish:ku latin:la latvian:lv lithuanian:lt macedonian:mk malay:ms
maltese:mt manx:gv norwegian:no occitan:oc persian:fa polish:pl portuguese:pt romanian:ro russian:ru sanskrit:sa
serbo-croatian:sh slovak:sk slovenian:sl spanish:es swahili:sw swedish:sv tagalog:tl telugu:te thai:th turkish:tr
turkmen:tk ukrainian:uk urdu:ur uzbek:uz vietnamese:vi welsh:cy
"""
_CODES = {"": "en"} | dict(pair.split(":") for pair in _LANGUAGES.split())
_KNOWN_OTHERS = {
    b"\x89HDF": "an HDF5 file; convert it to word2vec text or npz",
    b"\xba\x16O/": "a fastText model; give the .vec file that goes with it",
}
# Bytes that no text has and float32 numbers nearly always have.
_CONTROL = bytes([*range(9), *range(14, 32)])
_LAYOUT = 3  # raised whenever an entry is written differently, or the same file would be read differently


def check_format(name: str) -> None:
    """Stops at a name that is no format."""
    if name not in FORMATS:
        known = "; ".join(f"{known}: {what}" for known, what in FORMATS.items())
        raise WordworthError(f"no format is called {name!r}{nearest(name, list(FORMATS))} (known: {known})")


def _unknown(path: Path, why: str) -> WordworthError:
    return WordworthError(
        f"{path}: {why}; say which format it is in with --file-format (format= in Python): {', '.join(FORMATS)}"
    )


def files_of(path: Path) -> tuple[Path, ...]:
    """The files that are read for `path`, the matrix or main file first."""
    if path.is_dir():
        if of_spacy := spacy_vectors.files_in(path):
            return of_spacy
        matrix = arrays.indexed_matrix_in(path)
        if matrix is None:
            raise WordworthError(
                f"{path} is a folder without one .npy matrix and its parquet index, and without a spaCy model's "
                "vectors; give the path of a file in it"
            )
        path = matrix
    if not path.is_file():
        raise WordworthError(
            f"there is no file {path}; check the path (`wordworth.load` takes names of the catalog too)"
        )
    if path.suffix == ".npy":
        beside = pickles.vocabulary_beside(path) or arrays.index_beside(path)
        return (path, beside) if beside else (path,)
    return (path, *pickles.arrays_beside(path))


def recognise(files: tuple[Path, ...]) -> str:
    """The name of the format."""
    path = files[0]
    if len(files) == len(spacy_vectors.FILES) and path.name == spacy_vectors.FILES[0]:
        return "spacy"
    packed = compression(path)
    if packed == "zip" and _is_npz(path):
        return "npz"
    start = sample(path)
    if not start.strip():
        raise WordworthError(f"{path} is empty; fetch or copy the file again")
    for magic, what in _KNOWN_OTHERS.items():
        if start.startswith(magic):
            raise WordworthError(f"{path} is {what}")
    name = ""
    if start.startswith(b"\x93NUMPY"):
        if len(files) < 2:
            raise WordworthError(
                f"{path} is a matrix without its words; put a parquet index, or for HistWords the -vocab.pkl, beside it"
            )
        name = "npy-parquet" if files[1].suffix == ".parquet" else "histwords"
    elif start[:1] == b"\x80" and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        if b"gensim" not in start[:200]:
            raise _unknown(path, "it is a pickle, and not one of gensim's")
        name = "gensim"
    elif start[8:9] == b"{" and 0 < int.from_bytes(start[:8], "little") < 1 << 32:
        name = "safetensors"
    if name and packed:
        raise WordworthError(f"{path} is a {packed} of {name}; unpack it and give the path of the file inside")
    return name or _text_or_binary(path, start)


def _is_npz(path: Path) -> bool:
    with Foreign(f"{path} is cut short or damaged", "fetch or copy the file again"), zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    return bool(names) and all(name.endswith(".npy") for name in names)


def _text_or_binary(path: Path, start: bytes) -> str:
    first, _, body = start.partition(b"\n")
    head = word2vec.header(first)
    shape = word2vec.layout(start)
    if head is None:
        if shape is None or any(byte in _CONTROL for byte in start[:1000]):
            raise _unknown(path, "its beginning is no format that is recognised")
        return "numberbatch" if shape.concepts else "glove"
    rows, dim = head
    plain = "numberbatch" if shape is not None and shape.concepts else "word2vec"
    # From the surest sign to the weakest: a row that reads as text, bytes that no text has, the name, an exact fit.
    if not body.strip() or word2vec.numbers_at_end(body.partition(b"\n")[0]) >= dim > 0:
        return plain
    if any(byte in _CONTROL for byte in body):
        return "word2vec-binary"
    suffix = Path(inner_name(path)).suffix
    if suffix in (".bin", ".txt", ".vec"):
        return "word2vec-binary" if suffix == ".bin" else plain
    if word2vec.rows_fit(body, rows, dim):
        return "word2vec-binary"
    if shape is not None:
        return plain
    raise _unknown(path, f"after the header {first.decode(errors='replace')!r} it may be text or binary")


def _language_code(language: str) -> str:
    code = _CODES.get(language, language)
    if not (code.isalpha() and len(code) in (2, 3)):
        raise WordworthError(f"Numberbatch has no language {language!r}; give a ConceptNet code such as en, de or zh")
    return code


def begin(files: tuple[Path, ...], format: str | None, language: str, on_bad: OnBad) -> tuple[VectorFile, Flaws]:  # noqa: A002
    """Starts to read: recognises the format where it is not given, and reads as far as the shape."""
    path = files[0]
    chosen = format or recognise(files)
    # HistWords has rows for words absent in a decade; spaCy for pieces of white space, and keys without their word.
    usual: dict[str, frozenset[Kind]] = {"histwords": frozenset({"zero"}), "spacy": frozenset({"word", "zero"})}
    tolerated = usual.get(chosen, frozenset())
    flaws = Flaws(path, on_bad, "line" if chosen in _TEXT else "row", tolerated)
    if chosen in _TEXT:
        return _begin_text(path, chosen, language, flaws), flaws
    if chosen == "word2vec-binary":
        head = word2vec.header(sample(path).partition(b"\n")[0])
        if head is None or head[1] < 1:
            raise WordworthError(f"{path} does not begin with the number of rows and the dimension; {_not(chosen)}")
        _believable(path, head[1])
        return word2vec.read_binary(path, *head, flaws), flaws
    if chosen == "npz":
        return arrays.read_npz(path), flaws
    if chosen == "safetensors":
        return arrays.read_safetensors(path), flaws
    if chosen == "gensim":
        return pickles.read_keyed_vectors(path), flaws
    if chosen == "spacy":
        if tuple(file.name for file in files) != spacy_vectors.FILES:
            raise WordworthError(f"{path} is not {FORMATS[chosen]}; give the path of the folder")
        return spacy_vectors.read_spacy(*files), flaws
    if len(files) < 2 or (files[1].suffix == ".parquet") != (chosen == "npy-parquet"):
        raise WordworthError(f"{path} has no words beside it; the format {chosen} is {FORMATS[chosen]}")
    if chosen == "histwords":
        return pickles.read_histwords(*files), flaws
    return arrays.read_indexed(*files), flaws


def _not(chosen: str) -> str:
    return f"it is not {chosen} ({FORMATS[chosen]})"


def _believable(path: Path, dim: int) -> None:
    if dim > word2vec.WIDEST:
        raise WordworthError(
            f"{path} says that a vector has {dim:,} numbers, and more than {word2vec.WIDEST:,} are not read; "
            "mend its header"
        )


def _begin_text(path: Path, chosen: str, language: str, flaws: Flaws) -> VectorFile:
    shape = word2vec.layout(sample(path), headed=None if chosen == "numberbatch" else chosen != "glove")
    if shape is None:
        raise WordworthError(f"{path} does not begin as such a file does; {_not(chosen)}")
    _believable(path, shape.dim)
    concepts = chosen == "numberbatch"
    return word2vec.read_text(
        path, replace(shape, concepts=concepts), _language_code(language) if concepts else "", flaws
    )


def load(
    path: Path | str,
    *,
    name: str | None = None,
    language: str = "",
    format: str | None = None,  # noqa: A002
    on_bad: OnBad = "stop",
) -> Embedding:
    """Read word vectors in any of `FORMATS`, recognised by content and name unless `format` says which.

    `on_bad`: rows with NaN, infinity, only zeros, a repeated word, a wrong number of fields or a wrong encoding either
    stop the reading with their line, or are skipped and listed in `provenance.dropped` (of repeats the first is kept).
    `language` goes to the provenance, and says which words of Numberbatch to keep (English unless it is given).
    Vectors are float32 and read-only.
    """
    if on_bad not in ("stop", "drop"):
        raise WordworthError(f"on-bad is {on_bad!r}; it can be stop or drop")
    if format is not None:
        check_format(format)
    source = Path(path).expanduser()
    files = files_of(source)
    sums = [[file.name, measured_sum(file)] for file in files]

    def build(folder: Path) -> None:
        _build(folder, *begin(files, format, language, on_bad))
        if [[file.name, measured_sum(file)] for file in files] != sums:
            raise WordworthError(f"{files[0]} changed while it was read; wait until it is whole and load it again")

    folder = entry("embeddings", [_LAYOUT, format or "", on_bad, language, sums], build)
    meta: dict[str, Any] = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    provenance = Provenance(
        name=name or (source.name if source.is_dir() else plain_name(files[0])),
        source=str(source),
        sha256=sums[0][1] if len(files) == 1 else sha256_of_all(files),
        language=language or meta["language"],
        dropped=tuple(meta["dropped"]),
    )
    words = (folder / "words.txt").read_bytes().decode().split("\n")
    return Embedding(words, map_matrix(folder / "matrix.npy"), provenance)


def _build(folder: Path, reading: VectorFile, flaws: Flaws) -> None:
    words = _write_matrix(folder / "matrix.npy", reading, flaws)
    (folder / "words.txt").write_bytes("\n".join(words).encode())
    meta = {"language": reading.language, "dropped": flaws.dropped()}
    (folder / "meta.json").write_text(json.dumps(meta, indent=1), encoding="utf-8")


def _write_matrix(path: Path, reading: VectorFile, flaws: Flaws) -> list[str]:
    """Stream the rows to a `.npy` file whose number of rows is filled in at the end."""
    with path.open("wb") as stream:
        _npy_header(stream, 0, reading.dim)
        start = stream.tell()
        words = gather(reading, flaws, stream)
        stream.seek(0)
        _npy_header(stream, len(words), reading.dim)
        assert stream.tell() == start
    return words


def _npy_header(stream: BinaryIO, rows: int, dim: int) -> None:
    # numpy pads the header so that it stays as long when rows are added.
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": (rows, dim)})
