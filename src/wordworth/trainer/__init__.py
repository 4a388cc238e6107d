"""A model measured while transformers' `Trainer` trains it. It needs what the Trainer needs (`wordworth[trainer]`)."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from wordworth.errors import WordworthError

if TYPE_CHECKING or all(map(find_spec, ("torch", "transformers", "accelerate"))):
    from wordworth.trainer.callback import WordworthCallback
else:

    class WordworthCallback:
        """Measures the model that a `Trainer` trains; it needs accelerate: `pip install wordworth[trainer]`."""

        def __init__(self, *_: object, **__: object) -> None:
            raise WordworthError(
                "WordworthCallback needs accelerate, as transformers' Trainer does; install it with "
                "`pip install wordworth[trainer]`"
            )


__all__ = ["WordworthCallback"]
