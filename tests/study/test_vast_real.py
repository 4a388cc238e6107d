"""VAST on the two embedded models, against a plain implementation that runs one word at a time."""

from pathlib import Path

import numpy as np
import pytest

from vast_runs import rows
from wordworth.catalog.models import locate_language_model
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.word_sets import polar_words
from wordworth.study import study

pytestmark = pytest.mark.index

vast = study("vast")

TEMPLATES = [
    (2.5, "It is very unpleasant to think of "),
    (4.0, "It is unpleasant to think of "),
    (6.0, "It is neither pleasant nor unpleasant to think of "),
    (7.5, "It is pleasant to think of "),
    (9.1, "It is very pleasant to think of "),
]


def plain_text(context: str, rating: float) -> str:
    """The paper's templates, written out again here."""
    if context == "bleached":
        return "This is "
    texts = [text for _, text in TEMPLATES]
    place = next(at for at, (end, _) in enumerate(TEMPLATES) if rating < end)
    return texts[place] if context == "aligned" else texts[len(texts) - 1 - place]


class Plain:
    """One text at a time through the library's own model; the word's tokens are those that its prefix does not have."""

    def __init__(self, name: str) -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer

        from wordworth.encode.conversion import convert_gguf

        place = Path(locate_language_model(name).place)
        folder = convert_gguf(place) if place.suffix == ".gguf" else place
        self.torch = torch
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.network = AutoModel.from_pretrained(folder).eval()
        self.causal = place.suffix == ".gguf"

    def vectors(self, prefix: str, word: str) -> np.ndarray:
        """(layers, dim): the last subword's states in a causal model, the mean of them in the other."""
        with self.torch.inference_mode():
            given = self.tokenizer(prefix + word, return_tensors="pt")
            states = self.torch.stack(self.network(**given, output_hidden_states=True).hidden_states)[:, 0]
        before = len(self.tokenizer(prefix.rstrip(), add_special_tokens=False)["input_ids"])
        whole = len(self.tokenizer(prefix + word, add_special_tokens=False)["input_ids"])
        first = before + (0 if self.causal else 1)  # [CLS]
        span = states[:, first : first + whole - before].double().numpy()
        return span[:, -1] if self.causal else span.mean(axis=1)


def plain_effect(w: np.ndarray, A: np.ndarray, B: np.ndarray) -> float:
    a = [w @ x / np.linalg.norm(w) / np.linalg.norm(x) for x in A]
    b = [w @ x / np.linalg.norm(w) / np.linalg.norm(x) for x in B]
    return float((np.mean(a) - np.mean(b)) / np.std([*a, *b], ddof=1))


@pytest.mark.parametrize("name", ["smollm2-135m", "minilm-l6"])
def test_equals_one_word_at_a_time(name: str, tmp_path: Path) -> None:
    bellezza = load_lexicon("bellezza")
    sample = [*range(0, len(bellezza), 20)]
    words = [bellezza.words[at] for at in sample]
    ratings = dict(zip(words, bellezza.valence[sample].tolist(), strict=True))
    own = tmp_path / "sample.csv"
    own.write_text("word,rating\n" + "".join(f"{word},{rating}\n" for word, rating in ratings.items()))
    contexts = ("bleached", "aligned", "misaligned")
    found = vast(
        [name],
        lexica=[own],
        experiments=["contextualization", "isolation"],
        contexts=contexts,
        corpus="none",
        scale=(1.0, 5.0),
        components=4,
        component_words="scored",
    )
    plain, polar = Plain(name), polar_words()
    nine = {word: (rating - 1) * 2 + 1 for word, rating in ratings.items()}
    for context in contexts:
        polar_context = "aligned" if context == "misaligned" else context
        sides = [
            np.stack([plain.vectors(plain_text(polar_context, nine.get(word, usual)), word) for word in side], axis=1)
            for side, usual in ((polar.pleasant, 8.0), (polar.unpleasant, 2.0))
        ]
        every = np.stack([plain.vectors(plain_text(context, nine[word]), word) for word in words], axis=1)
        items = rows(found, "rated_words", context=context)
        for layer in range(len(every)):
            expected = [plain_effect(w, sides[0][layer], sides[1][layer]) for w in every[layer]]
            ours = items.filter(experiment="contextualization", layer=layer)
            assert ours["word"].to_list() == words
            np.testing.assert_allclose(ours["value"], expected, atol=1e-3)
        top = len(every) - 1
        pooled = np.concatenate([every[top], sides[0][top], sides[1][top]])
        centred = pooled - pooled.mean(axis=0)
        _, _, directions = np.linalg.svd(centred, full_matrices=False)
        for k in (0, 3):
            left = centred - centred @ directions[:k].T @ directions[:k]
            n, m = len(words), len(words) + len(polar.pleasant)
            expected = [plain_effect(w, left[n:m], left[m:]) for w in left[:n]]
            ours = items.filter(experiment="isolation", layer=top, components=k)
            np.testing.assert_allclose(ours["value"], expected, atol=1e-3)


def test_the_contexts_agree_in_the_middle_and_part_at_the_top() -> None:
    """The paper's finding on SmolLM2: near layer 13 ρ ≈ .86 in every template, then bleached ≈ .62, aligned ≈ .78 and
    misaligned ≈ .25 at the top, where nullifying eight components brings them to ≈ .79, .82 and .43.

    Components of a sample; of all words .78, .83 and .46, as `truth/isolation.py` computes too."""
    contexts = ("bleached", "aligned", "misaligned")
    experiments = ["contextualization", "isolation"]
    asked = {"contexts": contexts, "corpus": "none", "component_words": "sample"}
    found = vast(["smollm2-135m"], lexica=["bellezza"], experiments=experiments, **asked)

    def rho(experiment: str, context: str, layer: int, components: int | None = None) -> float:
        place = {"experiment": experiment, "context": context, "layer": layer, "components": components}
        return float(rows(found, measure="valence", variant=None, **place)["value"].item())

    middle = [rho("contextualization", context, 13) for context in contexts]
    assert middle == pytest.approx([0.86, 0.87, 0.85], abs=0.01)
    top = [rho("contextualization", context, 30) for context in contexts]
    assert top == pytest.approx([0.62, 0.78, 0.25], abs=0.01)
    assert rho("isolation", "bleached", 30) == pytest.approx(top[0])
    isolated = [rho("isolation", context, 30, 8) for context in contexts]
    assert isolated == pytest.approx([0.786, 0.822, 0.427], abs=0.005)


def test_misaligned_dominance_keeps_its_poles_aligned(data: Path) -> None:
    """ANEW on MiniLM's top layer: ρ is .4313 by an independent computation; with misaligned poles it was .5185."""
    found = vast(["minilm-l6"], lexica=["anew"], experiments=["contextualization"], contexts=["misaligned"])
    top = rows(found, measure="dominance", layer=6)
    assert top["n"].item() == 979
    assert top["value"].item() == pytest.approx(0.4313, abs=1e-4)


def test_an_untrained_smollm2_reads_the_rating_in_the_template() -> None:
    """At the top, with random weights: ρ > .9 aligned and < −.9 misaligned, where the trained one has .78 and .25.

    Without the polar words in the lexicon, bleached falls from .624 to .574.
    """
    contexts = ("bleached", "aligned", "misaligned")
    found = vast(["smollm2-135m"], lexica=["bellezza"], experiments=["contextualization"], contexts=contexts)
    top = rows(found, experiment="control", layer=30)
    control = {(row["control"], row["context"], row["variant"]): row for row in top.iter_rows(named=True)}
    assert control["untrained", "aligned", None]["low"] > 0.9
    assert control["untrained", "misaligned", None]["high"] < -0.9
    assert control["untrained", "aligned", "above-control"]["high"] < 0
    assert control["untrained", "bleached", "above-control"]["low"] > 0.2
    assert control["poles-out", "bleached", None]["value"] == pytest.approx(0.574, abs=0.001)
