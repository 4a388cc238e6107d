"""What a user should know of where things came from, said once a process: the runs of the process record it."""

_said: list[str] = []


def notice(sentence: str) -> None:
    """Adds a sentence, unless it was said before."""
    if sentence not in _said:
        _said.append(sentence)


def notices() -> tuple[str, ...]:
    """The sentences of this process, in their order."""
    return tuple(_said)
