"""What a run leaves behind: a folder with its manifest, its scores and the items they are made of."""

from wordworth.run.folder import Run, default_folder, read_run, reserve, write_run
from wordworth.run.manifest import Manifest, surroundings

__all__ = ["Manifest", "Run", "default_folder", "read_run", "reserve", "surroundings", "write_run"]
