"""A model measured while transformers' `Trainer` trains it. It needs what the Trainer needs (`wordworth[trainer]`)."""

from importlib.util import find_spec

from wordworth.errors import WordworthError

if find_spec("accelerate") is None:
    raise WordworthError(
        "WordworthCallback needs accelerate, as transformers' Trainer does; install it with "
        "`pip install wordworth[trainer]`"
    )

from wordworth.trainer.callback import WordworthCallback

__all__ = ["WordworthCallback"]
