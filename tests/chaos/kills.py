"""Kills a command before each of its changes to the file system, and looks at what a reader and a rerun then get."""

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from chaos.bench import Bench, tree
from chaos.warm import KILLED
from wordworth.errors import WordworthError
from wordworth.files import sha256_of
from wordworth.run import read_run, run_folders

RUN = "--resamples 20 -o run --overwrite"
WEAT = "--test weat8 --permutations 100 -o run"
FIRST = f"run weat @vectors.txt {WEAT}"
"""The run that lies in the folder before, which a reader must find until the new one is there."""


@dataclass(frozen=True)
class Case:
    """A command, what is done before it, and what is run after a kill if not the same again."""

    name: str
    command: str
    before: tuple[str, ...] = ()
    after: str = ""
    torch: bool = True
    aged: bool = False
    """All that lies in the cache was last used 60 days ago."""
    cold: bool = True
    """The cache is empty before the command."""
    refused: str = ""
    """How a rerun may be refused where the work was done already, or not begun."""
    results: tuple[str, ...] = ("run",)
    every: int = 1
    """Of the changes, each so-many-th: some commands take long."""


GET = "get toy-vectors toy-joined toy-pairs toy-wordnet toy-wiki"
VALNORM = "run valnorm @vectors.txt --lexicon bellezza --pairs @pairs.tsv --test weat1 --permutations 100 " + RUN
CASES = [
    Case("valnorm", VALNORM, (FIRST,), torch=False),
    Case("weat", f"{FIRST} --overwrite", torch=False),
    Case("weat-once", FIRST, torch=False, refused="run holds a run already"),
    Case("valnorm-warm", VALNORM, (FIRST,), torch=False, cold=False),
    Case("report", "report run --format md", (FIRST,), torch=False),
    Case("report-then-overwrite", "report run --format md", (FIRST,), f"{FIRST} --overwrite", torch=False),
    Case(
        "prune",
        "cache prune --older 30d",
        (VALNORM,),
        torch=False,
        aged=True,
        cold=False,
    ),
    Case("clear", "cache clear", (VALNORM,), torch=False, cold=False),
    Case("no-cache", f"{FIRST} --overwrite --no-cache", (FIRST,), torch=False),
    Case("get", GET, torch=False, results=("cache/files",)),
    Case("get-again", GET, (GET,), torch=False, cold=False, results=("cache/files",)),
    Case("web", f"run weat https://toys.test/vectors.txt {WEAT} --overwrite", (FIRST,), torch=False),
    Case("html", "report run", (FIRST,)),
    Case("latex", "report run --format latex -o run.tex", (FIRST,), torch=False, results=("run", "run.tex")),
    Case(
        "vast",
        "run vast tiny=@tiny --lexicon bellezza --experiment contextualization --setting bleached --setting aligned "
        "--permutations 100 " + RUN,
        (FIRST,),
    ),
    Case(
        "static",
        "run static tiny=@tiny --corpus @text.txt --pairs @pairs.tsv --experiment quality --sentences 20 "
        "--sentences 40 " + RUN,
        (FIRST,),
    ),
    Case(
        "predict",
        "run predict tiny=@tiny --corpus @few.txt --frequencies @text.txt --soft-match @vectors.txt "
        "--fine-tune @few.txt " + RUN,
        (FIRST,),
    ),
    Case("infer", f"run infer own=@network --probe gender --sample 300 --random 1 --farthest 2 {RUN}", (FIRST,)),
    Case(
        "debias",
        "debias @vectors.txt -o out.vec --run-output run --test weat1 --pairs @pairs.tsv --without nli --random 1 "
        "--resamples 20 --permutations 100 --overwrite",
        (FIRST,),
        results=("run", "out.vec"),
    ),
    Case(
        "export",
        "export tiny=@tiny --vocabulary @words.txt --corpus @text.txt --per-word 3 -o out.vec --overwrite",
        results=("out.vec",),
    ),
    Case(
        "export-once",
        "export tiny=@tiny --vocabulary @words.txt --corpus @text.txt --per-word 3 -o out.vec",
        refused="out.vec is there already",
        results=("out.vec",),
    ),
    Case(
        "gguf",
        "export @tiny.gguf --vocabulary @words.txt --corpus @text.txt --per-word 3 -o out.vec --overwrite",
        results=("out.vec",),
    ),
    Case(
        "train-nli",
        "train-nli --vectors @things.txt --data @nli.jsonl --hidden 4 --epochs 2 -o net",
        results=("net",),
    ),
    Case(
        "train-nli-overwrite",
        "train-nli --vectors @things.txt --data @nli.jsonl --hidden 4 --epochs 2 -o net --overwrite",
        ("train-nli --vectors @things.txt --data @nli.jsonl --hidden 4 --epochs 1 --seed 3 -o net",),
        results=("net",),
    ),
    Case(
        "train-nli-goes-on",
        "train-nli --vectors @things.txt --data @nli.jsonl --hidden 4 --epochs 1 -o net --overwrite",
        ("train-nli --vectors @things.txt --data @nli.jsonl --hidden 4 --epochs 1 --seed 3 -o net",),
        "train-nli --vectors @things.txt --data @nli.jsonl --hidden 4 --epochs 1 -o net",
        refused="holds a training with other data",
        results=("net",),
    ),
    Case(
        "finetune-nli",
        "finetune-nli @encoder --data @nli.jsonl --epochs 2 --rate 0.01 --direction cat,dog -o net",
        refused="net is there already",
        results=("net",),
    ),
    Case(
        "wiki",
        "run predict tiny=@tiny --corpus toy-wiki --frequencies @counts.tsv --soft-match synonyms --soft-match lemma "
        f"--wordnet toy-wordnet {RUN}",
        (FIRST,),
    ),
    Case(
        "audit",
        "audit toy=@vectors.txt --quick -o runs",
        results=("runs/valnorm", "runs/weat", "runs/static"),
        every=4,
    ),
    Case(
        "fetched-gguf",
        "export toy-gguf --vocabulary @words.txt --corpus toy-wiki --per-word 3 -o out.vec --overwrite",
        results=("out.vec",),
    ),
]


def age_cache(bench: Bench) -> None:
    long_ago = time.time() - 60 * 86400
    for path in [*(bench.work / "cache").rglob("*"), bench.work / "cache"]:
        os.utime(path, (long_ago, long_ago))


def prepare(bench: Bench, case: Case) -> None:
    """The folder as it is before the command, kept under the case's name."""
    bench.clear()
    for command in case.before:
        ended = bench.run(command)
        assert ended.code == 0, ended
    if case.cold:
        shutil.rmtree(bench.work / "cache", ignore_errors=True)
    if case.aged:
        age_cache(bench)
    bench.keep(case.name)


def content(path: Path) -> object:
    """What must be the same after a kill and a rerun: numbers and texts, not times."""
    if not path.exists():
        return None
    if (path / "run.json").exists():
        run = read_run(path)
        report = path / "report.md"
        text = report.read_text().split("seconds")[0] if report.exists() else ""
        return run.scores.to_dicts(), run.items.collect().to_dicts(), text
    if (path / "results.json").exists():
        results = json.loads((path / "results.json").read_text())
        return {**results, "seconds": 0}, (path / "model.safetensors").read_bytes()
    if path.is_file():
        return path.read_bytes()
    return {name: sha256_of(path / name) if (path / name).is_file() else "" for name in tree(path)}


def outcome(bench: Bench, case: Case) -> tuple[object, ...]:
    return tuple(map(repr, (content(bench.work / name) for name in case.results)))


def killed_everywhere(
    bench: Bench, case: Case, choose: Callable[[range], Iterable[int]] = lambda numbers: numbers
) -> tuple[int, list[str]]:
    """The number of kills, and a sentence for each thing that was not as it must be."""
    prepare(bench, case)
    before = tuple(outcome(bench, case))
    whole = bench.run(case.command)
    assert whole.code == 0, whole
    between = outcome(bench, case)
    if case.after:
        assert bench.run(case.after).code == 0
    expected, files = outcome(bench, case), tree(bench.work)
    kills, problems = 0, []
    for number in choose(range(1, whole.changes + 1, case.every)):
        bench.bring(case.name)
        killed = bench.run(case.command, kill_at=number)
        if killed.code != KILLED:  # the sign of life of a run, once a second, is there or not
            continue
        kills += 1
        problems += [f"{case.name} at {number}: {problem}" for problem in _seen(bench, case, before, between)]
        again = bench.run(case.after or case.command)
        refused = again.code == 2 and bool(case.refused) and case.refused in again.err
        if refused and outcome(bench, case) == before:
            continue  # nothing was done before the kill
        if again.code != 0 and not refused:
            problems.append(f"{case.name} at {number}: the rerun ends with {again.code}: {again.err.strip()[-300:]}")
            continue
        if outcome(bench, case) != expected:
            problems.append(f"{case.name} at {number}: the rerun's result is another")
        now = tree(bench.work)
        problems += [f"{case.name} at {number}: left {name}" for name in Counter(now) - Counter(files)]
        problems += [f"{case.name} at {number}: lost {name}" for name in Counter(files) - Counter(now)]
    return kills, problems


def _seen(bench: Bench, case: Case, before: tuple[object, ...], after: tuple[object, ...]) -> list[str]:
    """What a reader gets right after the kill, in a copy, since looking mends what it finds."""
    if "run" not in case.results or before[0] == "None":
        return []
    problems = []
    for named in ("run", "."):  # by its own name, and as a run of an audit
        copy = bench.work.with_name("copy")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(bench.work, copy, ignore=shutil.ignore_patterns("cache"))
        try:
            (folder,) = run_folders([copy / named])
            seen = repr(content(folder))
        except WordworthError as error:
            problems.append(f"a reader is told {error}")
        else:
            problems += [] if seen in (before[0], after[0]) else ["a reader gets neither the old run nor the new one"]
    return problems
