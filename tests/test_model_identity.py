"""A model that is edited, in its files or in memory, never gets numbers that were kept of what it was.

What is kept is compared with what the same model computes without the cache.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf
from safetensors.torch import load_file, save_file

from made_models import gguf_of, llama, llama_folder
from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.registry import PinnedFile
from wordworth.contexts import in_template
from wordworth.embedding import Embedding, Provenance
from wordworth.encode import LanguageModel, encode, encode_to_store, load_model, store, wrap
from wordworth.encode.heads import load_with_head
from wordworth.errors import WordworthError
from wordworth.files import sha256_of
from wordworth.nli.attention import AttentionNli, Network, Shape
from wordworth.nli.contextual import StaticVectors, draw_extra_vectors
from wordworth.whole_words import load_word_model, predict_words, wrap_word_model
from wordworth.whole_words.finetune import Training, fine_tune

CONTEXTS = [in_template("This is WORD", word) for word in ("pleasant", "unpleasant", "one")]
TEXT = "This is a pleasant word and that is one"


def read_stored(model: LanguageModel) -> np.ndarray:
    """The vectors of the last layer as a study reads them: from the cache, where they are there."""
    return encode_to_store(model, CONTEXTS).vectors(model.layers)


def compute(model: LanguageModel) -> np.ndarray:
    return encode(model, CONTEXTS).vectors["last"][:, -1]


def edit_json(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    table = json.loads(path.read_text())
    change(table)
    path.write_text(json.dumps(table))


def config(**changes: Any) -> Callable[[Path], None]:
    return lambda folder: edit_json(folder / "config.json", lambda table: table.update(changes))


def rope_theta(folder: Path) -> None:
    edit_json(folder / "config.json", lambda table: table["rope_parameters"].update(rope_theta=100.0))


def weights(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    name = next(name for name in tensors if "embed_tokens" in name)
    tensors[name] *= 2
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


def lower_case(folder: Path) -> None:
    edit_json(folder / "tokenizer.json", lambda table: table.update(normalizer={"type": "Lowercase"}))


def begin_with_a_mark(folder: Path) -> None:
    pieces = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    template = {
        "type": "TemplateProcessing",
        "single": pieces,
        "pair": pieces,
        "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}},
    }
    edit_json(folder / "tokenizer.json", lambda table: table.update(post_processor=template))


EDITS: dict[str, Callable[[Path], None]] = {
    "rope_theta": rope_theta,
    "heads": config(num_attention_heads=8, num_key_value_heads=4, head_dim=2),
    "activation": config(hidden_act="gelu"),
    "norm": config(rms_norm_eps=0.5),
    "tokenizer": lower_case,
    "beginning": begin_with_a_mark,
    "weights": weights,
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_folder_is_another_model(tmp_path: Path, edit: Callable[[Path], None]) -> None:
    folder = llama_folder(tmp_path / "model")
    before, predicting = load_model(folder), load_word_model(folder).identity
    earlier, vectors = before.identity, compute(before)  # now: weights are mapped, and so change with their file
    assert np.allclose(read_stored(before), vectors, atol=1e-5)
    edit(folder)
    after = load_model(folder)
    assert after.identity != earlier
    assert np.allclose(read_stored(after), compute(after), atol=1e-5)
    assert not np.allclose(compute(after), vectors, atol=1e-5)
    assert load_word_model(folder).identity != predicting


def replace_module(network: Any) -> None:
    torch.manual_seed(5)
    other = hf.LlamaModel(network.config)
    network.layers[0].mlp = other.layers[0].mlp.eval()


def negate_a_column(network: Any) -> None:
    network.embed_tokens.weight.data[:, 3].neg_()


def silence(network: Any) -> None:
    network.layers[0].mlp.register_forward_hook(lambda module, given, output: output * 0)


def permute_rows(network: Any) -> None:
    weight = network.layers[0].mlp.up_proj.weight.data
    weight.copy_(weight.flip(0).clone())


CHANGES: dict[str, Callable[[Any], Any]] = {
    "a column negated by data": negate_a_column,
    "rows permuted by data": permute_rows,
    "a hook": silence,
    "in place": lambda network: network.embed_tokens.weight.mul_(2),
    "by data": lambda network: network.layers[1].mlp.up_proj.weight.data.mul_(2),
    "loaded": lambda network: network.load_state_dict(llama(seed=3)[0].model.state_dict()),
    "assigned": lambda network: network.load_state_dict(llama(seed=3)[0].model.state_dict(), assign=True),
    "a buffer that is not saved": lambda network: network.rotary_emb.inv_freq.mul_(2),
    "a module replaced": replace_module,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("layer", [1, 2])
def test_a_loaded_model_that_is_changed_is_another_one(change: Callable[[Any], Any], layer: int) -> None:
    network, tokenizer = llama()
    model = wrap(network.model, tokenizer, name="mine")

    def both() -> tuple[np.ndarray, np.ndarray]:
        stored = encode_to_store(model, CONTEXTS, [layer]).vectors(layer)
        return stored, encode(model, CONTEXTS).vectors["last"][:, layer]

    before = both()
    assert np.allclose(*before, atol=1e-5)
    change(model.network)
    after = both()
    assert np.allclose(*after, atol=1e-5)
    if not (layer == 1 and change is CHANGES["by data"]):  # which changes the second layer
        assert not np.allclose(after[1], before[1], atol=1e-5)


def test_adapters_count_with_their_settings() -> None:
    """A layer of PEFT computes by its scaling and by which adapters are on, and none of them is a tensor."""
    network, tokenizer = llama()
    model = wrap(network.model, tokenizer, name="mine")
    layer: Any = network.model.layers[0].self_attn.q_proj
    layer.scaling, layer.active_adapters, layer.merged_adapters, layer.disable_adapters = {"a": 2.0}, ["a"], [], False
    before = model.identity
    assert model.identity == before
    for name, value in (("scaling", {"a": 4.0}), ("disable_adapters", True), ("active_adapters", ["b"])):
        setattr(layer, name, value)
        assert model.identity != before
        before = model.identity


@pytest.mark.parametrize("name", ["v1", "llama"])
def test_a_wrong_label_changes_no_number(name: str) -> None:
    """Two networks under one name, and one under two: vectors are those of the tensors."""
    first, second = (wrap(network.model, tokenizer, name="v1") for network, tokenizer in (llama(), llama(seed=3)))
    assert not np.allclose(read_stored(first), read_stored(second), atol=1e-5)
    assert np.allclose(read_stored(second), compute(second), atol=1e-5)
    renamed = wrap(first.network, first.tokenizer, name=name)
    assert np.array_equal(read_stored(renamed), read_stored(first))


@pytest.mark.parametrize("replaced", [False, True], ids=["in place", "replaced"])
def test_a_changed_head_gives_new_predictions(replaced: bool) -> None:
    network, tokenizer = llama()
    model = wrap_word_model(network, tokenizer, name="mine")
    before = predict_words(model, [TEXT])
    torch.manual_seed(3)
    other = torch.nn.Linear(16, len(tokenizer), bias=False).requires_grad_(False)
    if replaced:
        network.lm_head = other
    else:
        network.lm_head.weight.copy_(other.weight)
    after = predict_words(model, [TEXT])
    assert not after["logp"].equals(before["logp"])
    assert after.equals(predict_words(wrap_word_model(network, tokenizer, name="mine"), [TEXT]))


def test_the_same_content_elsewhere_is_read_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In another folder, under another name, in shards, or in memory."""
    folder = llama_folder(tmp_path / "model")
    vectors = read_stored(load_model(folder))
    shutil.copytree(folder, tmp_path / "copy")
    llama_folder(tmp_path / "shards", shard="5KB")
    assert len(list((tmp_path / "shards").glob("*.safetensors"))) > 1
    network, tokenizer = load_word_model(folder).reader.base.network, load_model(folder).tokenizer

    def refuse(model: LanguageModel, shards: Iterable[Any], **_: Any) -> Iterator[Any]:
        for shard in shards:
            pytest.fail("it is encoded again")
            yield shard

    monkeypatch.setattr(store, "encode_shards", refuse)
    for model in (
        load_model(tmp_path / "copy", name="another"),
        load_model(tmp_path / "shards"),
        load_word_model(tmp_path / "copy").reader.base,
        wrap(network, tokenizer, name="at hand"),
    ):
        assert np.array_equal(read_stored(model), vectors)


def test_a_pooler_that_the_files_lack_does_not_count(tmp_path: Path, word_model_folder: Callable[..., Path]) -> None:
    """It is random in every load, and no vector depends on it."""
    folder = word_model_folder(tmp_path / "model", "masked")
    assert load_model(folder).identity == load_model(folder).identity == load_word_model(folder).reader.base.identity


@pytest.mark.parametrize("kind", ["dynamic", "longrope"])
def test_texts_that_were_read_do_not_count(kind: str) -> None:
    """RoPE of these kinds sets its frequencies in every pass, by the length of the text."""
    network, tokenizer = llama()
    rope = {"rope_type": kind, "rope_theta": 10000.0, "factor": 2.0, "original_max_position_embeddings": 8}
    if kind == "longrope":
        rope |= {"short_factor": [1.0, 1.0], "long_factor": [2.0, 3.0]}
    made = hf.LlamaModel(hf.LlamaConfig(**{**network.config.to_dict(), "rope_parameters": rope}))
    model = wrap(made, tokenizer, name="mine")
    before = model.identity
    with torch.inference_mode():
        model.network(input_ids=torch.arange(4, 60)[None])
    assert model.identity == before


@pytest.mark.parametrize(
    "edit", [EDITS["rope_theta"], lower_case, weights], ids=["configuration", "tokenizer", "weights"]
)
def test_an_edited_model_is_fine_tuned_again(tmp_path: Path, edit: Callable[[Path], None]) -> None:
    folder, text = llama_folder(tmp_path / "model"), tmp_path / "text.txt"
    text.write_text(f"{TEXT}\n" * 3)
    first = fine_tune(folder, load_corpus(text), Training())
    shutil.copytree(folder, tmp_path / "copy")
    assert fine_tune(tmp_path / "copy", load_corpus(text), Training()) == first
    edit(folder)
    assert fine_tune(folder, load_corpus(text), Training()).folder != first.folder


def over(embedding: Embedding, shape: Shape | None = None) -> AttentionNli:
    torch.manual_seed(0)
    network = Network(shape or Shape(dim=6, hidden=8, compare=8)).eval()
    return AttentionNli("small", network, StaticVectors(embedding, draw_extra_vectors(6, 0)))


def test_the_key_of_an_inference_holds_the_values_of_its_vectors() -> None:
    words, rng = ["man", "woman", "nurse"], np.random.default_rng(0)
    plain = Embedding(words, rng.normal(size=(3, 6)).astype(np.float32), Provenance("small", sha256="ab12"))
    one, other = (plain.with_matrix(plain.matrix * factor, "projected out: gender") for factor in (2, 3))
    again = plain.with_matrix(plain.matrix * 2, "called otherwise")
    assert len({over(plain).identity, over(one).identity, over(other).identity}) == 3
    assert over(one).identity == over(again).identity
    turned = Shape(dim=6, hidden=8, compare=8, labels=("contradiction", "neutral", "entailment"))
    assert over(plain, turned).identity != over(plain).identity
    model = over(plain)
    before = model.identity
    with torch.no_grad():
        next(model.network.parameters()).mul_(2)
    assert model.identity != before


def test_a_head_for_classes_is_hashed_with_its_configuration(tmp_path: Path) -> None:
    folder, (network, tokenizer) = tmp_path / "nli", llama()
    hf.LlamaForSequenceClassification(network.config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    before = load_with_head(hf.AutoModelForSequenceClassification, folder).identity
    assert load_with_head(hf.AutoModelForSequenceClassification, folder).identity == before
    rope_theta(folder)
    assert load_with_head(hf.AutoModelForSequenceClassification, folder).identity != before


def test_a_tokenizer_edited_next_to_a_gguf_is_another_model(tmp_path: Path) -> None:
    """The library reads its settings with the file."""
    network, tokenizer = llama()
    path = gguf_of(network.model, tokenizer, tmp_path / "tiny.gguf")
    before = load_model(path)
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "GPT2Tokenizer"}')
    assert load_model(path).identity != before.identity


def test_a_checkpoint_with_another_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalog pins the weights of a pickled checkpoint, and not what lies beside them."""
    from wordworth.encode import conversion

    network, tokenizer = llama()
    network.config.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    torch.save(network.state_dict(), tmp_path / conversion.CHECKPOINT_FILE)
    pin = PinnedFile(conversion.CHECKPOINT_FILE, sha256_of(tmp_path / conversion.CHECKPOINT_FILE), 1)
    declared = SimpleNamespace(details={"format": conversion.FORMAT}, sources=[SimpleNamespace(content=[pin])])
    monkeypatch.setattr(conversion, "entries", lambda kind: [declared])
    before = load_model(tmp_path).identity
    assert load_model(tmp_path).identity == before
    rope_theta(tmp_path)
    assert load_model(tmp_path).identity != before


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A model in two files, of which the index names one in a folder beside it."""
    folder = llama_folder(tmp_path / "model", shard="20KB")
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    moved = sorted(set(index["weight_map"].values()))[0]
    (tmp_path / "elsewhere").mkdir()
    shutil.move(folder / moved, tmp_path / "elsewhere" / moved)
    return folder


def name_in_index(folder: Path, prefix: str) -> Path:
    """Names the file that is not in the folder by another path."""
    index = folder / "model.safetensors.index.json"
    table = json.loads(index.read_text())
    lost = next(name for name in table["weight_map"].values() if not (folder / name).exists())
    table["weight_map"] = {
        key: f"{prefix}{name}" if name == lost else name for key, name in table["weight_map"].items()
    }
    index.write_text(json.dumps(table))
    return Path(lost)


@pytest.mark.parametrize("absolute", [False, True])
def test_weights_outside_the_folder_are_refused(outside: Path, absolute: bool) -> None:
    name_in_index(outside, f"{outside.parent}/elsewhere/" if absolute else "../elsewhere/")
    with pytest.raises(WordworthError, match="outside its folder"):
        load_model(outside)


@pytest.mark.parametrize("index", ["{", "[]", "{}", '{"weight_map": 3}', '{"weight_map": {"a": 5}}'])
def test_an_index_that_names_no_files_is_one_sentence(outside: Path, index: str) -> None:
    (outside / "model.safetensors.index.json").write_text(index)
    with pytest.raises(WordworthError, match="fetch the model again"):
        load_model(outside)


def test_weights_in_a_subfolder_are_part_of_the_model(outside: Path) -> None:
    shutil.move(outside.parent / "elsewhere", outside / "sub")
    file = outside / "sub" / name_in_index(outside, "sub/")
    before = load_model(outside).identity
    assert before == load_model(llama_folder(outside.parent / "whole")).identity
    tensors = load_file(file)
    save_file({name: 2 * tensor for name, tensor in tensors.items()}, file, metadata={"format": "pt"})
    assert load_model(outside).identity != before
