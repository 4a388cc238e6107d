"""`python -m truth [FOLDER]`: run the studies into a folder, except those that are there, and write the page."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from truth import behaviour_checks, contextual_checks, static_checks
from truth.check import Check
from truth.page import page
from truth.papers import beside_ours, each_once
from truth.studies import SLICE, Planned, planned, run_all
from wordworth.catalog.fetch.sources import data_folder
from wordworth.results.run import Run, read_run
from wordworth.results.runs import read_runs

PAGE = Path(__file__).parents[1] / "docs" / "truth.md"


def checks(runs: dict[str, Run], plans: dict[str, Planned]) -> Iterator[Check]:
    """Yield everything that is computed a second time."""
    static = static_checks.embeddings_of(plans["valnorm"].models)
    yield from static_checks.valence_checks(runs["valnorm"], static)
    yield from static_checks.similarity_checks(runs["valnorm"], static)
    yield from static_checks.analogy_checks(runs["valnorm"], static)
    yield from static_checks.weat_checks(runs["weat"], static)
    yield from static_checks.estimator_checks(runs["static"], static)
    yield from static_checks.similarity_checks(runs["static"], static, "static")
    yield from contextual_checks.alone_checks(runs["static"], "minilm-l6")
    yield from contextual_checks.aggregated_checks(runs["static"], "minilm-l6", 500)
    for model, contexts in (("minilm-l6", ("bleached", "aligned", "misaligned")), ("smollm2-135m", ("bleached",))):
        yield from contextual_checks.valence_checks(runs["vast"], model, contexts)
        yield from contextual_checks.bias_checks(runs["vast"], model, ("weat1", "weat6"))
        if data := data_folder():
            yield from contextual_checks.isolation_checks(runs["vast"], model, data)
    yield from static_checks.debias_checks(runs["debias"], static["glove-6b-50d"])
    yield from behaviour_checks.infer_checks(runs["infer"], static["glove-6b-50d"], SLICE)
    yield from behaviour_checks.predict_checks(runs["predict"])


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else scratch)
        places = {plan.folder: place for plan, place in run_all(folder)}
        plans = {plan.folder: plan for plan in planned()}
        computed = list(checks({name: read_run(place) for name, place in places.items()}, plans))
        # One run at a time: where two have a model, a report of both gives it two labels.
        beside = each_once(one for place in places.values() for one in beside_ours(read_runs([place])))
    PAGE.write_text(page(beside, computed, data=data_folder() is not None), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
