"""A training from names to a model's folder: read the data, keep test and dev apart from it, train, measure."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wordworth.catalog.read.nli import NliData, load_nli
from wordworth.embedding import Embedding
from wordworth.errors import WordworthError
from wordworth.infer.model.attention import Shape
from wordworth.infer.model.checkpoint import CONFIG, LAST, WEIGHTS, read_model, write_json
from wordworth.infer.model.loading import Vectors, vectors_to_train_on
from wordworth.infer.model.nli import LABELS, accuracy
from wordworth.infer.model.over_vectors import AttentionNli
from wordworth.infer.model.vocabulary import Embedder
from wordworth.infer.training.examples import examples, held_out, no_longer, without
from wordworth.infer.training.fit import Recipe, TrainingJob, train

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
    label_map: Mapping[str, str] | None = None,
) -> Sets:
    """Reads them all. Without `dev`, a share of the premises of the first data set is held out in its place.

    A pair whose premise is in a test set, or in the dev set, is never trained on. `label_map` is as in `load_nli`.
    """
    if not data:
        raise WordworthError("there is nothing to train on; name data with --data (`wordworth ls nli`)")
    measured = tuple(load_nli(one, label_map) for one in tests)
    training = [load_nli(one, label_map) for one in data]
    if dev:
        stops = [load_nli(one, label_map) for one in dev]
    else:
        training[0], rest = held_out(training[0], hold_out, seed)
        stops = [rest]
    stops = [without(one, measured) for one in stops]
    training = [without(one, [*measured, *stops]) for one in training]
    if longest:
        training = [no_longer(one, longest) for one in training]
    return Sets(tuple(training), tuple(stops), measured)


@dataclass(frozen=True)
class NetworkSize:
    """How large a network is made. What is None is as in the paper: for ELMo, and not for static vectors, `beside` and
    a `compare` of twice `hidden`."""

    hidden: int = 200
    compare: int | None = None
    dropout: float = 0.2
    beside: bool | None = None

    def shape(self, embedder: Embedder) -> Shape:
        """The network's shape over some vectors."""
        several = embedder.layers > 1
        return Shape(
            dim=embedder.dim,
            layers=embedder.layers,
            beside=several if self.beside is None else self.beside,
            hidden=self.hidden,
            compare=(2 * self.hidden if several else self.hidden) if self.compare is None else self.compare,
            dropout=self.dropout,
        )


def train_nli(
    vectors: str | Path | Embedding | Vectors,
    sets: Sets,
    folder: Path,
    size: NetworkSize = NetworkSize(),
    *,
    recipe: Recipe = Recipe(),  # noqa: B008 - frozen
    say: Callable[[str], None] = lambda sentence: None,
) -> dict[str, Any]:
    """Trains a model in `folder`, or goes on there, and returns (and writes to `results.json`) how it went."""
    read = vectors_to_train_on(vectors, recipe.seed)
    shape = size.shape(read.embedder)
    training, dev = (examples(data, read.embedder, shape.labels) for data in (sets.training, sets.dev))
    began = time.monotonic()
    fitted = train(TrainingJob(training, dev, read, shape, recipe, folder), say)
    saved = read_model(folder)
    model = AttentionNli(folder.name, saved.network, read.embedder)
    results = {
        "vectors": read.about,
        "shape": shape.plain(),
        "recipe": asdict(recipe),
        "epochs": len(fitted.history),
        "best_epoch": fitted.best,
        "history": [{"loss": loss, "dev": right} for loss, right in fitted.history],
        "seconds": round(time.monotonic() - began, 1),
        "training": [_described(one, read.embedder) for one in sets.training],
        "dev": [_described(one, read.embedder) | {"accuracy": accuracy(model, one.examples())} for one in sets.dev],
        "test": [_described(one, read.embedder) | {"accuracy": accuracy(model, one.examples())} for one in sets.tests],
    }
    write_json(folder / RESULTS, results)
    return results


def _described(data: NliData, embedder: Embedder) -> dict[str, Any]:
    counts = {label: data.labels.count(label) for label in LABELS}
    unknown = len(embedder.missing(dict.fromkeys([*data.premises, *data.hypotheses])))
    about = {"name": data.name, "source": data.source, "sha256": data.sha256, "licence": data.licence}
    used = {"pairs": len(data), "labels": counts, "left_out": dict(data.left_out), "words_without_a_vector": unknown}
    return about | used


def cleared(folder: Path) -> None:
    """Takes an earlier training out of a folder; what else lies there stays."""
    for name in (LAST, RESULTS, WEIGHTS, CONFIG):  # the state to go on from first: what is left then begins anew
        (folder / name).unlink(missing_ok=True)
