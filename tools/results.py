"""Generate the tables and figures of docs/ from runs of this version: `make results`.

    python -m tools.results              # every block
    python -m tools.results method/static.md    # the blocks of one page

`BLOCKS` says which study, models and settings each block comes from. Runs are kept under runs/results/ and read again
by blocks that share them; delete that folder to recompute. All blocks take about two hours on two cores. Texts and
probes that need $WORDWORTH_DATA are skipped without it. Only the papers' own figures are typed.
"""

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tools.pages import DOCS, ROOT, put
from tools.results_tables import (
    RUDE,
    STATIC_MODELS,
    Render,
    agreement_of_estimators,
    check_example,
    confusions,
    costs,
    detection_limits,
    drawn,
    farthest_pairs,
    inlp_sentence,
    measures,
    neutrality,
    pairs_per_probe,
    predicted_instead,
    preferences,
    rude_entailment,
    similarity_by_pooling,
    similarity_by_sentences,
    specification_figure,
    stability_of_subspaces,
    tasks_by_model,
    valence_sensitivity,
    weat_sensitivity,
)
from wordworth.api.reproduce import list_items, reproduce
from wordworth.catalog.fetch.sources import here
from wordworth.catalog.registry import entry
from wordworth.pages.figures.behaviour import CALIBRATION
from wordworth.pages.figures.meaning import INTRINSIC, VALENCE_BY_LAYER
from wordworth.pages.writers import escape_md, markdown_table
from wordworth.results.run import Run, read_run
from wordworth.study import study
from wordworth.study.debias import DEBIAS_METHODS, DEBIAS_PARTS

RUNS = ROOT / "runs" / "results"
SENSITIVITY_MODELS = ("glove-6b-50d", "glove-840b-34k", "word2vec-news-26k")


@dataclass(frozen=True)
class Source:
    """A run that a block is made from."""

    study: str
    models: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def run(self) -> Run:
        """Return the saved run, or make it."""
        content = json.dumps([self.study, self.models, dict(self.settings)], default=list)
        folder = RUNS / f"{self.study}-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
        if not (folder / "run.json").exists():
            print(f"running {self.study} on {', '.join(self.models) or 'its defaults'}", file=sys.stderr)
            study(self.study)(list(self.models), **self.settings).save(folder)
        return read_run(folder)


@dataclass(frozen=True)
class Block:
    """A table on a page, or a figure in docs/figures/."""

    page: str
    name: str
    """The block's mark on the page; for a figure the file's name."""
    sources: tuple[Source, ...]
    render: Render

    @property
    def is_figure(self) -> bool:
        return self.name.endswith(".svg")

    def make(self) -> None:
        """Run what the block needs and write it."""
        text = self.render(*(source.run() for source in self.sources))
        if self.is_figure:
            (DOCS / "figures" / self.name).write_text(text, encoding="utf-8")
        else:
            put(DOCS / self.page, self.name, text)


def _available(names: Sequence[str], kind: str) -> tuple[str, ...]:
    """Return the names whose data is on this machine."""
    return tuple(name for name in names if here(name, entry(name, kind).sources))


def _list_paper(paper: str) -> str:
    """Return what can be run of a paper, whatever is on this machine."""
    items = list_items(paper, can_look=False)
    return "\n".join([*markdown_table(items, ()), "", items.note])


def _run_paper(paper: str, tables: Sequence[str]) -> str:
    """Return tables of a paper with our numbers, of quick runs on models from the package index."""
    made = reproduce(paper, tables=tables, folder=RUNS / f"reproduce-{paper}", quick=True)
    lines = [
        [f"**{escape_md(one.title)}**", "", *markdown_table(one, ()), "", escape_md(one.note)] for one in made.tables
    ]
    return "\n\n".join("\n".join(some) for some in lines)


PAPERS = {
    "valnorm": ("text", "5"),
    "vast": ("1",),
    "contextual2static": ("3",),
    "inferences": ("1", "10"),
    "whole-words": ("1", "figure-1"),
}
"""Paper → the tables that docs/reproduce.md shows with our numbers."""
WHOLE_SETS = ("crows-pairs", "stereoset-intra", "winobias", "winogender")
PARAPHRASE = ("hits", "chi2", "exact")
BITS = ("bits-per-word", "bits-per-character", "bits-per-byte")


def blocks() -> list[Block]:
    """Return every block with the runs that it is made from."""
    valnorm = Source("valnorm", STATIC_MODELS)
    vast = Source("vast", ("smollm2-135m",), {"lexica": ("bellezza",), "experiments": ("contextualization",)})
    texts = ("enwiki-sample", *_available(("wikitext", "brown", "reddit"), "corpora"))
    quality = Source(
        "static",
        ("minilm-l6", *STATIC_MODELS),
        {
            "corpus": texts,
            "sentences": (1_000, 5_000, 10_000, 20_000, 50_000, 100_000),
            "experiments": ("quality",),
            "resamples": 500,
        },
    )
    estimators = Source(
        "static",
        ("minilm-l6", "smollm2-135m"),
        {"corpus": ("enwiki-sample",), "per_word": 3, "experiments": ("agreement",), "resamples": 500},
    )
    predict = Source(
        "predict",
        ("smollm2-135m", "gemma3-270m"),
        {
            "soft_match": ("glove-6b-50d", "synonyms", "lemma"),
            "paraphrases": _available(("rare", "common"), "paraphrases"),
        },
    )
    infer = Source("infer")
    rude = Source("infer", (), {"probes": ("nationality",), "only": RUDE, "random": 0})
    static_debiased = tuple(Source("debias", ("glove-6b-50d",), {"mitigate": method}) for method in DEBIAS_METHODS)
    network = {"without": ("stability", "bias"), "words": 1_000, "directions": (("he", "she"),)}
    network_debiased = tuple(Source("debias", ("smollm2-135m",), network | {"mitigate": one}) for one in DEBIAS_METHODS)
    word2vec = Source("debias", ("word2vec-news-26k",), {"without": DEBIAS_PARTS[1:]})
    weat = Source("weat", SENSITIVITY_MODELS, {"sensitivity": True})
    valence = Source("valnorm", SENSITIVITY_MODELS, {"experiments": ("valence",), "sensitivity": True})
    pairs = [Source("pairs", ("smollm2-135m",), {"sets": (name,)}) for name in WHOLE_SETS]
    inferred = Source("calibrate", ("nli-glove",))
    calibrate = Source("calibrate", ("glove-6b-50d", "smollm2-135m"), {"tests": ("weat6", "weat1"), "layer": 13})
    return [
        Block("method/valnorm.md", "results", (valnorm,), tasks_by_model),
        Block("method/valnorm.md", "valnorm.svg", (valnorm,), drawn(INTRINSIC)),
        Block("method/vast.md", "vast.svg", (vast,), drawn(VALENCE_BY_LAYER)),
        Block("method/static.md", "sentences", (quality,), similarity_by_sentences),
        Block("method/static.md", "poolings", (quality,), similarity_by_pooling),
        Block("method/static.md", "agreement", (estimators,), agreement_of_estimators),
        Block("method/predict.md", "prediction", (predict,), measures("prediction", "top", "T", percent=True)),
        Block("method/predict.md", "surprise", (predict,), measures("prediction", "perplexity", *BITS)),
        Block("method/predict.md", "coverage", (predict,), measures("coverage", "top", "T", by="subset", percent=True)),
        Block("method/predict.md", "soft-match", (predict,), measures("soft-match", "soft-match", percent=True)),
        Block("method/predict.md", "paraphrase", (predict,), measures("paraphrase", *PARAPHRASE, by="dataset")),
        Block("method/predict.md", "confusion", (predict,), confusions),
        Block("method/predict.md", "instead", (predict,), predicted_instead),
        Block("method/infer.md", "counts", (), pairs_per_probe),
        Block("method/infer-results.md", "neutrality", (infer,), neutrality),
        Block("method/infer-results.md", "largest", (infer,), farthest_pairs),
        Block("method/infer-results.md", "slice", (rude,), rude_entailment),
        Block("method/debias.md", "costs", static_debiased, costs),
        Block("method/debias.md", "inlp", (static_debiased[DEBIAS_METHODS.index("inlp")],), inlp_sentence),
        Block("method/debias.md", "stability", (static_debiased[0], word2vec), stability_of_subspaces),
        Block("method/debias.md", "network", network_debiased, costs),
        Block("check.md", "table", (), check_example),
        *(Block("reproduce.md", paper, (), partial(_list_paper, paper)) for paper in PAPERS),
        *(Block("reproduce.md", f"{one}-run", (), partial(_run_paper, one, tables)) for one, tables in PAPERS.items()),
        Block("method/pairs.md", "preferences", tuple(pairs), preferences),
        Block("calibrate.md", "limits", (calibrate,), detection_limits),
        Block("calibrate.md", "behaviour", (inferred,), partial(detection_limits, sizes=(8, 25, None))),
        Block("calibrate.md", "calibrate.svg", (calibrate,), drawn(CALIBRATION)),
        Block("method/weat.md", "sensitivity", (weat,), weat_sensitivity),
        Block("method/weat.md", "specification.svg", (weat,), specification_figure),
        Block("method/valnorm.md", "sensitivity", (valence,), valence_sensitivity),
    ]


def main(pages: Sequence[str]) -> None:
    for block in blocks():
        if not pages or block.page in pages:
            block.make()
            print(f"{block.page}: {block.name}", file=sys.stderr)


if __name__ == "__main__":
    main([page.removeprefix("docs/") for page in sys.argv[1:]])
