"""The page as text: whole, escaped, alone, and small."""

import base64
import hashlib
import itertools
import json
import re
from html import unescape
from pathlib import Path

import pytest
from wordworth.results.schema import SCORES

from made_runs import random_infer, random_predict, random_vast
from seen_page import EVIL, Seen
from wordworth.pages.explorer import columnar, packed
from wordworth.pages.markdown import markdown
from wordworth.pages.page import _environment, page, write_report
from wordworth.pages.runs import read_runs

IMAGE = "<img src=x onerror=window.hit=1>"


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A model, words, pairs and sentences that would be scripts."""
    words = [EVIL, IMAGE, "</script>", *(f"word{at}" for at in range(20))]
    folder = tmp_path / "evil"
    run = random_vast([EVIL], words=words)
    run.manifest["notes"].append(f"a note with {IMAGE}")
    run.manifest["left_out"][f"left out for {IMAGE}"] = 2
    run.manifest["failed"] = [{"model": EVIL, "layer": 1, "measure": "rnsb", "reason": IMAGE}]
    run.manifest["damaged"] = {EVIL: 2}
    run.write(folder / "vast", references={"evil": f"@misc{{evil, title={{{EVIL}}}}}"}, method=IMAGE)
    random_predict(f"b{EVIL}", words=words[:4]).write(folder / "predict")
    random_infer(IMAGE, f"doctor → {IMAGE}", f"{EVIL} ⇒ {IMAGE}").write(folder / "infer")
    return folder


def test_nothing_of_the_data_becomes_an_element(evil: Path) -> None:
    seen = Seen(page(read_runs([evil]), evil))
    names = [name for name, _ in seen.elements]
    assert "img" not in names
    assert names.count("script") == 4 + 3  # data, and code: the library and two of ours
    assert not any(key.startswith("on") for _, attributes in seen.elements for key in attributes)
    text = "".join(seen.texts)
    assert EVIL in text
    assert IMAGE in text


def test_only_the_pages_own_scripts_may_run(audit: Path) -> None:
    """The policy has the checksum of each script, and of no other."""
    text = page(read_runs([audit]), audit)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    allowed = set(re.findall(r"sha256-[\w+/=]+", policy))
    code = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    assert allowed == {f"sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}" for one in code}
    assert "default-src 'none'" in unescape(policy)


def test_the_page_is_whole(audit: Path) -> None:
    seen = Seen(page(read_runs([audit]), audit))
    ids = seen.ids()
    assert len(ids) == len(set(ids))
    links = [str(attributes["href"]) for name, attributes in seen.elements if name == "a"]
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
    assert not [link for link in links if ":" in link]  # nothing leads out of the folder
    assert {"vast/scores.csv", "predict/items.parquet", "infer/run.json"} <= set(links)
    for name, attributes in seen.elements:
        assert not {"src", "srcset"} & set(attributes), name
        if attributes.get("role") == "img":
            assert attributes["aria-label"]
    headings = [int(name[1]) for name, _ in seen.elements if re.fullmatch(r"h[1-6]", name)]
    assert headings.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in itertools.pairwise(headings))


def test_scores_come_back_from_the_page(audit: Path) -> None:
    runs = read_runs([audit])
    text = page(runs, audit)
    (held,) = re.findall(r'id="scores">(.*?)</script>', text, flags=re.DOTALL)
    table = json.loads(held)
    assert table["length"] == len(runs.scores)
    for name in SCORES:
        column, expected = table["columns"][name], runs.scores.get_column(name).to_list()
        if isinstance(column, dict):
            values = [column["values"][code] if code >= 0 else None for code in column["codes"]]
            assert values == expected
        elif column is None:
            assert set(expected) == {None}
        else:
            assert column == [None if one is None else pytest.approx(one, abs=5e-5) for one in expected]


def test_links_lead_to_the_runs_from_where_the_report_lies(tmp_path: Path) -> None:
    run = random_predict("tiny").write(tmp_path / "a run & more")
    place = write_report([run], tmp_path / "elsewhere" / "r.html")
    assert 'href="../a%20run%20%26%20more/scores.csv"' in place.read_text(encoding="utf-8")


def test_what_failed_and_what_was_damaged_is_shown(tmp_path: Path) -> None:
    failed = [{"model": "tiny", "experiment": "bias", "layer": 8, "measure": "rnsb", "reason": "it did not converge."}]
    run = random_predict("tiny").write(tmp_path / "run", failed=failed, damaged={"vectors": 1200, "contexts": 0})
    runs = read_runs([run])
    text = "".join(Seen(page(runs, tmp_path)).texts)
    assert "What failed?" in text
    assert "run tiny bias 8 rnsb it did not converge." in " ".join(text.split())
    assert "Damaged entries of the cache were computed again: vectors (1,200)." in text
    assert "predict: rnsb in layer 8 of tiny has no number: it did not converge." in text
    assert "| run | tiny | bias |  | 8 | rnsb | it did not converge. |" in markdown(runs)


def _rendered(template: str, **values: object) -> str:
    return _environment().from_string(template).render(**values)


def test_everything_is_escaped() -> None:
    evil = '"><script> & \x1b'
    assert _rendered("<p title='{{ x }}'>{{ x }}</p>", x=evil).count("<") == 2
    assert _rendered("{{ x | isolate }}", x="a < b & \x1b") == "a &lt; b &amp; \\x1b"
    assert _rendered("{{ x | prose }}", x="run `a <b>`") == "run <code>a &lt;b&gt;</code>"


def test_words_from_right_to_left_are_isolated() -> None:
    text = _rendered("{{ x | isolate }}", x="It says شكرا جزيلا (3), and שלום.")
    assert text == "It says <bdi>شكرا جزيلا</bdi> (3), and <bdi>שלום</bdi>."


def test_json_cannot_end_its_script() -> None:
    value = {"a": "</script><!-- & ' \u2028", "b": [None, 1.5]}
    text = _rendered("{{ x | tojson }}", x=value)
    assert not set("<>&'") & set(text)
    assert json.loads(text) == value
    assert json.loads(_rendered("{{ x | tojson }}", x=["\x1b\ud800\u202e"])) == ["\\x1b\\ud800\\u202e"]


def test_numbers_are_kept_to_their_digits() -> None:
    import numpy as np
    import polars as pl

    held = columnar(pl.DataFrame({"v": [0.123456, 1.0, 1.2345e-7, float("nan"), None]}))
    assert held["columns"]["v"] == [0.1235, 1, 1.23e-07, None, None]
    steps = np.frombuffer(base64.b64decode(packed(np.array([1.2344, -2.0, np.nan]))), dtype="<i2")
    assert steps.tolist() == [1234, -2000, -32768]
