"""What failed, was not run or has low coverage comes before the answers, the same in every form."""

from pathlib import Path

from made_runs import Record, finish, record
from seen_page import Seen
from wordworth.pages.cautions import COVERAGE_HEADING, missing, plain_missing, remarks
from wordworth.pages.page import page
from wordworth.results.run import AuditRecord, PlannedStudy, Run
from wordworth.results.runs import read_runs
from wordworth.results.vocabulary import Notice


def noted(study: str = "static") -> Record:
    run = record(study, {"m": {"words": 5}})
    run.score(experiment="similarity", model="m", language="english", dataset="rw", measure="similarity", value=0.4)
    return run


def gaps(*runs_or_folders: Run | Path) -> dict[str, list[str]]:
    return missing(read_runs(runs_or_folders))


def test_nothing_is_one_quiet_line(tmp_path: Path) -> None:
    runs = read_runs([finish(noted())])
    assert missing(runs) == {}
    assert plain_missing(runs) == {"What is missing": ["Everything that was asked for ran."]}
    seen = Seen(page(runs, tmp_path))
    assert "Everything that was asked for ran." in seen.texts
    assert not [one for _, one in seen.elements if one.get("class") == "box"]


def test_parts_that_failed_for_one_reason_are_one_sentence() -> None:
    run = noted()
    for layer in (*range(3, 30), 31):
        place = {"model": "m", "experiment": "bias", "dataset": "race", "measure": "rnsb", "layer": layer}
        run.notice("failed", "it did not converge", **place)
    run.notice("failed", "m has 2 of the 12 words of weat9", dataset="weat9")
    assert gaps(finish(run)) == {
        "What failed": [
            "static: m, bias, race, rnsb, layers 3, 4, 5, 6, 7, 8 and 22 more (28 parts): It did not converge.",
            "static: weat9: m has 2 of the 12 words of weat9.",
        ]
    }


def test_each_kind_of_notice_is_where_it_belongs(tmp_path: Path) -> None:
    """A fact, such as that a text has headings, is not something that was not run."""
    run = noted("predict")
    run.notice("info", "headings were left out", count=62, total=4000, dataset="wikitext")
    run.notice("skipped", "CoLA is not here", experiment="probes")
    run.notice("caution", "the vocabulary has no capitals", model="m")
    run.notice("reduced", "500 sentences instead of 5,000")
    run.notice("substituted", "stands in for torrance: terrance")
    made = finish(run)
    assert gaps(made) == {"What was not run": ["predict: probes: CoLA is not here."]}
    runs = read_runs([made])
    assert remarks(runs) == {
        "Read with care": ["predict: m: the vocabulary has no capitals."],
        "Replaced": ["predict: Stands in for torrance: terrance."],
        "Smaller samples": ["predict: 500 sentences instead of 5,000."],
    }
    text = page(runs, tmp_path)
    assert text.index('id="method"') < text.index("62 of 4,000 headings were left out")
    assert text.count("headings were left out") == 1


def test_an_audit_that_was_interrupted_says_so(tmp_path: Path) -> None:
    """What it set out to run and has no run here; what failed is not said twice."""
    audit = tmp_path / "audit"
    finish(noted()).save(audit / "static")
    planned = [PlannedStudy(study=name, folder=name, models=["m", "n"]) for name in ("static", "vast", "infer")]
    skipped = Notice(kind="skipped", study="predict", model="m", reason="its words are English")
    failed = Notice(kind="failed", study="infer", reason="the disk is full")
    AuditRecord(planned=planned, notices=[skipped, failed]).save(audit)
    assert gaps(audit) == {
        "What failed": ["infer: The disk is full."],
        "What was not run": [
            "predict: m: its words are English.",
            "vast: m and n (2 parts): The audit was interrupted; the same command continues it.",
        ],
    }


def test_coverage_under_80() -> None:
    run = noted()
    where = {"experiment": "contextualization", "model": "lm", "measure": "valence", "value": 0.5}
    for layer in range(3):
        run.score(**where, dataset="anew", context="random", layer=layer, n=740, coverage=0.72)
        run.score(**where, dataset="warriner", context="random", layer=layer, n=7000, coverage=0.52)
        run.score(**where, dataset="anew", context="bleached", layer=layer, n=1029, coverage=1.0)
    run.score(experiment="similarity", model="m", dataset="rw", measure="coverage", value=0.7999, n=2034)
    run.score(experiment="similarity", model="m", dataset="men", measure="coverage", value=0.8, n=3000)
    run.score(experiment="weat", model="m", dataset="weat6", measure="weat", value=1.0, coverage=0.5)
    assert gaps(finish(run)) == {
        COVERAGE_HEADING: [
            "m has 50 % of weat6 and 79 % of rw.",
            "lm has 52 % of warriner in random sentences and 72 % of anew in random sentences.",
        ]
    }
