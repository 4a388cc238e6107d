"""Turn words into sentences: templates, and contexts drawn from a corpus."""

from wordworth.catalog.read.templates import Templates, load_templates
from wordworth.contexts.in_text import (
    CONTEXT_NAMES,
    Context,
    ContextName,
    check_context,
    contexts_in,
    in_template,
    make_aligned,
    make_bleached,
    make_decontextualized,
    make_misaligned,
    polar_ratings,
    rescale,
)
from wordworth.contexts.random_contexts import RandomContexts, random_contexts
from wordworth.contexts.sampling import Sample, draw_sentences, read_sample
from wordworth.contexts.sentences import Finder, Occurrence, split_sentences
