"""A paper's own models from a hub, under their own names: tiny random ones, so that no number comes out again."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import Answer, Command
from hub.loopback import Hub, files_in
from model_families import write_family
from wordworth.catalog.read.lexica import load_lexicon

Child = Callable[..., Answer]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """Two sentences per word of Bellezza, in a file that is called as the dumps of English Wikipedia are."""
    words = load_lexicon("bellezza").words
    lines = [f"{start} people saw the {word} in the street ." for word in words for start in ("Some", "Other")]
    path = tmp_path / "enwiki-20250101.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_vast_with_gpt2(hub: Hub, whole: dict[str, bytes], child: Child, text: Path, tmp_path: Path) -> None:
    commit = hub.add("gpt2", whole)
    options = ["--table", "1", "--model", "gpt2", "--quick", "--corpus", text, "--json", "-o", tmp_path / "out"]
    answer = child(hub.endpoint, "reproduce", "vast", *options)
    assert answer.code == 0, answer.err
    rows = json.loads(answer.out)["tables"]["table-1"]
    assert {row["measured"] for row in rows} == {"gpt2"}
    said = {(row["context"], row["name"], row["reason"]) for row in rows}
    random = ("random", "not measured", "contexts of enwiki-20250101.txt, not Pushshift's Reddit")
    small = "the samples are smaller than the paper's"
    assert said == {random, *((context, "undecided", small) for context in ("bleached", "aligned", "misaligned"))}
    manifest = json.loads((tmp_path / "out" / "vast-table-1" / "run.json").read_text(encoding="utf-8"))
    assert [model["source"] for model in manifest["models"]] == [f"gpt2@{commit}"]


def test_contextual_to_static_with_bert(hub: Hub, command: Command, text: Path, tmp_path: Path) -> None:
    """Its texts count as the paper's by their name, and three seeds as draws of them."""
    write_family("bert", tmp_path / "bert")
    hub.add("bert-base-uncased", files_in(tmp_path / "bert" / "words"))
    options = ["--table", "3", "--model", "bert-base-uncased", "--corpus", text, "--repeats", 3, "--json"]
    answer = command("reproduce", "contextual2static", *options, "-o", tmp_path / "out")
    assert answer.code == 0, answer.err
    rows = [row for row in json.loads(answer.out)["tables"]["table-3"] if row["measured"]]
    assert len(rows) == 11
    assert {row["model"] for row in rows} == {"bert-base-uncased"}
    assert {len(row["values"]) for row in rows} == {3}
    assert {row["name"] for row in rows} <= {"not reproduced", "undecided"}
    assert "not reproduced" in {row["name"] for row in rows}
