"""Load and record the models of a study, and lexica, tests and texts in their language."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from wordworth.catalog.models import kind_of, load_embeddings
from wordworth.catalog.read.corpora import Corpus, load_corpus
from wordworth.catalog.read.lexica import Lexicon, lexica_in, load_lexicon
from wordworth.catalog.read.word_sets import AssociationTest, load_tests, translate_test
from wordworth.catalog.registry import Entry, entries, entry, knows
from wordworth.catalog.resolve import NameLike, Origin
from wordworth.embedding import Embedding, Layers
from wordworth.engine.cache import key_of
from wordworth.errors import WordworthError
from wordworth.results.findings import Findings
from wordworth.study.shared_settings import ALL_LANGUAGES, OfEmbeddings
from wordworth.task.settings import ByLayer, Placement

if TYPE_CHECKING:  # torch, which files of word vectors do not need
    from wordworth.encode import LanguageModel
    from wordworth.encode.layers import WordsAlone
    from wordworth.whole_words import WordModel


def load_vectors(
    findings: Findings, models: Sequence[Any], settings: OfEmbeddings, languages_of_study: Sequence[str]
) -> Iterator[tuple[Layers, str]]:
    """Yield each model as layers to select words from, and its language: the given one, its own, or English.

    A model is a static embedding, or a sentence encoder, which encodes each word by itself when it is selected. A model
    of several languages is yielded once per language; `all_languages` are those of `--language all`.
    """
    for model, languages in _pair_with_languages(models, settings.languages, languages_of_study):
        if is_sentence_encoder(model):
            from wordworth.encode.layers import words_alone

            layers = load_sentence_encoder(findings, model, languages[0] or "english")
            yield layers, languages[0] or "english"
            for language in languages[1:]:
                yield words_alone(layers.model, language), language
            continue
        for language in languages:
            options: dict[str, Any] = {"on_bad": settings.on_bad, "file_format": settings.file_format}
            tables = [model] if isinstance(model, Embedding) else load_embeddings(model, language=language, **options)
            for embedding in tables:
                own_language = language or embedding.provenance.language or "english"
                if language == languages[0]:
                    findings.add_embedding(embedding, own_language)
                else:  # the rows of a further language are added to those of the first
                    facts = findings.models[embedding.name]
                    facts["language"] += f", {own_language}"
                    facts["words"] += len(embedding)
                yield Layers.of(embedding), own_language


def _pair_with_languages(
    models: Sequence[Any], languages: tuple[str, ...], all_languages: Sequence[str]
) -> list[tuple[Any, tuple[str, ...]]]:
    """Return each model with the languages to measure it in; blank is its own language."""
    if languages == (ALL_LANGUAGES,):
        return [(model, _languages_of_all(model, all_languages)) for model in models]
    if ALL_LANGUAGES in languages:
        raise WordworthError("--language all means every language; give only it, or name languages")
    if len(languages) < 2:
        return [(model, languages or ("",)) for model in models]
    if len(models) == 1 and _may_know_several(models[0]):
        return [(models[0], tuple(dict.fromkeys(languages)))]
    if len(languages) != len(models):
        subject = "1 model that knows one" if len(models) == 1 else f"{len(models)} models"
        raise WordworthError(f"{len(languages)} languages for {subject}; give one for all, or one per model in order")
    return [(model, (language,)) for model, language in zip(models, languages, strict=True)]


def _may_know_several(model: Any) -> bool:
    """Return whether a model may have words of several languages: the catalog says so, or does not know it."""
    catalog_entry = _find_entry(model)
    return not isinstance(model, Embedding) and (catalog_entry is None or catalog_entry.language == "several")


def _languages_of_all(model: Any, every: Sequence[str]) -> tuple[str, ...]:
    """Return the languages of `all` for a model: its own, or those that a sentence encoder knows."""
    if not (is_sentence_encoder(model) and _may_know_several(model)):
        return ("",)
    declared = _find_entry(model)
    known = declared.details.get("languages") if declared is not None else None
    return tuple(language for language in every if known is None or language in known)


def _find_entry(model: Any) -> Entry | None:
    if isinstance(model, Origin):
        return model.entry
    return entry(model.name, "models") if knows(model.name, "models") else None


def is_sentence_encoder(model: Any) -> bool:
    """Return whether a model, by name or loaded, is a sentence encoder."""
    if isinstance(model, Embedding):
        return False
    return kind_of(model) == "sentence" if isinstance(model, Origin) else getattr(model, "family", "") == "sentence"


def load_sentence_encoder(findings: Findings, model: Any, language: str) -> "WordsAlone":
    """Return a sentence encoder as an embedding of the words that are selected, and record it."""
    from wordworth.encode.layers import words_alone

    layers = words_alone(model, language)
    record_model(findings, layers.model)
    findings.notice("info", "a sentence encoder: each word is encoded without context", model=layers.name)
    return layers


def load_tests_in(
    findings: Findings, settings: OfEmbeddings, default: Sequence[str], language: str, *, is_requested: bool
) -> Iterator[AssociationTest]:
    """Yield the tests in a language; one that was not requested and has no translation is reported."""
    for name in settings.tests or default:
        for test in load_tests(name):
            translation = None
            with findings.part(is_requested=is_requested, experiment="weat", language=language, dataset=test.name):
                translation = translate_test(test, language)
            if translation is not None:
                yield translation


def is_static(model: "Origin | LanguageModel | Embedding") -> bool:
    """Return whether a model is word vectors, not a language model."""
    return kind_of(model) == "static" if isinstance(model, Origin) else isinstance(model, Embedding)


def load_model(model: "NameLike | LanguageModel", settings: Placement) -> "LanguageModel":
    """Load a language model unless it is loaded; raise if it lacks a chosen layer."""
    from wordworth.encode import load_named

    if isinstance(model, NameLike):
        model = load_named(model, device=settings.device, dtype=settings.precision)
    if isinstance(settings, ByLayer):
        select_layers(model, settings)
    return model


def select_layers(model: "LanguageModel", settings: ByLayer) -> tuple[int, ...]:
    """Return the layers that are measured, lowest first."""
    from wordworth.encode import checked_layers

    return tuple(sorted(checked_layers(model, settings.layers or None)))


def record_model(findings: Findings, model: "LanguageModel") -> None:
    """Record a language model."""
    from wordworth.encode.identity import hash_config, hash_tokenizer

    findings.add_model(
        model.name,
        {
            "source": model.source,
            "weights": model.weights,
            "config_sha256": hash_config(model.network.config),
            "family": model.family,
            "layers": model.layers,
            "dimensions": model.dim,
            "precision": model.dtype,
            "device": str(model.device),
            "tokenizer_sha256": hash_tokenizer(model.tokenizer),
        },
    )


def record_word_model(findings: Findings, model: "WordModel", **other_facts: Any) -> None:
    """Record a language model that predicts words; `more` are further facts."""
    facts = {
        "source": model.source,
        "weights": key_of(model.identity),
        "family": model.family,
        "precision": model.dtype,
        "device": str(model.device),
        "units": model.reader.width,
        "begins_with": list(model.tokenizer.convert_ids_to_tokens(list(model.before))),
    }
    findings.add_model(model.name, facts | other_facts)


def default_pooling(model: "LanguageModel") -> str:
    """Return what VAST found best: the last subword in a causal model, the mean in others."""
    return "last" if model.left_only else "mean"


def load_corpus_in(findings: Findings, name: NameLike, language: str) -> Corpus:
    """Load and record the text of the random contexts; raise if it is in another language."""
    corpus = load_corpus(name, language=language)
    if corpus.language != language:
        raise WordworthError(
            f"{corpus.name} is {corpus.language} text and the words are {language}; give another --corpus, or none"
        )
    findings.add_data(corpus, rows=corpus.count)
    return corpus


def is_lexicon_name(name: NameLike) -> bool:
    """Return whether the catalog has a lexicon of this name."""
    return name.entry is not None if isinstance(name, Origin) else isinstance(name, str) and knows(name, "lexica")


def load_lexicon_in(name: NameLike, language: str, settings: Any, **options: Any) -> Lexicon:
    """Load a lexicon in a language; the columns and the scale in the settings are for a user's own file."""
    columns = () if is_lexicon_name(name) else ("word_column", "rating_column", "scale")
    own_columns = {column: getattr(settings, column) for column in columns if hasattr(settings, column)}
    lexicon = load_lexicon(name, language=language, **own_columns, **options)
    if lexicon.language != language:
        names = ", ".join(column.name for column in entries("lexica") if column.language == language) or "none"
        raise WordworthError(
            f"{lexicon.name} is a lexicon of {lexicon.language} words and the language is {language} (--language); "
            f"lexica for it: {names}"
        )
    return lexicon


def load_own_lexicon(findings: Findings, language: str, load: Callable[[str], Lexicon]) -> Lexicon:
    """Load the language's own lexicon, or with a notice the first other one that is available."""
    reasons: list[str] = []
    for name in lexica_in(language):
        try:
            lexicon = load(name)
        except WordworthError as error:
            reasons.append(str(error))
            continue
        if reasons:
            reason = f"the lexicon {name} ({len(lexicon):,} words) is used instead: {reasons[0]}"
            findings.notice("substituted", reason, language=language, dataset=lexicon.name)
        return lexicon
    raise WordworthError(reasons[0] if reasons else f"the catalog has no lexicon of {language} words; give --lexicon")
