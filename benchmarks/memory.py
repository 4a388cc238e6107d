"""Peak memory: of loading a language model, of items that lie on disk, and of sampling a long text."""

import os
import re
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import polars as pl

from benchmarks.common import Result, in_fresh_process
from wordworth.catalog.models import locate_language_model
from wordworth.contexts.sampling import Draw, draw, load_texts
from wordworth.encode import load_model
from wordworth.encode.conversion import convert_gguf
from wordworth.results.findings import Findings

MODEL = "smollm2-135m"
FEW, MANY = 4, 32
"""Sizes of the data whose peaks are compared."""
ROWS = 50_000


def loading() -> list[Result]:
    """The peak of loading a model, without what is mapped from a file, against the size of its weights."""
    place = Path(locate_language_model(MODEL).place)
    folder = convert_gguf(place)
    weights = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    results = []
    for device, precision in (("cpu", "float32"), ("cpu", "bfloat16"), ("disk", "float32")):
        peak, _ = in_fresh_process(partial(_loaded, folder, device, precision))
        what = f"peak memory of loading {MODEL} on {device} in {precision}, against its weights"
        results.append(Result(what, weights, peak, 0, bytes=True))
    peak, _ = in_fresh_process(partial(_converted, place))
    what = f"peak memory of converting {MODEL}, against its converted weights"
    return [*results, Result(what, weights, peak, 0, bytes=True)]


def _loaded(folder: Path, device: str, precision: str) -> int:
    load_model(folder, device=device, dtype=precision)  # what a first load takes for good
    return _peak(lambda: load_model(folder, device=device, dtype=precision))


def _converted(place: Path) -> int:
    with tempfile.TemporaryDirectory() as cache:
        os.environ["WORDWORTH_CACHE"] = cache
        return _peak(lambda: convert_gguf(place))


def items() -> Result:
    """The peak of saving a run whose items lie on disk, by the number of files."""
    few, many = (in_fresh_process(partial(_saved, files))[1] for files in (FEW, MANY))
    note = f"{(many - few) / ((MANY - FEW) * ROWS):.0f} bytes per item; held in memory it would be 43"
    return Result(f"peak memory of {FEW * ROWS:,} against {MANY * ROWS:,} items", few, many, 0, None, note, bytes=True)


def _saved(files: int) -> None:
    words = pl.Series([f"word{n % 997}" for n in range(ROWS)], dtype=pl.Categorical)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for at in range(files):
            pl.DataFrame({"word": words, "guess": words}).write_parquet(folder / f"{at:03}.parquet")
        findings = Findings("predict")
        scanned = pl.scan_parquet(sorted(folder.glob("*.parquet")))
        findings.scanned_items("predictions", scanned, experiment="prediction", model="m")
        findings.to_run(command=["python"]).save(folder / "run")


def sampling() -> Result:
    """The peak of drawing sentences from a text, by its length."""
    few, many = (in_fresh_process(partial(_drawn, 10_000 * times))[1] for times in (FEW, MANY))
    what = f"peak memory of drawing from {FEW * 10_000:,} against {MANY * 10_000:,} lines"
    return Result(what, few, many, 0, bytes=True)


def _drawn(lines: int) -> None:
    words = ["cat", "dog", "emu"]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WORDWORTH_CACHE"] = folder
        path = Path(folder) / "text.txt"
        with path.open("w", encoding="utf-8") as out:
            out.writelines(f"{n}: this is a line about the {words[n % 3]} of a town.\n" for n in range(lines))
        draw(load_texts([path], "english"), words, Draw(per_word=20))


def _peak(call: Callable[[], object]) -> int:
    """Return the most memory the call takes that is not mapped from files, in bytes; read from Linux's /proc."""

    def own() -> int:
        found = re.search(r"RssAnon:\s+(\d+)", Path("/proc/self/status").read_text())
        return int(found[1]) << 10 if found else 0

    before, highest, done = own(), [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.002):
            highest.append(own() - before)

    watching = threading.Thread(target=watch)
    watching.start()
    call()
    done.set()
    watching.join()
    return max(highest)
