"""The metadata of a model card (`model-index`), and how a card comes into a README that is there already."""

import re
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any

from wordworth.errors import Foreign, WordworthError
from wordworth.report.card import BEGIN, END, Card, Row, data_sum, manifest_sum, where
from wordworth.visible import visible

LARGEST = 16 << 20
"""Bytes of a README; none is larger."""
TASKS = {"causal": "text-generation", "masked": "fill-mask", "nli": "text-classification"}
"""Family of a model → the hub's name of its task; of others, feature-extraction."""
TOOL = "wordworth"
_BLOCK = re.compile(r"^(\s*---\n)(.*?)(\n?---[ \t]*(?:\n|$))", re.DOTALL)
_INDEX = re.compile(r"^model-index:.*\n?(?:^(?:[ \t-].*|#.*)?\n?)*", re.MULTILINE)


def model_index(card: Card) -> list[dict[str, Any]]:
    """`model-index` as huggingface_hub makes it of results, and reads it back."""
    from huggingface_hub.repocard_data import eval_results_to_model_index, model_index_to_eval_results

    results = list(_results(card))
    index: list[dict[str, Any]] = eval_results_to_model_index(visible(card.model), results)
    name, again = model_index_to_eval_results(index)
    if name != visible(card.model) or len(again) != len(results):
        raise WordworthError(f"the results of {card.model} are not those that huggingface_hub reads back")
    return index


def _results(card: Card) -> Iterator[Any]:
    from huggingface_hub import EvalResult

    task = TASKS.get(str(card.runs.facts.get(card.model, {}).get("family", "")), "feature-extraction")
    for row in card.rows:
        run = card.runs.run_of(row)
        dataset = visible(row["dataset"] or row["experiment"])
        rest = {"measured_with": f"{TOOL} {run.manifest['versions'].get(TOOL, '?')}"}
        rest |= {"study": row["study"], "language": row["language"] or "", "manifest_sha256": manifest_sum(run)}
        place = ", ".join(filter(None, [row["experiment"], where(row)]))
        yield EvalResult(
            task_type=task,
            task_name=f"{row['study']}: {row['experiment']}",
            dataset_type=dataset,
            dataset_name=dataset,
            dataset_config=visible(place),
            dataset_revision=data_sum(run, row["dataset"]) or None,
            dataset_args={name: visible(text) for name, text in rest.items() if text},
            metric_type=row["measure"],
            metric_name=row["measure"],
            metric_value=row["value"],
            metric_args=_known(row),
        )


def _known(row: Row) -> dict[str, Any]:
    """The interval, p and n of a score, where it has them."""
    named = {"low_95": row["low"], "high_95": row["high"], "p": row["p"], "n": row["n"]}
    known = {name: value for name, value in named.items() if value is not None and isfinite(value)}
    return known | ({"read_with_care": visible(row["flags"])} if row["flags"] else {})


def placed(card: Card, readme: Path | None) -> str:
    """The whole text of a card: new, or a README with the section and the results in their places."""
    text, metadata, line_break = ("", {}, "\n") if readme is None else _read(readme)
    index = _merged(metadata.get("model-index"), model_index(card), readme)
    whole = _with_index(_with_section(text, card.section), index)
    _refuse_unreadable(whole, readme)
    return whole.replace("\n", line_break)


def _read(readme: Path) -> tuple[str, dict[str, Any], str]:
    """The text of a README with plain line breaks, its metadata, and the line break that it has."""
    from huggingface_hub.repocard import metadata_load

    if readme.is_dir() or readme.stat().st_size > LARGEST:
        raise WordworthError(f"{readme} is not a README that a card could stand in; name another file with -o")
    with Foreign(f"{readme} cannot be read as a model card", "correct what stands between its lines of ---"):
        metadata = metadata_load(readme)
        written = readme.read_bytes().decode("utf-8-sig")
    line_break = "\r\n" if "\r\n" in written else "\n"
    return written.replace("\r\n", "\n"), metadata or {}, line_break


def _merged(held: Any, ours: list[dict[str, Any]], readme: Path | None) -> list[dict[str, Any]]:
    """The index that is there with our results in the place of those that an earlier card had; others' are kept."""
    from huggingface_hub.repocard_data import model_index_to_eval_results

    if not held:
        return ours
    with Foreign(f"{readme} has a model-index that huggingface_hub cannot read", "correct or remove it"):
        model_index_to_eval_results(held)
        entry = held[0] if len(held) == 1 else next((one for one in held if one["name"] == ours[0]["name"]), None)
        if entry is None:
            return [*held, *ours]
        kept = [result for result in entry["results"] if not _is_ours(result)]
    entry["results"] = [*kept, *ours[0]["results"]]
    return list(held)


def _is_ours(result: Any) -> bool:
    given = result["dataset"].get("args")
    return isinstance(given, dict) and str(given.get("measured_with", "")).startswith(f"{TOOL} ")


def _with_section(text: str, section: str) -> str:
    before, begun, rest = text.partition(BEGIN)
    if not begun:
        return f"{text.rstrip()}\n\n{section}" if text.strip() else section
    _, ended, after = rest.partition(END)
    if not ended or BEGIN in rest.partition(END)[2]:
        raise WordworthError(f"the file has {BEGIN} without one {END} behind it; put the marks right, or remove them")
    return f"{before}{section.rstrip()}{after}"


def _with_index(text: str, index: list[dict[str, Any]]) -> str:
    """The text with `model-index` in its metadata; every other line of the metadata stays as it is."""
    from huggingface_hub.utils import yaml_dump

    dumped = yaml_dump({"model-index": index}, sort_keys=False)
    block = _BLOCK.match(text)
    if block is None:
        return f"---\n{dumped}---\n\n{text}"
    held = f"{block[2]}\n" if block[2] else ""
    written = _INDEX.sub(lambda _: dumped, held, count=1) if _INDEX.search(held) else f"{held}{dumped}"
    return f"{block[1]}{written}---\n{text[block.end() :]}"


def _refuse_unreadable(text: str, readme: Path | None) -> None:
    """Nothing is written that huggingface_hub does not read back as a card with results."""
    from huggingface_hub import ModelCard

    with Foreign(f"{readme or 'the card'} would not be a model card", "check its metadata"):
        found = getattr(ModelCard(text).data, "eval_results", None)
    if not found:
        raise WordworthError(
            f"{readme or 'the card'} would have no results that huggingface_hub reads; check its metadata"
        )
