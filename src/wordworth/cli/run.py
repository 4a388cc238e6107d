"""`wordworth run STUDY MODEL…`"""

from typing import Annotated

import typer

from wordworth.cli.common import (
    Balance,
    Case,
    Config,
    Device,
    Format,
    Json,
    Language,
    Method,
    Models,
    Offline,
    OnBad,
    Output,
    Overwrite,
    Permutations,
    Precision,
    Resamples,
    Seed,
    Sides,
    Test,
    leave,
    on_bad_checked,
    options,
    two_numbers,
)

run_app = typer.Typer(help="Run a study; it leaves a folder with scores, items and a manifest.", no_args_is_help=True)


@run_app.command("valnorm")
def run_valnorm(
    models: Models = None,
    lexicon: Annotated[list[str] | None, typer.Option(help="Lexicon: a name or a CSV/TSV file; repeatable.")] = None,
    language: Language = None,
    experiment: Annotated[
        list[str] | None, typer.Option(help="valence, weat, similarity, analogy, corpus-size; all if not given.")
    ] = None,
    pairs: Annotated[list[str] | None, typer.Option(help="Word pairs: a name or a file; repeatable.")] = None,
    test: Test = None,
    corpus: Annotated[str | None, typer.Option(help="Text for corpus-size: a name or a file.")] = None,
    share: Annotated[list[float] | None, typer.Option(help="Percent of the corpus's lines; repeatable.")] = None,
    dimensions: Annotated[int, typer.Option(help="Of the vectors that corpus-size trains.")] = 300,
    word_column: Annotated[str | None, typer.Option(help="Column of the words in your own lexicon.")] = None,
    rating_column: Annotated[str | None, typer.Option(help="Column of the ratings in your own lexicon.")] = None,
    balance: Balance = False,
    case: Case = "fold",
    sides: Sides = "one",
    p_method: Method = "auto",
    permutations: Permutations = 10_000,
    resamples: Resamples = 1_000,
    analogy_vocabulary: Annotated[
        int, typer.Option(help="First words among which analogies are sought; 0: all.")
    ] = 300_000,
    on_bad: OnBad = "stop",
    file_format: Format = None,
    seed: Seed = 0,
    output: Output = None,
    overwrite: Overwrite = False,
    json: Json = False,
    offline: Offline = False,
    config: Config = None,
) -> None:
    """Quality of static embeddings by valence (ValNorm), with WEAT, similarity and analogies beside it."""
    from wordworth.study import valnorm
    from wordworth.study.corpus_size import SHARES

    more = {"resamples": resamples, "analogy_vocabulary": analogy_vocabulary}
    chosen = options(seed, case, sides, p_method, permutations, balance, **more)
    leave(
        "valnorm",
        valnorm,
        output,
        overwrite,
        json,
        models,
        chosen,
        lexica=lexicon or (),
        languages=language or (),
        experiments=experiment or (),
        pairs=pairs or (),
        tests=test or (),
        corpus=corpus,
        shares=share or SHARES,
        dim=dimensions,
        word_column=word_column,
        rating_column=rating_column,
        on_bad=on_bad_checked(on_bad),
        file_format=file_format,
    )


@run_app.command("weat")
def run_weat(
    models: Models = None,
    test: Test = None,
    language: Language = None,
    balance: Balance = False,
    case: Case = "fold",
    sides: Sides = "one",
    p_method: Method = "auto",
    permutations: Permutations = 10_000,
    on_bad: OnBad = "stop",
    file_format: Format = None,
    seed: Seed = 0,
    output: Output = None,
    overwrite: Overwrite = False,
    json: Json = False,
    offline: Offline = False,
    config: Config = None,
) -> None:
    """Association tests (WEAT): effect size and permutation p; the ten of the paper, or your own."""
    from wordworth.study import weat_study

    chosen = options(seed, case, sides, p_method, permutations, balance)
    leave(
        "weat",
        weat_study,
        output,
        overwrite,
        json,
        models,
        chosen,
        tests=test or (),
        languages=language or (),
        on_bad=on_bad_checked(on_bad),
        file_format=file_format,
    )


@run_app.command("vast")
def run_vast(
    models: Models = None,
    lexicon: Annotated[list[str] | None, typer.Option(help="Lexicon: a name or a CSV/TSV file; repeatable.")] = None,
    language: Annotated[str, typer.Option(help="Language of lexicon, polar words and templates.")] = "english",
    experiment: Annotated[
        list[str] | None,
        typer.Option(help="contextualization, tokenization, isolation, probes, validation, bias, languages."),
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option(help="random, bleached, aligned, misaligned, decontextualized; repeatable.")
    ] = None,
    pooling: Annotated[
        str, typer.Option(help="Subword of a word: first, last, mean, max, min. Blank: last, or mean if bidirectional.")
    ] = "",
    contexts: Annotated[
        str, typer.Option(metavar="NAME|PATH|none", help="Text that random contexts are drawn from.")
    ] = "enwiki-sample",
    templates: Annotated[str, typer.Option(help="vast, vast-code (the authors' wording), or a TOML file.")] = "vast",
    pairs: Annotated[list[str] | None, typer.Option(help="Word pairs of validation; repeatable.")] = None,
    test: Test = None,
    components: Annotated[int, typer.Option(help="Principal components to nullify, at most.")] = 12,
    word_column: Annotated[str | None, typer.Option(help="Column of the words in your own lexicon.")] = None,
    rating_column: Annotated[str | None, typer.Option(help="Column of the ratings in your own lexicon.")] = None,
    scale: Annotated[str | None, typer.Option(metavar="LOW,HIGH", help="Scale of your own lexicon.")] = None,
    balance: Balance = False,
    sides: Sides = "one",
    p_method: Method = "auto",
    permutations: Permutations = 10_000,
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
    """What a language model knows of a word, layer by layer and setting by setting (VAST)."""
    from wordworth.study.vast import vast

    chosen = options(seed, "fold", sides, p_method, permutations, balance, resamples=resamples)
    leave(
        "vast",
        vast,
        output,
        overwrite,
        json,
        models,
        chosen,
        lexica=lexicon or (),
        language=language,
        experiments=experiment or (),
        settings=setting or (),
        pooling=pooling,
        contexts=contexts,
        templates=templates,
        pairs=pairs or (),
        tests=test or (),
        components=components,
        scale=two_numbers("scale", scale),
        word_column=word_column,
        rating_column=rating_column,
        device=device,
        dtype=precision,
    )
