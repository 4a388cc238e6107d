"""Tiny random models of several architectures over a tokenizer of whole words, saved in folders."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from repair_models import networks, tokenizer


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model, made once."""
    made: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in made:
            fast = tokenizer()
            torch.manual_seed(0)
            network = networks(len(fast))[name]()
            with torch.no_grad():  # gains and biases that are not one and zero, as after training
                for weight in network.parameters():
                    weight += 0.1 * torch.randn_like(weight)
            made[name] = tmp_path_factory.mktemp("models") / name.replace(" ", "-")
            network.save_pretrained(made[name])
            fast.save_pretrained(made[name])
        return made[name]

    return folder
