"""What a target is, and tiny models to damage: language models in a folder and as GGUF, NLI models, ELMo."""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from wordworth.catalog.models import kind_of


@dataclass(frozen=True)
class Target:
    """A reader and a valid file for it."""

    file: str
    """The name of the file that is damaged, in a folder that may hold others."""
    make: Callable[[Path], bytes]
    """Makes the other files of the folder, and gives the bytes that are damaged."""
    read: Callable[[Path], object]
    """Reads the file, by its path, as the program does."""
    pack: Callable[[bytes], bytes] = bytes
    """How the damaged bytes are packed into the file."""


@cache
def _model(kind: str) -> Path:
    """A tiny model's folder, made once per process."""
    import torch
    import transformers as hf

    from made_elmo import write_elmo
    from made_models import SIZES, gguf_of, letters, llama, llama_folder

    folder = Path(tempfile.mkdtemp(prefix="wordworth-fuzz-model-"))
    torch.set_num_threads(1)
    match kind:
        case "model":
            return llama_folder(folder)
        case "gguf":
            network, fast = llama()
            gguf_of(network.model, fast, folder / "tiny.gguf")
        case "elmo":
            write_elmo(folder)
        case "cross-encoder":
            fast = letters()
            labels = {0: "entailment", 1: "neutral", 2: "contradiction"}
            config = hf.BertConfig(**SIZES, vocab_size=len(fast), num_labels=3, id2label=labels, pad_token_id=1)
            hf.BertForSequenceClassification(config).save_pretrained(folder)
            fast.save_pretrained(folder)
        case "train-nli":
            _make_network(folder)
    return folder


def _make_network(folder: Path) -> None:
    """A network as `train-nli` saves it, untrained, next to the vectors that it reads."""
    from wordworth.nli.attention import Network, Shape
    from wordworth.nli.loading import vectors_to_train_on, write_model

    vectors = folder / "vectors.txt"
    vectors.write_text("a 1 2 3\nb 3 1 2\nc 2 3 1\nd 1 1 2\n")
    shape = Shape(dim=3, hidden=4, compare=4)
    made = vectors_to_train_on(vectors, seed=0)
    # Found from the folder that is read, where the worker stands: the bytes are the same wherever it lies.
    made = replace(made, about=made.about.model_copy(update={"name": "small", "source": vectors.name}))
    write_model(folder, Network(shape), made)


def _model_file(kind: str, name: str, read: Callable[[Path], object]) -> Target:
    def make(folder: Path) -> bytes:
        shutil.copytree(_model(kind), folder, dirs_exist_ok=True)
        return (folder / name).read_bytes()

    return Target(name, make, read)


def _language_model(path: Path) -> None:
    from wordworth.encode.loading import load_model

    place = path if path.suffix == ".gguf" else path.parent
    kind_of(place)
    load_model(place, device="cpu")


def _nli_model(path: Path) -> None:
    from wordworth.nli.loading import load

    kind_of(path.parent)
    load(path.parent, device="cpu").probabilities(["a b", "the cat", "d"], np.array([[0, 1], [1, 2]]))


def _elmo(path: Path) -> None:
    from wordworth.nli.contextual import ElmoVectors
    from wordworth.nli.elmo import load_elmo

    vectors = ElmoVectors(load_elmo(path.with_name("small_options.json"), path.with_name("small_weights.hdf5")))
    vectors.vectors(np.array([vectors.ids("a café")]))


_FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
MODELS = {
    **{f"model {name}": _model_file("model", name, _language_model) for name in _FILES},
    **{
        f"{kind} {name}": _model_file(kind, name, _nli_model)
        for kind in ("cross-encoder", "train-nli")
        for name in _FILES[:2]
    },
    "elmo options": _model_file("elmo", "small_options.json", _elmo),
    "elmo weights": _model_file("elmo", "small_weights.hdf5", _elmo),
    "gguf": _model_file("gguf", "tiny.gguf", _language_model),
}
