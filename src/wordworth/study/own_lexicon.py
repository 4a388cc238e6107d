"""The lexicon of a language where none is named: the one that has its name, or one that stands in for it."""

from collections.abc import Callable

from wordworth.catalog.read.lexica import Lexicon, lexica_in
from wordworth.errors import WordworthError
from wordworth.run import Findings


def own_lexicon(findings: Findings, language: str, load: Callable[[str], Lexicon]) -> Lexicon:
    """Where the language's own lexicon cannot be had, the first other one of the catalog that can, which is said."""
    reasons: list[str] = []
    for name in lexica_in(language):
        try:
            lexicon = load(name)
        except WordworthError as error:
            reasons.append(str(error))
            continue
        if reasons:
            findings.warn(f"{name} ({len(lexicon):,} words) stands in for the lexicon {language}: {reasons[0]}.")
        return lexicon
    raise WordworthError(reasons[0] if reasons else f"the catalog has no lexicon of {language} words; give --lexicon")
