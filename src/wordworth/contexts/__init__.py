"""A word becomes sentences: the contextual settings, and contexts drawn from a corpus."""

from wordworth.contexts.core import Context, in_template
from wordworth.contexts.random_contexts import RandomContexts, random_contexts
from wordworth.contexts.settings import (
    Setting,
    aligned,
    bleached,
    decontextualized,
    in_setting,
    misaligned,
    polar_ratings,
    rescaled,
)
from wordworth.contexts.templates import Templates, load_templates

__all__ = [
    "Context",
    "RandomContexts",
    "Setting",
    "Templates",
    "aligned",
    "bleached",
    "decontextualized",
    "in_setting",
    "in_template",
    "load_templates",
    "misaligned",
    "polar_ratings",
    "random_contexts",
    "rescaled",
]
