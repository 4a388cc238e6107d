"""Nothing in the working folder is imported by a process that Wordworth starts (for Ray, see tests/engine)."""

from pathlib import Path

import pytest

from wordworth.catalog.fetch.archives import pip_settings

NAMES = ("pip", "json", "pickle", "ast", "runpy", "multiprocessing", "numpy", "sitecustomize", "usercustomize")
"""Modules that the children import, and two that Python looks for when it starts."""


@pytest.fixture
def marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder whose modules write their names into the file that is returned."""
    folder, marker = tmp_path / "cloned", tmp_path / "imported.txt"
    folder.mkdir()
    for name in NAMES:
        text = f"with open({str(marker)!r}, 'a') as file:\n    file.write({name!r} + ' ')\nraise SystemExit(9)\n"
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    return marker


def test_asking_pip_imports_nothing_from_it(marker: Path) -> None:
    pip_settings.cache_clear()
    assert isinstance(pip_settings(), dict)
    assert not marker.exists()
