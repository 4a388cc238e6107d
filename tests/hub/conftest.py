"""A hub on loopback, a cache of its own, and the command, in this process or in one of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import wordworth
from commands import Answer
from hub.loopback import Hub, files_in
from made_models import llama_folder

Files = dict[str, bytes]


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """The hub that huggingface_hub asks in this process; the library reads its environment only when it is imported."""
    from huggingface_hub import close_session, constants

    monkeypatch.delenv("WORDWORTH_OFFLINE")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    with Hub() as server:
        monkeypatch.setattr(constants, "ENDPOINT", server.endpoint)
        template = f"{server.endpoint}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        close_session()
        yield server
    close_session()


@pytest.fixture
def child(tmp_path: Path) -> Callable[..., Answer]:
    """Runs `python -m wordworth …` in a process of its own, with the hub at an endpoint."""

    def run(endpoint: str, *arguments: object, **variables: str) -> Answer:
        keep = {
            name: value for name, value in os.environ.items() if name not in ("HF_HUB_OFFLINE", "WORDWORTH_OFFLINE")
        }
        own = {"HF_ENDPOINT": endpoint, "HF_HOME": str(tmp_path / "home"), "NO_PROXY": "127.0.0.1"}
        own["PYTHONPATH"] = str(Path(wordworth.__file__).parents[1])
        line = [sys.executable, "-m", "wordworth", *map(str, arguments)]
        done = subprocess.run(
            line, env=keep | own | variables, capture_output=True, text=True, cwd=tmp_path, timeout=1200, check=False
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A model as safetensors in one file."""
    return files_in(llama_folder(tmp_path_factory.mktemp("whole")))


@pytest.fixture(scope="session")
def other(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The same model with other weights."""
    return files_in(llama_folder(tmp_path_factory.mktemp("other"), seed=1))
