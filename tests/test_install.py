"""What the base install does without language models, and which sentence asks for an extra."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from made_vectors import write_vectors
from wordworth import errors
from wordworth.catalog.read.word_sets import load_test
from wordworth.errors import EXTRAS, WordworthError, require

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WITHOUT_LM = """
import inspect, pydoc
from base_install import hide_extras

hide_extras()
import wordworth as ww
from wordworth import *
assert {"weat", "audit", "report"} <= dict(inspect.getmembers(ww)).keys()
assert "valnorm" in pydoc.plain(pydoc.render_doc(ww))
"""


def _run_without_lm(code: str, folder: Path) -> str:
    """Run code where no package of an extra can be found, and return what it prints."""
    command = [sys.executable, "-c", WITHOUT_LM + code]
    path = os.pathsep.join(filter(None, [str(ROOT / "tests"), os.environ.get("PYTHONPATH")]))
    around = os.environ | {"PYTHONPATH": path}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=around)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def test_word_vectors_need_no_language_models(tmp_path: Path) -> None:
    write_vectors(tmp_path / "my.vec", (word.lower() for group in load_test("weat6").groups for word in group))
    code = """
run = ww.weat(["my.vec", "other=my.vec"], "weat6").save("run")
ww.report(run, output="page.html")
ww.compare(run, models=("my", "other"))
ww.audit("my.vec", "audit", quick=True)
ww.calibrate("my.vec", "weat6", lists=20, sizes=())
print(run.scores["measure"][0])
"""
    assert _run_without_lm(code, tmp_path) == "weat"
    assert (tmp_path / "page.html").is_file()
    assert (tmp_path / "audit" / "report.html").is_file()


def test_language_models_need_an_extra(tmp_path: Path) -> None:
    code = """
needs = [lambda: ww.export("smollm2-135m", ["tea"]), lambda: ww.WordworthCallback, lambda: ww.vast("smollm2-135m"),
         lambda: ww.infer("nli-glove"), lambda: ww.load("smollm2-135m").surprisal("Tea."),
         lambda: ww.weat("use-multilingual", "weat6")]
for need in needs:
    try:
        need()
    except ww.WordworthError as error:
        print(error)
"""
    sentence = "language models need torch and transformers: pip install 'wordworth[lm]'"
    assert _run_without_lm(code, tmp_path).splitlines() == [sentence] * 6


@pytest.mark.parametrize("what", EXTRAS)
def test_an_extra_declares_its_packages(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    extra, *packages = EXTRAS[what]
    declared = {re.split("[<>=]", one)[0].replace("-", "_") for one in PROJECT["optional-dependencies"][extra]}
    assert set(packages) <= declared
    monkeypatch.setattr(errors, "find_spec", lambda name: None)
    with pytest.raises(WordworthError, match=rf"need {packages[0]}.*: pip install 'wordworth\[{extra}\]'$"):
        require(what)
    monkeypatch.setattr(errors, "find_spec", lambda name: None if name == packages[-1] else name)
    with pytest.raises(WordworthError, match=f"need {packages[-1]}:"):
        require(what)


def test_the_citation_is_of_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {PROJECT['version']}\n" in citation
