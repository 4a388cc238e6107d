"""What VAST's experiments have to do with a model, for the estimate of an audit."""

from wordworth.catalog.fetch.sources import here
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.registry import entry
from wordworth.encode import LanguageModel
from wordworth.study.cost import Work
from wordworth.study.language_models import measured_layers
from wordworth.study.vast import EXPERIMENTS, SETTINGS, VastSettings
from wordworth.study.vast.components import LEXICA
from wordworth.study.vast.study import PAIRS
from wordworth.task.similarity import words_of

TEMPLATE = {"bleached": 6, "aligned": 12, "misaligned": 12, "decontextualized": 2}
"""Tokens of a text."""
SHARED = 2
"""Tokens of a word where the text before it is computed once for all words."""
RANDOM, TO_THE_WORD, MET = 26, 14, 0.55
"""Tokens of a random context; up to the word; the share of words that the text holds."""
RESAMPLED = 6
"""Values of a lexicon in a setting and layer, for each of its words: valence twice, two more affects, the controls."""
PROBED = (9_000 * 9, 4_000 * 22)
"""Tokens of CoLA's sentences, and of tagged ones."""


def vast_work(model: LanguageModel, settings: VastSettings) -> Work:
    """Tokens of all texts, and ranks of the intervals."""
    asked = settings.experiments or EXPERIMENTS
    english = settings.language == "english"
    lexica = [load_lexicon(name) for name in settings.lexica or (LEXICA if english else (settings.language,))]
    words = {word for lexicon in lexica for word in lexicon.words}
    used = settings.settings or SETTINGS
    tokens = sum(_tokens(model, setting) for setting in used) * len(words)
    if "none" not in settings.controls and "untrained" in (settings.controls or ("untrained",)):
        tokens += sum(_tokens(model, setting) for setting in used) * len(lexica[0])
    if "validation" in asked and (settings.pairs or english):  # elsewhere there is a set of pairs, or none
        pairs = [load_pairs(name) for name in settings.pairs or PAIRS]
        tokens += _tokens(model, "bleached") * len({word for one in pairs for word in words_of(one)} - words)
    if "probes" in asked and here("cola", entry("cola", "corpora").sources):
        tokens += sum(PROBED)
    ranked = sum(map(len, lexica)) * len(used) * len(measured_layers(model, settings))
    return Work(tokens=tokens, ranks=RESAMPLED * ranked * settings.resamples)


def _tokens(model: LanguageModel, setting: str) -> float:
    """Of a word in a setting."""
    if setting == "random":
        return MET * (TO_THE_WORD if model.left_only else RANDOM)
    return SHARED if model.reuses_kv_cache else TEMPLATE[setting]
