"""What can be seen of VAST's settings before a model is loaded."""

from wordworth.catalog.read.templates import load_templates
from wordworth.catalog.read.word_sets import polar_languages
from wordworth.catalog.registry import entries, knows
from wordworth.catalog.resolve import split_label
from wordworth.errors import WordworthError, nearest
from wordworth.study.vast import VastSettings

IN_BLEACHED = ("tokenization", "validation", "bias")
"""Experiments that put words into the bleached text, whatever the settings."""
LANGUAGES = ("english", "chinese", "turkish", "polish", "french", "spanish", "portuguese")
"""The paper's seven (Figures 20 to 22)."""


def languages() -> list[str]:
    """Those, beside English, that the catalog has polar words, templates and a lexicon in."""
    lexica, templates = ({one.language for one in entries(kind)} for kind in ("lexica", "templates"))
    return [one for one in polar_languages() if one != "english" and one in lexica & templates and knows(one, "lexica")]


def check(settings: VastSettings) -> None:
    """Stops at a text of no language, and at templates that cannot be read or lack a text that was asked for."""
    for text in settings.language_corpus:
        label, _ = split_label(text)
        if label not in LANGUAGES:
            near = nearest(label, list(LANGUAGES)) or f"; write LANGUAGE=PATH with one of {', '.join(LANGUAGES)}"
            raise WordworthError(f"--language-corpus {text} is of none of the languages{near}")
    templates = load_templates(settings.templates, settings.language)
    for name in settings.settings:
        templates.check(name)
    for name in settings.experiments:
        if name in IN_BLEACHED:
            templates.check("bleached", f"the experiment {name}")
