"""ValNorm (Toney & Caliskan 2021): the quality of static embeddings by the valence of their words.

Embeddings × lexica → valence; beside it the association tests that the paper takes for widely shared, and the six
traditional tasks. Many languages give the variance of the tests over them; HistWords decades give a series; a corpus
gives vectors trained on samples of it.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, variance

from wordworth.catalog.embeddings import load_embeddings
from wordworth.catalog.read.analogies import load_analogies
from wordworth.catalog.read.association_tests import AssociationTest, load_tests, translated
from wordworth.catalog.read.corpora import load_corpus
from wordworth.catalog.read.lexica import Lexicon, load_lexicon
from wordworth.catalog.read.pairs import Pairs, load_pairs
from wordworth.catalog.read.word_sets import polar_words
from wordworth.catalog.registry import entries, knows
from wordworth.embedding import Embedding
from wordworth.embedding.flaws import OnBad
from wordworth.errors import WordworthError, nearest
from wordworth.study.association import run_test
from wordworth.study.corpus_size import SHARES, Sample, choose_lines, train_fasttext
from wordworth.study.findings import Findings
from wordworth.study.intrinsic import analogies_of, neighbours_of, similarity_of, valence_of
from wordworth.study.options import Options, TooFewWordsError

EXPERIMENTS = ("valence", "weat", "similarity", "analogy", "corpus-size")
LEXICA = ("bellezza", "anew", "warriner")
PAIRS = ("ws-353", "rw", "men", "simlex-999", "simverb-3500")
TESTS = ("weat1", "weat2", "weat8")
"""Flowers–insects, instruments–weapons, gender–science."""


def valnorm(
    models: Sequence[str | Path | Embedding],
    *,
    lexica: Sequence[str | Path] = (),
    languages: Sequence[str] = (),
    experiments: Sequence[str] = (),
    pairs: Sequence[str | Path] = (),
    tests: Sequence[str | Path] = (),
    corpus: str | Path | None = None,
    shares: Sequence[float] = SHARES,
    dim: int = 300,
    word_column: str | None = None,
    rating_column: str | None = None,
    on_bad: OnBad = "stop",
    file_format: str | None = None,
    options: Options | None = None,
) -> Findings:
    """Runs the study. `languages` is one for all models, or one a model; without it each model's own, else English.

    Blank `lexica`, `pairs` and `tests` are the paper's: Bellezza, ANEW and Warriner (in other languages Bellezza's
    words there and the language's whole lexicon); WordSim, RareWord, MEN, SimLex and SimVerb (Multi-SimLex in other
    languages); WEAT 1, 2 and 8 (XWEAT's translations). Blank `experiments` is all that apply.
    """
    options = options or Options()
    if not models and corpus is None:
        raise WordworthError("name a model, such as glove-6b-50d (`wordworth ls models`), or a --corpus to train on")
    chosen = _experiments(experiments, corpus)
    if (word_column or rating_column) and all(_of_catalog(name) for name in lexica):
        raise WordworthError("--word-column and --rating-column are for a lexicon of your own; give it with --lexicon")
    findings = Findings("valnorm")
    effects: dict[str, dict[str, list[float]]] = {}
    for embedding, language in embeddings(models, languages, on_bad, file_format):
        findings.used_model(embedding, language)
        if "valence" in chosen:
            polar = polar_words(language)
            for lexicon in _lexica(lexica, language, word_column, rating_column, on_bad):
                findings.used_data(lexicon, len(lexicon))
                valence_of(findings, embedding, lexicon, polar, options)
                neighbours_of(findings, embedding, lexicon, options)
        if "weat" in chosen:
            for test in _tests(findings, tests, language, strict="weat" in experiments):
                with _told(findings, asked=bool(tests)):
                    effect = run_test(findings, embedding, test, options)
                    by_language = effects.setdefault(test.name.removesuffix(f"-{language}"), {})
                    by_language.setdefault(language, []).append(effect)
        if "similarity" in chosen:
            for one in _pairs(findings, pairs, language):
                findings.used_data(one, len(one.scores))
                with _told(findings, asked=bool(pairs)):
                    similarity_of(findings, embedding, one, options)
        if "analogy" in chosen and language != "english":
            findings.warn(f"Analogies were not run on {language}: the catalog has none in it.")
        elif "analogy" in chosen:
            questions = load_analogies()
            findings.used_data(questions, len(questions))
            analogies_of(findings, embedding, questions, options)
    for name, by_language in effects.items():
        if len(by_language) > 1:
            value = variance(mean(values) for values in by_language.values())
            if any(len(values) > 1 for values in by_language.values()):
                findings.note(f"weat:variance of {name}: the effects of one language's models are averaged first.")
            findings.score(experiment="weat", dataset=name, measure="weat:variance", value=value, n=len(by_language))
    if "corpus-size" in chosen and corpus is not None:
        language = languages[0] if languages else "english"
        loaded = _lexica(lexica, language, word_column, rating_column, on_bad)
        _corpus_size(findings, corpus, shares, dim, [*loaded, *_pairs(findings, pairs, language)], language, options)
    return findings


def _experiments(asked: Sequence[str], corpus: str | Path | None) -> tuple[str, ...]:
    for name in asked:
        if name not in EXPERIMENTS:
            known = f"; the experiments of valnorm are {', '.join(EXPERIMENTS)}"
            raise WordworthError(f"there is no experiment {name!r}{nearest(name, list(EXPERIMENTS)) or known}")
    if "corpus-size" in asked and corpus is None:
        raise WordworthError("the corpus-size experiment needs a text to sample: give --corpus NAME or PATH")
    if asked and "corpus-size" not in asked and corpus is not None:
        raise WordworthError(f"the corpus {corpus} is for the experiment corpus-size: add --experiment corpus-size")
    return tuple(asked) or EXPERIMENTS


@contextmanager
def _told(findings: Findings, *, asked: bool) -> Iterator[None]:
    """A task whose words the embedding lacks is an error where it was asked for by name, and else a warning."""
    try:
        yield
    except TooFewWordsError as error:
        if asked:
            raise
        findings.warn(f"Not run: {error}")


def embeddings(
    models: Sequence[str | Path | Embedding], languages: Sequence[str], on_bad: OnBad, file_format: str | None
) -> Iterable[tuple[Embedding, str]]:
    """Each embedding, one at a time, with its language."""
    if len(languages) > 1 and len(languages) != len(models):
        raise WordworthError(
            f"{len(languages)} languages were given for {len(models)} models; give one for all, or one a model in order"
        )
    given = list(languages) * len(models) if len(languages) == 1 else list(languages) or [""] * len(models)
    seen: set[str] = set()
    for model, language in zip(models, given, strict=True):
        found: Iterable[Embedding] = [model] if isinstance(model, Embedding) else ()
        if not isinstance(model, Embedding):
            found = load_embeddings(model, language=language, on_bad=on_bad, file_format=file_format)
        for embedding in found:
            if embedding.name in seen:
                raise WordworthError(f"two models are called {embedding.name}; name one LABEL=PATH to tell them apart")
            seen.add(embedding.name)
            yield embedding, language or embedding.provenance.language or "english"


def _of_catalog(name: str | Path) -> bool:
    return isinstance(name, str) and knows(name, "lexica")


def _lexica(
    asked: Sequence[str | Path], language: str, word_column: str | None, rating_column: str | None, on_bad: OnBad
) -> Iterable[Lexicon]:
    """The lexica in this language; Bellezza stands for its words in the language's own lexicon."""
    default = LEXICA if language == "english" else (f"bellezza-{language}", language)
    for name in asked or default:
        local = f"{name}-{language}"
        named = local if language != "english" and isinstance(name, str) and _of_catalog(local) else name
        word, rating = (None, None) if _of_catalog(named) else (word_column, rating_column)
        drop = on_bad == "drop"
        lexicon = load_lexicon(named, language=language, word_column=word, rating_column=rating, drop_bad=drop)
        if lexicon.language != language:
            fitting = ", ".join(one.name for one in entries("lexica") if one.language == language) or "none"
            raise WordworthError(
                f"{lexicon.name} is a lexicon of {lexicon.language} words and the model is {language} "
                f"(--language); lexica for it: {fitting}"
            )
        yield lexicon


def in_language(test: AssociationTest, language: str) -> AssociationTest:
    """The test as it is, or put into the model's language where that is another."""
    return test if test.language == language else translated(test, language)


def _tests(findings: Findings, asked: Sequence[str | Path], language: str, strict: bool) -> Iterable[AssociationTest]:
    """The tests in the model's language; one of the default ones that cannot be had in it is told."""
    for name in asked or TESTS:
        for test in load_tests(name):
            try:
                put = in_language(test, language)
            except WordworthError as error:
                if strict or asked:
                    raise
                findings.warn(f"{test.name} was not run on {language}: {error}.")
                continue
            yield put


def _pairs(findings: Findings, asked: Sequence[str | Path], language: str) -> Iterable[Pairs]:
    default = PAIRS if language == "english" else (f"multisimlex-{language}",)
    if not asked and not all(knows(name, "pairs") for name in default):
        findings.warn(f"Word similarity was not run on {language}: the catalog has no pairs in it.")
        return
    for name in asked or default:
        found = load_pairs(name, language=language)
        if found.language != language:
            raise WordworthError(f"{found.name} has {found.language} pairs and the model is {language} (--language)")
        yield found


def _corpus_size(
    findings: Findings,
    corpus: str | Path,
    shares: Sequence[float],
    dim: int,
    tasks: Sequence[Lexicon | Pairs],
    language: str,
    options: Options,
) -> None:
    """Figure 1: vectors trained on ever smaller samples of a corpus, each scored by valence and similarity."""
    lines = load_corpus(corpus, language=language)
    if lines.language != language:
        raise WordworthError(
            f"{lines.name} is {lines.language} text and the language is {language}; give --language {lines.language}"
        )
    total = sum(1 for _ in lines)
    if not total:
        raise WordworthError(f"{corpus} has no lines of text; give a file with one sentence or paragraph a line")
    findings.used_data(lines, total)
    for task in tasks:
        findings.used_data(task, len(task))
    for share in shares:
        chosen = choose_lines(total, share, options.seed)
        name = f"{Path(str(corpus)).name}@{share:g}%"
        embedding = train_fasttext(Sample(lines, chosen), name, dim=dim, seed=options.seed)
        if embedding is None:
            findings.warn(f"{name}: no word is met five times in {int(chosen.sum()):,} of {total:,} lines; left out.")
            continue
        findings.used_model(embedding, language)
        for task in tasks:
            with _told(findings, asked=False):  # a small sample has few words
                if isinstance(task, Lexicon):
                    valence_of(findings, embedding, task, polar_words(language), options, "corpus-size")
                else:
                    similarity_of(findings, embedding, task, options, "corpus-size")
