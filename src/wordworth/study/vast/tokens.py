"""VAST's experiments on the tokens of a word (2), and on a word among others (4).

Experiment 2 compares words of one token with words of several (Figures 2 and 8). Experiment 4 asks what the top
components hold, by logistic regression (“Semantic Isolation”): acceptability of a CoLA sentence from the vector of its
last word; the last word's part of speech from its own vector and from that of the word before it. Each from the whole
vector, from the top components, and from the rest. Mean, components and scale are fitted on the training part and
applied to the test part.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordworth.catalog.read.corpora import TaggedWords, load_corpus, tagged_sentences
from wordworth.catalog.read.lexica import Lexicon
from wordworth.contexts import Context, make_bleached
from wordworth.embedding import Slot
from wordworth.encode import InContexts, token_counts
from wordworth.measure import VALENCE
from wordworth.results.findings import Findings
from wordworth.results.vocabulary import NoticeKind
from wordworth.statistics.correlation import pearson
from wordworth.study.vast.words import EncodedWords, choose_greedy_poles
from wordworth.task.probes import ProbePart, score_probe
from wordworth.task.valence import compute_effect_sizes, record_slots
from wordworth.task.words import TO_BALANCE

POOLINGS = ("first", "last", "mean", "max")
SINGLE, MULTIPLE = TOKEN_KINDS = ("single", "multiple")
MIN_WORDS_PER_KIND = 10
"""The smallest set of either kind for a correlation."""
MAX_LOST = 0.1
"""A larger share of lost words is a caution."""
RESPLIT = "split differently in its text than in ordinary use"
SPLIT_WORD = "the model splits it into several tokens"
NOT_LOCATED = "the tokenizer does not locate it in ordinary use"
RowIndices = NDArray[np.intp]


def score_tokenization(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score ρ by layer for balanced sets of singly and multiply tokenized words, under poles of either kind.

    In random contexts, as the paper, with the words that the corpus has; and bleached, where no word is lost.
    """
    for context in _token_contexts(words):
        comparison = _Comparison(words, max(lexica, key=len), context)
        findings.add(comparison.score(), experiment="tokenization")


def score_mixed_poles(findings: Findings, words: EncodedWords, lexicon: Lexicon) -> None:
    """Score both kinds of words under all polar words (Figures 23 to 25).

    In most languages too few polar words are one token, so the paper mixes them.
    """
    for context in _token_contexts(words):
        findings.add(_Comparison(words, lexicon, context).score_mixed(), experiment="languages")


def _token_contexts(words: EncodedWords) -> list[str]:
    return [context for context in ("random", "bleached") if context in words.contexts] or ["bleached"]


class TokenKinds:
    """Sort encoded words into those of one token and of several, as the tokenizer splits them in ordinary use.

    Ordinary use is the bleached text, after a space. A space that is a separate token counts, as in the paper. A word
    that its text splits differently, such as after a bracket, is of neither kind.
    """

    def __init__(self, words: EncodedWords, encoding: InContexts) -> None:
        counts, markers = token_counts(words.model.tokenizer, make_bleached(encoding.words, words.templates))
        sizes = counts + markers
        self.encoding = encoding
        self.kinds = [(SINGLE if size == 1 else MULTIPLE) if n else None for n, size in zip(counts, sizes, strict=True)]
        """The kind of each requested word; None if it is unknown."""
        self.subwords = dict(zip(encoding.positions.tolist(), encoding.store.subwords.tolist(), strict=True))
        """Place of a word that was encoded → its tokens."""
        self.reasons = {i: RESPLIT for i, count in self.subwords.items() if (count == 1) != (counts[i] == 1)}
        """Place of a word → why it has no vector of its kind."""
        self.reasons |= {i: NOT_LOCATED for i, kind in enumerate(self.kinds) if kind is None} | encoding.reasons
        self.subwords = {i: count + int(markers[i]) for i, count in self.subwords.items()}

    def rows(self, kind: str) -> RowIndices:
        """Return the rows of the encoded words of a kind."""
        positions = self.encoding.positions.tolist()
        rows = [row for row, i in enumerate(positions) if self.kinds[i] == kind and i not in self.reasons]
        return np.array(rows, dtype=np.intp)

    def list_skipped(self, rows: RowIndices) -> list[str | None]:
        """Return for each word why it is not in these rows; None where it is."""
        used_places = set(self.encoding.positions[rows].tolist())
        return [None if i in used_places else self.reasons.get(i, TO_BALANCE) for i in range(len(self.kinds))]


def score_single_tokens(words: EncodedWords, encoding: InContexts, dataset: str) -> Findings:
    """Score the share of a data set's words that are one token; words that are not located do not count."""
    findings, kinds = Findings(), TokenKinds(words, encoding).kinds
    known_count = len(kinds) - kinds.count(None)
    place = {"model": words.model.name, "language": words.language, "dataset": dataset, "context": "bleached"}
    if known_count:
        findings.score(**place, measure="single-token", value=kinds.count(SINGLE) / known_count, n=known_count)
    return findings


Pole = tuple[TokenKinds, RowIndices]
"""Encoded words, and the rows of those that are the pole."""


def _balance(rng: np.random.Generator, groups: Sequence[RowIndices]) -> list[RowIndices]:
    """Cut all groups at random to the size of the smallest."""
    size = min(map(len, groups))
    return [np.sort(rng.choice(group, size, replace=False)) for group in groups]


class _Comparison:
    """Compare the two kinds of a lexicon's words in one context under the same poles."""

    def __init__(self, words: EncodedWords, lexicon: Lexicon, context: str) -> None:
        self.words, self.lexicon, self.findings = words, lexicon, Findings()
        self.rated_words, *self.poles = (TokenKinds(words, group) for group in words.encode_rated(lexicon, context))
        self.place: dict[str, Any] = {"model": words.model.name, "language": words.language, "context": context}
        self.place["dataset"] = lexicon.name
        rng = np.random.default_rng(words.settings.seed)
        rows = [self.rated_words.rows(kind) for kind in TOKEN_KINDS]
        self.sets = dict(zip(TOKEN_KINDS, _balance(rng, rows), strict=True))
        self.sides = _balance(rng, [pole.rows(SINGLE) for pole in self.poles])

    def score(self) -> Findings:
        """Return the scores, and for every word whether it was used."""
        self._record_poles()
        if not self._has_enough_words():
            return self.findings
        if len(self.sides[0]) >= 2:
            self._score_poolings(None, [*zip(self.poles, self.sides, strict=True)])
        else:
            self._notice("skipped", "fewer than two polar words of one token on a side, so no scores under such poles")
        if self.words.anew is not None:
            self._score_multiple_poles(self.words.anew)
        return self.findings

    def score_mixed(self) -> Findings:
        """Return the scores under all polar words that were encoded."""
        if self._has_enough_words():
            poles = [(pole, np.arange(len(pole.encoding.positions))) for pole in self.poles]
            self._score_poolings("mixed-poles", poles)
        return self.findings

    def _has_enough_words(self) -> bool:
        """Record every word of the lexicon, and return whether there are enough of both kinds."""
        self._record_words()
        size, total = len(self.sets[SINGLE]), len(self.lexicon)
        kinds, lost_count = self.rated_words.kinds, len(self.rated_words.reasons)
        reason = (
            f"words have no vector of their kind; {kinds.count(SINGLE):,} are one token and {kinds.count(MULTIPLE):,} "
            f"are split, and each set has {size:,}"
        )
        if size < MIN_WORDS_PER_KIND:
            reason += f", where {MIN_WORDS_PER_KIND} are needed"
            reason += " (warriner has enough)" if self.words.language == "english" else ""
            self._notice("skipped", reason, count=lost_count, total=total)
            return False
        self._notice("caution" if lost_count > MAX_LOST * total else "info", reason, count=lost_count, total=total)
        return True

    def _notice(self, kind: NoticeKind, reason: str, **counts: int) -> None:
        self.findings.notice(kind, reason, **self.place, experiment="tokenization", **counts)

    def _record_words(self) -> None:
        """Record every word of the lexicon: used, dropped to balance the sets, or lost."""
        place = {**self.place, "pooling": self.words.pooling}
        rated_kinds = self.rated_words
        columns = {
            "subset": rated_kinds.kinds,
            "subwords": [rated_kinds.subwords.get(i) for i in range(len(rated_kinds.kinds))],
            "rating": self.lexicon.valence.tolist(),
            "skipped": rated_kinds.list_skipped(np.concatenate(list(self.sets.values()))),
        }
        self.findings.item("rated_words", **place, word=list(self.lexicon.words), **columns)

    def _record_poles(self) -> None:
        """Record every polar word: used, split, dropped to balance the sides, or lost."""
        place = {**self.place, "pooling": self.words.pooling}
        for label, pole, rows in zip(("pleasant", "unpleasant"), self.poles, self.sides, strict=True):
            pairs = zip(pole.kinds, pole.list_skipped(rows), strict=True)
            reasons = [SPLIT_WORD if kind == MULTIPLE else reason for kind, reason in pairs]
            self.findings.item("word_lists", **place, list=label, word=list(pole.encoding.words), skipped=reasons)

    def _score_multiple_poles(self, anew: Lexicon) -> None:
        """Score under poles of several tokens: the 25 highest and lowest of ANEW that the model splits."""
        kinds = TokenKinds(self.words, self.words.encode_rated(anew, str(self.place["context"]))[0])
        place = {**self.place, "pooling": self.words.pooling, "dataset": anew.name}
        reasons = {i: reason for i, reason in sorted(kinds.reasons.items()) if kinds.kinds[i] == MULTIPLE}
        lost = [anew.words[i] for i in reasons]
        self.findings.item("word_lists", **place, list="split words", word=lost, skipped=list(reasons.values()))
        row_of = {anew.words[kinds.encoding.positions[row]]: row for row in kinds.rows(MULTIPLE).tolist()}
        if len(row_of) < 2 * MIN_WORDS_PER_KIND:
            self._notice("skipped", "words of ANEW are split, too few to be poles of several tokens", count=len(row_of))
            return
        ratings = anew.valence[kinds.encoding.positions[list(row_of.values())]].tolist()
        sides = choose_greedy_poles(list(row_of), ratings, min(25, len(row_of) // 2))
        for label, side in zip(("pleasant", "unpleasant"), sides, strict=True):
            self.findings.item("word_lists", **place, list=f"{label}, split", word=list(side))
        self._score_poolings("multiple-poles", [(kinds, np.array([row_of[word] for word in side])) for side in sides])

    def _score_poolings(self, variant: str | None, poles: Sequence[Pole]) -> None:
        """Score ρ of both sets in every layer, under every pooling."""
        for pooling in POOLINGS:
            layers = self.rated_words.encoding.layers(pooling)
            high, low = (kinds.encoding.layers(pooling).rows(rows) for kinds, rows in poles)
            all_rows = np.concatenate(list(self.sets.values()))  # both sets out of one reading
            effects_of_sets = np.split(compute_effect_sizes(layers.rows(all_rows), (high, low)), len(self.sets), axis=1)
            for (kind, rows), effects in zip(self.sets.items(), effects_of_sets, strict=True):
                kind_layers, ratings = layers.rows(rows), self.lexicon.valence[layers.positions[rows]]
                rho = pearson(effects, ratings, items=kind_layers.words, **self.words.settings.bootstrap)
                place = {**self.place, "pooling": pooling, "subset": kind, "measure": VALENCE, "variant": variant}
                record_slots(self.findings, place, kind_layers, rho)


MAX_TAGGED_SENTENCES = 4_000
TEST_SHARE = 0.2
LAST_WORD, WORD_BEFORE = "last word", "word before"
_LAST_WORD = re.compile(r"(\w[\w'’-]*)\W*$")


@dataclass(frozen=True)
class Ending:
    """Hold the last word, the one before it and the last word's tag; the text ends with the last word."""

    last: Context
    before: Context
    tag: str


UNIVERSAL = {
    "JJ": "ADJ", "IN": "ADP", "RB": "ADV", "WR": "ADV", "CC": "CONJ", "DT": "DET", "EX": "DET", "PD": "DET",
    "WD": "DET", "NN": "NOUN", "CD": "NUM", "PR": "PRON", "WP": "PRON", "PO": "PRT", "RP": "PRT", "TO": "PRT",
    "MD": "VERB", "VB": "VERB",
}  # fmt: skip
"""First two letters of the treebank's tags → universal tags (Petrov et al. 2012); the tags of other words are X."""


def universal_tag(tag: str) -> str:
    """Return the universal tag of a treebank's tag."""
    return UNIVERSAL.get(tag[:2], "X")


def find_ending(sentence: TaggedWords) -> Ending | None:
    """Return the end of a sentence whose words are separated by spaces; None where it has fewer than two words."""
    starts = np.cumsum([0, *(len(word) + 1 for word, _ in sentence)]).tolist()
    spans = [(start, start + len(word), tag) for start, (word, tag) in zip(starts, sentence, strict=False)]
    text = " ".join(word for word, _ in sentence)
    words = [span for span in spans if text[span[0]].isalpha()]
    if len(words) < 2:
        return None
    (begin, stop, _), (start, end, tag) = words[-2:]
    prefix = text[:end]
    return Ending(Context(text[start:end], prefix, start, end), Context(text[begin:stop], prefix, begin, stop), tag)


def score_probes(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score acceptability and part of speech from vectors in the top layer, as a whole and by components."""
    _score_acceptability(findings, words)
    _score_tags(findings, words)


LabelledWords = Sequence[tuple[Context, str]]


def _score_acceptability(findings: Findings, words: EncodedWords) -> None:
    """Score acceptability of CoLA's sentences, in-domain or out of it, from the vectors of their last words."""
    corpus, prefix = (load_corpus("cola"), "in_domain_dev" if words.settings.probes == "authors" else "out_of_domain")
    findings.add_data(corpus, rows=corpus.count)
    sentences: dict[str, list[tuple[Context, str]]] = {"train": [], "dev": []}
    for path in corpus.paths:
        pairs = sentences["train" if "train" in path.name else "dev"]
        for line in path.read_text(encoding="utf-8").splitlines() if not path.name.startswith(prefix) else ():
            _, label, _, sentence = line.split("\t")
            if match := _LAST_WORD.search(sentence):
                pairs.append((Context(match[1], sentence[: match.end(1)], match.start(1), match.end(1)), label))
    _probe(findings, words, list(sentences.values()), (corpus.name, LAST_WORD), {"acceptability": lambda label: label})


def _score_tags(findings: Findings, words: EncodedWords) -> None:
    """Score whether a treebank's last words are nouns, and their tags, from their vectors and those before them."""
    corpus = load_corpus("treebank")
    endings = [ending for sentence in tagged_sentences(corpus.paths[0]) if (ending := find_ending(sentence))]
    findings.add_data(corpus, rows=len(endings))
    order = np.random.default_rng(words.settings.seed).permutation(len(endings))[:MAX_TAGGED_SENTENCES].tolist()
    test_size = round(len(order) * TEST_SHARE)
    parts = [[endings[row] for row in rows] for rows in (order[test_size:], order[:test_size])]
    for part in parts:  # both words are in one text, which goes through the model once
        contexts = [context for ending in part for context in (ending.last, ending.before)]
        words.encode_contexts([one.word for one in contexts], contexts, "sentence", words.layers[-1:])
    tasks: dict[str, Callable[[str], str]] = {
        "noun": lambda tag: "noun" if tag.upper().startswith("N") else "other",
        "part-of-speech": universal_tag if words.settings.probes == "authors" else lambda tag: tag,
    }
    for i in (LAST_WORD, WORD_BEFORE):
        pairs = [[(ending.last if i == LAST_WORD else ending.before, ending.tag) for ending in part] for part in parts]
        _probe(findings, words, pairs, (corpus.name, i), tasks)


def _probe(
    findings: Findings,
    words: EncodedWords,
    parts: Sequence[LabelledWords],
    source: tuple[str, str],
    tasks: Mapping[str, Callable[[str], str]],
) -> None:
    """Score probes on top-layer vectors of words in a training and a test part.

    `dataset_and_position` names the data set and the word of the vectors. `tasks` maps each task to a function from
    label to class. Words that were not located are recorded.
    """
    top, settings = words.layers[-1], words.settings
    place: dict[str, Any] = {"experiment": "probes", "model": words.model.name, "language": words.language}
    place |= {"dataset": source[0], "subset": source[1], "pooling": words.pooling, "layer": top}
    probe_parts = []
    for pairs in parts:
        contexts = [context for context, _ in pairs]
        encoding = words.encode_contexts([one.word for one in contexts], contexts, "sentence", (top,))
        columns = {"word": [contexts[i].word for i in encoding.reasons], "skipped": list(encoding.reasons.values())}
        findings.item("probed_words", **place, **columns)
        vectors = encoding.layers(words.pooling).read(Slot(top)).astype(np.float64)
        rows = [pairs[i] for i in encoding.positions.tolist()]
        probe_parts.append(ProbePart(vectors, [label for _, label in rows], [context.word for context, _ in rows]))
    for name, tag_of in tasks.items():
        train, test = (replace(part, labels=list(map(tag_of, part.labels))) for part in probe_parts)
        standardize = settings.probes == "standardized"
        findings.add(score_probe(name, train, test, place, settings, settings.components, standardize=standardize))
