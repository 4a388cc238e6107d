"""What a study declares: its experiments, and where its command is."""

from dataclasses import replace

import pytest
import typer

from wordworth.cli.run import run_app
from wordworth.run import Experiment
from wordworth.study import STUDIES, study


def test_a_study_has_experiments_of_its_own_beside_the_shared_ones() -> None:
    own = replace(study("weat"), experiments={"colours": Experiment("Words for colours.", ("bright",))})
    findings = own.findings()
    findings.score(experiment="colours", setting="bright", measure="weat", value=1.0)
    findings.score(experiment="weat", measure="weat", value=1.0)
    with pytest.raises(TypeError, match="the experiment 'colours' has no setting 'dark'"):
        findings.score(experiment="colours", setting="dark", measure="weat", value=1.0)
    with pytest.raises(TypeError, match="no experiment 'colours' is declared"):
        study("weat").findings().score(experiment="colours", measure="weat", value=1.0)


def test_every_study_is_a_command_of_run_or_says_which_it_is() -> None:
    commands = {*typer.main.get_command(run_app).commands}  # type: ignore[attr-defined]
    assert commands == {name for name in STUDIES if not study(name).command}
    assert study("debias").command == "debias"
