"""A word becomes sentences: the contextual settings, and contexts drawn from a corpus."""

from wordworth.catalog.read.templates import Templates, load_templates
from wordworth.contexts.random_contexts import RandomContexts, random_contexts
from wordworth.contexts.sampling import Sample, draw_sentences, read_sample
from wordworth.contexts.sentences import Finder, Found, split_sentences
from wordworth.contexts.settings import (
    SETTINGS,
    Context,
    Setting,
    aligned,
    bleached,
    check_setting,
    contexts_in,
    decontextualized,
    in_template,
    misaligned,
    polar_ratings,
    rescaled,
)
