"""How long an audit takes: the sentence at its start, and what is left at any time."""

import time
from collections.abc import Sequence

TRUST = 0.2
"""How much the estimate weighs against the pace of the studies that have ended, as a share of the whole: a study of
seconds that took a minute says little of one of an hour."""
REST = 0.05
"""Of a study's time, which is left as long as it runs, however much longer than estimated it takes."""
SOON = 5.0


def spoken(seconds: float) -> str:
    """`40 seconds`, `9 minutes`."""
    if seconds < 90:
        tens = max(1, round(seconds / 10)) * 10
        return f"{tens} seconds" if seconds >= SOON else "a few seconds"
    return f"{round(seconds / 60):,} minutes"


def about(seconds: float) -> str:
    """The same of a guess."""
    return spoken(seconds) if seconds < SOON else f"about {spoken(seconds)}"


def spread_sentence(seconds: float, workers: int) -> str:
    """Of work that is spread: all of it, and its share of each worker."""
    whole, share = about(seconds).capitalize(), about(seconds / workers)
    return f"{whole} of work on this machine, spread over {workers} workers: {share}."


class AuditClock:
    """The studies that are still to be run, each with the seconds that it is expected to take."""

    def __init__(self, names: Sequence[str], seconds: Sequence[float]) -> None:
        self.names, self.expected = list(names), list(seconds)
        self.taken = [0.0] * len(names)
        """Of the studies that have ended, in their order."""
        self._at, self._began = 0, 0.0

    def sentence(self) -> str:
        """The whole, and the longest by name."""
        total = sum(self.expected)
        if total < 90:
            return f"{about(total).capitalize()} on this machine."
        minutes = [(round(one / 60), name) for name, one in zip(self.names, self.expected, strict=True)]
        named = [f"{name} {count}" for count, name in sorted(minutes, reverse=True) if count]
        if len(named) < len(minutes):
            named.append("the rest 1")
        return f"About {spoken(total)} on this machine: {', '.join(named)}."

    def begin(self) -> str:
        """The next study begins; what is expected of it."""
        self._began = time.monotonic()
        return about(self.expected[self._at] * self.pace)

    def end(self) -> float:
        """It has ended; the seconds that it took."""
        self.taken[self._at] = time.monotonic() - self._began
        self._at += 1
        self._began = time.monotonic()
        return self.taken[self._at - 1]

    def told(self) -> str:
        """What the study that ended last took, and what is left."""
        left = f"; {about(self.left)} left" if self._at < len(self.names) else ""
        return f"{spoken(self.taken[self._at - 1])}{left}"

    @property
    def pace(self) -> float:
        """How many times longer studies took so far than was expected of them."""
        trust = TRUST * sum(self.expected) or 1.0
        return (sum(self.taken[: self._at]) + trust) / (sum(self.expected[: self._at]) + trust)

    @property
    def left(self) -> float:
        """Seconds until all studies have ended."""
        if self._at >= len(self.names):
            return 0.0
        here = self.expected[self._at] * self.pace
        gone = time.monotonic() - self._began
        return max(here - gone, REST * max(here, gone)) + sum(self.expected[self._at + 1 :]) * self.pace

    def state(self) -> tuple[str, float, str]:
        """For a bar: the study, the share that is done, what is left."""
        gone = sum(self.taken) + (time.monotonic() - self._began if self._at < len(self.names) else 0.0)
        left = self.left
        name = f"{self.names[self._at]} ({self._at + 1} of {len(self.names)})" if self._at < len(self.names) else ""
        return name, gone / (gone + left) if gone + left else 1.0, f"{spoken(left)} left"
