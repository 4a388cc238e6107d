"""Makes the tables of docs/infer.md from a run of this version: `make results`. Nothing in them is typed by hand but
the paper's own figures, which stand beside ours.

All pairs take about a quarter of an hour on two cores the first time, and nothing the second, since probabilities are
kept in the cache. `python docs/make_infer_results.py 10000` draws so many of each probe; the table says how many.
Where `docs/make_nli_glove.py train` has trained networks on projected vectors (in runs/), they are probed beside.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

import make_nli_glove as trained
import polars as pl
from pages import put

from wordworth.infer.model.loading import load_attention_nli
from wordworth.infer.model.over_vectors import AttentionNli
from wordworth.infer.probe.pairs import PairSet
from wordworth.infer.probe.probe import FORMULA, load_probe, probe_names
from wordworth.study import study

PAGE = Path(__file__).parent / "infer.md"
RUDE = "polarity=rude,demonym=Iraqi"
RETRAINED = "projection, retrained"
MEASURES = ("net-neutral", "fraction-neutral", "threshold:0.5", "threshold:0.7")
PAPER = {
    ("gender", "original"): (0.387, 0.394, 0.324, 0.114),
    ("gender", RETRAINED): (0.480, 0.519, 0.474, 0.297),
    ("gender", "random, retrained"): (0.362, 0.405, 0.323, 0.118),
    ("nationality", "original"): (0.713, 0.760, 0.776, 0.654),
    ("nationality", RETRAINED): (0.808, 0.887, 0.910, 0.784),
    ("religion", "original"): (0.710, 0.765, 0.785, 0.636),
    ("religion", RETRAINED): (0.794, 0.894, 0.913, 0.771),
}
"""Tables 1, 3, 5, 8 and 9 (GloVe)."""


def counts() -> str:
    lines = ["| probe | pairs here | | by the formula | the paper |", "|---|---|---|---|---|"]
    for name in probe_names():
        ours, formula = (PairSet.of(load_probe(name + end)) for end in ("", FORMULA))
        shape = " × ".join(f"{size:,}" for size in ours.shape)
        lines.append(f"| `{name}` | {len(ours):,} | {shape} | {len(formula):,} | {ours.probe.paper} |")
    return "\n".join(lines)


def neutrality(scores: pl.DataFrame) -> str:
    lines = [
        f"| probe | setting | {' | '.join(MEASURES)} | pairs | the paper |",
        "|---|---|" + "---|" * (len(MEASURES) + 2),
    ]
    for name in probe_names():
        for setting in ("original", "projection", RETRAINED, "random", "random, retrained"):
            some = scores.filter(pl.col("dataset") == name, pl.col("setting") == setting)
            paper = PAPER.get((name, setting))
            stated = " ".join(f"{value:.3f}" for value in paper) if paper else ""
            if not len(some):
                if paper:
                    lines.append(f"| {name} | `{setting}` | {'| ' * len(MEASURES)}| {stated} |")
                continue
            found = {row["measure"]: row for row in some.iter_rows(named=True)}
            cells = [f"{found[m]['value']:.3f} [{found[m]['low']:.2f}, {found[m]['high']:.2f}]" for m in MEASURES]
            pairs = f"{some.item(0, 'n'):,}"
            lines.append(f"| {name} | `{setting}` | {' | '.join(cells)} | {pairs} | {stated} |")
    return "\n".join(lines)


def largest(items: pl.DataFrame) -> str:
    lines = ["| premise ⇒ hypothesis | entailment | neutral | contradiction |", "|---|---|---|---|"]
    far = items.filter(pl.col("setting") == "original", pl.col("group").str.starts_with("largest "))
    for _, some in far.group_by(["dataset", "group"], maintain_order=True):
        row = some.row(0, named=True)
        lines.append(f"| {row['item']} | {row['entailment']:.2f} | {row['value']:.2f} | {row['contradiction']:.2f} |")
    return "\n".join(lines)


def rude(scores: pl.DataFrame) -> str:
    some = scores.filter(pl.col("dataset") == f"nationality/{RUDE}", pl.col("measure") == "entailment")
    lines = ["| setting | entailment | pairs |", "|---|---|---|"]
    shown = some.filter(~pl.col("setting").str.starts_with("random:")).iter_rows(named=True)
    lines += [f"| `{row['setting']}` | {row['value']:.3f} | {row['n']:,} |" for row in shown]
    return "\n".join(lines)


def retrained(name: str) -> list[AttentionNli]:
    """The network that was trained on vectors without the probe's subspace, if it was."""
    if not (trained.folder(name) / trained.RESULTS).exists():
        return []
    return [replace(load_attention_nli(trained.folder(name), vectors=trained.vectors(name)), name=RETRAINED)]


def main() -> None:
    put(PAGE, "counts", counts())
    infer = study("infer")
    sample = int(sys.argv[1]) if len(sys.argv) > 1 else None
    found = []
    for name in probe_names():
        began = time.monotonic()
        found.append(infer(probes=[name], sample=sample, against=retrained(name)))
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    found.append(infer(probes=["nationality"], only=RUDE, random=0, against=retrained("nationality")))
    scores, items = pl.concat(one.scores for one in found), pl.concat(one.items for one in found)
    put(PAGE, "neutrality", neutrality(scores))
    put(PAGE, "largest", largest(items.filter(~pl.col("dataset").str.contains("/"))))
    put(PAGE, "slice", rude(scores))


if __name__ == "__main__":
    main()
