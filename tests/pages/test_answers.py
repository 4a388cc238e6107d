"""The sentences at the top say what the scores say, and only that."""

from collections.abc import Mapping

import pytest

from made_runs import Record, debiased, finish, random_predict, record
from wordworth.pages.answers import answers
from wordworth.pages.runs import read_runs
from wordworth.results.run import Run

MEANING, CONTEXT, TOP = "Does it know what words mean?", "How much does valence depend", "Does nullifying"
INFERS, CHANGES = "What does it infer that does not follow?", "What does debiasing change?"


def sentences(run: Run, question: str) -> list[str]:
    """Return the answers to a question that begins like this, each with its lead and its model."""
    every = (some for one, some in answers(read_runs([run])).items() if one.startswith(question))
    return [f"{one.lead}|{one.model}|{one.text}" for some in every for one in some]


def test_vectors_are_compared_with_published_embeddings() -> None:
    run = record("valnorm", {"m": {"words": 5}})
    place = {"model": "m", "language": "english"}
    valence = {**place, "experiment": "valence", "measure": "valence"}
    run.score(**valence, dataset="anew", value=0.69, low=0.65, high=0.72, n=1029)
    run.score(**valence, dataset="bellezza", value=0.797, low=0.76, high=0.83, n=399)
    control = {**valence, "experiment": "control", "dataset": "bellezza", "control": "shuffled", "n": 399}
    run.score(**control, value=-0.001)
    run.score(**control, variant="above-control", value=0.798, p=0.001)
    pairs = {**place, "experiment": "similarity", "measure": "similarity", "dataset": "ws-353"}
    run.score(**pairs, value=0.503, low=0.41, high=0.59, n=353)
    assert sentences(finish(run), MEANING) == [
        (
            "|m|agrees with people on the valence of words by ρ = .80 [.76, .83] on bellezza (399 words), just below "
            "the .82–.88 of seven English embeddings (Toney and Caliskan 2021); shuffled ratings give .00. It has .69 "
            "on anew."
        ),
        (
            "|m|agrees with people on how similar words are by ρ = .50 [.41, .59] on ws-353 (353 pairs), below the "
            ".61–.68 of word2vec and GloVe (Bommasani et al. 2020)."
        ),
    ]


@pytest.mark.parametrize(("p", "is_clear"), [(0.001, True), (0.3, False)])
def test_shuffled_ratings_are_called_less_only_by_their_test(p: float, is_clear: bool) -> None:
    run = record("valnorm", {"m": {"words": 5}})
    where = {"model": "m", "language": "english", "measure": "valence", "dataset": "mine", "n": 50}
    run.score(**where, experiment="valence", value=0.1)
    control = where | {"experiment": "control", "control": "shuffled"}
    run.score(**control, value=0.02)
    run.score(**control, variant="above-control", value=0.08, p=p)
    (sentence,) = sentences(finish(run), MEANING)
    assert sentence.endswith("; shuffled ratings give .02." if is_clear else "give .02, not significantly less.")


def test_a_lexicon_of_which_half_is_missing_is_not_the_papers() -> None:
    run = record("valnorm", {"m": {"words": 5}})
    place = {"experiment": "valence", "model": "m", "language": "english", "dataset": "bellezza"}
    run.score(**place, measure="valence", value=0.9, n=184, coverage=0.46)
    (sentence,) = sentences(finish(run), MEANING)
    assert sentence == "|m|agrees with people on the valence of words by ρ = .90† on bellezza (184 words)."


def layered(untrained: float, p: float) -> Run:
    """Layers 0 to 3, best in 2; in the top layer .20 raw and .60 with one component nullified."""
    run = record("vast", {"lm": {"family": "causal", "layers": 3}})
    place = {"model": "lm", "language": "english", "dataset": "bellezza", "measure": "valence"}
    for context, values in {"bleached": (0.5, 0.7, 0.88, 0.2), "misaligned": (0.5, 0.6, 0.86, 0.05)}.items():
        for layer, value in enumerate(values):
            where = {**place, "experiment": "contextualization", "context": context, "layer": layer}
            run.score(**where, value=value, low=value - 0.03, high=value + 0.02, n=399)
    best = {**place, "context": "bleached", "layer": 2}
    run.score(**best, experiment="contextualization", variant="held-out", value=0.87, n=199)
    control = {**best, "experiment": "control", "control": "untrained", "n": 399}
    run.score(**control, value=untrained)
    run.score(**control, variant="above-control", value=0.88 - untrained, p=p)
    for layer, values in {2: (0.88, 0.88, 0.89, 0.885), 3: (0.20, 0.5, 0.6, 0.4)}.items():
        for count, value in zip((None, 0, 1, 2), values, strict=True):
            slot = {"experiment": "isolation", "layer": layer, "components": count}
            run.score(**best | slot, value=value, n=399)
    return finish(run)


def test_the_best_layer_is_compared_with_a_control_and_a_paper() -> None:
    run = layered(0.2, 0.001)
    assert sentences(run, MEANING) == [
        (
            "|lm|reads valence best in layer 2 of 3: ρ = .88 [.85, .90] with people’s ratings of 399 words (bellezza, "
            "bleached), and .89 with 1 component nullified, within the .87–.89 of GPT-2 and GPT-Neo at best (Wolfe and "
            "Caliskan 2022); the same network untrained has .20. It has .87 on words that were not used to pick the "
            "layer."
        )
    ]
    assert sentences(run, CONTEXT) == [
        (
            "|lm|Of the layers that read valence best, layer 2 depends least on the context (ρ differs by .02 between "
            "contexts, bellezza). From layer 3 of 3 on, ρ differs by more than .10; by .15 in the top layer."
        )
    ]
    assert sentences(run, TOP) == [
        (
            "|lm|Yes: in the top layer ρ for valence is .20 as it is, and at best .60 with 1 component nullified "
            "(bellezza, bleached)."
        )
    ]
    (sentence,) = sentences(layered(0.87, 0.4), MEANING)
    assert "; the same network untrained has .87, not significantly less. It has" in sentence


@pytest.mark.parametrize(
    ("by_components", "verdict", "best"),
    [
        ({None: 0.768, 0: 0.7712, 1: 0.7}, "No", ".77 as it is, and at best .77 with the mean subtracted"),  # no rise
        ({None: 0.6, 0: 0.5, 2: 0.55}, "No", ".60 as it is, and at best .55 with 2 components nullified"),
        ({None: 0.6, 0: 0.7, 2: 0.55}, "Yes", ".60 as it is, and at best .70 with the mean subtracted"),
    ],
)
def test_nullifying_is_said_to_raise_valence_only_where_it_does(
    by_components: Mapping[int | None, float], verdict: str, best: str
) -> None:
    run = record("vast", {"lm": {"family": "causal", "layers": 3}})
    place = {"model": "lm", "language": "english", "dataset": "bellezza", "measure": "valence", "context": "bleached"}
    for count, value in by_components.items():
        run.score(**place, experiment="isolation", layer=3, components=count, value=value, n=399)
    (sentence,) = sentences(finish(run), TOP)
    assert sentence == f"|lm|{verdict}: in the top layer ρ for valence is {best} (bellezza, bleached)."


def by_context(language: str, *pairs: tuple[float, float]) -> str:
    """Return the sentence on contexts for ρ in two contexts, layer by layer from layer 1."""
    run = record("vast", {"lm": {"family": "causal", "layers": len(pairs)}})
    place = {"model": "lm", "language": language, "dataset": "words", "measure": "valence", "n": 300}
    for layer, values in enumerate(pairs, start=1):
        for name, value in zip(("bleached", "aligned"), values, strict=True):
            run.score(**place, experiment="contextualization", context=name, layer=layer, value=value)
    (sentence,) = sentences(finish(run), CONTEXT)
    return sentence


def test_what_depends_on_the_context_is_read_off_the_layers() -> None:
    """Contexts that agree again in the top layer are not said to agree everywhere, nor to take over."""
    again = by_context("portuguese", (0.5, 0.48), (0.7, 0.4), (0.72, 0.7))
    assert again.endswith("layer 3 depends least on the context (ρ differs by .02 between contexts, words). "
                          "ρ differs most in layer 2 of 3, by .30.")  # fmt: skip
    assert "From layer" not in again
    # Layer 1 depends even less on the context, but reads valence worse.
    assert "layer 2 depends least" in by_context("english", (0.3, 0.3), (0.7, 0.66), (0.6, 0.4))


def test_words_never_predicted() -> None:
    (sentence,) = sentences(random_predict("tiny"), "Which words does it never predict?")
    never = "never has 2 of the text’s 4 different words among its 10 best guesses."
    assert sentence == f"|tiny|{never} The most frequent: “axolotl” (3 times), “sat” (3 times)."


def nli(change: tuple[float, float, float] | None, after: float) -> Run:
    return finish(nli_scores(change, after))


def nli_scores(change: tuple[float, float, float] | None, after: float) -> Record:
    """Net neutral .31 before, `after` with projection, .31 − .002 with random directions."""
    run = record("infer", {"nli": {"family": "nli"}})
    where = {"experiment": "gender", "model": "nli", "dataset": "gender", "measure": "net-neutral", "n": 20_000}
    run.score(**where, version="original", value=0.312, low=0.257, high=0.365)
    for version, draw, value in (("projection", None, after), ("random", None, 0.310), ("random", 1, 0.31)):
        run.score(**where, version=version, draw=draw, value=value)
    run.score(**where, version="original", subset="occupation=nurse", value=0.1)
    if change:
        value, low, high = change
        run.score(**where, variant="change", version="projection", value=value, low=low, high=high)
        run.score(**where, variant="change", version="random", value=-0.002, low=-0.004, high=0.0003)
    return run


@pytest.mark.parametrize(
    ("change", "after", "verdict"),
    [
        ((-0.0817, -0.149, -0.002), 0.230, "makes it worse: .23 (−.08 [−.15, −.002]; random directions: −.002)"),
        ((0.093, 0.02, 0.15), 0.405, "makes it better: .41 (+.09 [+.02, +.15]; random directions: −.002)"),
        ((0.01, -0.02, 0.05), 0.322, "makes no clear difference: .32 (+.01 [−.02, +.05]; random directions: −.002)"),
        (None, 0.230, "gives .23 (−.08; random directions: −.002)"),  # untested, so neither better nor worse
    ],
)
def test_better_or_worse(change: tuple[float, float, float] | None, after: float, verdict: str) -> None:
    """Their Table 1: .387, .417 and .421; here the interval ends at .365."""
    assert sentences(nli(change, after), INFERS) == [
        (
            "|nli|gives neutral, the only right answer, a mean probability of .31 [.26, .36] on gender (20,000 pairs), "
            f"below the .39–.42 of GloVe, ELMo and BERT (Dev et al. 2020). Projection {verdict}."
        )
    ]


@pytest.mark.parametrize(("accuracy", "is_compared"), [(0.37, False), (0.81, True), (None, True)])
def test_a_network_at_chance_is_compared_with_no_paper(accuracy: float | None, is_compared: bool) -> None:
    run = nli_scores(None, 0.3)
    if accuracy:
        where = {"experiment": "accuracy", "model": "nli", "dataset": "snli-test", "measure": "accuracy", "n": 9824}
        run.score(**where, version="original", value=accuracy)
    (sentence,) = sentences(finish(run), INFERS)
    assert ("Dev et al. 2020" in sentence) == is_compared
    assert ("Its accuracy, .37, is near chance" in sentence) != is_compared


def changed(effects: Mapping[str, float], valences: Mapping[str, float]) -> Record:
    run = debiased("vectors", {"original": 1.5, "random": 1.4, **effects}, valences)
    where = {"experiment": "weat", "model": "vectors", "dataset": "weat6", "measure": "weat"}
    run.score(**where, version="random", draw=1, value=9.0)
    return run


@pytest.mark.parametrize(
    ("effect", "valence", "text"),
    [
        (0.5, 0.79, (".50 over 2 social association tests, from 1.50 (random directions leave 1.40). "
                    "It keeps meaning: bellezza .80 → .79.")),
        (1.9, 0.60, ("1.90 over 2 social association tests, from 1.50 (random directions leave 1.40). "
                    "It costs meaning: bellezza .80 → .60.")),
    ],
)  # fmt: skip
def test_what_debiasing_changes(effect: float, valence: float, text: str) -> None:
    run = finish(changed({"projection": effect}, {"original": 0.8, "projection": valence}))
    assert sentences(run, CHANGES) == [f"|vectors|projection leaves a mean |d| of {text}"]
    assert not sentences(run, "Whom does it stereotype?")  # the debiased vectors are no second model
