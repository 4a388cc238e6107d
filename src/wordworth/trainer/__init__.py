"""Measure a model while transformers' `Trainer` trains it."""

from wordworth.errors import require

require("language models")

from wordworth.trainer.callback import WordworthCallback

__all__ = ["WordworthCallback"]
