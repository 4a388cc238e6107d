"""Words of the field, each with a gloss: over the word where it stands, and in a list at the end of the page."""

import re
from dataclasses import dataclass

import polars as pl

from wordworth.report.markup import Markup, joined, tag


@dataclass(frozen=True)
class Term:
    """A word that not every reader knows."""

    name: str
    gloss: str
    """What follows the word and a colon."""
    forms: str = ""
    """A regular expression for it in a text; blank: the name itself."""

    @property
    def id(self) -> str:
        spelled = self.name.lower().translate({ord("ρ"): "rho", ord("†"): "dagger"})
        return f"term-{re.sub(r'[^a-z0-9]+', '-', spelled)}"


TERMS = (
    Term("valence", "how pleasant or unpleasant a word is, as people rate it"),
    Term("ρ", "a correlation, from −1 to 1: how closely the model’s order of words or pairs follows people’s", "ρ"),
    Term(
        "d",
        "an effect size: how far apart two sets of words lie, in standard deviations; .2 is small, .5 medium, .8 large",
        r"d(?=\s=\s)|(?<=Cohen’s )d|(?<=mean )\|d\|",
    ),
    Term(
        "interval", "[low, high]: where the number would lie 95 times in 100, had other words been drawn", "intervals?"
    ),
    Term("†", "to be read with care: few items, low coverage, or sets out of balance; the figure says which", "†"),
    Term("p", "the chance of as much or more, were the words dealt to the sets at random", r"p(?=\s[<=]\s)"),
    Term(
        "variants",
        "the same number under another combination of defensible choices: words, vectors, estimators",
        "variants?",
    ),
    Term("two-sided", "in either direction: as the stereotype has it, or against it"),
    Term(
        "Holm’s correction",
        "of many tests some come out significant by chance alone; after it the chance that any does is at most 5 %",
        "Holm(?:’s correction)?",
    ),
    Term(
        "layer",
        "a language model computes a word’s vector in steps, one upon another: 0 is the word alone, the top one "
        "predicts the next word",
        "layers?",
    ),
    Term("bleached", "of a sentence that says nothing of the word: “This is WORD”"),
    Term("aligned", "of a sentence that says of the word what people feel: “It is pleasant to think of WORD”"),
    Term("misaligned", "of a sentence that says of the word the opposite of what people feel"),
    Term("decontextualized", "of a word alone, without a sentence"),
    Term("random sentences", "sentences of a text in which the word occurs, drawn by chance"),
    Term(
        "nullified",
        "taken out of every vector: directions along which all words vary most, which say little of the single word",
        "[Nn]ullif(?:ied|y|ying)",
    ),
    Term("components", "principal components: the directions along which vectors vary most", "components?"),
    Term(
        "polar words",
        "the 25 pleasant and 25 unpleasant words that a word’s valence is measured against",
        "polar words?|poles",
    ),
    Term("untrained", "the same network with random weights, which has learnt nothing"),
    Term("shuffled ratings", "people’s ratings dealt out to the words at random: what chance alone gives"),
    Term("aggregated", "one vector a word, pooled from its vectors in many sentences"),
    Term("pooled", "many vectors made into one, by their mean or otherwise", "pool(?:ed|ings?)"),
    Term("subwords", "the pieces that a model splits a word into", "subwords?"),
    Term("anisotropy", "how far all vectors point the same way", "[Aa]nisotropy"),
    Term(
        "association tests",
        "whether words for one group lie nearer to, say, pleasant words than words for another do (WEAT)",
        "[Aa]ssociation tests?|WEAT",
    ),
    Term("estimators", "different definitions of how biased word vectors are", "[Ee]stimators?"),
    Term(
        "bands",
        "words grouped by how often they are met in a large text",
        "(?:frequency )?bands?(?: of frequency)?(?! are 95)",
    ),
    Term("below", "of words rarer than the rarest band of the paper’s", "below(?= and unseen)"),
    Term("unseen", "of words that the list of frequencies lacks"),
    Term("types", "different words of a text, each counted once"),
    Term(
        "neutral",
        "the answer that a sentence neither follows from another nor contradicts it",
        r"neutral(?:ity)?",
    ),
    Term("entailment", "the answer that one sentence follows from another"),
    Term("contradiction", "the answer that two sentences cannot both be true"),
    Term("projection", "taking one direction, such as that from “she” to “he”, out of the vectors", "[Pp]rojection"),
    Term(
        "hard-debias",
        "a direction taken out of all but gendered words, and pairs such as he and she set at equal distance",
    ),
    Term("inlp", "all that a linear classifier can tell of gender, or another attribute, taken out step by step"),
    Term("leace", "all that any linear classifier could tell of an attribute, taken out in one least change"),
    Term("random directions", "as many directions taken out, but drawn by chance: what taking out does by itself"),
    Term("bellezza", "a list of 399 words that people rated for how pleasant they are (1986)"),
    Term("anew", "a list of 1,029 words that people rated for valence, arousal and dominance (1999)"),
    Term("warriner", "a list of 13,915 words that people rated for valence, arousal and dominance (2013)"),
    Term("ws-353", "353 pairs of words that people rated for how related they are"),
    Term("simlex-999", "999 pairs of words that people rated for how similar, and not just related, they are"),
    Term("simverb-3500", "3,500 pairs of verbs that people rated for how similar they are"),
    Term("rg-65", "65 pairs of nouns that people rated for how similar they are (1965)"),
    Term("men", "3,000 pairs of words that people rated for how related they are", r"(?<=on )men"),
    Term("rw", "2,034 pairs with a rare word that people rated for how similar they are"),
    Term("perplexity", "how many words the model wavers between on average; fewer is better", "[Pp]erplexity"),
)
"""In the order of the list at the end."""

_NAMED = {term.name: term for term in TERMS}
IN_FIGURES = {
    name: _NAMED[name]
    for name in ("bleached", "aligned", "misaligned", "decontextualized", "aggregated", "below", "unseen", "untrained",
                 "projection", "hard-debias", "inlp", "leace")
}  # fmt: skip
"""What the column `setting` of a score holds."""

_BY_FORM = [
    (term, re.compile(rf"(?<![\w-])(?:{term.forms or re.escape(term.name)})(?![\w-])" if term.name != "†" else "†"))
    for term in TERMS
]


def glossed(text: str) -> Markup:
    """A paragraph's text with its first occurrence of every term linked to the gloss, which shows over it."""
    found = [(match.start(), match.end(), term) for term, form in _BY_FORM if (match := form.search(text))]
    parts: list[str | Markup] = []
    done = 0
    for start, end, term in sorted(found, key=lambda one: (one[0], -one[1])):
        if start >= done:  # of two that overlap, the first and longer
            parts += [text[done:start], _linked(text[start:end], term)]
            done = end
    return joined(*parts, text[done:])


def legend(rows: pl.DataFrame, said: str) -> Markup | None:
    """The terms that a figure has in its legend, axes or headings, for its rows, and has not `said` in its text."""
    named = rows.select("study", "setting").drop_nulls().unique(maintain_order=True).iter_rows()
    terms: dict[str, Term] = {}
    for study, setting in ((study, part) for study, text in named for part in text.split(":")):
        term = IN_FIGURES.get(setting)
        if setting == "random":
            term = _NAMED["random sentences" if study == "vast" else "random directions"]
        if term is not None and term.name not in said:
            terms[setting] = term
    if not terms:
        return None
    links = [part for name, term in terms.items() for part in (", ", _linked(name, term))]
    return tag("p", "In the figure: ", links[1:], ".", class_="care")


def _linked(text: str, term: Term) -> Markup:
    """A link, so that a keyboard, a finger and a screen reader come to the gloss too."""
    return tag(
        "a",
        text,
        class_="gloss",
        href=f"#{term.id}",
        data_gloss=f"{term.name}: {term.gloss}.",
        aria_describedby=term.id,
    )


def glossary(page: str) -> Markup | None:
    """The terms that a page links to, as a list."""
    used = [term for term in TERMS if f'href="#{term.id}"' in page]
    if not used:
        return None
    return tag("dl", ((tag("dt", term.name), tag("dd", term.gloss + ".", id=term.id)) for term in used), class_="terms")
