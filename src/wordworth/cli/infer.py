"""`wordworth run infer [MODEL…]`: biased inferences of NLI models, before and after mitigation."""

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
    Resamples,
    Seed,
    leave,
    one_of,
    options,
)
from wordworth.errors import WordworthError


def run_infer(
    models: Models = None,
    probe: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE", help="gender, nationality, religion (NAME:formula: all verbs with 95 objects)"
        ),
    ] = None,
    slice_: Annotated[
        list[str] | None,
        typer.Option("--slice", metavar="KEY=WORD,…", help="Measured beside the whole: polarity=rude,demonym=Iraqi."),
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option(metavar="KEY", help="Each word by itself: occupation, verb, object, kind, …")
    ] = None,
    only: Annotated[str, typer.Option(metavar="KEY=WORD,…", help="Score nothing but this slice.")] = "",
    threshold: Annotated[list[float] | None, typer.Option(help="τ; repeatable. 0.5 and 0.7 if not given.")] = None,
    mitigate: Annotated[
        list[str] | None, typer.Option(help="projection (if not given), hard-debias, inlp; repeatable; or none.")
    ] = None,
    random: Annotated[int, typer.Option(help="Random directions taken out as the control.")] = 8,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL", help="A model trained on mitigated vectors, as a setting beside; repeatable."),
    ] = None,
    sample: Annotated[int | None, typer.Option(metavar="N", help="Pairs drawn evenly, instead of all.")] = None,
    shard: Annotated[str, typer.Option(metavar="PART/PARTS", help="Only this part of the work, such as 2/8.")] = "",
    top: Annotated[int, typer.Option(help="Pairs farthest from neutral that are kept.")] = 10,
    articles: Annotated[str, typer.Option(help="a/an by sound, or by letter as the authors' code.")] = "sound",
    accuracy: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME|FILE", help="Labelled pairs, such as snli-test, to see what mitigation costs."),
    ] = None,
    labels: Annotated[
        str, typer.Option(metavar="A,B,C", help="Order of a transformer's outputs, where its files do not name them.")
    ] = "",
    resamples: Resamples = 1_000,
    device: Device = "auto",
    seed: Seed = 0,
    output: Output = None,
    overwrite: Overwrite = False,
    json: Json = False,
    offline: Offline = False,
    config: Config = None,
) -> None:
    """Biased inferences: how far from neutral NLI models are on pairs that are all neutral (Dev et al.)."""
    from wordworth.study.infer import infer

    if mitigate and "none" in mitigate and len(mitigate) > 1:
        raise WordworthError("--mitigate is none and something else at once; give one of them")
    leave(
        "infer",
        infer,
        output,
        overwrite,
        json,
        models,
        options(seed, "fold", "one", "auto", 1, False, resamples=resamples),
        probes=probe or (),
        slices=slice_ or (),
        by=by or (),
        only=only,
        thresholds=threshold or (),
        mitigate=() if mitigate == ["none"] else mitigate or ("projection",),
        random=random,
        against=against or (),
        sample=sample,
        shard=shard,
        top=top,
        articles=one_of("articles", articles, ("sound", "letter")),
        accuracy=accuracy or (),
        labels=tuple(filter(None, labels.split(","))),
        device=device,
    )
