"""The end of a report: what was left out, how it was measured, on what, with what, and whom to cite."""

import os
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import quote

from wordworth.report.markup import Child, Markup, joined, table, tag
from wordworth.report.published import PAPERS
from wordworth.report.runs import Gathered

METHODS = {
    "valnorm": "ValNorm. For a word w with A the pleasant and B the unpleasant words, d(w) = (mean cos(w, a) − mean "
    "cos(w, b)) / σ of cos(w, x) over A ∪ B (sample deviation). Valence is Pearson’s ρ between d and the human "
    "ratings of a lexicon; similarity is Spearman’s ρ between cosine and rating; intervals are bootstrapped.",
    "weat": "WEAT. d = (mean s(x) − mean s(y)) / σ of s over X ∪ Y, with s(w) = mean cos(w, a) − mean cos(w, b); p is "
    "the share of partitions of X ∪ Y with a larger difference, exact wherever they can be counted.",
    "vast": "VAST. ValNorm’s valence in every layer of a language model, with words in random, bleached (“This is "
    "WORD”), aligned and misaligned contexts; the mean and the top principal components taken out of the vectors; "
    "association tests and word similarity on bleached vectors.",
    "static": "Contextual to static. A word’s vectors over many sentences pooled to one, by layer and pooling; word "
    "similarity by Spearman’s ρ; bias by the estimators of Bolukbasi, Garg and Manzini, and how far they agree.",
    "predict": "Whole-word prediction. A word counts as predicted when its units, chosen one after the other, spell it "
    "and end; top-k over tokens, Tk over types, by frequency in training text.",
    "infer": "Biased inferences. Sentence pairs from templates that differ in a word for a person, so that neutral is "
    "the only right label; net neutral, fraction neutral and thresholds over all pairs, before and after projection.",
    "debias": "Debiasing. The bias direction or subspace taken out of the vectors by the named method, and the same "
    "measures again.",
}


def left_out(gathered: Gathered, folder: Path) -> Markup:
    """Counts by reason, with the files that have every item."""
    rows: list[list[Child]] = []
    for run in gathered.runs:
        for reason, count in run.manifest["left_out"].items():
            rows.append([_name(run.folder), reason, f"{count:,}"])
    files = [tag("li", _name(run.folder), ": ", _links(run.folder, folder)) for run in gathered.runs]
    counted = (
        table(["run", "reason", "items"], rows, right=[2], caption="Items left out")
        if rows
        else tag("p", "Nothing was left out.")
    )
    told = tag("p", "Every number and every item, with those left out, is in the runs’ own files:")
    return joined(counted, told, tag("ul", files))


def _links(run: Path, folder: Path) -> Markup:
    """Relative, so that a folder can be moved as a whole."""
    made = []
    for name in ("scores.csv", "items.parquet", "run.json"):
        path = os.path.relpath(run.resolve() / name, folder.resolve())
        made.append(tag("a", name, href=quote(Path(path).as_posix())))
    return joined(made[0], ", ", made[1], ", ", made[2])


def _name(folder: Path) -> str:
    return folder.resolve().name


def method(gathered: Gathered) -> Markup:
    """What was run, and how."""
    studies = dict.fromkeys(run.manifest["study"] for run in gathered.runs)
    told = [tag("p", METHODS[study]) for study in studies if study in METHODS]
    return joined(told, [_run(run.folder, run.manifest) for run in gathered.runs])


def _run(folder: Path, manifest: dict[str, Any]) -> Markup:
    models: list[list[Child]] = [
        [
            model["name"],
            ", ".join(
                f"{key} {model[key]:,}" if isinstance(model[key], int) else f"{key} {model[key]}"
                for key in ("family", "words", "layers", "dimensions", "precision", "device", "language")
                if model.get(key)
            ),
            tag("code", str(model.get("sha256") or model.get("weights") or "")),
        ]
        for model in manifest["models"]
    ]
    data: list[list[Child]] = [
        [one["name"], f"{one['rows']:,}", one["licence"], one["reference"], tag("code", one["sha256"])]
        for one in manifest["data"]
    ]
    surroundings = ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())
    machine = manifest["hardware"]
    hardware = f"{machine.get('platform', '')}, {machine.get('cores', '?')} cores"
    facts = tag(
        "dl",
        tag("dt", "command"), tag("dd", tag("code", shlex.join(manifest["command"]))),
        tag("dt", "seed"), tag("dd", str(manifest["seed"])),
        tag("dt", "began"), tag("dd", f"{manifest['started']}, {manifest['seconds']:,} seconds"),
        tag("dt", "versions"), tag("dd", surroundings),
        tag("dt", "machine"), tag("dd", hardware),
        class_="facts",
    )  # fmt: skip
    names = ", ".join(one["name"] for one in manifest["models"])
    notes = tag("ul", (tag("li", note) for note in manifest["notes"])) if manifest["notes"] else None
    return tag(
        "details",
        tag("summary", f"{_name(folder)}: {manifest['study']} on {names}"),
        facts,
        table(["model", "what", "checksum"], models, caption="Models"),
        table(["data", "rows", "licence", "source", "checksum"], data, right=[1], caption="Data"),
        tag("details", tag("summary", f"{len(manifest['notes']):,} notes"), notes) if notes else None,
    )  # fmt: skip


STUDIES = {"valnorm": "toney2021", "weat": "caliskan2017", "vast": "wolfe2022", "static": "bommasani2020"}
STUDIES |= {"infer": "dev2020", "predict": "dudy2020"}


def references(gathered: Gathered) -> Markup:
    """BibTeX of all that the runs rest on; a run that carries none is told by the papers' names."""
    records: dict[str, str] = {}
    for run in gathered.runs:
        records |= run.manifest.get("references", {})
    if not records:
        lines = sorted({one["reference"] for run in gathered.runs for one in run.manifest["data"] if one["reference"]})
        keys = [STUDIES[run.manifest["study"]] for run in gathered.runs if run.manifest["study"] in STUDIES]
        papers = [PAPERS[key] for key in dict.fromkeys(keys)]
        return joined(
            tag("p", "These runs carry no BibTeX. They rest on:"),
            tag("ul", (tag("li", line) for line in [*papers, *lines])),
        )
    return joined(
        tag("p", tag("button", "Copy", type="button", id="copy-bibtex"), class_="tools"),
        tag("pre", "\n\n".join(records.values()), id="bibtex", tabindex="0"),
    )
