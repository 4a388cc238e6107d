"""Every name that a run can hold is declared once, with formula, paper and direction."""

import pytest

from wordworth.catalog.registry import references
from wordworth.errors import WordworthError
from wordworth.measure import MEASURES, named

REAL = """
T1 T10 T1:code T10:code T1:soft-match T1:soft-match@1 T1:soft-match@10 T1:soft-match@100 T1:soft-match@20
T1:soft-match@3 T1:soft-match@5 T1:soft-match@50 T3 acceptability acceptability:components acceptability:rest
accuracy agreement
analogy analogy:3cosmul analogy:3cosmul:semantic analogy:3cosmul:syntactic analogy:semantic analogy:syntactic
anisotropy arousal bert-score bits-per-byte bits-per-character bits-per-word chi2 contradiction
contradiction:change cosine coverage dimensions direct-bias direct-bias:centred direct-bias:explained dominance ect
entailment entailment:change exact fraction-neutral fraction-neutral:by-pair fraction-neutral:by-pair:change
fraction-neutral:change garg-cosine garg-euclidean hits inlp:after inlp:before inlp:chance mac manzini
manzini:centroid net-neutral net-neutral:by-pair net-neutral:by-pair:change net-neutral:change neuron-share:1
neuron-share:16 neuron-share:2 neuron-share:4 neuron-share:8 noun noun:components noun:rest part-of-speech
part-of-speech:components part-of-speech:rest perplexity perplexity:naive ppx@10 principal:2nd principal:3rd
principal:4th ripa rnsb sc-weat share similarity similarity:best soft-match soft-match@1 soft-match@10
soft-match@100 soft-match@1000 soft-match@20 soft-match@3 soft-match@5 soft-match@50 threshold:0 threshold:0.33
threshold:0.5 threshold:0.5:by-pair threshold:0.5:by-pair:change threshold:0.5:change threshold:0.7
threshold:0.7:by-pair threshold:0.7:by-pair:change threshold:0.7:change top-1 top-10 top-3 types valence
valence:mean valence:multiple-poles valence:spearman variance-share weat weat:variance
agreement:direct-bias@pairs~garg-cosine agreement:direct-bias@pairs~garg-cosine@pairs
agreement:direct-bias@pairs~garg-euclidean agreement:direct-bias@pairs~garg-euclidean@pairs
agreement:direct-bias@pairs~manzini agreement:direct-bias@pairs~manzini@pairs agreement:garg-euclidean~manzini
"""
"""The distinct measures of runs of all seven studies, and those that only options bring about."""


@pytest.mark.parametrize("name", REAL.split())
def test_recorded_names_are_declared(name):
    found = named(name)
    assert str(found) == name
    assert "{" not in found.formula + found.verdict


@pytest.mark.parametrize("name", ["top-0", "top-ten", "T", "weat:change", "valence:pearson", "agreement:a", "top-{k}"])
def test_other_names_are_not(name):
    with pytest.raises(WordworthError, match="no measure is called"):
        named(name)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_declarations_are_whole(measure):
    assert measure.formula.endswith(".")
    assert measure.better in ("higher", "lower", "zero", "")
    assert measure.paper in {"", *references()}


def test_families():
    found = named("top-7")
    assert found == MEASURES["top-{k}"].at(k=7)
    assert "7 best" in found.formula
    assert found.verdict == "predicts words better (top-7)"
    assert named("agreement:garg-cosine@pairs~manzini").formula == (
        "Spearman's ρ over layers between garg-cosine@pairs and manzini."
    )
