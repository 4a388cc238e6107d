"""Every name that a study is given is resolved once, and travels as what it stands for."""

from collections import Counter
from pathlib import Path

import pytest

from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.resolve import Origin, resolve
from wordworth.study import study
from wordworth.study.names import resolve_inputs

SETS = {"x": ["a", "b"], "y": ["c", "d"], "a": ["e", "f"], "b": ["g", "h"]}
TEST = '[test]\nname = "t"\n' + "".join(f"{name} = {{words = {words}}}\n" for name, words in SETS.items())


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Counter[tuple[str, str]]:
    """Count what is resolved."""
    seen: Counter[tuple[str, str]] = Counter()

    def watched(named: str | Path, kind: str = "models") -> Origin:
        seen[str(named), kind] += 1
        return resolve(named, kind)

    for place in ("wordworth.study.names.resolve", "wordworth.catalog.resolve.resolve"):
        monkeypatch.setattr(place, watched)
    monkeypatch.chdir(tmp_path)
    rows = [f"{word} {at} {at * at % 7} 1" for at, word in enumerate("abcdefgh", start=1)]
    Path("my.vec").write_text("\n".join(rows) + "\n")
    Path("t.toml").write_text(TEST)
    return seen


def test_a_model_and_a_test_are_resolved_once(resolved: Counter[tuple[str, str]]) -> None:
    run = study("weat")("mine=my.vec", tests=["t.toml"], resamples=5)
    assert resolved == {("mine=my.vec", "models"): 1, ("t.toml", "tests"): 1}
    assert (run.named, run.settings["tests"]) == (["mine=my.vec"], ["t.toml"])
    assert set(run.fingerprints) == {"mine=my.vec", "t.toml"}


def test_a_field_of_a_file_of_text(resolved: Counter[tuple[str, str]]) -> None:
    Path("x.jsonl").write_text('{"text": "tea is good .", "body": "coffee is nice ."}\n')
    inputs = resolve_inputs([], study("predict").settings(corpus="x.jsonl#body"))
    study("predict").check(inputs)
    assert list(load_corpus(inputs.settings.corpus)) == ["coffee is nice ."]
    assert inputs.settings.as_table()["corpus"] == "x.jsonl#body"
    assert "x.jsonl#body" in inputs.fingerprints()
