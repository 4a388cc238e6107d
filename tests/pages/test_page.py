"""The page as text: whole, escaped, alone, and small."""

import base64
import hashlib
import itertools
import json
import re
from html import unescape
from pathlib import Path

import polars as pl
import pytest

from made_runs import random_infer, random_predict, random_vast, spread
from seen_page import EVIL, Seen
from wordworth.pages.figures import figures_of
from wordworth.pages.page import _environment, page
from wordworth.results.columns import SCORES
from wordworth.results.runs import read_runs
from wordworth.results.vocabulary import Notice

IMAGE = "<img src=x onerror=window.hit=1>"


def test_nothing_of_the_data_becomes_an_element(tmp_path: Path) -> None:
    """A model, words, pairs and sentences that would be scripts."""
    words = [EVIL, IMAGE, "</script>", *(f"word{at}" for at in range(20))]
    vast = random_vast([EVIL], words=words)
    vast.notices = [Notice(kind=kind, reason=f"a notice with {IMAGE}") for kind in ("info", "failed", "caution")]
    vast.skipped, vast.damaged, vast.method = {f"skipped for {IMAGE}": 2}, {EVIL: 2}, IMAGE
    vast.references = {"evil": f"@misc{{evil, title={{{EVIL}}}}}"}
    others = [random_predict(f"b{EVIL}", words=words[:4]), random_infer(IMAGE, ("doctor", IMAGE))]
    seen = Seen(page(read_runs([vast, *others]), tmp_path))
    names = [name for name, _ in seen.elements]
    assert "img" not in names
    assert names.count("script") == 4 + 2  # data, and code
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
    assert {"vast/scores.csv", "predict/items", "infer/run.json"} <= set(links)
    for name, attributes in seen.elements:
        assert not {"src", "srcset"} & set(attributes), name
        if attributes.get("role") == "img":
            assert attributes["aria-label"]
    headings = [int(name[1]) for name, _ in seen.elements if re.fullmatch(r"h[1-6]", name)]
    assert headings.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in itertools.pairwise(headings))


def test_scores_come_back_from_the_page(audit: Path) -> None:
    runs = read_runs([audit])
    (held,) = re.findall(r'id="scores">(.*?)</script>', page(runs, audit), flags=re.DOTALL)
    table = json.loads(held)
    shown = {
        row for chapter in figures_of(runs.scores, runs).values() for figure in chapter for row in figure.rows["row"]
    }
    scores = runs.scores.filter(pl.col("row").is_in(list(shown)))
    assert table["length"] == len(scores)
    for name in SCORES.keys() - {"cautions"}:
        column, expected = table["columns"][name], scores.get_column(name).to_list()
        if column is None:
            assert set(expected) == {None}
        else:
            exact = [one if not isinstance(one, float) else pytest.approx(one, abs=5e-5) for one in expected]
            assert spread(column) == exact


def render(template: str, **values: object) -> str:
    return _environment().from_string(template).render(**values)


def test_everything_is_escaped() -> None:
    assert render("<p title='{{ x }}'>{{ x }}</p>", x='"><script> & \x1b').count("<") == 2
    assert render("{{ x }}", x="a < b & \x1b") == "a &lt; b &amp; \\x1b"
    assert render("{{ x | prose }}", x="run `a <b>`") == "run <code>a &lt;b&gt;</code>"


def test_json_cannot_end_its_script() -> None:
    value = {"a": "</script><!-- & ' \u2028", "b": [None, 1.5]}
    text = render("{{ x | tojson }}", x=value)
    assert not set("<>&'") & set(text)
    assert json.loads(text) == value
    assert json.loads(render("{{ x | tojson }}", x=["\x1b\ud800\u202e"])) == ["\\x1b\\ud800\\u202e"]
