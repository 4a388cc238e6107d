"""Models from folders and GGUF files; what is refused."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from made_models import gguf_of
from wordworth.contexts import in_template
from wordworth.encode import LanguageModel, conversion, encode, load_model
from wordworth.encode.loading import find_device
from wordworth.engine.batching import budget_for, free_memory
from wordworth.errors import WordworthError
from wordworth.files import cache_dir, sha256_of

Tiny = Callable[[str], LanguageModel]


@pytest.fixture
def folder(tiny_model: Tiny, tmp_path: Path) -> Callable[[str], Path]:
    def save_model(kind: str) -> Path:
        model = tiny_model(kind)
        model.network.save_pretrained(tmp_path / kind)
        model.tokenizer.save_pretrained(tmp_path / kind)
        return tmp_path / kind

    return save_model


@pytest.mark.parametrize("kind", ["gpt2", "bert", "t5", "albert"])
def test_from_a_folder(tiny_model: Tiny, folder: Callable[[str], Path], kind: str) -> None:
    built, loaded = tiny_model(kind), load_model(folder(kind), device="cpu")
    assert (loaded.name, loaded.family, loaded.layers, loaded.dim) == (kind, built.family, built.layers, built.dim)
    assert (loaded.left_only, loaded.reuses_kv_cache) == (built.left_only, built.reuses_kv_cache)
    contexts = [in_template("This is WORD", word) for word in ("love", "unhappiness")]
    expected = encode(built, contexts).vectors["last"]
    np.testing.assert_allclose(encode(loaded, contexts).vectors["last"], expected, rtol=1e-5, atol=1e-5)


def test_family_and_limit(tiny_model: Tiny) -> None:
    families = [tiny_model(kind).family for kind in ("gpt2", "xlnet", "bert", "t5")]
    assert families == ["causal", "causal", "masked", "encoder-decoder"]
    assert not tiny_model("xlnet").left_only, "without a permutation XLNet sees both sides"
    # RoBERTa has 64 positions and counts them from 2 on; the tokenizer's own limit here is 60.
    roberta = tiny_model("roberta")
    roberta.tokenizer.model_max_length = 1000
    try:
        from wordworth.encode.model import max_length_of

        assert max_length_of(roberta.network, roberta.tokenizer) == 62
    finally:
        roberta.tokenizer.model_max_length = 60


def test_missing_weights_are_not_made_up(folder: Callable[[str], Path]) -> None:
    path = folder("gpt2")
    tensors = load_file(path / "model.safetensors")
    del tensors["h.1.attn.c_attn.weight"]
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(WordworthError, match=r"lacks the weights h\.1\.attn\.c_attn\.weight \(1 in all\)"):
        load_model(path)


def test_pickles_are_refused(folder: Callable[[str], Path]) -> None:
    path = folder("gpt2")
    torch.save(load_file(path / "model.safetensors"), path / "pytorch_model.bin")
    (path / "model.safetensors").unlink()
    with pytest.raises(WordworthError, match="holds neither safetensors nor GGUF weights; pickled weights are not"):
        load_model(path)


COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def on_hub(folder: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The hub's cache with `someone/tiny`, as huggingface_hub lays it out: links to files called by their sha256."""
    home = tmp_path / "hub" / "models--someone--tiny"
    snapshot = home / "snapshots" / COMMIT
    for made in (snapshot, home / "blobs", home / "refs"):
        made.mkdir(parents=True)
    (home / "refs" / "main").write_text(COMMIT)
    for file in folder("gpt2").iterdir():
        blob = home / "blobs" / sha256_of(file)
        shutil.copyfile(file, blob)
        (snapshot / file.name).symlink_to(blob)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return snapshot


def test_from_the_hub_by_name_with_its_revision(on_hub: Path, tiny_model: Tiny) -> None:
    contexts = [in_template("This is WORD", word) for word in ("love", "unhappiness")]
    expected = encode(tiny_model("gpt2"), contexts).vectors["last"]
    for name in ("someone/tiny", "someone/tiny@main", f"someone/tiny@{COMMIT}", on_hub):
        loaded = load_model(name, device="cpu")
        assert loaded.source == (str(on_hub) if name is on_hub else f"someone/tiny@{COMMIT}")
        np.testing.assert_allclose(encode(loaded, contexts).vectors["last"], expected, rtol=1e-5, atol=1e-5)
    with pytest.raises(WordworthError, match="someone/tiny@other is not in the catalog, and fetching"):
        load_model("someone/tiny@other")


def test_damaged_weights_of_the_hub_are_refused(on_hub: Path) -> None:
    weights = (on_hub / "model.safetensors").resolve()
    content = bytearray(weights.read_bytes())
    content[-3] ^= 1
    weights.write_bytes(content)
    with pytest.raises(WordworthError, match=r"the weights of someone/tiny@\w+ are damaged in the hub's cache; rem"):
        load_model("someone/tiny")


@pytest.mark.parametrize("bos", [False, True])
def test_from_gguf(tiny_model: Tiny, tmp_path: Path, bos: bool) -> None:
    """The same vectors as the model it was written from, and BOS exactly when the file says so."""
    built = tiny_model("llama-bpe")
    path = gguf_of(built.network, built.tokenizer, tmp_path / "tiny.gguf", bos=bos)
    loaded = load_model(path)
    ids = loaded.tokenizer("This is love").input_ids
    assert (ids[0] == 0) == bos
    assert ids[bos:] == built.tokenizer("This is love").input_ids
    contexts = [in_template("This is WORD", word) for word in ("love", "unhappiness", "café")]
    before = "<s>" if bos else ""
    expected = encode(built, [in_template(f"{before}This is WORD", context.word) for context in contexts])
    found = encode(loaded, contexts)
    assert found.subwords.tolist() == expected.subwords.tolist()
    np.testing.assert_allclose(found.vectors["last"], expected.vectors["last"], rtol=1e-4, atol=1e-4)


def test_gguf_is_converted_once(tiny_model: Tiny, tmp_path: Path) -> None:
    model = tiny_model("llama-bpe")
    path = gguf_of(model.network, model.tokenizer, tmp_path / "tiny.gguf", bos=False)
    load_model(path)
    (made,) = (cache_dir() / "conversions").glob("[!.]*")
    written = (made / "model.safetensors").stat().st_mtime_ns
    load_model(tmp_path)
    assert (made / "model.safetensors").stat().st_mtime_ns == written
    shutil.copy(path, tmp_path / "other.gguf")
    with pytest.raises(WordworthError, match="holds 2 GGUF files; give the path of one of them"):
        load_model(tmp_path)


@pytest.mark.parametrize("kept", ["float32", "bfloat16", "float16"])
def test_auto_is_the_checkpoints_own_precision(
    tiny_model: Tiny, folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    """On an accelerator; float32 on a CPU."""
    path = folder("gpt2")
    tensors = load_file(path / "model.safetensors")
    held = {name: tensor.to(getattr(torch, kept)) for name, tensor in tensors.items()}
    save_file(held, path / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((path / "config.json").read_text())
    assert load_model(path, device="cpu", dtype="auto").dtype == "float32"
    monkeypatch.setattr("wordworth.encode.loading.SLOW_IN_HALF", ())
    for facts in ({}, {"dtype": kept}):
        (path / "config.json").write_text(json.dumps({**config, "dtype": None} | facts))
        assert load_model(path, device="cpu", dtype="auto").dtype == kept
    assert load_model(path, device="cpu", dtype="float32").dtype == "float32"


def test_a_precision_that_is_not_run(folder: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder("gpt2")
    tensors = {name: tensor.double() for name, tensor in load_file(path / "model.safetensors").items()}
    save_file(tensors, path / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((path / "config.json").read_text()) | {"dtype": "float64"}
    (path / "config.json").write_text(json.dumps(config))
    monkeypatch.setattr("wordworth.encode.loading.SLOW_IN_HALF", ())
    with pytest.raises(WordworthError, match=r"is kept in float64, which is not run; choose --precision float32"):
        load_model(path, device="cpu", dtype="auto")
    with pytest.raises(WordworthError, match=r"there is no precision 'int8'; choose from float32, bfloat16, fl"):
        load_model(path, device="cpu", dtype="int8")


def test_a_checkpoint_is_converted(tmp_path: Path) -> None:
    """Tensors are written as they are; one that is tied is a copy, one that is turned is put straight."""
    numbers = [torch.randn(20, 12) for _ in range(10)]
    tensors = {f"layer.{at}": number for at, number in enumerate(numbers)}
    tensors |= {"tied": numbers[0], "turned": torch.arange(6.0).reshape(2, 3).T}
    torch.save(tensors, tmp_path / "pytorch_model.bin")
    into = tmp_path / "model.safetensors"
    conversion._write_tensors(tmp_path / "pytorch_model.bin", into)
    made = load_file(into)
    assert made.keys() == tensors.keys()
    assert all(torch.equal(made[name], tensor) for name, tensor in tensors.items())
    torch.save(tensors, tmp_path / "old.bin", _use_new_zipfile_serialization=False)
    conversion._write_tensors(tmp_path / "old.bin", into)
    assert torch.equal(load_file(into)["tied"], numbers[0])


def test_an_accelerator_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a fake: here is neither an Apple GPU nor one of CUDA."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    apple = find_device("auto")
    assert apple == torch.device("mps")
    assert 0 < free_memory(apple) < 1 << 50  # the machine's
    assert budget_for(apple) == budget_for(torch.device("cpu"))
    assert find_device("cpu") == torch.device("cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    assert find_device("auto") == torch.device("cuda:1")


def test_a_gguf_larger_than_memory(tiny_model: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot be converted there; what another machine converted is read from disk as any other."""
    model = tiny_model("llama-bpe")
    path = gguf_of(model.network, model.tokenizer, tmp_path / "model.gguf")
    monkeypatch.setattr("wordworth.encode.conversion.free_memory", lambda _: 10_000)
    with pytest.raises(WordworthError, match=r"model.gguf takes .* GB of memory to be converted, and 0.0 GB are free"):
        load_model(path, device="cpu")
    monkeypatch.undo()
    contexts = [in_template("This is WORD", word) for word in ("love", "unhappiness")]
    held, read = (encode(load_model(path, device=device), contexts).vectors["last"] for device in ("cpu", "disk"))
    np.testing.assert_array_equal(read, held)
