"""What a model in training is called after so many steps: `NAME@step500`, in a run as in a report."""

import re

BEFORE_STEP = "@step"
_LABEL = re.compile(rf"(.+){BEFORE_STEP}(\d{{1,15}})", re.DOTALL)


def at_step(name: str, step: int) -> str:
    """The label of a model after so many steps of its training."""
    return f"{name}{BEFORE_STEP}{step}"


def step_of(label: str) -> tuple[str, int] | None:
    """The name and the steps of such a label; None for any other."""
    parted = _LABEL.fullmatch(label)
    return (parted[1], int(parted[2])) if parted else None
