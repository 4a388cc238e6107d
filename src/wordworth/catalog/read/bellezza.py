"""Bellezza's words in other languages (ValNorm, Tables 3 and 5): the rows of a lexicon that stand for one of them."""

from dataclasses import replace

from wordworth.catalog.entry import Entry
from wordworth.catalog.read.lexica import LeftOut, Lexicon, load_lexicon
from wordworth.catalog.read.translations import load_translations
from wordworth.embedding.core import spellings
from wordworth.errors import WordworthError


def derived(declared: Entry) -> Lexicon:
    """The rows of `derived.lexicon` that stand for an English word of `derived.words` (and of `derived.among`).

    A lexicon that names its English words is matched through them. Chinese and Turkish have the ValNorm authors'
    translations instead, which are looked up among the lexicon's words in either Chinese script. English words that
    no row stands for are in `left_out`.
    """
    recipe = declared.details["derived"]
    whole = load_lexicon(recipe["lexicon"])
    among = set(load_lexicon(recipe.get("among", recipe["words"])).words)
    wanted = tuple(word for word in load_lexicon(recipe["words"]).words if word in among)
    if "translation" in recipe:
        meanings = _translated(whole, wanted, recipe["translation"])
    elif whole.language == "english":
        meanings = [(word,) if word in wanted else () for word in whole.words]
    else:
        if not whole.english:
            raise WordworthError(
                f"{declared.name} is found through the English beside the words of {whole.name}, and the copy from "
                f"{whole.source} has none; put the other one in its place (`wordworth show {recipe['lexicon']}`)"
            )
        meanings = [tuple(w for w in map(str.lower, english) if w in wanted) for english in whole.english]
    rows = [row for row, english in enumerate(meanings) if english]
    covered = {word for english in meanings for word in english}
    kept = {whole.words[row] for row in rows}
    merged = [one for one in whole.left_out if one.word in kept]
    missing = [LeftOut(0, word, f"has no row in {whole.name}") for word in wanted if word not in covered]
    return replace(
        whole.chosen(rows, declared.name, [*merged, *missing]),
        english=tuple(meanings[row] for row in rows),
        by_english=True,
        licence=declared.licence,
    )


def _translated(whole: Lexicon, wanted: tuple[str, ...], table: str) -> list[tuple[str, ...]]:
    """For each word of the lexicon the wanted English words it translates."""
    forms = load_translations(table).forms
    spelled = spellings(whole.language)
    row_of = {word: row for row, word in enumerate(whole.words)}
    for row, word in enumerate(whole.words):
        for form in spelled(word):
            row_of.setdefault(form, row)
    meanings: list[tuple[str, ...]] = [() for _ in whole.words]
    for english in wanted:
        for translation in forms.get(english, ()):
            at = next((row_of[form] for form in spelled(translation) if form in row_of), None)
            if at is not None and english not in meanings[at]:
                meanings[at] += (english,)
    return meanings
