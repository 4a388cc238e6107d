"""The one error a user sees: a sentence that says what is wrong, where, and what to do."""


class WordworthError(Exception):
    """Bad input or surroundings. The message is shown as it is, without a traceback; the command exits with 2."""


def nearest(name: str, known: list[str]) -> str:
    """“; did you mean a, b?” for an unknown name, or nothing when no known name is close."""
    from difflib import get_close_matches

    close = get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    return f"; did you mean {', '.join(close)}?" if close else ""
