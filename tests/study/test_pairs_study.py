"""The study `pairs` as users call it: lists, frames, two models compared, a check, a page, and the command."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import wordworth as ww
from encode.conftest import KINDS as ENCODERS
from whole_words.conftest import tiny_words
from wordworth.pages.figures import figures_of
from wordworth.results.runs import read_runs

WORDS = ["river", "gardens", "friends", "love", "knife", "storm", "cities", "murder"]
PAIRS = [(f"the old {one} and the {other}", f"the old {other} and the {one}") for one in WORDS for other in WORDS[:3]]
PAIRS = [pair for pair in PAIRS if len(set(pair)) == 2]
SMALL: dict[str, Any] = {"resamples": 20}


def network_of(kind: str) -> tuple[Any, Any]:
    _, plain = tiny_words(kind)
    tokenizer = ENCODERS[kind][0]()
    if kind == "bert":
        tokenizer.add_special_tokens({"mask_token": "<mask>"})
    tokenizer.bos_token = "<s>" if kind != "bert" else None
    return plain.network, tokenizer


def test_a_list_of_pairs_and_a_frame_with_types() -> None:
    run = ww.pairs(network_of("llama-bpe"), PAIRS, name="tiny", **SMALL)
    whole = run.scores.filter(measure="stereotype-share").row(0, named=True)
    items = run.items["stereotype_pairs"].collect()
    assert whole["dataset"] == f"own list of {len(PAIRS)} sentence pairs"
    assert whole["value"] == items["is_stereotype"].mean()
    assert any("begins after <s>" in notice.reason for notice in run.notices)
    rows = [(*pair, "a" if at % 2 else "b") for at, pair in enumerate(PAIRS)]
    frame = pl.DataFrame(rows, schema=["stereotype", "antistereotype", "type"], orient="row")
    typed = ww.pairs(network_of("llama-bpe"), frame, name="tiny", **SMALL)
    shares = typed.scores.filter(measure="stereotype-share")
    assert shares["subset"].to_list() == [None, "b", "a"]
    assert shares["value"][0] == whole["value"]


def test_two_models_are_compared_as_a_whole_and_by_type_and_checked() -> None:
    rows = [(*pair, "a" if at % 2 else "b") for at, pair in enumerate(PAIRS)]
    frame = pl.DataFrame(rows, schema=["stereotype", "antistereotype", "type"], orient="row")
    runs = [ww.pairs(network_of(kind), frame, name=kind, **SMALL) for kind in ("llama-bpe", "bert")]
    compared = {(one.columns["measure"], one.columns["subset"]): one for one in ww.compare(*runs).differences}
    shares = runs[0].scores.filter(measure="stereotype-share")
    assert set(compared) == {("log-odds", None), *(("stereotype-share", part) for part in (None, "a", "b"))}
    for row in shares.iter_rows(named=True):
        tested = compared["stereotype-share", row["subset"]].test
        assert (tested.first, tested.n) == (pytest.approx(row["value"]), row["n"])
    rule = {"measure": "stereotype-share", "limit": "value < 1.1", "subset": ""}
    assert ww.check(runs[0], {"few stereotypes": rule}).verdict == "pass"
    figures = figures_of(read_runs(runs).scores)["Stereotypes"]
    assert [figure.id for figure in figures] == ["pairs"]


def test_the_command_takes_a_file_and_draws_a_sample(command: Any, tmp_path: Path, word_model_folder: Any) -> None:
    file, folder = tmp_path / "mine.csv", word_model_folder(tmp_path / "tiny", "masked")
    lines = ["the cat sat on a mat,the dog sat on a mat", "the dog ran off,the cat ran off", "a cat sat,a dog sat"]
    file.write_text("\n".join(["stereotype,antistereotype", *lines]), encoding="utf-8")
    options = ("--set", file, "--sample", 2, "--scored-words", "unmodified", "--pll", "original", "--resamples", 10)
    answer = command("run", "pairs", folder, *options, "-o", tmp_path / "run")
    assert answer.code == 0, answer
    run = ww.read(tmp_path / "run")
    assert run.scores.filter(measure="stereotype-share")["n"].to_list() == [2]
    assert "Only words that both sentences have" in run.method
    assert [notice.kind for notice in run.notices] == ["reduced"]


def test_a_model_without_a_token_to_begin_with_is_refused(tmp_path: Path, word_model_folder: Any) -> None:
    with pytest.raises(ww.WordworthError, match="neither a BOS nor an end-of-text"):
        ww.pairs(word_model_folder(tmp_path / "tiny"), [("the cat sat", "the dog sat")])


def test_a_text_follows_the_token_between_documents_not_the_bos_of_a_chat_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wordworth.study.pairs.study.END_OF_TEXT", "</s>")
    run = ww.pairs(network_of("llama-bpe"), PAIRS[:3], name="tiny", **SMALL)
    assert any("begins after </s>" in notice.reason for notice in run.notices)


def test_other_objects_are_one_sentence() -> None:
    with pytest.raises(ww.WordworthError, match="list of \\(stereotype, antistereotype\\)"):
        ww.pairs("smollm2-135m", [{"one": 1}])
