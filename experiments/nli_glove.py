"""Trains `nli-glove`, measures it before and after projections, and writes its folder and model card.

    python -m experiments.nli_glove train     # the command of the card: the model that is shipped, into runs/nli-glove
    python -m experiments.nli_glove ship      # the model and its card into the package

Needs the NLI data under $WORDWORTH_DATA. A training that was stopped goes on.
"""

import json
import re
import shlex
import shutil
import sys
from pathlib import Path

from tools.pages import DOCS, markdown, put

from wordworth.catalog.models import load_embedding
from wordworth.cli import main
from wordworth.files import sha256_of
from wordworth.nli.loading import CONFIG, WEIGHTS, load_attention_nli
from wordworth.nli.nli import accuracy
from wordworth.nli.probe import load_probe, probe_names
from wordworth.nli.train_nli import RESULTS, TrainingSets, load_sets
from wordworth.study.infer.versions import subspace_of
from wordworth.transform import remove

FOLDER = Path("runs") / "nli-glove"
PACKAGE = Path(__file__).parents[1] / "src" / "wordworth" / "catalog" / "data" / "nli-glove"
ENTRIES = PACKAGE.parents[1] / "entries" / "models.toml"
CARD = Path(__file__).parent / "nli_glove_card.md"
VECTORS = "glove-6b-50d"
DATA, DEV, TESTS = (
    ("snli-91k", "mnli-32k", "snli-counterfactual"),
    ("snli-dev",),
    ("snli-test", "mnli-dev", "sick-test"),
)
LONGEST = 40
COMMAND = " ".join(
    [
        f"wordworth train-nli --vectors {VECTORS}",
        *(f"--data {one}" for one in DATA),
        *(f"--dev {one}" for one in DEV),
        *(f"--accuracy {one}" for one in TESTS),
        f"--longest {LONGEST} --dropout 0.1 --batch 128 --epochs 9 --patience 3 --seed 0 --device cpu -o {FOLDER}",
    ]
)
"""All that makes the model."""


def accuracies(measured: TrainingSets) -> tuple[str, float]:
    """The shipped network on the vectors as they are and without a bias, and its accuracy on the first test."""
    glove = load_embedding(VECTORS)
    told = [*measured.dev, *measured.tests]
    lines, first = [], 0.0
    for name in ("", *probe_names()):
        read = glove
        if name:
            words = load_probe(name).subspace
            assert words is not None
            subspace = subspace_of(glove, words)
            read = remove(glove, subspace.basis, subspace.name)
        model = load_attention_nli(FOLDER, vectors=read)
        shares = [accuracy(model, one.examples()) for one in told]
        first = first or shares[len(measured.dev)]
        lines.append([f"without {name}" if name else "as they are", *(f"{100 * share:.2f}" for share in shares)])
    return markdown(["vectors", *(one.name for one in told)], lines), first


def data_table(measured: TrainingSets) -> str:
    lines = []
    for one in measured.training:
        gone = "; ".join(f"{count:,} {reason}" for reason, count in one.left_out.items() if count)
        lines.append([one.name, f"{len(one):,}", gone, one.licence])
    return markdown(["data", "pairs trained on", "skipped", "licence"], lines)


def ship() -> None:
    """The shipped folder, its card, and its checksums in the catalog."""
    found = json.loads((FOLDER / RESULTS).read_text(encoding="utf-8"))
    measured = load_sets(DATA, DEV, TESTS, hold_out=0, longest=LONGEST, seed=0)
    table, test = accuracies(measured)
    PACKAGE.mkdir(parents=True, exist_ok=True)
    for name in (CONFIG, WEIGHTS):
        shutil.copyfile(FOLDER / name, PACKAGE / name)
    blanks = {
        "COMMAND": COMMAND,
        "DATA": data_table(measured),
        "ACCURACY": table,
        "PAIRS": f"{sum(map(len, measured.training)):,}",
        "HELD": f"{sum(map(len, measured.dev)):,}",
        "TEST": f"{100 * test:.2f}",
        "EPOCHS": str(found["epochs"]),
        "BEST": str(found["best_epoch"]),
        "HISTORY": ", ".join(f"{100 * one['dev']:.1f}" for one in found["history"]),
        "MINUTES": f"{found['seconds'] / 60:.0f}",
        "SHA": sha256_of(PACKAGE / WEIGHTS),
        "SIZE": f"{(PACKAGE / WEIGHTS).stat().st_size / 1e6:.1f} MB",
    }
    card = CARD.read_text(encoding="utf-8")
    for blank, text in blanks.items():
        card = card.replace(f"{{{blank}}}", text)
    (PACKAGE / "MODEL_CARD.md").write_text(card, encoding="utf-8")
    put(DOCS / "train-nli.md", "nli", table)
    # Other models' files have the same names: only what follows the entry's own heading is changed.
    others, heading, own = ENTRIES.read_text(encoding="utf-8").partition("[nli-glove.sources.files]")
    for name in (CONFIG, WEIGHTS, "MODEL_CARD.md"):
        path = PACKAGE / name
        pin = f'"{name}" = {{ sha256 = "{sha256_of(path)}", bytes = {path.stat().st_size} }}'
        own = re.sub(rf'"{re.escape(name)}" = .*', pin, own, count=1)
    ENTRIES.write_text(f"{others}{heading}{own}", encoding="utf-8")
    print(f"{PACKAGE}: {100 * test:.2f}")


if __name__ == "__main__":
    if sys.argv[1:] == ["ship"]:
        ship()
    elif sys.argv[1:] == ["train"]:
        sys.argv = shlex.split(COMMAND)
        main()
    else:
        sys.exit(__doc__)
