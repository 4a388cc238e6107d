"""A training from names to a model's folder: read the data, keep test and dev apart from it, train, measure."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wordworth.catalog.read.nli import NliData, load_nli
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.infer.model.attention import Shape
from wordworth.infer.model.checkpoint import CONFIG, LAST, WEIGHTS, read_model, write_json
from wordworth.infer.model.loading import Vectors, vectors_to_train_on
from wordworth.infer.model.nli import LABELS
from wordworth.infer.model.over_vectors import EmbeddedNli, accuracy
from wordworth.infer.model.vocabulary import Embedder
from wordworth.infer.training.examples import examples, held_out, no_longer, without
from wordworth.infer.training.fit import Recipe, train

RESULTS = "results.json"


@dataclass(frozen=True)
class Sets:
    """What is trained on, what it is stopped by, and what it is measured on."""

    training: tuple[NliData, ...]
    dev: tuple[NliData, ...]
    tests: tuple[NliData, ...]


def chosen_sets(
    data: Sequence[str | Path],
    dev: Sequence[str | Path],
    tests: Sequence[str | Path],
    *,
    hold_out: float,
    longest: int | None,
    seed: int,
) -> Sets:
    """Reads them all. Without `dev`, a share of the premises of the first data set is held out in its place.

    A pair whose premise is in a test set, or in the dev set, is never trained on.
    """
    if not data:
        raise WordworthError("there is nothing to train on; name data with --data (`wordworth ls nli`)")
    measured = tuple(load_nli(one) for one in tests)
    training = [load_nli(one) for one in data]
    if dev:
        stops = [load_nli(one) for one in dev]
    else:
        training[0], rest = held_out(training[0], hold_out, seed)
        stops = [rest]
    stops = [without(one, measured) for one in stops]
    training = [without(one, [*measured, *stops]) for one in training]
    if longest:
        training = [no_longer(one, longest) for one in training]
    return Sets(tuple(training), tuple(stops), measured)


def train_nli(
    vectors: str | Path | Embedding,
    sets: Sets,
    folder: Path,
    *,
    hidden: int = 200,
    compare: int | None = None,
    dropout: float = 0.2,
    beside: bool | None = None,
    recipe: Recipe | None = None,
    say: Callable[[str], None] = lambda sentence: None,
) -> dict[str, Any]:
    """Trains a model in `folder`, or goes on there, and returns (and leaves in `results.json`) how it went.

    `beside` and `compare` are by default as the paper has them: for ELMo yes and 400, for static vectors no and 200.
    """
    recipe = recipe or Recipe()
    read = vectors_to_train_on(vectors, recipe.seed)
    several = read.embedder.layers > 1
    shape = Shape(
        dim=read.embedder.dim,
        layers=read.embedder.layers,
        beside=several if beside is None else beside,
        hidden=hidden,
        compare=(2 * hidden if several else hidden) if compare is None else compare,
        dropout=dropout,
    )
    began = time.monotonic()
    made = train(
        examples(sets.training, read.embedder, shape.labels),
        examples(sets.dev, read.embedder, shape.labels),
        read.embedder,
        shape,
        recipe,
        folder,
        vectors=read.about,
        extra=read.extra,
        say=say,
    )
    model = _kept(folder, read)
    results = {
        "vectors": read.about,
        "shape": shape.plain(),
        "recipe": asdict(recipe),
        "epochs": len(made.history),
        "best_epoch": made.best,
        "history": [{"loss": loss, "dev": right} for loss, right in made.history],
        "seconds": round(time.monotonic() - began, 1),
        "training": [_told(one, read.embedder) for one in sets.training],
        "dev": [_told(one, read.embedder) | {"accuracy": accuracy_of(model, one)} for one in sets.dev],
        "test": [_told(one, read.embedder) | {"accuracy": accuracy_of(model, one)} for one in sets.tests],
    }
    write_json(folder / RESULTS, results)
    return results


def _kept(folder: Path, read: Vectors) -> EmbeddedNli:
    kept = read_model(folder)
    return EmbeddedNli(folder.name, kept.network, read.embedder, kept.sha256)


def accuracy_of(model: EmbeddedNli, data: NliData) -> float:
    """The share of a data set's pairs that a model labels right."""
    return accuracy(model, data.premises, data.hypotheses, data.labels)


def _told(data: NliData, embedder: Embedder) -> dict[str, Any]:
    counts = {label: data.labels.count(label) for label in LABELS}
    unknown = len(embedder.missing(dict.fromkeys([*data.premises, *data.hypotheses])))
    about = {"name": data.name, "source": data.source, "sha256": data.sha256, "licence": data.licence}
    told = {"pairs": len(data), "labels": counts, "left_out": dict(data.left_out), "words_without_a_vector": unknown}
    return about | told


def cleared(folder: Path) -> None:
    """Takes an earlier training out of a folder; what else lies there stays."""
    for name in (CONFIG, WEIGHTS, LAST, RESULTS):
        (folder / name).unlink(missing_ok=True)
