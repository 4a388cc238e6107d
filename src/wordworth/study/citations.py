"""What a study's findings rest on, as BibTeX."""

from wordworth.catalog.registry import entry, knows, references
from wordworth.study.findings import Findings

PAPERS = {
    "valnorm": ("toney2021", "caliskan2017"),
    "weat": ("caliskan2017",),
    "vast": ("wolfe2022", "toney2021"),
    "static": ("bommasani2020",),
    "infer": ("dev2020",),
    "predict": ("dudy2020",),
    "debias": ("bolukbasi2016", "dev2020"),
}
"""The papers whose method a study is."""


def cited(findings: Findings) -> dict[str, str]:
    """Key → BibTeX of the study's papers, its data sets, and those of its models that the catalog declares."""
    known = references()
    by_text = {str(reference): key for key, reference in known.items()}
    keys = [key for key in PAPERS.get(findings.study, ()) if key in known]
    keys += [by_text[told["reference"]] for told in findings.data.values() if told["reference"] in by_text]
    keys += [entry(name, "models").reference.key for name in findings.models if knows(name, "models")]
    return {key: known[key].bibtex() for key in dict.fromkeys(keys)}
