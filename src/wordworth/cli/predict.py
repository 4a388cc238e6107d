"""`wordworth run predict MODEL…`: language models as predictors of whole words."""

from typing import Annotated

import typer

from wordworth.cli.common import (
    Config,
    Device,
    Json,
    Models,
    Offline,
    Output,
    Overwrite,
    Precision,
    Resamples,
    Seed,
    leave,
    one_of,
    options,
)

DEFAULT = "smollm2-135m"


def run_predict(
    models: Models = None,
    corpus: Annotated[
        str, typer.Option(metavar="NAME|PATH", help="Text: a corpus of the catalog or a file.")
    ] = "enwiki-sample",
    words: Annotated[int, typer.Option(help="Cut the text after so many words; 0: read all.")] = 5_000,
    top: Annotated[int, typer.Option(metavar="K", help="Units looked at in each step of top-K.")] = 10,
    boundary: Annotated[
        str, typer.Option(help="required: a guess must end where the word ends; ignored: the algorithm as printed.")
    ] = "required",
    by_document: Annotated[
        bool, typer.Option("--by-document", help="A word's left context is that of its document, not of its line.")
    ] = False,
    context: Annotated[
        int | None, typer.Option(help="Tokens before a word, at least, in what is longer than the model admits.")
    ] = None,
    frequencies: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="wordfreq, a file of words and counts, or a text to count.")
    ] = "wordfreq",
    bands: Annotated[str, typer.Option(help="Lower edges of the bands of frequency.")] = "10,100,1000",
    soft_match: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EMBEDDING",
            help="What is near: an embedding, word2vec (trained on the text), synonyms, lemma, or none; repeatable. "
            "glove-6b-50d if not given.",
        ),
    ] = None,
    wordnet: Annotated[str, typer.Option(help="WordNet, for synonyms and lemma: a name or a folder.")] = "wordnet-3.0",
    paraphrase: Annotated[
        bool, typer.Option("--paraphrase", help="Probe the use of rare words: sets rare and common.")
    ] = False,
    probe: Annotated[
        list[str] | None,
        typer.Option(help="Paraphrase triples: a set, a file, or drawn (from the corpus); repeatable."),
    ] = None,
    layer: Annotated[
        list[int] | None, typer.Option(help="Layer of the paraphrase probe; repeatable. ¾ of the way up if not given.")
    ] = None,
    idf: Annotated[bool, typer.Option("--idf", help="Weigh the tokens of BERTScore by inverse frequency.")] = False,
    fine_tune: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Train each model on this text first, in one pass.")
    ] = None,
    language: Annotated[str, typer.Option(help="Language of your own text.")] = "english",
    resamples: Resamples = 1_000,
    device: Device = "auto",
    precision: Precision = "float32",
    seed: Seed = 0,
    output: Output = None,
    overwrite: Overwrite = False,
    json: Json = False,
    offline: Offline = False,
    config: Config = None,
) -> None:
    """Which words a model says, and which it never says: accuracy, diversity and surprise (Dudy & Bedrick)."""
    from wordworth.predict.frequency import parsed_edges
    from wordworth.study.predict import predict

    leave(
        "predict",
        predict,
        output,
        overwrite,
        json,
        models or [DEFAULT],
        options(seed, "fold", "one", "auto", 1, False, resamples=resamples),
        corpus=corpus,
        words=words,
        k=top,
        boundary=one_of("boundary", boundary, ("required", "ignored")),
        by_document=by_document,
        context=context,
        frequencies=frequencies,
        edges=parsed_edges(bands),
        near=[name for name in soft_match or ["glove-6b-50d"] if name != "none"],
        wordnet=wordnet,
        probes=probe or [] if paraphrase or probe else None,
        layers=layer or (),
        idf=idf,
        training=fine_tune,
        language=language,
        device=device,
        dtype=precision,
    )
