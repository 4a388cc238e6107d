"""A word becomes sentences: templates, and contexts drawn from a corpus."""

from wordworth.catalog.read.templates import Templates, load_templates
from wordworth.contexts.in_text import (
    CONTEXTS,
    Context,
    ContextName,
    aligned,
    bleached,
    check_context,
    contexts_in,
    decontextualized,
    in_template,
    misaligned,
    polar_ratings,
    rescaled,
)
from wordworth.contexts.random_contexts import RandomContexts, random_contexts
from wordworth.contexts.sampling import Sample, draw_sentences, read_sample
from wordworth.contexts.sentences import Finder, Found, split_sentences
