"""Put words into texts: `Context`, and the contexts of VAST (Wolfe & Caliskan 2022, “Approach”).

bleached: one text without meaning for all; aligned: the text of the word's own rating; misaligned: the text of the
mirrored rating (the neutral one stays); decontextualized: only the word. Random contexts are in `random_contexts.py`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from wordworth.catalog.read.templates import SLOT, Templates
from wordworth.errors import WordworthError, nearest


@dataclass(frozen=True, slots=True)
class Context:
    """A word in a text, at `text[start:end]`; its spelling there may differ (a capital, another script).

    Several contexts may share one text: the encoder runs it once for all of them.
    """

    word: str
    text: str
    start: int
    end: int


def in_template(template: str, word: str) -> Context:
    """Return the word in the place of WORD."""
    start = template.index(SLOT)
    text = template[:start] + word + template[start + len(SLOT) :]
    return Context(word, text, start, start + len(word))


ContextName = Literal["random", "bleached", "aligned", "misaligned", "decontextualized"]
CONTEXT_NAMES: tuple[ContextName, ...] = get_args(ContextName)
PLEASANT, UNPLEASANT = 8.0, 2.0
"""Ratings, on the 1–9 scale, of polar words that the lexicon under test lacks."""


def rescale(ratings: Iterable[float], scale: tuple[float, float], onto: tuple[float, float] = (1, 9)) -> list[float]:
    """Map ratings linearly; from 1–5 onto 1–9 this is (v−1)·2+1.

    A mean may leave its scale by rounding only; anything further is an error, since it would lie outside the bins.
    """
    (low, high), (bottom, top) = scale, onto
    slack = 1e-6 * (high - low)
    results: list[float] = []
    for rating in ratings:
        if not low - slack <= rating <= high + slack:
            raise WordworthError(f"the rating {rating:g} is outside its scale {low:g} to {high:g}; correct the scale")
        results.append(bottom + (min(max(rating, low), high) - low) * (top - bottom) / (high - low))
    return results


def polar_ratings(pleasant: Sequence[str], unpleasant: Sequence[str], lexicon: Mapping[str, float]) -> dict[str, float]:
    """Return ratings of the polar words on the 1–9 scale: the lexicon's own where it has one, else 8 or 2."""
    sides = ((pleasant, PLEASANT), (unpleasant, UNPLEASANT))
    return {word: lexicon.get(word, usual) for words, usual in sides for word in words}


def make_bleached(words: Iterable[str], templates: Templates) -> list[Context]:
    """Return each word in the template without meaning."""
    return [in_template(templates.bleached, word) for word in words]


def make_decontextualized(words: Iterable[str]) -> list[Context]:
    """Return each word without a context."""
    return [Context(word, word, 0, len(word)) for word in words]


def make_aligned(words: Sequence[str], ratings: Sequence[float], templates: Templates) -> list[Context]:
    """Return each word in the text of its rating, which is on the templates' scale (see `rescale`)."""
    pairs = zip(words, ratings, strict=True)
    return [in_template(templates.aligned[templates.bin_of(rating)], word) for word, rating in pairs]


def make_misaligned(words: Sequence[str], ratings: Sequence[float], templates: Templates) -> list[Context]:
    """Return each word in the text of the mirrored bin. Polar words are not misaligned: take `aligned` for them."""
    pairs = zip(words, ratings, strict=True)
    return [in_template(templates.aligned[-1 - templates.bin_of(rating)], word) for word, rating in pairs]


def check_context(name: str) -> ContextName:
    """Return the context of that name; raise with the nearest name if it is unknown."""
    if name not in CONTEXT_NAMES:
        close = nearest(name, list(CONTEXT_NAMES)) or f"; there are {', '.join(CONTEXT_NAMES)}"
        raise WordworthError(f"there is no context {name!r}{close}")
    return name


def contexts_in(
    context: str,
    words: Sequence[str],
    *,
    templates: Templates | None = None,
    ratings: Sequence[float] | None = None,
    random: Mapping[str, Context | None] | None = None,
    polar: bool = False,
) -> list[Context | None]:
    """Return each word in a context; None for a word that the corpus lacks.

    `random` has the drawn contexts by word. Bleached, aligned and misaligned need templates, the last two also ratings
    on the scale of the templates. Polar words stay aligned in misaligned (VAST, appendix).
    """
    context_name = check_context(context)
    if context_name == "decontextualized":
        return [*make_decontextualized(words)]
    if context_name == "random":
        if random is None:
            raise WordworthError("random contexts are drawn from a corpus: give --corpus NAME or FILE")
        return [random.get(word) for word in words]
    if templates is None:
        raise WordworthError(f"the context {context} needs templates; name them with --templates")
    templates.check(context_name)
    if context_name == "bleached":
        return [*make_bleached(words, templates)]
    if ratings is None:
        raise WordworthError(f"the context {context} needs a rating for every word")
    in_text = make_misaligned if context_name == "misaligned" and not polar else make_aligned
    return [*in_text(words, ratings, templates)]
