"""Runs the commands and the Python of the pages, literally, in a temporary folder: `make docs-check`.

`tools/recipes.py` says how a comment above a block tells what is not run, or with which cheap substitutes. What a page
takes for granted (`my.vec`, `runs/a`, a folder of ELMo) is made here, small, when a command names it.

    python -m tools.check_recipes [PAGE…] [--limit SECONDS] [--nli PAIRS]
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.recipes import PAGES, ROOT, Recipe, blocks, every_block
from wordworth.errors import WordworthError
from wordworth.files import cache_dir

FEW = 400
"""Pairs of NLI to train on, a seventh of them with each label at least."""
WORDS = 20_000
RULES = "rules.toml"
VAST = ("run", "vast", "--experiment", "contextualization", "--lexicon", "bellezza", "--context", "bleached")
VALNORM = ("run", "valnorm", "--lexicon", "bellezza", "--pairs", "rg-65", "--test", "weat7")
RUNS = {
    "runs/a": (*VAST, "smollm2-135m"),
    "runs/b": (*VAST, "minilm-l6"),
    "runs/gpt2": (*VAST, "minilm-l6"),
    "runs/smollm2": (*VAST, "smollm2-135m"),
    "runs/vast-20260102-030405": (*VAST, "smollm2-135m"),
    "runs/vast": (*VAST, "--context", "random", "--control", "none", "minilm-l6"),
    "runs/both": ("run", "weat", "glove-6b-50d", "word2vec-news-26k", "--test", "weat1", "--test", "weat7"),
    "runs/infer": ("run", "infer", "nli-glove", "--probe", "gender", "--sample", "500", "--swaps", "0"),
    "runs/mine": (*VALNORM, "glove-6b-50d"),
    "runs/other": (*VALNORM, "word2vec-news-26k"),
    "runs/valnorm": (*VALNORM, "glove-6b-50d"),
    "runs/more": ("run", "weat", "glove-6b-50d", "--test", "weat7"),
    "runs/audit-glove-6b-50d": ("audit", "glove-6b-50d", "--quick"),
    "audits/smollm2": ("audit", "glove-6b-50d", "--quick"),
}
"""Runs that pages name, and what makes them."""


@dataclass(frozen=True)
class Ended:
    """How a recipe ended: blank is well."""

    recipe: Recipe
    seconds: float
    trouble: str


def main() -> int:
    """Runs the recipes of the pages named, or of all, and says what became of each."""
    parser = argparse.ArgumentParser(description="Run the recipes of the pages.")
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--limit", type=float, default=900.0, help="seconds for one command")
    parser.add_argument("--nli", default="snli-91k", help="NLI data that stand-ins for SNLI are cut from")
    asked = parser.parse_args()
    ended: list[Ended] = []
    with tempfile.TemporaryDirectory(prefix="recipes-") as place:
        bench = Bench(Path(place), asked.nli, asked.limit)
        for page in [path.resolve() for path in asked.pages] or PAGES:
            with bench.page(page.stem):
                for recipe in (recipe for block in _blocks(page) for recipe in block.commands()):
                    if recipe.not_run:
                        print(f"not run  {recipe.place}  {_short(recipe)}: {recipe.not_run}", flush=True)
                        continue
                    ended.append(bench.run(recipe))
                    one = ended[-1]
                    print(f"{'failed' if one.trouble else 'ran   '}   {recipe.place}  {_short(recipe)}"
                          f"  {one.seconds:.0f} s{one.trouble}", flush=True)  # fmt: skip
    failed = [one for one in ended if one.trouble]
    print(f"{len(ended) - len(failed)} of {len(ended)} recipes ran through")
    return 1 if failed else 0


def _blocks(page: Path) -> list:
    return [block for block in every_block() if block.page == page] if page in PAGES else list(blocks(page))


def _short(recipe: Recipe) -> str:
    return "python" if recipe.block.python else recipe.text.partition("  ")[0]


class Bench:
    """Where recipes run: a folder a page, and what they take for granted, made once."""

    def __init__(self, place: Path, nli: str, limit: float) -> None:
        self.kept, self.folder, self.nli, self.limit = place / "kept", place, nli, limit
        # A home of its own, so that nothing of the user's is changed; what was fetched is used.
        home = place / "home"
        home.mkdir()
        self.kept.mkdir()
        own = {"HOME": str(home), "WORDWORTH_CACHE": str(cache_dir()), "COLUMNS": "120"}
        self.surroundings = {**os.environ, **own, "PYTHONPATH": str(ROOT / "src")}
        self.made: dict[str, Callable[[Path], None]] = {
            "my.vec": _vectors,
            "my-text.txt": _text,
            "my_test.toml": _test,
            "few-snli.tsv": self._pairs,
            "my-nli": self._network,
            RULES: self._rules,
            "elmo": _elmo,
            **{name: self._run_of(words) for name, words in RUNS.items()},
        }

    @contextmanager
    def page(self, name: str) -> Iterator[None]:
        """An empty folder for the recipes of a page."""
        self.folder = self.kept.parent / name
        self.folder.mkdir()
        yield
        shutil.rmtree(self.folder)

    def run(self, recipe: Recipe) -> Ended:
        """One recipe, after what it names and nothing has made yet."""
        began = time.monotonic()
        text = recipe.python() if recipe.block.python else " ".join(recipe.words())
        try:
            for name in self._named(text):
                self._bring(name)
            words = ["python", "-c", text] if recipe.block.python else recipe.words()
            self._do(words, self.folder)
        except (subprocess.SubprocessError, WordworthError) as error:
            return Ended(recipe, time.monotonic() - began, f"\n{_told(error)}")
        return Ended(recipe, time.monotonic() - began, "")

    def _named(self, text: str) -> list[str]:
        """What a recipe reads and nothing has made yet; what it writes itself (`-o my-nli`) is not made for it."""
        names = [name for name in self.made if re.search(rf"(?<![\w/.-])(?<!-o ){re.escape(name)}(?![\w/.-])", text)]
        return [name for name in names if not (self.folder / name).exists()]

    def _bring(self, name: str) -> None:
        made = self.kept / name
        if not made.exists():
            made.parent.mkdir(parents=True, exist_ok=True)
            self.made[name](made)
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if made.is_dir() else shutil.copy)(made, target)

    def _do(self, words: list[str], folder: Path) -> None:
        program = [sys.executable, "-m", "wordworth"] if words[0] == "wordworth" else [sys.executable]
        subprocess.run(
            [*program, *words[1:]],
            cwd=folder,
            env=self.surroundings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=self.limit,
            check=True,
        )

    def _run_of(self, words: tuple[str, ...]) -> Callable[[Path], None]:
        return lambda made: self._do(["wordworth", *words, "-o", str(made)], self.kept)

    def _pairs(self, made: Path) -> None:
        from wordworth.catalog.read.nli import load_nli

        rows = load_nli(self.nli).examples()[:FEW]
        lines = ["premise\thypothesis\tlabel", *("\t".join(row) for row in rows)]
        made.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _rules(self, made: Path) -> None:
        made.write_text('[rules.valence]\nmeasure = "valence"\nlimit = "> 0"\n')

    def _network(self, made: Path) -> None:
        self._bring("few-snli.tsv")
        words = ["train-nli", "--data", "few-snli.tsv", "--epochs", "1", "--hidden", "16", "-o", str(made)]
        self._do(["wordworth", *words], self.folder)


def _vectors(made: Path) -> None:
    from wordworth.catalog.models import load_embeddings
    from wordworth.embedding import save

    (glove,) = load_embeddings("glove-6b-50d")
    save(glove.restrict(glove.words[:WORDS]), made)


def _text(made: Path) -> None:
    from itertools import islice

    from wordworth.catalog.read.corpora import load_corpus

    made.write_text("\n".join(islice(load_corpus("enwiki-sample"), 8)) + "\n", encoding="utf-8")


def _test(made: Path) -> None:
    """Write the test of docs/your-data.md."""
    (found,) = re.findall(
        r"^```toml\n(\[test\].*?)^```", (ROOT / "docs" / "your-data.md").read_text(), re.DOTALL | re.MULTILINE
    )
    made.write_text(found, encoding="utf-8")


def _elmo(made: Path) -> None:
    sys.path.insert(0, str(ROOT / "tests"))
    from made_elmo import write_elmo

    write_elmo(made)


def _told(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"    it was stopped after {error.timeout:.0f} seconds"
    said = getattr(error, "stderr", "") or str(error)
    return "\n".join(f"    {line}" for line in said.strip().splitlines()[-8:])


if __name__ == "__main__":
    sys.exit(main())
