from wordworth.study.citations import PAPERS, cited
from wordworth.study.findings import Findings

from wordworth.catalog.read.lexica import load_lexicon


def test_papers_data_and_models_are_cited_once() -> None:
    findings = Findings("vast")
    lexicon = load_lexicon("bellezza")
    findings.used_data(lexicon, len(lexicon))
    findings.used_language_model("smollm2-135m", "", "", {})
    findings.used_language_model("my-own", "", "", {})
    found = cited(findings)
    assert list(found) == ["wolfe2022", "toney2021", "bellezza1986", "allal2025"]
    assert found["wolfe2022"].startswith("@inproceedings{wolfe2022,")


def test_every_study_has_a_paper() -> None:
    assert set(PAPERS) == {"valnorm", "weat", "vast", "static", "predict", "infer", "debias"}
    assert cited(Findings("weat")).keys() == {"caliskan2017"}
