"""`wordworth debias EMBEDDING`: a bias taken out of word vectors, with the report of what that cost."""

from pathlib import Path
from typing import Annotated, Any

import typer

from wordworth.cli.common import (
    Config,
    Json,
    Offline,
    Resamples,
    Seed,
    Test,
    free_target,
    leave,
    options,
)
from wordworth.errors import WordworthError


def debias(
    embedding: Annotated[str, typer.Argument(help="A name of the catalog, a path, https://… or hf://owner/name/file.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help=".npz, .safetensors, .vec or .txt (text), .bin.")
    ],
    direction: Annotated[
        list[str] | None, typer.Option(metavar="A,B", help="Two words, such as he,she (the default); repeatable.")
    ] = None,
    pairs: Annotated[
        list[str] | None, typer.Option(help="First components of word pairs: a word set or a file; repeatable.")
    ] = None,
    components_of: Annotated[
        list[str] | None, typer.Option(help="First components of words: a word set or a file; repeatable.")
    ] = None,
    components: Annotated[int, typer.Option(help="How many components of each of them.")] = 1,
    two_means: Annotated[
        list[str] | None, typer.Option(metavar="SET,SET", help="The difference of two sets' means; repeatable.")
    ] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Learn from vectors as they are, not made unit length.")] = False,
    method: Annotated[str, typer.Option(help="projection, hard-debias or inlp.")] = "projection",
    specific: Annotated[
        str | None, typer.Option(help="hard-debias: words that keep their part; Bolukbasi's for gender.")
    ] = None,
    equalize: Annotated[
        str | None, typer.Option(help="hard-debias: pairs to be equally far from all; Bolukbasi's for gender.")
    ] = None,
    rounds: Annotated[int, typer.Option(help="inlp: at most so many classifiers.")] = 35,
    report: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the report; runs/debias-DATE if not given.")
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(help="Leave a part of the report out: stability, valence, similarity, weat, bias, nli, or all."),
    ] = None,
    lexicon: Annotated[list[str] | None, typer.Option(help="Lexicon of the report; bellezza if not given.")] = None,
    similarity: Annotated[
        list[str] | None, typer.Option(help="Rated pairs of the report; ws-353, simlex-999 and men if not given.")
    ] = None,
    test: Test = None,
    random: Annotated[int, typer.Option(help="Random subspaces as the control.")] = 8,
    control: Annotated[str, typer.Option(help="gaussian, or words: first components of 20 random words.")] = "gaussian",
    nli: Annotated[
        str | None, typer.Option(help="Network over these vectors that infers; nli-glove where it reads them.")
    ] = None,
    probe: Annotated[
        list[str] | None,
        typer.Option(help="gender, nationality, religion or a TOML file; those that fit if none."),
    ] = None,
    sample: Annotated[int, typer.Option(help="Pairs of each probe, evenly drawn.")] = 20_000,
    resamples: Resamples = 1_000,
    seed: Seed = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file and a report that are there.")] = False,
    json: Json = False,
    offline: Offline = False,
    config: Config = None,
) -> None:
    """Takes a bias out of word vectors, saves them, and reports what that cost (Dev et al.)."""
    from wordworth import display
    from wordworth.embedding import save
    from wordworth.study.debias import METHODS, PARTS, Plan, Report
    from wordworth.study.debias import debias as debiased

    free_target(output, overwrite)
    plan = Plan(
        directions=tuple(_two("direction", given) for given in direction or ()),
        pairs=tuple(pairs or ()),
        components_of=tuple(components_of or ()),
        components=components,
        two_means=tuple(_two("two-means", given) for given in two_means or ()),
        unit=not raw,
        method={"hard": METHODS[1]}.get(method, method),
        specific=specific,
        equalize=equalize,
        rounds=rounds,
    )
    left_out = tuple(without or ())
    asked = Report(
        without=PARTS if left_out == ("all",) else left_out,
        lexica=tuple(lexicon or ()),
        pairs=tuple(similarity or ()),
        tests=tuple(test or ()),
        random=random,
        control=control,
        nli=nli,
        probes=tuple(probe or ()),
        sample=sample,
    )

    def find(models: list[str], *, options: Any, plan: Plan, report: Report) -> Any:
        made = debiased(models[0], plan, report, options=options)
        save(made.embedding, output)
        return made.findings

    chosen = options(seed, "fold", "one", "auto", 10_000, False, resamples=resamples)
    leave("debias", find, report, overwrite, json, [embedding], chosen, plan=plan, report=asked)
    if not json:
        display.out.print(str(output), markup=False, soft_wrap=True)


def _two(option: str, text: str) -> tuple[str, str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise WordworthError(f"--{option} is {text!r}; write two names with a comma between, such as he,she")
    return parts[0], parts[1]
