"""What cannot be run in a language: one sentence each, exit code 2, and nothing written."""

from pathlib import Path

import pytest

from commands import Command


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["vast", "minilm-l6", "--language", "finnish"],
            "there are no templates 'vast-finnish'; write texts in finnish in a TOML file, and give it",
        ),
        (
            ["valnorm", "{vectors}", "--language", "chinese", "--lexicon", "{latin}", "--experiment", "valence"],
            "3 of 3 words, such as 'tea', are not written in the script of chinese; give the words' own language",
        ),
        (
            ["valnorm", "{vectors}", "--language", "finnish", "--experiment", "valence"],
            "there are no polar words for 'finnish'",
        ),
        (
            ["valnorm", "{spacy}", "--experiment", "valence"],
            "key2row is no map from words to rows (it does not begin as a map does); fetch or copy the file again",
        ),
    ],
)
def test_one_sentence(command: Command, tmp_path: Path, arguments: list[str], says: str) -> None:
    latin, vectors, model = tmp_path / "latin.csv", tmp_path / "vectors.txt", tmp_path / "model"
    latin.write_text("word,valence\ntea,5\nwar,1\nsun,8\n", encoding="utf-8")
    vectors.write_text("tea 1 2\nwar 3 4\nsun 5 7\n", encoding="utf-8")
    model.mkdir()
    with (model / "vectors").open("wb") as stream:
        import numpy as np

        np.save(stream, np.ones((2, 3), dtype=np.float32))
    (model / "key2row").write_bytes(b"[]")
    (model / "strings.json").write_text("[]", encoding="utf-8")
    places = {"latin": latin, "vectors": vectors, "spacy": model}
    answer = command("run", *(one.format(**places) for one in arguments), "-o", str(tmp_path / "run"))
    assert (answer.code, answer.out) == (2, "")
    assert says in " ".join(answer.err.split())
    assert not (tmp_path / "run").exists()
