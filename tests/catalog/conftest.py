"""Settings of pip that a test makes."""

import os
from collections.abc import Iterator

import pytest

from wordworth.catalog.fetch import archives


def _environment_settings() -> dict[str, str]:
    """Return what `pip config list` prints where only the environment has settings; asking pip takes a second."""
    return {
        f":env:.{name[4:].lower().replace('_', '-')}": os.environ[name] for name in os.environ if name[:4] == "PIP_"
    }


@pytest.fixture
def own_index(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Let a test name its index by PIP_ variables, without the user's settings."""
    for key in [key for key in os.environ if key.startswith("PIP_")]:
        monkeypatch.delenv(key)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("WORDWORTH_OFFLINE", raising=False)
    monkeypatch.setattr(archives, "_pip_config", _environment_settings)
    _forget()
    yield monkeypatch
    _forget()


def _forget() -> None:
    archives.client.cache_clear()
    archives.pip_settings.cache_clear()
