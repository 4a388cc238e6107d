"""What a study declares: its experiments, and where its command is."""

from dataclasses import replace

import pytest

from wordworth.run import Experiment
from wordworth.study import study


def test_a_study_has_experiments_of_its_own_beside_the_shared_ones() -> None:
    own = replace(study("weat"), experiments={"colours": Experiment("Words for colours.", ("bright",))})
    findings = own.findings()
    findings.score(experiment="colours", setting="bright", measure="weat", value=1.0)
    findings.score(experiment="weat", measure="weat", value=1.0)
    with pytest.raises(TypeError, match="the experiment 'colours' has no setting 'dark'"):
        findings.score(experiment="colours", setting="dark", measure="weat", value=1.0)
    with pytest.raises(TypeError, match="no experiment 'colours' is declared"):
        study("weat").findings().score(experiment="colours", measure="weat", value=1.0)
