"""The door of the command: `wordworth`, and `python -m wordworth`."""

import os

from wordworth.interrupt import at_work, listen


def main() -> None:
    """Runs the command. It takes a while to import, and can be interrupted then too."""
    listen()
    # Children of this process, also those that libraries start, import nothing from the working folder.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    from wordworth.cli import main as command
    from wordworth.cli.streams import open_streams

    open_streams()
    at_work()
    command()


if __name__ == "__main__":
    main()
