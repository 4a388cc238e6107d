"""What a run leaves behind: a folder with its manifest, its scores and the items they are made of; and comparison."""

from wordworth.run.compare import Comparison, Difference, Settings, compare
from wordworth.run.folder import Run, default_folder, read_run, reserve, write_run
from wordworth.run.manifest import Manifest, surroundings
from wordworth.run.resume import why_not_the_same
from wordworth.run.sides import Side, sides
from wordworth.run.verdict import verdicts
from wordworth.run.watch import watched

__all__ = [
    "Comparison",
    "Difference",
    "Manifest",
    "Run",
    "Settings",
    "Side",
    "compare",
    "default_folder",
    "read_run",
    "reserve",
    "sides",
    "surroundings",
    "verdicts",
    "watched",
    "why_not_the_same",
    "write_run",
]
