"""A name of the catalog is the same model whichever loader is given it, and the hub is not asked for it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wordworth.catalog.fetch.sources import LocalData
from wordworth.encode import load_model, load_named
from wordworth.encode.heads import load_with_head
from wordworth.nli.cross_encoder import untrained_cross_encoder
from wordworth.whole_words import load_word_model

NAME = "albert-kor"


@pytest.fixture
def known(tmp_path: Path, word_model_folder: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny masked model that the catalog gives for a name of its own."""
    folder = word_model_folder(tmp_path / "tiny", "masked")
    monkeypatch.setattr("wordworth.catalog.fetch.sources.locate", lambda name, sources: LocalData(folder, sources[0]))

    def asked(*_: Any) -> None:
        raise AssertionError("the hub was asked")

    monkeypatch.setattr("wordworth.catalog.fetch.hub.fetch_from_hub", asked)
    return folder


def _with_head(named: str) -> Any:
    from transformers import AutoModelForMaskedLM

    return load_with_head(AutoModelForMaskedLM, named)


LOADERS: dict[str, Callable[[str], Any]] = {
    "encode.load_model": load_model,
    "encode.load_named": load_named,
    "encode.heads": _with_head,
    "predict.load_word_model": load_word_model,
    "infer.untrained_cross_encoder": untrained_cross_encoder,
}


@pytest.mark.parametrize("loader", LOADERS)
def test_every_loader_of_language_models(known: Path, loader: str) -> None:
    assert LOADERS[loader](NAME).name == NAME
    assert LOADERS[loader](f"mine={NAME}").name == "mine"
    assert LOADERS[loader](str(known)).name == "tiny"
