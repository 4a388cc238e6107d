"""What a model is, as its entry or its files tell it."""

import json
from pathlib import Path
from typing import Any

import pytest
from gguf import GGUFWriter

from wordworth.catalog.models import kind_of
from wordworth.errors import WordworthError


def folder(path: Path, config: Any) -> Path:
    path.mkdir(exist_ok=True)
    (path / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    return path


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("glove-6b-50d", "static"),
        ("mine=word2vec-news-26k", "static"),
        ("smollm2-135m", "causal"),
        ("minilm-l6", "encoder"),
        ("albert-kor", "masked"),
        ("nli-glove", "nli"),
        ("https://host/vectors.vec", "static"),
        ("hf://owner/name/vectors.txt", "static"),
    ],
)
def test_names(name: str, kind: str) -> None:
    assert kind_of(name) == kind


NLI = {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "ENTAILMENT", "1": "neutral"}}


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"architectures": ["LlamaForCausalLM"]}, "causal"),
        ({"architectures": ["GPT2LMHeadModel"]}, "causal"),
        ({"architectures": ["BertForMaskedLM"]}, "masked"),
        ({"architectures": ["BertForPreTraining"]}, "masked"),
        ({"architectures": ["BertModel"]}, "encoder"),
        ({"architectures": ["T5ForConditionalGeneration"]}, "encoder"),
        (NLI, "nli"),
        ({"kind": "decomposable-attention"}, "nli"),
    ],
)
def test_folders(tmp_path: Path, config: Any, kind: str) -> None:
    assert kind_of(folder(tmp_path / "model", config)) == kind
    assert kind_of(f"label={tmp_path / 'model'}") == kind


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({}, "names no architecture; give its kind with --model-kind"),
        ("{", "cannot be read as JSON"),
        ({"architectures": ["ViTForImageClassification"]}, "is a ViTForImageClassification, which no study supports"),
        (NLI | {"id2label": {"0": "spam", "1": "ham"}}, "classifies ham, spam, not entailment"),
    ],
)
def test_unknown_kinds_are_errors(tmp_path: Path, config: Any, reason: str) -> None:
    with pytest.raises(WordworthError, match=reason):
        kind_of(folder(tmp_path / "model", config))


@pytest.mark.parametrize(("architecture", "kind"), [("llama", "causal"), ("nomic-bert", "encoder")])
def test_gguf(tmp_path: Path, architecture: str, kind: str) -> None:
    path = tmp_path / "model.gguf"
    writer = GGUFWriter(path, architecture)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    assert kind_of(path) == kind


def test_kinds_of_files(tmp_path: Path) -> None:
    (tmp_path / "v.vec").write_text("1 2\na 1 2\n")
    assert kind_of(tmp_path / "v.vec") == "static"
    (tmp_path / "decades").mkdir()
    with pytest.raises(WordworthError, match=r"neither a config\.json, nor GGUF weights, nor \.npy"):
        kind_of(tmp_path / "decades")
    (tmp_path / "decades" / "1990-w.npy").touch()
    assert kind_of(tmp_path / "decades") == "static"
    (tmp_path / "bad.gguf").write_bytes(b"nothing")
    with pytest.raises(WordworthError, match="is not a GGUF file"):
        kind_of(tmp_path / "bad.gguf")
    with pytest.raises(WordworthError, match="there is no model at"):
        kind_of(tmp_path / "none")
    with pytest.raises(WordworthError, match=r"not a path or a catalog name, .*the hub cannot be reached"):
        kind_of("nobody/nothing")
