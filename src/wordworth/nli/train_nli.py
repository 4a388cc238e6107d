"""Train the decomposable attention network, keep the best epoch on dev, and measure it.

`transformers.Trainer` trains with Adam, batches of one length and averaged weights. Its checkpoints stay in the folder,
so that more epochs can follow.

This module also splits the data: which pairs are for dev, and which are never trained on.
"""

import copy
import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel

from wordworth.catalog.read.nli import NliData, load_nli
from wordworth.embedding import Embedding
from wordworth.encode.training import EpochLoader, Epochs, SeededTrainer, Tensors, TrainingPlan, best_epoch, epoch_seed
from wordworth.errors import WordworthError
from wordworth.nli.attention import AttentionNli, Network, Shape, describe, make_network
from wordworth.nli.contextual import Embedder, words_of
from wordworth.nli.loading import CONFIG, WEIGHTS, Vectors, read_model, vectors_to_train_on, write_json, write_model
from wordworth.nli.nli import LABELS, Example, accuracy

Ids = list[list[int]]


@dataclass(frozen=True)
class TrainingSets:
    """The data to train on, to stop by, and to measure on."""

    training: tuple[NliData, ...]
    dev: tuple[NliData, ...]
    tests: tuple[NliData, ...]


def load_sets(
    data: Sequence[str | Path],
    dev: Sequence[str | Path],
    tests: Sequence[str | Path],
    *,
    hold_out: float,
    longest: int | None,
    seed: int,
    label_map: Mapping[str, str] | None = None,
) -> TrainingSets:
    """Load all data sets. Without `dev`, it is a share of the premises of the first data set.

    Pairs whose premise is in a test or dev set are never trained on. `label_map` is as in `load_nli`.
    """
    if not data:
        raise WordworthError("there are no data to train on; name some with --data (`wordworth ls nli`)")
    training, dev_sets, test_sets = ([load_nli(name, label_map) for name in names] for names in (data, dev, tests))
    if not dev:
        training[0], split_off = split_premises(training[0], hold_out, seed)
        dev_sets = [split_off]
    dev_sets = [drop_premises(dataset, test_sets) for dataset in dev_sets]
    training = [drop_premises(dataset, [*test_sets, *dev_sets]) for dataset in training]
    if longest:
        training = [drop_long(dataset, longest) for dataset in training]
    return TrainingSets(tuple(training), tuple(dev_sets), tuple(test_sets))


@dataclass(frozen=True, eq=False)
class Examples:
    """Pairs as token ids, with the index of their label."""

    premises: Ids
    hypotheses: Ids
    labels: NDArray[np.int64]


def read_examples(data: Sequence[NliData], embedder: Embedder, labels: Sequence[str]) -> Examples:
    """Return all pairs of several data sets; repeated sentences are read once."""
    ids = lru_cache(maxsize=None)(embedder.ids)
    return Examples(
        [ids(premise) for dataset in data for premise in dataset.premises],
        [ids(hypothesis) for dataset in data for hypothesis in dataset.hypotheses],
        np.array([labels.index(label) for dataset in data for label in dataset.labels], dtype=np.int64),
    )


def list_batches(examples: Examples, size: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield random batches of at most `size` rows, whose premises have one length and whose hypotheses have one."""
    lengths = np.array([(len(p), len(h)) for p, h in zip(examples.premises, examples.hypotheses, strict=True)])
    order = rng.permutation(len(lengths))
    length_pairs = lengths[order, 0] * (lengths.max() + 1) + lengths[order, 1]
    sort = np.argsort(length_pairs, kind="stable")  # the random order stays within each pair of lengths
    runs = np.split(order[sort], np.flatnonzero(np.diff(length_pairs[sort])) + 1)
    batches = [run[start : start + size] for run in runs for start in range(0, len(run), size)]
    for start in rng.permutation(len(batches)):
        yield batches[start]


@lru_cache(maxsize=1 << 20)
def _plain(sentence: str) -> tuple[str, ...]:
    """Return the words of a sentence in lower case; cached, since each set is compared with several."""
    return tuple(word.lower() for word in words_of(sentence))


def split_premises(data: NliData, share: float, seed: int) -> tuple[NliData, NliData]:
    """Split off a random share of the premises, with all their pairs; return the rest, then these."""
    premises = list(dict.fromkeys(map(_plain, data.premises)))
    count = round(share * len(premises))
    if not 0 < count < len(premises):
        raise WordworthError(
            f"a share of {share:g} of the {len(premises)} premises of {data.name} leaves nothing to train on or "
            "nothing to stop by; choose another --hold-out, or give --dev"
        )
    chosen_premises = {premises[number] for number in np.random.default_rng(seed).permutation(len(premises))[:count]}
    is_dev = np.array([_plain(premise) in chosen_premises for premise in data.premises])
    return _keep(data, ~is_dev, "pairs held out to stop by"), data.only(np.flatnonzero(is_dev).tolist(), {})


def drop_premises(data: NliData, other_sets: Iterable[NliData]) -> NliData:
    """Return the pairs whose premise is not in other data sets, whatever its case and spacing."""
    for other_set in other_sets:
        premises = set(map(_plain, other_set.premises))
        is_new = np.array([_plain(premise) not in premises for premise in data.premises])
        if not is_new.all():
            data = _keep(data, is_new, f"pairs whose premise is in {other_set.name}")
    return data


def drop_long(data: NliData, max_words: int) -> NliData:
    """Return the pairs whose sentences both have at most `longest` words and punctuation marks."""
    pairs = zip(data.premises, data.hypotheses, strict=True)
    is_short = np.array([max(len(_plain(sentence)) for sentence in pair) <= max_words for pair in pairs])
    return _keep(data, is_short, f"pairs with a sentence of over {max_words} words")


def _keep(data: NliData, is_kept: NDArray[np.bool_], reason: str) -> NliData:
    return data.only(np.flatnonzero(is_kept).tolist(), {reason: int((~is_kept).sum())})


RESULTS, CHECKPOINTS = "results.json", "checkpoints"


@dataclass(frozen=True)
class TrainingRecipe:
    """The options of a training."""

    network: str = "default"
    """One of `RECIPES`."""
    epochs: int = 100
    patience: int | None = 5
    """Epochs without a better dev accuracy before training stops; None never stops early."""
    batch: int = 32
    rate: float = 1e-3
    average: float = 0.999
    """Decay of the running average of the weights, which is measured and saved; 0 saves the weights themselves."""
    clip: float = 5.0
    """Norm to which gradients are clipped."""
    seed: int = 0
    threads: int = 1
    """Cores; they are part of the recipe because they change the order of sums."""
    device: str = "cpu"
    hidden: int = 200
    dropout: float = 0.2
    beside: bool | None = None
    """See `Shape`; true over ELMo unless given."""

    def shape(self, embedder: Embedder) -> Shape:
        """Return the network's shape over some vectors; over ELMo, `compare` is twice `hidden`, as in the paper."""
        has_layers = embedder.layers > 1
        return Shape(
            dim=embedder.dim,
            layers=embedder.layers,
            beside=has_layers if self.beside is None else self.beside,
            hidden=self.hidden,
            compare=2 * self.hidden if has_layers else self.hidden,
            dropout=self.dropout,
            network="dev2020" if self.is_authors else "default",
        )

    @property
    def is_authors(self) -> bool:
        """Return whether the network and its training are those of the authors' code."""
        return self.network != "default"


_AUTHORS = TrainingRecipe("dev2020", patience=None, average=0, clip=1e10)
RECIPES = {
    "default": TrainingRecipe(),
    "dev2020": _AUTHORS,
    "dev2020-average": replace(_AUTHORS, network="dev2020-average", average=0.999),
}
"""The declared recipes. Those of the authors' code never stop early, clip no gradients, and choose the epoch by the
weights themselves; they save those weights or their running average."""


def train_nli(
    vectors: str | Path | Embedding | Vectors,
    sets: TrainingSets,
    folder: Path,
    *,
    recipe: TrainingRecipe = TrainingRecipe(),
    say: Callable[[str], None] = lambda sentence: None,
) -> dict[str, Any]:
    """Train a model in `folder`, or continue there; return the results, and write them to `results.json`."""
    training_vectors = vectors_to_train_on(vectors, recipe.seed)
    shape = recipe.shape(training_vectors.embedder)
    training = read_examples(sets.training, training_vectors.embedder, shape.labels)
    dev = [pair for dataset in sets.dev for pair in dataset.examples()]
    if not len(training.labels) or not dev:
        raise WordworthError("there are no pairs to train on or to stop by; give --data and --dev with pairs")
    start, threads = time.monotonic(), torch.get_num_threads()
    torch.set_num_threads(recipe.threads)
    try:
        history = _Training(training, dev, training_vectors, shape, recipe, folder, say).run()
    finally:
        torch.set_num_threads(threads)
    model = AttentionNli(folder.name, read_model(folder).network, training_vectors.embedder)
    results = {
        "vectors": training_vectors.about.model_dump(),
        "shape": asdict(shape) | {"labels": list(shape.labels)},
        "recipe": asdict(recipe),
        "epochs": len(history),
        "best_epoch": best_epoch(history),
        "history": [{"loss": epoch["loss"], "dev": epoch["accuracy"]} for epoch in history],
        "seconds": round(time.monotonic() - start, 1),
        "training": [_describe(dataset, training_vectors.embedder) for dataset in sets.training],
        "dev": [_describe(dataset, training_vectors.embedder, model) for dataset in sets.dev],
        "test": [_describe(dataset, training_vectors.embedder, model) for dataset in sets.tests],
    }
    write_json(folder / RESULTS, results)
    return results


def _describe(data: NliData, embedder: Embedder, model: AttentionNli | None = None) -> dict[str, Any]:
    return {
        "name": data.name,
        "source": data.source,
        "sha256": data.sha256,
        "licence": data.licence,
        "pairs": len(data),
        "labels": {label: data.labels.count(label) for label in LABELS},
        "left_out": dict(data.left_out),
        "words_without_a_vector": len(embedder.missing(dict.fromkeys([*data.premises, *data.hypotheses]))),
        **({"accuracy": accuracy(model, data.examples())} if model else {}),
    }


def discard_training(folder: Path) -> None:
    """Remove an earlier training from a folder; other files stay."""
    shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)  # first: an interruption is safe
    for name in (RESULTS, WEIGHTS, CONFIG):
        (folder / name).unlink(missing_ok=True)


@dataclass(eq=False)
class _Training:
    """A training: its data, vectors, options and folder."""

    training: Examples
    dev: list[Example]
    vectors: Vectors
    shape: Shape
    recipe: TrainingRecipe
    folder: Path
    say: Callable[[str], None]

    def run(self) -> Epochs:
        """Train the network in the folder, or continue; its best state is there even if this fails."""
        recipe = self.recipe
        loader = EpochLoader(self._list_batches, self._collate)
        steps = len(loader)
        torch.manual_seed(epoch_seed(recipe.seed, 0))
        network = make_network(self.shape).to(recipe.device)
        average = _average(network, recipe)

        def loss(_: nn.Module, batch: Tensors) -> tuple[Tensor, int]:
            """Return the sum of losses over the size of a full batch, so that pairs weigh the same in small batches.

            The authors' code divides by the batch's own size.
            """
            logits, labels = network(batch["premises"], batch["hypotheses"]), batch["labels"]
            size = len(labels) if recipe.is_authors else recipe.batch
            return functional.cross_entropy(logits, labels, reduction="sum") / size, size

        plan = TrainingPlan(
            f"the network in {self.folder.name}",
            self.folder / CHECKPOINTS,
            self._key(),
            loss,
            lambda step: None if step % steps else epoch_seed(recipe.seed, 1 + step // steps),
            recipe.clip,
            recipe.epochs,
            after_step=lambda: average.update_parameters(network),
            after_epoch=lambda earlier, total: self._end_epoch(network, average.module, earlier, total),  # type: ignore[arg-type]
            should_stop=lambda epochs: len(epochs) - best_epoch(epochs) >= (recipe.patience or recipe.epochs),
            say=self.say,
        )
        optimizer = torch.optim.Adam(network.parameters(), lr=recipe.rate)
        return SeededTrainer(nn.ModuleDict({"network": network, "average": average}), loader, plan, optimizer).run()

    def _key(self) -> str:
        """Return the sha256 of all that the network depends on, except epochs and patience, which may grow."""
        other_fields = {"epochs", "patience"} | (set() if self.recipe.is_authors else {"network"})  # a newer field
        options = {name: value for name, value in asdict(self.recipe).items() if name not in other_fields}
        digest = hashlib.sha256(json.dumps([describe(self.shape), options, self.vectors.embedder.identity]).encode())
        training = self.training
        data = [training.premises, training.hypotheses, training.labels.tolist(), self.dev]
        digest.update(json.dumps(data).encode())
        return digest.hexdigest()

    def _list_batches(self, epoch: int) -> Iterator[NDArray[np.int64]]:
        return list_batches(self.training, self.recipe.batch, np.random.default_rng([self.recipe.seed, epoch]))

    def _collate(self, rows: NDArray[np.int64]) -> Tensors:
        sides = {"premises": self.training.premises, "hypotheses": self.training.hypotheses}
        vectors = {
            name: self.vectors.embedder.vectors(np.array([ids[row] for row in rows], dtype=np.int64))
            for name, ids in sides.items()
        }
        return {**vectors, "labels": torch.from_numpy(self.training.labels[rows])}

    def _end_epoch(self, network: Network, average: Network, earlier: Epochs, total: float) -> dict[str, float]:
        """Measure the network on dev, and write its average if it is the best so far."""
        network_of_epoch = copy.deepcopy(network if self.recipe.is_authors else average).cpu()
        dev_accuracy = accuracy(AttentionNli("", network_of_epoch, self.vectors.embedder), self.dev)
        epoch = {"loss": total / len(self.training.labels), "accuracy": dev_accuracy}
        epochs = [*earlier, epoch]
        if best_epoch(epochs) == len(epochs):
            write_model(self.folder, average, self.vectors)
        self.say(f"epoch {len(epochs)}: loss {epoch['loss']:.4f}, dev accuracy {100 * dev_accuracy:.2f}")
        return epoch


def _average(network: Network, recipe: TrainingRecipe) -> AveragedModel:
    """Return the running average of a network's weights, which is saved."""
    decay = recipe.average

    def update(averages: Any, weights: Any, steps: Tensor | int) -> None:
        """Add the weights after a step; the first steps weigh more, but not in the authors' code."""
        warm_up = 1.0 if recipe.is_authors else (1 + int(steps)) / (10 + int(steps))
        torch._foreach_lerp_(averages, weights, 1 - min(decay, warm_up))

    average = AveragedModel(network, multi_avg_fn=update)
    if not recipe.is_authors:  # the authors' average starts at the weights after the first step
        average.n_averaged.fill_(1)
    return average.requires_grad_(False)
