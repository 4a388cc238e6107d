"""Dev et al.'s networks with seeds: trained on vectors as they are, without a bias, and without random directions.

    python docs/make_nli_seeds.py train --workers 14 --device cuda     # every network
    python docs/make_nli_seeds.py train gender 3                       # one of them
    python docs/make_nli_seeds.py probe --workers 14                   # every seed's networks on every probe
    python docs/make_nli_seeds.py table                                # what came of it, into docs/infer.md

A network is a folder `runs/nli-seeds/VARIANT-SEED`; a run of `infer` is `runs/nli-seeds/PROBE-SEED.run`, with the
network as it is, with projections at the test alone, and the networks trained anew. Needs the NLI data under
$WORDWORTH_DATA. What is there already is not made again.
"""

import argparse
import csv
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from pages import put
from scipy import stats

from wordworth.infer.model.loading import Vectors, vectors_to_train_on
from wordworth.infer.probe.probe import load_probe
from wordworth.infer.training.fit import Recipe
from wordworth.infer.training.train_nli import RESULTS, NetworkSize, chosen_sets, train_nli
from wordworth.run import read_run
from wordworth.study import study
from wordworth.study.infer.settings import subspace_of
from wordworth.transform import random_directions

RUNS = Path("runs") / "nli-seeds"
VECTORS = "glove-840b-34k"
DATA, DEV, TESTS = ("snli-91k",), ("snli-dev",), ("snli-test", "mnli-dev")
LONGEST = 40
SIZE = NetworkSize(beside=False)
PROBES = ("gender", "nationality", "religion")
RANDOM = {"random-1": 1, "random-2": 2}
"""Networks over vectors without as many random directions as are taken out for gender and nationality, and for
religion."""
VARIANTS = ("original", *PROBES, *RANDOM)
SEEDS = range(5)
SAMPLE = 400_000


def recipe(seed: int, device: str) -> Recipe:
    """In batches larger than the paper's 32: a GPU waits for its small kernels, not for numbers."""
    return Recipe(epochs=10, patience=2, batch=128, seed=seed, device=device)


def vectors(variant: str, seed: int) -> Vectors:
    """What a network of that name reads."""
    read = vectors_to_train_on(VECTORS, seed)
    if variant == "original":
        return read
    if variant in RANDOM:
        return read.without(random_directions(read.embedder.dim, count=1, k=RANDOM[variant], seed=seed)[0])
    words = load_probe(variant).subspace
    assert words is not None
    return read.without(subspace_of(read.embedder.context_free(words.words), words))


def train(variant: str, seed: int, device: str) -> None:
    folder = RUNS / f"{variant}-{seed}"
    if (folder / RESULTS).exists():
        return

    def say(sentence: str) -> None:
        print(f"{folder.name}: {sentence}", flush=True)

    sets = chosen_sets(DATA, DEV, TESTS, hold_out=0, longest=LONGEST, seed=0)
    results = train_nli(vectors(variant, seed), sets, folder, SIZE, recipe=recipe(seed, device), say=say)
    say(" ".join(f"{one['name']} {one['accuracy']:.4f}" for one in results["test"]) + f", {results['seconds']:.0f} s")


def probe(name: str, seed: int, device: str) -> None:
    """The network of a seed and its brothers on a probe, the same pairs for all."""
    place = RUNS / f"{name}-{seed}.run"
    if place.exists():
        return
    random = "random-2" if name == "religion" else "random-1"
    against = tuple(str(RUNS / f"{variant}-{seed}") for variant in (name, random))
    found = study("infer")(
        str(RUNS / f"original-{seed}"), probes=(name,), sample=SAMPLE, random=1, seed=seed, against=against,
        accuracy=TESTS[:1], resamples=2_000, device=device,
    )  # fmt: skip
    found.save(place)


def each(what: str, names: Sequence[str], workers: int, device: str) -> None:
    """Every name with every seed, each in a process of its own, so many at a time."""
    waiting = [(name, seed) for seed in SEEDS for name in names]
    running: list[subprocess.Popen[bytes]] = []
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    while waiting or running:
        while waiting and len(running) < workers:
            name, seed = waiting.pop(0)
            command = [sys.executable, __file__, what, name, str(seed), "--device", device]
            running.append(subprocess.Popen(command, env=environment))
        time.sleep(0.2)
        running = [one for one in running if one.poll() is None]


class Row(NamedTuple):
    """A number over seeds: its mean, and a 95 % interval over seeds and subjects."""

    value: float
    low: float
    high: float


def over_seeds(values: Sequence[float], halves: Sequence[float]) -> Row:
    """The mean; half of its interval is Student's over seeds and the bootstrap's over subjects, at right angles.

    Seeds are drawn anew with every network; the subjects are the same words for all, so that more seeds do not narrow
    what they leave open.
    """
    many, mean = len(values), float(np.mean(values))
    seeds = stats.t.ppf(0.975, many - 1) * float(np.std(values, ddof=1)) / many**0.5 if many > 1 else float("nan")
    half = float(np.hypot(seeds, np.mean(halves)))
    return Row(mean, mean - half, mean + half)


def gathered(probe: str) -> dict[tuple[str, str], Row]:
    """(version, measure) → the number over all seeds that were probed."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for place in sorted(RUNS.glob(f"{probe}-*.run")):
        seed = place.stem.rpartition("-")[2]
        for row in read_run(place).scores.filter(pl.col("dataset").is_in([probe, "snli-test"])).to_dicts():
            setting = str(row["setting"]).removesuffix(f"-{seed}").removesuffix(f":{probe}")
            if not setting.startswith("random:"):
                found.setdefault((VERSIONS.get(setting, setting), row["measure"]), []).append(row)
    return {
        key: over_seeds(
            [row["value"] for row in rows],
            [(row["high"] - row["low"]) / 2 if row["high"] is not None else 0.0 for row in rows],
        )
        for key, rows in found.items()
    }


VERSIONS = {"original": "as they are", "projection": "projected at the test", "random": "random at the test"}
VERSIONS |= dict.fromkeys(PROBES, "projected in training")
VERSIONS |= dict.fromkeys(RANDOM, "random in training")
MEASURES = ("net-neutral", "fraction-neutral", "threshold:0.5", "threshold:0.7")
MORE = ("gap:entailment", "gap:contradiction", "entailment:over-swap")


def told(row: Row | None, places: int = 2) -> str:
    """`.39 [.35, .43]`."""
    if row is None:
        return ""
    value, low, high = (f"{one:.{places}f}".replace("0.", ".", 1) for one in row)
    return f"{value} [{low}, {high}]"


def verdict(paper: float, ours: Row, *, change: bool) -> str:
    """A level is reproduced where the paper's is in our interval. A change is where ours has its sign beyond doubt; it
    is not where ours has the other sign beyond doubt, or is surely another one than the paper's; else it is open."""
    inside = ours.low <= paper <= ours.high
    if not change:
        return "reproduced" if inside else "not reproduced"
    if ours.low > 0 or ours.high < 0:
        return "reproduced" if (ours.value > 0) == (paper > 0) else "not reproduced"
    return "undecided" if inside else "not reproduced"


def published() -> dict[tuple[str, str, str], float]:
    """(probe, version, measure) → the paper's number for GloVe."""
    where = {"original": "as they are", "projection": "projected in training", "random": "random in training"}
    text = (files("wordworth.report") / "data" / "published.csv").read_text(encoding="utf-8")
    return {
        (row["dataset"], where[row["setting"]], row["measure"]): float(row["value"])
        for row in csv.DictReader(text.splitlines())
        if row["paper"] == "dev2020" and row["model"] == "glove" and row["dataset"] in PROBES
    }


def tables() -> str:
    """Each probe: the measures by version, then the verdicts."""
    paper, blocks = published(), []
    for probe in PROBES:
        rows = gathered(probe)
        lines = [f"**{probe}**", "", f"| vectors | {' | '.join((*MEASURES, *MORE))} | accuracy |"]
        lines.append(f"|---|{'---:|' * (len(MEASURES) + len(MORE) + 1)}")
        for version in dict.fromkeys(version for version, _ in rows):
            cells = [told(rows.get((version, measure))) for measure in (*MEASURES, *MORE)]
            lines.append(f"| {version} | {' | '.join(cells)} | {told(rows.get((version, 'accuracy')), 3)} |")
        lines += ["", "| what | the paper | here | verdict |", "|---|---:|---:|---|"]
        for (name, version, measure), value in paper.items():
            if name != probe:
                continue
            change = version != "as they are"
            ours = rows.get((version, f"{measure}:change" if change else measure))
            if ours is None:
                continue
            theirs = value - paper[probe, "as they are", measure] if change else value
            what = f"{measure}, {version}{': change' if change else ''}"
            sign = f"{theirs:+.3f}" if change else f"{theirs:.3f}"
            lines.append(f"| {what} | {sign} | {told(ours, 3)} | {verdict(theirs, ours, change=change)} |")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["train", "probe", "table"])
    parser.add_argument("name", nargs="?", choices=VARIANTS)
    parser.add_argument("seed", nargs="?", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    if given.what == "table":
        put(Path(__file__).with_name("infer.md"), "seeds", tables())
        sys.exit()
    one, every = (train, VARIANTS) if given.what == "train" else (probe, PROBES)
    if given.name:
        one(given.name, given.seed, given.device)
    else:
        each(given.what, every, given.workers, given.device)
