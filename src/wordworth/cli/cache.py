"""`wordworth cache`"""

import typer

cache_app = typer.Typer(help="What is kept.")
