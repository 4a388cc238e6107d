"""The door of the command: `wordworth`, and `python -m wordworth`."""

import io
import os
import sys

from wordworth.interrupt import at_work, listen


def main() -> None:
    """Runs the command. It takes a while to import, and can be interrupted then too."""
    listen()
    # Children of this process, also those that libraries start, import nothing from the working folder.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    from wordworth.cli import main as command

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know only ASCII
    at_work()
    command()


if __name__ == "__main__":
    main()
