"""Tiny models to damage: a language model in a folder, one as GGUF, NLI models of both kinds, ELMo."""

import json
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from fuzz.made import Row, digest

WORDS = ["[CLS]", "[SEP]", "[PAD]", "[UNK]", "the", "cat", "sat", "on", "a", "mat", "dog", "ran", "##s"]


def _tokenizer(folder: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordPiece({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 0), ("[SEP]", 1)]
    )
    names = {"unk_token": "[UNK]", "pad_token": "[PAD]", "model_max_length": 60}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)


def _bert(folder: Path, nli: bool) -> None:
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification

    torch.manual_seed(0)
    torch.set_num_threads(1)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    sizes |= {"vocab_size": len(WORDS), "max_position_embeddings": 64, "pad_token_id": 2}
    labels = {0: "entailment", 1: "neutral", 2: "contradiction"}
    config = BertConfig(**sizes, **({"num_labels": 3, "id2label": labels} if nli else {}))
    (BertForSequenceClassification if nli else BertForMaskedLM)(config).save_pretrained(folder)
    _tokenizer(folder)


@cache
def _kept(kind: str) -> Path:
    """A model's folder, made once a process."""
    folder = Path(tempfile.mkdtemp(prefix="wordworth-fuzz-model-"))
    match kind:
        case "attention":
            _attention(folder)
        case "elmo":
            _elmo(folder)
        case _:
            _bert(folder, kind == "cross-encoder")
    return folder


def _file(kind: str, name: str) -> Callable[[Path], bytes]:
    def make(folder: Path) -> bytes:
        shutil.copytree(_kept(kind), folder, dirs_exist_ok=True)
        return (folder / name).read_bytes()

    return make


def _gguf(folder: Path) -> bytes:
    from gguf import GGUFWriter

    path = folder / "tiny.gguf"
    rng = np.random.default_rng(0)
    vocabulary = ["<s>", "<pad>", "</s>", "<unk>", "a", "b", "c", "ab", "Ġ", "Ġa"]
    dim, wide, heads = 8, 16, 2
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(1)
    writer.add_context_length(64)
    writer.add_embedding_length(dim)
    writer.add_feed_forward_length(wide)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(len(vocabulary))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(vocabulary)
    writer.add_token_merges(["a b", "Ġ a"])
    writer.add_token_types([3] * 4 + [1] * 6)
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(True)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(f"{name}.weight", rng.normal(size=shape).astype(np.float32))

    tensor("token_embd", len(vocabulary), dim)
    tensor("output_norm", dim)
    for part, shape in {
        **dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_output"), (dim, dim)),
        **dict.fromkeys(("ffn_gate", "ffn_up"), (wide, dim)),
        "ffn_down": (dim, wide),
        **dict.fromkeys(("attn_norm", "ffn_norm"), (dim,)),
    }.items():
        tensor(f"blk.0.{part}", *shape)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.read_bytes()


def _attention(folder: Path) -> None:
    """A network as `train-nli` saves it, untrained, beside the vectors that it reads."""
    import torch

    from wordworth.files import sha256_of
    from wordworth.infer.attention import Network, Shape
    from wordworth.infer.loading import write_config, write_weights
    from wordworth.infer.vocabulary import drawn

    torch.manual_seed(0)
    torch.set_num_threads(1)
    vectors = folder / "vectors.txt"
    rows = np.random.default_rng(0).normal(size=(4, 3))
    lines = [" ".join([word, *map(str, row)]) for word, row in zip("abcd", rows, strict=True)]
    vectors.write_text("\n".join(lines) + "\n")
    shape = Shape(dim=3, hidden=4, compare=4)
    # Found from the folder that is read, where the worker stands: the bytes are the same wherever it lies.
    about = {"kind": "static", "name": "small", "source": vectors.name, "sha256": sha256_of(vectors), "steps": []}
    write_config(folder, shape, about)
    write_weights(folder, dict(Network(shape).state_dict()), drawn(3, 0))


def _elmo(folder: Path) -> None:
    """ELMo in its published layout, of two filters, one highway and one LSTM layer a direction."""
    import h5py

    filters = [[1, 2], [2, 3]]
    lstm = {"use_skip_connections": True, "projection_dim": 2, "cell_clip": 3, "proj_clip": 3, "dim": 3, "n_layers": 1}
    cnn = {"activation": "relu", "filters": filters, "n_highway": 1, "embedding": {"dim": 2}}
    cnn |= {"n_characters": 262, "max_characters_per_token": 12}
    (folder / "options.json").write_text(json.dumps({"lstm": lstm, "char_cnn": cnn}))
    rng = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {"char_embed": (261, 2), "CNN_proj/W_proj": (5, 2), "CNN_proj/b_proj": (2,)}
    for at, (width, count) in enumerate(filters):
        shapes |= {f"CNN/W_cnn_{at}": (1, width, 2, count), f"CNN/b_cnn_{at}": (count,)}
    for part in ("transform", "carry"):
        shapes |= {f"CNN_high_0/W_{part}": (5, 5), f"CNN_high_0/b_{part}": (5,)}
    for side in range(2):
        home = f"RNN_{side}/RNN/MultiRNNCell/Cell0/LSTMCell"
        shapes |= {f"{home}/W_0": (4, 12), f"{home}/B": (12,), f"{home}/W_P_0": (3, 2)}
    with h5py.File(folder / "weights.hdf5", "w") as stored:
        for name, shape in shapes.items():
            stored[name] = rng.normal(size=shape).astype(np.float32)


def rows() -> dict[str, Row]:
    """The targets that need torch: file, maker, reader."""

    def language_model(folder: Path) -> str:
        from wordworth.encode.identity import hash_tokenizer
        from wordworth.encode.loading import load_model

        model = load_model(folder, device="cpu")
        weights = model.network.state_dict().items()
        parts = [tensor.float().numpy() for name, tensor in weights if "pooler" not in name]  # new, where it is lacking
        return digest(hash_tokenizer(model.tokenizer), model.layers, model.dim, model.max_length, *parts)

    def nli(folder: Path) -> str:
        from wordworth.infer.loading import load

        model = load(folder, device="cpu")
        return digest(model.probabilities(["a b", "the cat", "d"], np.array([[0, 1], [1, 2]])))

    def kind(folder: Path) -> str:
        from wordworth.catalog.kinds import kind_of

        return digest(kind_of(folder))

    def gguf(folder: Path) -> str:
        kind(folder / "tiny.gguf")
        return language_model(folder / "tiny.gguf")

    def classified(folder: Path) -> str:
        kind(folder)
        return language_model(folder)

    def classified_nli(folder: Path) -> str:
        kind(folder)
        return nli(folder)

    def elmo(folder: Path) -> str:
        from wordworth.infer.contextual import ElmoVectors
        from wordworth.infer.elmo import load_elmo

        vectors = ElmoVectors(load_elmo(folder / "options.json", folder / "weights.hdf5"))
        return digest(vectors.vectors(np.array([vectors.ids("a café")])).numpy())

    files = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
    table: dict[str, Row] = {f"model {name}": (name, _file("masked", name), classified) for name in files}
    for name in files[:2]:
        table[f"cross-encoder {name}"] = (name, _file("cross-encoder", name), classified_nli)
        table[f"train-nli {name}"] = (name, _file("attention", name), classified_nli)
    table |= {f"elmo {name}": (name, _file("elmo", name), elmo) for name in ("options.json", "weights.hdf5")}
    return table | {"gguf": ("tiny.gguf", _gguf, gguf)}
