"""Whether a run is the one that is asked for: by its settings, its version, and the content of the user's models."""

import os
from pathlib import Path

import pytest

from wordworth.catalog.models import fingerprint
from wordworth.results import About, Findings, reading, why_not_the_same
from wordworth.results.manifest import surroundings


def saved(folder: Path, named: list[str], settings: dict[str, object]) -> None:
    about = About(models=tuple(named), settings=settings, fingerprints=taken(named))
    Findings("valnorm", about=about).save(folder)


def taken(named: list[str]) -> dict[str, str]:
    return {name: fingerprint(name) for name in named}


def why_not(folder: Path, named: list[str], settings: dict[str, object]) -> str | None:
    return why_not_the_same(folder, named, settings, taken(named))


def test_the_same_models_and_settings(tmp_path: Path) -> None:
    saved(tmp_path / "run", ["glove-6b-50d"], {"seed": 0})
    assert why_not(tmp_path / "nothing", ["glove-6b-50d"], {"seed": 0}) == ""
    assert why_not(tmp_path / "run", ["glove-6b-50d"], {"seed": 0}) is None
    assert why_not(tmp_path / "run", ["glove-6b-50d"], {"seed": 1}) == "its seed was 0 and is now 1"
    assert "its models was" in str(why_not(tmp_path / "run", ["smollm2-135m"], {"seed": 0}))


@pytest.mark.parametrize("package", ["wordworth", "torch"])
def test_another_version_of_a_package_makes_another_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    saved(tmp_path / "run", ["glove-6b-50d"], {})
    versions, hardware = surroundings()
    monkeypatch.setattr(reading, "surroundings", lambda: ({**versions, package: "99"}, hardware))
    assert f"made with {package} {versions[package]}" in str(why_not(tmp_path / "run", ["glove-6b-50d"], {}))


def test_a_model_replaced_by_an_older_file_is_another_model(tmp_path: Path) -> None:
    model = tmp_path / "a=b" / "my.vec"
    model.parent.mkdir()
    model.write_text("tea 1 2\n")
    for number, named in enumerate((str(model), f"mine={model}")):
        folder = tmp_path / f"run{number}"
        saved(folder, [named], {})
        assert why_not(folder, [named], {}) is None
        before = model.read_text()
        model.write_text("tea 2 1\n")
        os.utime(model, (1, 1))  # as `cp -p` of an old file would leave it
        assert why_not(folder, [named], {}) == f"{named} has changed since"
        model.write_text(before)
