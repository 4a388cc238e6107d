"""What a run leaves behind: a folder with its manifest, its scores and the items they are made of."""

from typing import TYPE_CHECKING

from wordworth.lazy import lazily

if TYPE_CHECKING:
    from wordworth.run.findings import About, Described, Findings
    from wordworth.run.folder import default_folder, reserve, sole_writer, write_run
    from wordworth.run.main_scores import main_scores
    from wordworth.run.manifest import Manifest, surroundings
    from wordworth.run.outcome import FailedStudy, Outcome, PlannedStudy, read_outcome, write_outcome
    from wordworth.run.places import run_folders, runs_in
    from wordworth.run.reading import Run, RunManifest, read_manifest, read_run
    from wordworth.run.resume import why_not_the_same
    from wordworth.run.schema import ITEMS, SCORES
    from wordworth.run.vocabulary import EXPERIMENTS, ORIGINAL, PROBE, RANDOM, Experiment

lazily(__name__)
