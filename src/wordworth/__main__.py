"""The entry point of the command: `wordworth`, and `python -m wordworth`."""

import io
import os
import sys


def main() -> None:
    """Run the command; Ctrl-C ends it with exit code 130, also while it is imported."""
    # Children of this process, also those that libraries start, import nothing from the working folder.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know only ASCII
    try:
        from wordworth.cli import main as command

        command()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
