"""What failed, was not run or is covered too little stands before the answers, the same in every form."""

from pathlib import Path
from typing import Any

import pytest

from made_runs import MadeRun
from seen_page import Seen
from wordworth.pages import plain_answers
from wordworth.pages.latex import latex
from wordworth.pages.markdown import markdown
from wordworth.pages.missing import NOTHING, missing, plain_missing, remarks
from wordworth.pages.page import page
from wordworth.pages.runs import Runs, read_runs
from wordworth.results import Outcome, PlannedStudy, write_outcome


def _run(study: str = "static", **manifest: Any) -> MadeRun:
    run = MadeRun(study, **manifest)
    run.model("m", words=5)
    run.score(experiment="similarity", model="m", language="english", dataset="rw", measure="similarity", value=0.4)
    return run


def _said(folder: Path) -> dict[str, list[str]]:
    return {one.question: list(one.every) for one in missing(read_runs([folder]))}


def test_nothing_is_one_quiet_line(tmp_path: Path) -> None:
    runs = read_runs([_run().write(tmp_path / "run")])
    assert missing(runs) == []
    assert plain_missing(runs) == {"What is missing?": [NOTHING]}
    assert NOTHING == "Nothing: all that was asked for ran, and every data set is covered to 80 % or more."
    seen = Seen(page(runs, tmp_path))
    assert "All that was asked for ran, and every data set is covered to 80 % or more." in seen.texts
    assert not [one for _, one in seen.elements if one.get("class") == "box"]


def test_sixty_parts_are_counted_by_reason(tmp_path: Path) -> None:
    parts = [
        {"model": "m", "experiment": "bias", "dataset": "race", "layer": layer, "measure": "rnsb",
         "reason": f"no fit in layer {layer}: it did not converge."}
        for layer in (*range(3, 30), 31)
    ]  # fmt: skip
    parts += [{"model": "m", "dataset": "weat9", "reason": "m has 2 of the 12 words of weat9."}]
    folder = _run(failed=parts).write(tmp_path / "run")
    assert _said(folder)["What failed?"] == [
        (
            "static: rnsb of race in layers 3, 4, 5, 6, 7, 8 and 22 more of m has no number (28 parts): "
            "no fit in layer …: it did not converge."
        ),
        "static: weat9 of m has no number: m has 2 of the 12 words of weat9.",
    ]
    seen = Seen(page(read_runs([folder]), tmp_path))
    folded = [one for name, one in seen.elements if name == "details" and one.get("id") == "failed"]
    assert len(folded) == 1  # every one of them can be unfolded
    assert "no fit in layer 17: it did not converge." in seen.texts


def test_what_does_not_apply_is_grouped(tmp_path: Path) -> None:
    audit = tmp_path / "audit"
    _run().write(audit / "static")
    why = "its words are English, and the model is chinese"
    left_out = [f"{study} was not run on {model}: {why} (`wordworth run {study} --help`)."
                for study in ("vast", "predict") for model in ("zh", "zh2")]  # fmt: skip
    write_outcome(audit, Outcome((), (*left_out, "vast was not run on ko: it has no templates.")))
    assert _said(audit)["What was not run?"] == [
        f"vast and predict were not run on zh: {why}.",
        f"vast and predict were not run on zh2: {why}.",
        "vast was not run on ko: it has no templates.",
    ]


def test_an_audit_that_was_broken_off_says_so(tmp_path: Path) -> None:
    """What it set out to run and has no run here."""
    audit = tmp_path / "audit"
    _run().write(audit / "static")
    planned: list[PlannedStudy] = [{"study": study, "models": ["m", "n"]} for study in ("static", "vast", "infer")]
    write_outcome(audit, Outcome(planned=tuple(planned)))
    why = "the audit was broken off, and the same command goes on with it."
    assert _said(audit) == {"What was not run?": [f"vast and infer were not run on m and n: {why}"]}


def test_what_a_study_left_out_for_a_reason_of_its_own(tmp_path: Path) -> None:
    notes = ["probes were left out: CoLA is not here.", "p is exact.", "Not run: weat9: too few words.", "Take care."]
    folder = _run("vast", notes=notes, warnings=[*notes[:1], *notes[2:]]).write(tmp_path / "run")
    assert _said(folder) == {"What was not run?": ["vast: probes were left out: CoLA is not here."]}
    (care,) = remarks(read_runs([folder]))  # set apart: nothing is missing
    assert (care.question, care.every) == ("What is to be read with care?", ("vast: Take care.",))


@pytest.mark.parametrize(("unmet", "told"), [("1,443", True), ("200", False)])
def test_words_that_a_text_lacks(tmp_path: Path, unmet: str, told: bool) -> None:
    """72 % are unmet, or 10 %."""
    note = f"lm, quality: {unmet} of 2,005 words are never met in the text, and stand alone."
    folder = _run(notes=[note], warnings=[note]).write(tmp_path / "run")
    assert _said(folder) == ({"What is covered to less than 80 %?": [f"static: {note}"]} if told else {})
    assert [one.every for one in remarks(read_runs([folder]))] == ([] if told else [(f"static: {note}",)])


def test_coverage_under_80(tmp_path: Path) -> None:
    run = _run()
    where: dict[str, Any] = {"experiment": "contextualization", "model": "lm", "measure": "valence", "value": 0.5}
    for layer in range(3):
        run.score(**where, dataset="anew", setting="random", layer=layer, n=740, flags="coverage 72%")
        run.score(**where, dataset="warriner", setting="random", layer=layer, n=7000, flags="n=7; coverage 52%")
        run.score(**where, dataset="anew", setting="bleached", layer=layer, n=1029)
    run.score(experiment="similarity", model="m", dataset="rw", measure="coverage", value=0.7999, n=2034)
    run.score(experiment="similarity", model="m", dataset="men", measure="coverage", value=0.8, n=3000)
    run.score(experiment="weat", model="m", dataset="weat6", measure="weat", value=1.0, flags="coverage 50% of career")
    folder = run.write(tmp_path / "run")
    assert _said(folder) == {
        "What is covered to less than 80 %?": [
            "m has 50 % of career of weat6 and 79 % of rw.",
            "lm has 52 % of warriner in random sentences and 72 % of anew in random sentences.",
        ]
    }


@pytest.fixture
def amiss(tmp_path: Path) -> Runs:
    """An audit with a study that failed, and more models that do not apply than anyone reads."""
    audit = tmp_path / "audit"
    _run().write(audit / "static")
    left_out = tuple(f"vast was not run on m{number}: reason {'x' * number}." for number in range(1, 9))
    write_outcome(audit, Outcome(({"study": "weat", "models": ["m"], "reason": "50% <b> are gone"},), left_out))
    return read_runs([audit])


def test_every_form_says_it_before_the_answers(amiss: Runs, tmp_path: Path) -> None:
    sentence = "weat failed on m: 50% <b> are gone."
    text = page(amiss, tmp_path)
    seen = Seen(text)
    assert sentence in seen.texts
    assert text.index("<main") < text.index('id="missing"') < text.index('id="answers"')
    assert ("aside", {"class": "box", "id": "missing"}) in seen.elements
    assert next(iter(plain_answers(amiss))) == "What failed?"
    told = markdown(amiss)
    assert told.index("- weat failed on m: 50% &lt;b&gt; are gone.") < told.index("**Does it know what words mean?**")
    assert f"% What failed? {sentence}" in latex(amiss).partition(r"\begin{table")[0]
