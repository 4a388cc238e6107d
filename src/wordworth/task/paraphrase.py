"""The paraphrase probe on rare and on common words, and the tests of their difference (Table 2)."""

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from wordworth.catalog.read.corpora import Corpus
from wordworth.catalog.read.frequencies import Frequencies
from wordworth.catalog.read.paraphrases import Paraphrases, load_paraphrases
from wordworth.catalog.read.wordnet import WordNet
from wordworth.encode import LanguageModel
from wordworth.results.findings import Findings
from wordworth.statistics import two_by_two
from wordworth.whole_words.paraphrase import draw_triples, paraphrase

SETS = ("rare", "common")
DRAWN = "drawn"
"""The name for triples drawn from the corpus and WordNet."""


def load_paraphrase_sets(
    named: Sequence[str | Path | Paraphrases],
    corpus: Corpus,
    frequencies: Frequencies,
    wordnet: WordNet | None,
    seed: int,
) -> list[Paraphrases]:
    """Load sets of triples; `drawn` gives two, `rare:CORPUS` and `common:CORPUS`."""
    sets: list[Paraphrases] = []
    for one in named or SETS:
        if one == DRAWN and wordnet is not None:
            draw = partial(draw_triples, corpus, wordnet, frequencies, seed=seed)
            sets += [draw("rare", name=f"rare:{corpus.name}"), draw("common", name=f"common:{corpus.name}")]
        else:
            sets.append(one if isinstance(one, Paraphrases) else load_paraphrases(one))
    return sets


def score_paraphrases(
    model: LanguageModel, sets: Sequence[Paraphrases], layers: Sequence[int], *, idf: bool
) -> Findings:
    """Score `hits` of every set and layer, with tokens weighted if `idf`; `chi2` and `exact` between every two sets."""
    findings = Findings()
    where: dict[str, Any] = {"experiment": "paraphrase", "model": model.name, "language": "english"}
    counts: dict[int, dict[str, tuple[int, int]]] = {}
    for one in sets:
        probed, failed = paraphrase(model, one, layers, idf=idf)
        skipped = [(str(triple), reason) for triple, reason in failed] + list(one.left_out)
        if skipped:
            triples, reasons = zip(*skipped, strict=True)
            findings.item("paraphrases", **where, dataset=one.name, triple=triples, skipped=reasons)
        for found in probed:
            hits, n = int(found.hits.sum()), len(found.hits)
            counts.setdefault(found.layer, {})[one.name] = hits, n - hits
            here = where | {"dataset": one.name, "layer": found.layer}
            findings.score(**here, measure="hits", variant="idf" if idf else None, value=hits, n=n)
            names = [str(triple) for triple in found.triples]
            findings.item("paraphrases", **here, triple=names, near=found.near, far=found.far, is_hit=found.hits)
    for layer, by_set in counts.items():
        for (one_name, first), (other, second) in combinations(by_set.items(), 2):
            if not sum(first) or not sum(second):
                continue
            tested = two_by_two(first, second)
            here = where | {"dataset": one_name, "variant": other, "layer": layer, "n": sum(first) + sum(second)}
            findings.score(**here, measure="chi2", value=tested.chi2, p=tested.chi2_p)
            findings.score(**here, measure="exact", value=tested.odds, p=tested.exact_p)
    return findings
