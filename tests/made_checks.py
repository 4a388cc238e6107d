"""A run with numbers given by hand, and rules of which one fails, one passes and one is undecided on it."""

from collections.abc import Callable
from pathlib import Path

from wordworth.results.findings import Findings
from wordworth.results.run import Run
from wordworth.results.vocabulary import EXPERIMENT_TITLES

WriteRules = Callable[[str], Path]
FAILS = "[rules.career]\ndataset = 'weat6'\nlimit = '|value| < 0.5'\n"
PASSES = "[rules.arts]\ndataset = 'weat7'\nlimit = 0.5\n"
UNDECIDED = "[rules.valence]\ndataset = 'bellezza'\nmeasure = 'valence'\nvariant = ''\nlimit = '>= .80'\n"


def make_run() -> Run:
    """d of weat6 far from 0, of weat7 near it; valence around .8; one number without an interval, one by layer."""
    findings = Findings("valnorm", EXPERIMENT_TITLES)
    findings.add_model("tiny", {"words": 10, "sha256": "ab12"})
    where = {"model": "tiny", "language": "english"}
    for test, value, low, high in (("weat6", 1.7, 1.5, 1.8), ("weat7", -0.1, -0.3, 0.2)):
        row = {"experiment": "weat", "dataset": test, "measure": "weat", "n": 16, "p": 0.01}
        findings.score(**where, **row, value=value, low=low, high=high)
    valence = {"experiment": "valence", "dataset": "bellezza", "n": 399}
    findings.score(**where, **valence, measure="valence", value=0.8, low=0.76, high=0.83)
    findings.score(**where, **valence, measure="valence", variant="spearman", value=0.75, low=0.7, high=0.79)
    findings.score(**where, **valence, measure="coverage", value=1.0)
    for layer, value in enumerate((0.5, 0.7, 0.6)):
        row = {"experiment": "contextualization", "dataset": "anew", "context": "bleached", "layer": layer}
        findings.score(**where, **row, measure="valence", value=value, low=value - 0.05, high=value + 0.05, n=100)
    return findings.to_run(command=["wordworth"])
