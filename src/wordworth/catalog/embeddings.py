"""From what a user names to an embedding."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from wordworth.catalog.entry import Entry
from wordworth.catalog.registry import entry
from wordworth.catalog.resolve import Resolved, located, resolve
from wordworth.embedding import Embedding, histwords_decades, load
from wordworth.embedding.blocks import OnBad
from wordworth.errors import WordworthError


def load_embeddings(
    named: str | Path, *, language: str = "", on_bad: OnBad = "stop", file_format: str | None = None
) -> Iterator[Embedding]:
    """The embedding that is named, as `resolve` says; a folder of HistWords decades gives one a decade."""
    resolved = resolve(named)
    if resolved.entry is not None:
        yield _of_catalog(resolved, resolved.entry, on_bad)
        return
    if resolved.place == "hub" and "/" not in resolved.target:
        entry(resolved.target, "models")  # it reads like a name of the catalog: the error gives the nearest names
    path = located(resolved).where
    if path.is_dir() and any(path.glob("*-w.npy")):
        for decade in histwords_decades(path):
            name = f"{resolved.name}/{decade.name.removesuffix('-w.npy')}"
            yield load(decade, name=name, language=language, on_bad=on_bad)
        return
    read = load(path, name=resolved.name, language=language, format=file_format, on_bad=on_bad)
    yield Embedding(read.words, read.matrix, replace(read.provenance, source=resolved.source))


def _of_catalog(resolved: Resolved, declared: Entry, on_bad: OnBad) -> Embedding:
    family = declared.details["family"]
    if family != "static":
        what = "a sentence encoder" if family == "sentence" else f"a language model ({family})"
        raise WordworthError(
            f"{declared.name} is {what}, not a static embedding; this study takes static embeddings "
            "(`wordworth ls models`)"
        )
    data = located(resolved)
    read = load(data.where, format=declared.details["format"], language=data.language, on_bad=on_bad)
    provenance = replace(
        read.provenance, name=data.name, source=data.source, sha256=data.sha256, language=data.language
    )
    return Embedding(read.words, read.matrix, provenance)
