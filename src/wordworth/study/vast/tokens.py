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
"""With fewer words of either kind a correlation says nothing."""
MAX_LOST = 0.1
"""A larger share of lost words is a caution."""
RESPLIT = "split otherwise in its text than in ordinary use"
SPLIT = "the model splits it into several tokens"
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
    return [one for one in ("random", "bleached") if one in words.contexts] or ["bleached"]


class TokenKinds:
    """Words that were encoded, of one token or of several as the tokenizer splits them in ordinary use.

    That is in the bleached text, behind a space. A space that is a token of its own counts as a token, as in the paper.
    One occurrence may be split otherwise, behind a bracket or with a capital; such a word is of neither kind there.
    """

    def __init__(self, words: EncodedWords, encoded: InContexts) -> None:
        usual, markers = token_counts(words.model.tokenizer, make_bleached(encoded.words, words.templates))
        is_single = usual + markers == 1
        self.encoded = encoded
        self.kinds = [(SINGLE if one else MULTIPLE) if n else None for n, one in zip(usual, is_single, strict=True)]
        """The kind of each word that was asked for; None where that is not known."""
        self.subwords = dict(zip(encoded.positions.tolist(), encoded.store.subwords.tolist(), strict=True))
        """Place of a word that was encoded → its tokens."""
        self.reasons = {at: RESPLIT for at, count in self.subwords.items() if (count == 1) != (usual[at] == 1)}
        """Place of a word → why it has no vector of its kind."""
        self.reasons |= {at: NOT_LOCATED for at, kind in enumerate(self.kinds) if kind is None} | encoded.reasons
        self.subwords = {at: count + int(markers[at]) for at, count in self.subwords.items()}

    def rows(self, kind: str) -> RowIndices:
        """Return the rows of the encoded words of a kind."""
        places = self.encoded.positions.tolist()
        return np.array(
            [row for row, at in enumerate(places) if self.kinds[at] == kind and at not in self.reasons], dtype=np.intp
        )

    def list_skipped(self, rows: RowIndices) -> list[str | None]:
        """Return for each word why it is not in these rows; None where it is."""
        used = set(self.encoded.positions[rows].tolist())
        return [None if at in used else self.reasons.get(at, TO_BALANCE) for at in range(len(self.kinds))]


def score_single_tokens(words: EncodedWords, encoded: InContexts, dataset: str) -> Findings:
    """Score the share of a data set's words that are one token; words that the tokenizer does not locate are none."""
    findings, kinds = Findings(), TokenKinds(words, encoded).kinds
    known = len(kinds) - kinds.count(None)
    place = {"model": words.model.name, "language": words.language, "dataset": dataset, "context": "bleached"}
    if known:
        findings.score(**place, measure="single-token", value=kinds.count(SINGLE) / known, n=known)
    return findings


Pole = tuple[TokenKinds, RowIndices]
"""Encoded words, and the rows of those that are the pole."""


def _balance(rng: np.random.Generator, groups: Sequence[RowIndices]) -> list[RowIndices]:
    """Cut all at random to the size of the smallest."""
    size = min(map(len, groups))
    return [np.sort(rng.choice(group, size, replace=False)) for group in groups]


class _Comparison:
    """The two kinds of a lexicon's words in one context, compared under the same poles."""

    def __init__(self, words: EncodedWords, lexicon: Lexicon, context: str) -> None:
        self.words, self.lexicon, self.findings = words, lexicon, Findings()
        self.rated, *self.poles = (TokenKinds(words, group) for group in words.encode_rated(lexicon, context))
        self.place: dict[str, Any] = {"model": words.model.name, "language": words.language, "context": context}
        self.place["dataset"] = lexicon.name
        rng = np.random.default_rng(words.settings.seed)
        self.sets = dict(zip(TOKEN_KINDS, _balance(rng, [self.rated.rows(kind) for kind in TOKEN_KINDS]), strict=True))
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
            poles = [(pole, np.arange(len(pole.encoded.positions))) for pole in self.poles]
            self._score_poolings("mixed-poles", poles)
        return self.findings

    def _has_enough_words(self) -> bool:
        """Record every word of the lexicon, and return whether there are enough of both kinds."""
        self._record_words()
        size, total = len(self.sets[SINGLE]), len(self.lexicon)
        kinds, lost = self.rated.kinds, len(self.rated.reasons)
        reason = (
            f"words have no vector of their kind; {kinds.count(SINGLE):,} are one token and {kinds.count(MULTIPLE):,} "
            f"are split, and each set has {size:,}"
        )
        if size < MIN_WORDS_PER_KIND:
            reason += f", where {MIN_WORDS_PER_KIND} are needed"
            reason += " (warriner has enough)" if self.words.language == "english" else ""
            self._notice("skipped", reason, count=lost, total=total)
            return False
        self._notice("caution" if lost > MAX_LOST * total else "info", reason, count=lost, total=total)
        return True

    def _notice(self, kind: NoticeKind, reason: str, **counts: int) -> None:
        self.findings.notice(kind, reason, **self.place, experiment="tokenization", **counts)

    def _record_words(self) -> None:
        """Record every word of the lexicon: used, dropped to balance the sets, or lost."""
        place = {**self.place, "pooling": self.words.pooling}
        rated = self.rated
        columns = {
            "subset": rated.kinds,
            "subwords": [rated.subwords.get(at) for at in range(len(rated.kinds))],
            "rating": self.lexicon.valence.tolist(),
            "skipped": rated.list_skipped(np.concatenate(list(self.sets.values()))),
        }
        self.findings.item("rated_words", **place, word=list(self.lexicon.words), **columns)

    def _record_poles(self) -> None:
        """Record every polar word: used, split, dropped to balance the sides, or lost."""
        place = {**self.place, "pooling": self.words.pooling}
        for label, pole, rows in zip(("pleasant", "unpleasant"), self.poles, self.sides, strict=True):
            pairs = zip(pole.kinds, pole.list_skipped(rows), strict=True)
            skipped = [SPLIT if kind == MULTIPLE else reason for kind, reason in pairs]
            self.findings.item("word_lists", **place, list=label, word=list(pole.encoded.words), skipped=skipped)

    def _score_multiple_poles(self, anew: Lexicon) -> None:
        """Score under poles of several tokens: the 25 highest and lowest of ANEW that the model splits."""
        known = TokenKinds(self.words, self.words.encode_rated(anew, str(self.place["context"]))[0])
        place = {**self.place, "pooling": self.words.pooling, "dataset": anew.name}
        lost = {at: reason for at, reason in sorted(known.reasons.items()) if known.kinds[at] == MULTIPLE}
        gone = [anew.words[at] for at in lost]
        self.findings.item("word_lists", **place, list="split words", word=gone, skipped=list(lost.values()))
        row_of = {anew.words[known.encoded.positions[row]]: row for row in known.rows(MULTIPLE).tolist()}
        if len(row_of) < 2 * MIN_WORDS_PER_KIND:
            self._notice("skipped", "words of ANEW are split, too few to be poles of several tokens", count=len(row_of))
            return
        ratings = anew.valence[known.encoded.positions[list(row_of.values())]].tolist()
        sides = choose_greedy_poles(list(row_of), ratings, min(25, len(row_of) // 2))
        for label, side in zip(("pleasant", "unpleasant"), sides, strict=True):
            self.findings.item("word_lists", **place, list=f"{label}, split", word=list(side))
        self._score_poolings("multiple-poles", [(known, np.array([row_of[word] for word in side])) for side in sides])

    def _score_poolings(self, variant: str | None, poles: Sequence[Pole]) -> None:
        """Score ρ of both sets in every layer, under every pooling."""
        for pooling in POOLINGS:
            layers = self.rated.encoded.layers(pooling)
            high, low = (kinds.encoded.layers(pooling).rows(rows) for kinds, rows in poles)
            every = np.concatenate(list(self.sets.values()))  # both sets out of one reading
            parts = np.split(compute_effect_sizes(layers.rows(every), (high, low)), len(self.sets), axis=1)
            for (kind, rows), effects in zip(self.sets.items(), parts, strict=True):
                chosen, ratings = layers.rows(rows), self.lexicon.valence[layers.positions[rows]]
                rho = pearson(effects, ratings, items=chosen.words, **self.words.settings.bootstrap)
                place = {**self.place, "pooling": pooling, "subset": kind, "measure": VALENCE, "variant": variant}
                record_slots(self.findings, place, chosen, rho)


MAX_TAGGED_SENTENCES = 4_000
"""Tagged sentences that are used."""
TEST_SHARE = 0.2
LAST, BEFORE = "last word", "word before"
_LAST_WORD = re.compile(r"(\w[\w'’-]*)\W*$")


@dataclass(frozen=True)
class Ending:
    """The last word and the one before it in the text up to the last word, and the last word's tag."""

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
    (first, stop, _), (start, end, tag) = words[-2:]
    cut = text[:end]
    return Ending(Context(text[start:end], cut, start, end), Context(text[first:stop], cut, first, stop), tag)


def score_probes(findings: Findings, words: EncodedWords, lexica: list[Lexicon]) -> None:
    """Score acceptability and part of speech from vectors in the top layer, as a whole and by components."""
    _score_acceptability(findings, words)
    _score_tags(findings, words)


LabelledWords = Sequence[tuple[Context, str]]


def _score_acceptability(findings: Findings, words: EncodedWords) -> None:
    """Score acceptability of CoLA's sentences, in-domain or out of it, from the vectors of their last words."""
    corpus, other = load_corpus("cola"), "in_domain_dev" if words.settings.probes == "authors" else "out_of_domain"
    findings.add_data(corpus, rows=corpus.count)
    sentences: dict[str, list[tuple[Context, str]]] = {"train": [], "dev": []}
    for path in corpus.paths:
        part = sentences["train" if "train" in path.name else "dev"]
        for line in path.read_text(encoding="utf-8").splitlines() if not path.name.startswith(other) else ():
            _, label, _, sentence = line.split("\t")
            if last := _LAST_WORD.search(sentence):
                part.append((Context(last[1], sentence[: last.end(1)], last.start(1), last.end(1)), label))
    _probe(findings, words, list(sentences.values()), (corpus.name, LAST), {"acceptability": lambda label: label})


def _score_tags(findings: Findings, words: EncodedWords) -> None:
    """Score whether a treebank's last words are nouns, and their tags, from their vectors and those before them."""
    corpus = load_corpus("treebank")
    every = [end for sentence in tagged_sentences(corpus.paths[0]) if (end := find_ending(sentence))]
    findings.add_data(corpus, rows=len(every))
    order = np.random.default_rng(words.settings.seed).permutation(len(every))[:MAX_TAGGED_SENTENCES].tolist()
    cut = round(len(order) * TEST_SHARE)
    parts = [[every[row] for row in rows] for rows in (order[cut:], order[:cut])]
    for part in parts:  # both words are in one text, which goes through the model once
        contexts = [context for end in part for context in (end.last, end.before)]
        words.encode_contexts([one.word for one in contexts], contexts, "sentence", words.layers[-1:])
    tasks: dict[str, Callable[[str], str]] = {
        "noun": lambda tag: "noun" if tag.upper().startswith("N") else "other",
        "part-of-speech": universal_tag if words.settings.probes == "authors" else lambda tag: tag,
    }
    for position in (LAST, BEFORE):
        labelled = [[(end.last if position == LAST else end.before, end.tag) for end in part] for part in parts]
        _probe(findings, words, labelled, (corpus.name, position), tasks)


def _probe(
    findings: Findings,
    words: EncodedWords,
    parts: Sequence[LabelledWords],
    where: tuple[str, str],
    tasks: Mapping[str, Callable[[str], str]],
) -> None:
    """Score what a probe tells from top-layer vectors of words in a training and a test part.

    `where` is the data set and which word the vectors are of; `tasks` say what is told, and how it follows from the
    label. Words that were not located are recorded.
    """
    top, settings = words.layers[-1], words.settings
    place: dict[str, Any] = {"experiment": "probes", "model": words.model.name, "language": words.language}
    place |= {"dataset": where[0], "subset": where[1], "pooling": words.pooling, "layer": top}
    read = []
    for labelled in parts:
        contexts = [context for context, _ in labelled]
        encoded = words.encode_contexts([one.word for one in contexts], contexts, "sentence", (top,))
        skipped = {"word": [contexts[at].word for at in encoded.reasons], "skipped": list(encoded.reasons.values())}
        findings.item("probed_words", **place, **skipped)
        vectors = encoded.layers(words.pooling).read(Slot(top)).astype(np.float64)
        present = [labelled[at] for at in encoded.positions.tolist()]
        read.append(ProbePart(vectors, [label for _, label in present], [context.word for context, _ in present]))
    for name, tell in tasks.items():
        train, test = (replace(part, labels=list(map(tell, part.labels))) for part in read)
        standardize = settings.probes == "standardized"
        findings.add(score_probe(name, train, test, place, settings, settings.components, standardize=standardize))
