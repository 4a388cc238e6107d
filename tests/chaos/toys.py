"""What studies work on: vectors, a text and pairs of a few lines, a random language model and a random NLI network."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from wordworth.results.run import Run

PAIRS = [
    ("cat", "dog", 7.0), ("sun", "moon", 5.0), ("river", "storm", 3.0), ("knife", "love", 0.5), ("love", "joy", 8.0),
    ("garden", "river", 4.0), ("cat", "storm", 1.0), ("joy", "dog", 2.0),
]  # fmt: skip
MET = sorted({word for first, second, _ in PAIRS for word in (first, second)})
LINES = [
    f"In chapter {n} the {MET[n % len(MET)]} and the {MET[(3 * n + 1) % len(MET)]} stood in the old garden."
    for n in range(40)
]


STUDIES: dict[str, tuple[str, dict[str, Any]]] = {
    "valnorm": ("vectors.txt", {"lexica": ["bellezza"], "pairs": ["@pairs.tsv"], "tests": ["weat1"]}),
    "vast": (
        "tiny",
        {
            "lexica": ["bellezza"],
            "experiments": ["contextualization", "bias"],
            "contexts": ["bleached", "aligned"],
            "tests": ["weat1"],
            "controls": ["untrained", "shuffled"],
            "permutations": 100,
            "resamples": 50,
        },
    ),
    "static": (
        "tiny",
        {"corpus": ["@text.txt"], "pairs": ["@pairs.tsv"], "experiments": ["quality"], "sentences": [20, 40]},
    ),
    "predict": (
        "tiny",
        {"corpus": "@text.txt", "frequencies": "@counts.tsv", "soft_match": ["@vectors.txt"], "resamples": 50},
    ),
    "infer": (
        "network",
        {"probes": ["gender"], "sample": 20_000, "random": 1, "farthest": 2, "mitigate": ["projection"]}
        | {"resamples": 50},
    ),
}
"""Study → its model and its settings; `@name` is a toy."""


def find(name: str, folder: Path) -> "Run":
    """Run a study on the toys in a folder."""
    from wordworth.study import study

    def at(value: Any) -> Any:
        if isinstance(value, list):
            return [at(one) for one in value]
        return str(folder / value[1:]) if isinstance(value, str) and value.startswith("@") else value

    model, settings = STUDIES[name]
    return study(name)([f"toy={folder / model}"], **{key: at(value) for key, value in settings.items()})


def make(folder: Path) -> Path:
    """Make all of it."""
    make_files(folder)
    make_models(folder)
    return folder


def make_files(folder: Path) -> None:
    """Make all but the language model and the network, without torch."""
    from wordworth.catalog.read.lexica import load_lexicon
    from wordworth.catalog.read.pairs import load_pairs
    from wordworth.catalog.read.word_sets import load_test, polar_words

    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    lexicon, polar = load_lexicon("bellezza"), polar_words()
    worth = dict(zip(lexicon.words, (lexicon.valence - 3).tolist(), strict=True))
    worth |= dict.fromkeys(polar.pleasant, 1.5) | dict.fromkeys(polar.unpleasant, -1.5)
    words = [*worth, *MET, "he", "she", "man", "woman"]
    words += [word for name in ("weat1", "weat8") for group in load_test(name).groups for word in group]
    words += [*load_pairs("rg-65").first, *load_pairs("rg-65").second]
    words = list(dict.fromkeys(words))
    matrix = rng.normal(size=(len(words), 8)).round(3)
    matrix[:, 0] += [worth.get(word, 0.0) for word in words]
    _write_vectors(folder / "vectors.txt", words, matrix)
    (folder / "pairs.tsv").write_text("".join(f"{a}\t{b}\t{score}\n" for a, b, score in PAIRS))
    (folder / "text.txt").write_text("\n".join(LINES) + "\n")
    (folder / "counts.tsv").write_text("the 5000\nand 900\nold 50\ncat 10\ndog 300\nstood 20\n")


def _write_vectors(path: Path, words: list[str], matrix: np.ndarray) -> None:
    rows = (" ".join([word, *map(str, row)]) for word, row in zip(words, matrix.tolist(), strict=True))
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def make_models(folder: Path) -> None:
    """Make a GPT-2 with its head, and an NLI network over vectors of the gender probe's words."""
    import torch
    import transformers as hf

    from made_models import letters
    from made_nli import nli_folder

    fast = letters()
    torch.manual_seed(0)
    network = hf.GPT2LMHeadModel(hf.GPT2Config(vocab_size=len(fast), n_embd=16, n_layer=2, n_head=2, n_positions=64))
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if weight.dim() > 1 and "ln" not in name:
                weight.normal_(0, 0.3)
    network.save_pretrained(folder / "tiny")
    fast.save_pretrained(folder / "tiny")
    nli_folder(folder / "network", "things.txt", ["gender"])
