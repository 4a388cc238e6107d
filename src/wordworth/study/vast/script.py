"""One Chinese script for the templates, the polar words and the lexicon: a model reads the two as different words."""

from collections.abc import Sequence
from dataclasses import replace

from wordworth.catalog.read.lexica import Lexicon
from wordworth.catalog.read.templates import Templates
from wordworth.catalog.read.word_sets import PolarWords
from wordworth.embedding.spelling import in_script
from wordworth.errors import WordworthError
from wordworth.run import Findings


def script_of(words: Sequence[str]) -> str:
    """Traditional or Simplified: the script that more of the words stay as they are in."""
    changed = {
        script: sum(in_script(word, script) != word for word in words) for script in ("simplified", "traditional")
    }
    return "simplified" if changed["simplified"] < changed["traditional"] else "traditional"


def in_one_script(findings: Findings, polar: PolarWords, templates: Templates) -> PolarWords:
    """Polar words in the script of the templates, where the language has two."""
    if polar.language != "chinese":
        return polar
    wanted, published = script_of((templates.bleached, *templates.aligned)), (*polar.pleasant, *polar.unpleasant)
    pleasant, unpleasant = (
        tuple(in_script(word, wanted) for word in side) for side in (polar.pleasant, polar.unpleasant)
    )
    changed = sum(old != new for old, new in zip(published, (*pleasant, *unpleasant), strict=True))
    if changed:
        findings.note(
            f"{changed} of the {len(published)} Chinese polar words were put into {wanted.capitalize()} script, which "
            f"the templates are in."
        )
    return replace(polar, pleasant=pleasant, unpleasant=unpleasant)


def lexicon_in_script(findings: Findings, lexicon: Lexicon, templates: Templates) -> Lexicon:
    """A lexicon in the script of the templates, where the language has two; of words that become one, the first."""
    wanted = script_of((templates.bleached, *templates.aligned))
    if lexicon.language != "chinese" or script_of(lexicon.words) == wanted:
        return lexicon
    words = [in_script(word, wanted) for word in lexicon.words]
    rows = [at for at, word in enumerate(words) if word not in words[:at]]
    findings.note(
        f"{lexicon.name} was put into {wanted.capitalize()} script, which the templates are in; "
        f"{len(words) - len(rows)} words became the same as another."
    )
    return replace(lexicon.chosen(rows, lexicon.name, lexicon.left_out), words=tuple(words[at] for at in rows))


def check_script(lexicon: Lexicon, templates: Templates) -> None:
    """A lexicon in another script than the templates is an error: each is an author's own wording."""
    if lexicon.language != "chinese":
        return
    theirs, ours = script_of(lexicon.words), script_of((templates.bleached, *templates.aligned))
    if theirs != ours:
        raise WordworthError(
            f"{lexicon.name} is in {theirs.capitalize()} script and the templates are in {ours.capitalize()}; give "
            "--templates in the lexicon's script"
        )
