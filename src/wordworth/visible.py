"""Text that came out of a file, as it may be shown: what steers a terminal or turns a line around is spelled out."""

import re

# Control characters, separators of lines and paragraphs, what overrides the direction of a line, halves of a pair.
# Marks that writing needs (joiners, and the two marks of direction) are left as they are.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_UNSEEN_IN_LINES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str, *, lines: bool = False) -> str:
    """The text with each such character as Python writes it (`\\x1b`, `\\n`); `lines` keeps line breaks and tabs."""
    return (_UNSEEN_IN_LINES if lines else _UNSEEN).sub(_spelled, text)


def visible_json(text: str) -> str:
    """JSON with each such character as JSON writes it, so that the same value is read back."""
    return "\n".join(_UNSEEN.sub(lambda found: f"\\u{ord(found.group()):04x}", line) for line in text.split("\n"))


def _spelled(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode("ascii")
