"""One pass of training: tiny models learn a repeated line; a killed run goes on to the very same weights."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from stopped_training import stop_after
from wordworth.catalog.read.corpora import load_corpus
from wordworth.errors import WordworthError
from wordworth.whole_words import finetune, load_word_model, predict_words
from wordworth.whole_words.finetune import Training, fine_tune

LINE = "the cat sat on a mat and the dog ran off with a hat"
FAST = Training(rate=1e-2, batch=4, length=32)


def corpus_of(folder: Path, text: str):
    path = folder / "text.txt"
    path.write_text(text, encoding="utf-8")
    return load_corpus(path)


@pytest.fixture
def text(tmp_path):
    return corpus_of(tmp_path, f"{LINE}\nshort line\n" * 100)


@pytest.mark.parametrize("family", ["causal", "masked"])
def test_a_model_learns_a_line(tmp_path, text, family, word_model_folder):
    folder = word_model_folder(tmp_path / family, family)
    before = predict_words(load_word_model(folder), [LINE])
    trained = fine_tune(folder, text, FAST)
    assert (trained.steps, trained.tokens) == (25, 1_300 if family == "causal" else 100)
    after = predict_words(load_word_model(trained.folder), [LINE])
    assert after["logp"].sum() > before["logp"].sum() + 5
    if family == "causal":
        assert after["hit1"].drop_nulls().mean() > 0.8


def test_the_first_loss_is_the_models_own(tmp_path, word_model_folder):
    """The mean −ln p of the first step, before anything is learnt, against the library's own loss."""
    folder = word_model_folder(tmp_path / "model", "causal")
    trained = fine_tune(folder, corpus_of(tmp_path, LINE), Training(rate=1e-9))
    network, tokenizer, _, _ = finetune.load_network(folder)
    ids = tokenizer(LINE, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        expected = float(network.eval()(input_ids=ids, labels=ids).loss)
    assert trained.loss == pytest.approx(expected, abs=0.15)  # dropout is on while training


def test_a_killed_run_goes_on_to_the_same_weights(tmp_path, text, monkeypatch, word_model_folder):
    """And what was trained once is not trained again."""
    folder = word_model_folder(tmp_path / "model", "causal")
    before = fine_tune(folder, text, FAST)
    monkeypatch.setenv("WORDWORTH_CACHE", str(tmp_path / "another"))
    monkeypatch.setattr(finetune, "SAVE_EVERY", 0.0)
    with stop_after(10):
        fine_tune(folder, text, FAST)
    again = fine_tune(folder, text, FAST)
    assert (again.steps, again.tokens, again.loss) == (25, before.tokens, before.loss)
    one, other = (load_file(trained.folder / "model.safetensors") for trained in (before, again))
    for name, tensor in one.items():
        torch.testing.assert_close(other[name], tensor, rtol=0, atol=0)
    assert not list(again.folder.parent.glob("checkpoint/*"))
    monkeypatch.setattr(finetune, "_train", None)
    assert fine_tune(folder, text, FAST) == again
    with pytest.raises(TypeError):
        fine_tune(folder, text, Training(rate=1e-2, batch=4, length=32, seed=1))


def test_nothing_to_train_on(tmp_path, word_model_folder):
    with pytest.raises(WordworthError, match="has no line of 3 words to train on"):
        fine_tune(word_model_folder(tmp_path / "model", "causal"), corpus_of(tmp_path, "two words\n"), FAST)
