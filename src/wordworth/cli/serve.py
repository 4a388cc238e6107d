"""`wordworth serve RUNS`: a local page over a folder of runs."""

from pathlib import Path
from typing import Annotated

import typer


def serve(
    runs: Annotated[Path, typer.Argument(metavar="RUNS", help="Folder that holds runs and audits.")] = Path("runs"),
    host: Annotated[
        str,
        typer.Option(help="Address to listen on; on any but this one, other machines can read the runs."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0: any that is free.")] = 8765,
) -> None:
    """List runs, open their reports, compare two, and watch what is running, in a browser."""
    from wordworth.serve import serve as served

    served(runs, host, port)
