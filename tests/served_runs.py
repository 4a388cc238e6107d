"""A folder of small runs, and a server over it, for the tests of the served pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import numpy as np

from made_runs import MadeRun
from wordworth.serve import make_server


def small_run(folder: Path, model: str, noise: float, *, seed: int = 0) -> None:
    """A run of valence on sixty words."""
    run = MadeRun("valnorm", seed=seed, settings={"seed": seed})
    ratings = np.random.default_rng(1).normal(5, 2, 60)
    values = ratings + np.random.default_rng(2).normal(0, noise, 60)
    where = {"experiment": "valence", "model": model, "language": "english", "dataset": "bellezza"}
    words = [f"w{n}" for n in range(60)]
    run.item(**where, item=words, group="lexicon", reference=ratings.tolist(), value=values.tolist())
    run.score(**where, measure="valence", value=0.5, low=0.4, high=0.6, n=60)
    run.model(model, sha256="0")
    run.write(folder)


def small_runs(folder: Path) -> Path:
    """Three runs, one of another seed, and one in an audit; a secret beside them, and links that lead to it."""
    root = folder / "runs"
    small_run(root / "good", "good", 1)
    small_run(root / "poor", "<script>alert(1)</script>", 6)
    small_run(root / "seeded", "good", 1, seed=5)
    small_run(root / "audit" / "valnorm", "inner", 2)
    (root / "audit" / "report.html").write_text("<p>the audit's report</p>")
    small_run(folder / "outside", "secret", 1)
    (root / "leak").symlink_to(folder / "outside")
    (folder / "secret.txt").write_text("secret")
    (root / "good" / "report.md").symlink_to(folder / "secret.txt")
    return root


@contextmanager
def served(runs: Path) -> Iterator[int]:
    """A server over the runs, on a port of its own."""
    server = make_server(runs)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
