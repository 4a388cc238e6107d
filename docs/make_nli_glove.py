"""Trains `nli-glove`, measures it before and after projections, and writes its folder and model card.

    python docs/make_nli_glove.py train original        # the command of the card: the model that is shipped
    python docs/make_nli_glove.py train gender          # the same on projected vectors; also nationality, religion
    python docs/make_nli_glove.py ship                  # the model and its card into the package

Needs the NLI data under $WORDWORTH_DATA. A training that was stopped goes on.
"""

import json
import re
import shutil
import sys
from pathlib import Path

from pages import put

from wordworth.catalog.read.word_sets import load_word_set
from wordworth.embedding import Embedding
from wordworth.files import sha256_of
from wordworth.infer.model.checkpoint import CONFIG, WEIGHTS
from wordworth.infer.model.loading import load_attention_nli, one_embedding
from wordworth.infer.model.nli import accuracy
from wordworth.infer.training.fit import Recipe
from wordworth.infer.training.train_nli import RESULTS, NetworkSize, Sets, chosen_sets, train_nli
from wordworth.transform import difference_direction, remove, set_components

RUNS = Path("runs")
PACKAGE = Path(__file__).parents[1] / "src" / "wordworth" / "catalog" / "data" / "nli-glove"
ENTRIES = PACKAGE.parents[1] / "entries" / "models.toml"
CARD = Path(__file__).parent / "nli_glove_card.md"
VECTORS = "glove-6b-50d"
DATA = ("snli-dev", "snli-counterfactual", "sick-train")
TESTS = ("snli-test", "sick-test", "mnli-dev")
CHOICES = {"hold_out": 0.15, "longest": 25}
DROPOUT = 0.1
SIZE = NetworkSize(dropout=DROPOUT, beside=True)
RECIPE = Recipe(epochs=7, patience=3, average=0.998)
VARIANTS = ("original", "gender", "nationality", "religion")


def vectors(variant: str) -> Embedding:
    """GloVe as it is, or without he − she, the first component of demonyms, or the first two of adherents, each learnt
    from vectors as they are."""
    glove = one_embedding(VECTORS)
    if variant == "original":
        return glove
    if variant == "gender":
        subspace = difference_direction(glove, "he", "she", unit=False)
    else:
        name, components = {"nationality": ("dev-demonyms_train", 1), "religion": ("dev-adherents_train", 2)}[variant]
        subspace = set_components(glove, load_word_set(name).words, components, unit=False, name=name)
    return remove(glove, subspace.basis, subspace.name)


def sets() -> Sets:
    return chosen_sets(DATA, (), TESTS, seed=RECIPE.seed, **CHOICES)


def folder(variant: str) -> Path:
    return RUNS / ("nli-glove" if variant == "original" else f"nli-glove-{variant}")


def command() -> str:
    """The same training as one command."""
    told = ["wordworth train-nli", f"--vectors {VECTORS}", *(f"--data {one}" for one in DATA)]
    told += [
        *(f"--accuracy {one}" for one in TESTS),
        f"--hold-out {CHOICES['hold_out']}",
        f"--longest {CHOICES['longest']}",
    ]
    told += [
        "--beside",
        f"--dropout {DROPOUT}",
        f"--average {RECIPE.average}",
        f"--epochs {RECIPE.epochs}",
        f"--patience {RECIPE.patience}",
        f"--seed {RECIPE.seed}",
    ]
    return " ".join([*told, f"-o {folder('original')}"])


def train(variant: str) -> None:
    def say(sentence: str) -> None:
        print(f"{variant}: {sentence}", file=sys.stderr, flush=True)

    results = train_nli(vectors(variant), sets(), folder(variant), SIZE, recipe=RECIPE, say=say)
    for one in (*results["dev"], *results["test"]):
        print(f"{variant}: {one['name']} {100 * one['accuracy']:.2f}")


def accuracies(measured: Sets) -> tuple[str, float]:
    """Table 10 of the paper for this model, and its accuracy on the first test.

    A row where a network was trained anew on projected vectors, and one where the shipped network only reads them.
    """
    told = [*measured.dev, *measured.tests]
    names = ["snli-dev, held out", *(one.name for one in measured.tests)]
    lines = [f"| vectors | projected in | {' | '.join(names)} |", f"|---|---|{'---:|' * len(names)}"]
    for variant in VARIANTS:
        read = vectors(variant)
        ways = {"" if variant == "original" else "test only": folder("original")}
        if variant != "original" and (folder(variant) / RESULTS).exists():  # a training that came to its end
            ways["training and test"] = folder(variant)
        for when, place in ways.items():
            model = load_attention_nli(place, vectors=read)
            shares = [accuracy(model, one.examples()) for one in told]
            if variant == "original":
                first = shares[len(measured.dev)]
            name = "as they are" if variant == "original" else f"less {variant}"
            lines.append(f"| {name} | {when} | {' | '.join(f'{100 * share:.2f}' for share in shares)} |")
    return "\n".join(lines), first


def data_table(measured: Sets) -> str:
    lines = ["| data | pairs trained on | left out | licence |", "|---|---:|---|---|"]
    for one in measured.training:
        gone = "; ".join(f"{count:,} {reason}" for reason, count in one.left_out.items() if count)
        lines.append(f"| {one.name} | {len(one):,} | {gone} | {one.licence} |")
    return "\n".join(lines)


def ship() -> None:
    """The shipped folder, its card, and its checksums in the catalog."""
    found = json.loads((folder("original") / RESULTS).read_text(encoding="utf-8"))
    measured = sets()
    table, test = accuracies(measured)
    PACKAGE.mkdir(parents=True, exist_ok=True)
    for name in (CONFIG, WEIGHTS):
        shutil.copyfile(folder("original") / name, PACKAGE / name)
    blanks = {
        "COMMAND": command(),
        "DATA": data_table(measured),
        "ACCURACY": table,
        "PAIRS": f"{sum(map(len, measured.training)):,}",
        "HELD": f"{sum(map(len, measured.dev)):,}",
        "TEST": f"{100 * test:.2f}",
        "EPOCHS": str(found["epochs"]),
        "BEST": str(found["best_epoch"]),
        "HISTORY": ", ".join(f"{100 * one['dev']:.1f}" for one in found["history"]),
        "SEED": str(RECIPE.seed),
        "SIZE": f"{(PACKAGE / WEIGHTS).stat().st_size / 1e6:.1f} MB",
    }
    card = CARD.read_text(encoding="utf-8")
    for blank, text in blanks.items():
        card = card.replace(f"{{{blank}}}", text)
    (PACKAGE / "MODEL_CARD.md").write_text(card, encoding="utf-8")
    put(Path(__file__).with_name("infer.md"), "nli", table)
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
    elif sys.argv[1:2] == ["train"] and set(sys.argv[2:]) <= set(VARIANTS):
        for one in sys.argv[2:]:
            train(one)
    else:
        sys.exit(__doc__)
