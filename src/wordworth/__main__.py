"""Run the command `wordworth`, or `python -m wordworth`."""

import io
import os
import sys


def main() -> None:
    """Run the command; Ctrl-C ends it with exit code 130, even while it is imported."""
    # Child processes, including those of libraries, must not import from the working folder.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # the terminal's encoding may be ASCII
    try:
        from wordworth.cli import main as command

        command()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
