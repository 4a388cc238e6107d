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
from wordworth.results import Findings
from wordworth.statistics import two_by_two
from wordworth.whole_words.paraphrase import draw_triples, paraphrase

SETS = ("rare", "common")


DRAWN = "drawn"
"""Asks for triples drawn from the corpus and WordNet."""


def load_probes(
    named: Sequence[str | Path | Paraphrases],
    corpus: Corpus,
    frequencies: Frequencies,
    wordnet: WordNet | None,
    seed: int,
) -> list[Paraphrases]:
    """Sets of triples; `drawn` gives two, `rare:CORPUS` and `common:CORPUS`."""
    found: list[Paraphrases] = []
    for one in named or SETS:
        if one == DRAWN and wordnet is not None:
            drawn = partial(draw_triples, corpus, wordnet, frequencies, seed=seed)
            found += [drawn("rare", name=f"rare:{corpus.name}"), drawn("common", name=f"common:{corpus.name}")]
        else:
            found.append(one if isinstance(one, Paraphrases) else load_paraphrases(one))
    return found


def paraphrasing(model: LanguageModel, probes: Sequence[Paraphrases], layers: Sequence[int], *, idf: bool) -> Findings:
    """`hits` of every set and layer; `chi2` and `exact` between every two sets. Setting `idf` has weighted tokens."""
    findings = Findings()
    where: dict[str, Any] = {"experiment": "paraphrase", "model": model.name, "language": "english"}
    where["setting"] = "idf" if idf else None
    counts: dict[int, dict[str, tuple[int, int]]] = {}
    for probe in probes:
        probed, failed = paraphrase(model, probe, layers, idf=idf)
        left_out = [(str(triple), reason) for triple, reason in failed] + list(probe.left_out)
        if left_out:
            words, reasons = zip(*left_out, strict=True)
            findings.item(**where, dataset=probe.name, item=list(words), left_out=list(reasons))
        for found in probed:
            hits = int(found.hits.sum())
            counts.setdefault(found.layer, {})[probe.name] = hits, len(found.hits) - hits
            here = where | {"dataset": probe.name, "layer": found.layer}
            findings.score(**here, measure="hits", value=hits, n=len(found.hits))
            findings.item(
                **here,
                item=[str(triple) for triple in found.triples],
                value=found.near,
                reference=found.far,
                rank=[1 if hit else None for hit in found.hits],
            )
    for layer, by_set in counts.items():
        for (one, first), (other, second) in combinations(by_set.items(), 2):
            if not sum(first) or not sum(second):
                continue
            tested = two_by_two(first, second)
            here = where | {"dataset": f"{one}/{other}", "layer": layer, "n": sum(first) + sum(second)}
            findings.score(**here, measure="chi2", value=tested.chi2, p=tested.chi2_p)
            findings.score(**here, measure="exact", value=tested.odds, p=tested.exact_p)
    return findings
