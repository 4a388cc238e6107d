"""Infer with NLI models of several kinds: probes made of templates, scoring, and training."""

from wordworth.errors import require

require("language models")
