"""The entry point of the command: `wordworth`, and `python -m wordworth`."""

import os


def main() -> None:
    """Run the command; Ctrl-C ends it with exit code 130, also while it is imported."""
    # Children of this process, also those that libraries start, import nothing from the working folder.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    try:
        from wordworth.cli import main as command
        from wordworth.cli.streams import open_streams

        open_streams()
        command()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
