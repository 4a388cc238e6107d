"""Networks after Dev et al. with seeds: trained on vectors as they are, without a bias, and without random directions.

    python -m experiments.nli_seeds train glove --workers 14 --device cuda     # every network over GloVe
    python -m experiments.nli_seeds train minilm --workers 8 --device cuda     # every fine-tuned MiniLM (Table 15)
    python -m experiments.nli_seeds train minilm gender 3                      # one of them
    python -m experiments.nli_seeds probe glove --workers 14                   # every seed's networks on every probe
    python -m experiments.nli_seeds record glove                               # the means, into nli_seeds.csv
    python -m experiments.nli_seeds all dev2020 --workers 14 --device cuda     # the authors' network, 10 seeds
    python -m experiments.nli_seeds all dev2020 --workers 2 --seeds 3 --epochs 2 --probes gender    # a trial on a CPU

A network is a folder `runs/nli-seeds/KIND/VARIANT-SEED`; a run of `infer` is `PROBE-SEED.run` beside it, with the
network as it is, with projections at the test alone, and the networks trained anew. Needs the NLI data under
$WORDWORTH_DATA. What is there already is not made again, and a training that was stopped goes on. `--slice 300` goes
the same way with so many pairs of each set, to see that it does. More `--epochs` go on with the networks there are.
`experiments/nli_verdicts.py` makes the tables.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import stats

from experiments.nli_verdicts import PROBES, RECORD, Row
from wordworth.catalog.models import locate_language_model
from wordworth.measure import label
from wordworth.nli.cross_encoder import untrained_cross_encoder
from wordworth.nli.finetune_nli import FinetuneRecipe, finetune_nli, is_unfinished
from wordworth.nli.loading import vectors_to_train_on
from wordworth.nli.nli import accuracy
from wordworth.nli.probe import load_probe
from wordworth.nli.train_nli import RECIPES, RESULTS, TrainingRecipe, TrainingSets, load_sets, train_nli
from wordworth.repair.subwords import embed_words
from wordworth.results.run import read_run
from wordworth.study import study
from wordworth.study.infer.versions import subspace_of
from wordworth.transform import Subspace, random_directions

RUNS = Path("runs") / "nli-seeds"
DEV, TESTS = ("snli-dev",), ("snli-test", "mnli-dev")
RANDOM = {"random-1": 1, "random-2": 2}
"""Networks without as many random directions as are taken out for gender and nationality, and for religion."""
LONGEST = 40
EPOCHS = 100
"""Of the authors' code."""


@dataclass(frozen=True)
class Job:
    """One network to be trained."""

    variant: str
    seed: int
    folder: Path
    sets: TrainingSets
    device: str
    epochs: int

    def taken_out(self, vectors_of: Callable[[Sequence[str]], Any]) -> Subspace | None:
        """What the network is trained without, learnt from unit vectors of words."""
        if self.variant == "original":
            return None
        if self.variant in RANDOM:
            dim = vectors_of(["he", "she"]).dim
            return random_directions(dim, count=1, k=RANDOM[self.variant], seed=self.seed)[0]
        words = load_probe(self.variant).subspace
        assert words is not None
        return subspace_of(vectors_of(words.words), words)


def over_glove(job: Job) -> dict[str, float]:
    """Train a network of ours, in batches larger than the paper's 32, since a GPU waits for its small kernels."""
    recipe = TrainingRecipe(epochs=10, patience=2, batch=128, beside=False)
    return _train_over("glove-840b-34k", job, recipe)


def as_authors(job: Job) -> dict[str, float]:
    """Train the network of the authors' code, over vectors that have every word of the probes."""
    return _train_over("glove-6b-50d", job, replace(RECIPES["dev2020"], epochs=job.epochs))


def _train_over(vectors: str, job: Job, recipe: TrainingRecipe) -> dict[str, float]:
    results = job.folder / RESULTS
    if results.exists() and json.loads(results.read_text())["recipe"]["epochs"] >= recipe.epochs:
        return {}
    read = vectors_to_train_on(vectors, job.seed)
    if subspace := job.taken_out(read.embedder.context_free):
        read = read.without(subspace)
    recipe = replace(recipe, seed=job.seed, device=job.device)
    made = train_nli(read, job.sets, job.folder, recipe=recipe, say=_say(job))
    return {one["name"]: one["accuracy"] for one in made["test"]}


def out_of_minilm(job: Job) -> dict[str, float]:
    """An encoder fine-tuned with the paper's dropout and epochs, and a rate and batches for a smaller network."""
    if job.folder.exists() and not is_unfinished(job.folder):
        return {}
    place = locate_language_model("minilm-l6")
    fresh = untrained_cross_encoder(place.place, device=job.device, name=place.name, seed=job.seed)
    subspace = job.taken_out(lambda words: embed_words(fresh.head_model, list(words)))
    halved = "bfloat16" if job.device.startswith("cuda") else "float32"
    recipe = FinetuneRecipe(epochs=3, rate=1e-4, batch=128, precision=halved, seed=job.seed)
    training, held = ([pair for one in part for pair in one.examples()] for part in (job.sets.training, job.sets.dev))
    model, _ = finetune_nli(fresh, training, job.folder, dev=held, projection=subspace, recipe=recipe, say=_say(job))
    return {one.name: accuracy(model, one.examples()) for one in job.sets.tests}


def _say(job: Job) -> Callable[[str], None]:
    return lambda sentence: print(f"{job.folder.name}: {sentence}", flush=True)


@dataclass(frozen=True)
class Kind:
    """Networks of one kind."""

    make: Callable[[Job], dict[str, float]]
    data: tuple[str, ...]
    against: Mapping[str, tuple[str, ...]]
    """The networks trained anew that are probed beside the original one, by probe."""
    sample: int
    """Pairs of each probe."""
    tests: tuple[str, ...] = TESTS
    seeds: int = 5
    articles: str = "sound"


KINDS = {
    "glove": Kind(
        over_glove,
        ("snli-91k",),
        {probe: (probe, "random-2" if probe == "religion" else "random-1") for probe in PROBES},
        400_000,
    ),
    "dev2020": Kind(
        as_authors,
        ("snli-91k",),
        {probe: (probe, "random-2" if probe == "religion" else "random-1") for probe in PROBES},
        400_000,
        tests=TESTS[:1],
        seeds=10,
        articles="dev2020",
    ),
    # The paper takes gender alone out of BERT in training: few demonyms are one piece there.
    "minilm": Kind(
        out_of_minilm,
        ("snli-91k", "mnli-32k", "lingnli", "sanli-wiki"),
        {"gender": ("gender", "random-1"), "nationality": (), "religion": ()},
        100_000,
    ),
}


def train(kind: str, variant: str, seed: int, asked: argparse.Namespace) -> None:
    """Train one network."""
    began, few = time.monotonic(), asked.slice
    sets = load_sets(KINDS[kind].data, DEV, KINDS[kind].tests, hold_out=0, longest=LONGEST, seed=0)
    if few:
        parts = (sets.training, sets.dev, sets.tests)
        sets = TrainingSets(*(tuple(one.only(range(few), {}) for one in part) for part in parts))
    job = Job(variant, seed, _place(kind, few) / f"{variant}-{seed}", sets, asked.device, asked.epochs)
    if found := KINDS[kind].make(job):
        told = " ".join(f"{name} {value:.4f}" for name, value in found.items())
        _say(job)(f"{told}, {time.monotonic() - began:.0f} s, {time.process_time():.0f} s of CPU")


def probe(kind: str, name: str, seed: int, asked: argparse.Namespace) -> None:
    """Measure the networks of a seed on a probe, with the same pairs for all."""
    few, declared = asked.slice, KINDS[kind]
    runs = _place(kind, few)
    place = runs / f"{name}-{seed}.run"
    if place.exists():
        return
    found = study("infer")(
        str(runs / f"original-{seed}"),
        probes=(name,),
        sample=few or asked.sample or declared.sample,
        swaps=few or 20_000,
        random=1,
        seed=seed,
        articles=declared.articles,
        against=tuple(str(runs / f"{variant}-{seed}") for variant in declared.against[name]),
        accuracy=() if few else (*DEV, *declared.tests),
        resamples=2_000,
        device=asked.device,
    )
    found.save(place)


def _place(kind: str, few: int) -> Path:
    return RUNS / (f"{kind}-{few}" if few else kind)


def each(what: str, asked: argparse.Namespace) -> None:
    """Train or probe every network with every seed, each in a process of its own, so many at a time."""
    kind = KINDS[asked.kind]
    variants = ["original", *dict.fromkeys(one for probe in asked.probes for one in kind.against[probe])]
    names = variants if what == "train" else asked.probes
    waiting = [(name, seed) for seed in range(asked.seeds or kind.seeds) for name in names]
    running: list[subprocess.Popen[bytes]] = []
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    failed = 0
    while waiting or running:
        while waiting and len(running) < asked.workers:
            name, seed = waiting.pop(0)
            command = [sys.executable, "-m", "experiments.nli_seeds", what, asked.kind, name, str(seed)]
            more = ["--device", asked.device, "--slice", str(asked.slice), "--epochs", str(asked.epochs)]
            running.append(subprocess.Popen([*command, *more, "--sample", str(asked.sample)], env=environment))
        time.sleep(0.2)
        failed += sum(bool(one.poll()) for one in running)
        running = [one for one in running if one.poll() is None]
    if failed:
        sys.exit(f"{failed} of them failed")


def over_seeds(values: Sequence[float], halves: Sequence[float]) -> Row:
    """Return the mean; half of its interval is Student's over seeds and the bootstrap's over subjects, at right angles.

    Seeds are drawn anew with every network; the subjects are the same words for all, so that more seeds do not narrow
    what they leave open.
    """
    many, mean = len(values), float(np.mean(values))
    seeds = stats.t.ppf(0.975, many - 1) * float(np.std(values, ddof=1)) / many**0.5 if many > 1 else float("nan")
    half = float(np.hypot(seeds, np.mean(halves)))
    return Row(mean, mean - half, mean + half, tuple(values))


VERSIONS = {"original": "as they are", "projection": "projected at the test", "random": "random at the test"}
VERSIONS |= dict.fromkeys(PROBES, "projected in training")
VERSIONS |= dict.fromkeys(RANDOM, "random in training")


def gathered(runs: Path, probe: str) -> dict[tuple[str, str, str], Row]:
    """Return (version, data, measure) → the number over all seeds that were probed.

    The change of an accuracy is that of each seed, with an interval only over seeds.
    """
    found: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    whole = (pl.col(name).is_null() for name in ("subset", "draw", "control"))
    data = pl.col("dataset").is_in([probe, *DEV, *TESTS])
    chosen = [data, *whole]
    for place in sorted(runs.glob(f"{probe}-*.run")):
        seed = place.stem.rpartition("-")[2]
        before: dict[str, float] = {}
        for row in read_run(place).scores.filter(chosen).to_dicts():
            name = str(row["version"]).removesuffix(f"-{seed}")  # of a network, as its folder is called
            version, is_accuracy = VERSIONS.get(name, name), row["measure"] == "accuracy"
            measure = "accuracy" if is_accuracy else label(row["measure"], row["variant"], row["k"], row["threshold"])
            half = (row["high"] - row["low"]) / 2 if row["high"] is not None else 0.0
            found.setdefault((version, row["dataset"], measure), []).append((row["value"], half))
            if is_accuracy and name == "original":
                before[row["dataset"]] = row["value"]
            elif is_accuracy:
                change = row["value"] - before[row["dataset"]]
                found.setdefault((version, row["dataset"], label("accuracy", "change")), []).append((change, 0.0))
    return {key: over_seeds(*zip(*rows, strict=True)) for key, rows in found.items()}


def record(kind: str, few: int) -> None:
    """The kind's rows of `nli_seeds.csv`, in place of those it had; notes on other kinds stay."""
    results = [json.loads(path.read_text()) for path in sorted(_place(kind, few).glob(f"*/{RESULTS}"))]
    epochs = {one["epochs"] for one in results} if kind == "dev2020" else set()
    if len(epochs) > 1:
        sys.exit(f"networks of {kind} were trained for {sorted(epochs)} epochs; train all of them as long")
    more = {"epochs": epochs.pop()} if epochs else {}
    rows = [
        {"kind": kind, "probe": probe, "version": version, "data": data, "measure": measure, **row.columns(), **more}
        for probe in PROBES
        for (version, data, measure), row in gathered(_place(kind, few), probe).items()
    ]
    if not rows:
        sys.exit(f"there are no runs of {kind} in {_place(kind, few)}; probe them first")
    made = pl.DataFrame(rows).with_columns(pl.col("value", "low", "high").round(6))
    notes: list[str] = []
    if RECORD.exists():
        lines = RECORD.read_text(encoding="utf-8").splitlines()
        notes = [line for line in lines if line.startswith("#") and not line.startswith(f"# {kind}:")]
        others = pl.read_csv(RECORD, comment_prefix="#").filter(pl.col("kind") != kind)
        made = pl.concat([others, made], how="diagonal").sort("kind", maintain_order=True)
    place = _place(kind, few) / RECORD.name if few else RECORD
    place.write_text("\n".join([*notes, made.write_csv()]), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["train", "probe", "record", "all"])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("name", nargs="?", choices=[*PROBES, "original", *RANDOM])
    parser.add_argument("seed", nargs="?", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--slice", type=int, default=0)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--probes", nargs="+", choices=PROBES, default=PROBES)
    given = parser.parse_args()
    steps = ["train", "probe", "record"] if given.what == "all" else [given.what]
    for step in steps:
        if step == "record":
            record(given.kind, given.slice)
        elif given.name:
            {"train": train, "probe": probe}[step](given.kind, given.name, given.seed, given)
        else:
            each(step, given)
