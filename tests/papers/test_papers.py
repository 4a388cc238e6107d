"""The declared tables and figures: all of them, well-formed, and with every number of the papers."""

import re

import pytest

from wordworth.catalog.registry import entry, knows
from wordworth.errors import WordworthError
from wordworth.papers.published import load_published
from wordworth.papers.reproduction import PaperItem, find_items, paper_names, papers, sources
from wordworth.study import study

ITEMS = [item for items in papers().values() for item in items]
COUNTS = {"toney2021": (3, 5), "wolfe2022": (27, 1), "bommasani2020": (18, 9), "dev2020": (0, 17), "dudy2020": (3, 2)}
"""Figures and tables, counted in the papers, appendices included."""


@pytest.mark.parametrize(("paper", "figures", "tables"), [(paper, *counts) for paper, counts in COUNTS.items()])
def test_every_table_and_figure_is_declared_once(paper: str, figures: int, tables: int) -> None:
    keys = [item.key for item in papers()[paper]]
    wanted = [f"figure-{n + 1}" for n in range(figures)] + [f"table-{n + 1}" for n in range(tables)]
    assert sorted(key for key in keys if key != "text") == sorted(wanted)


def test_every_number_is_in_an_item() -> None:
    listed = {id(one) for item in ITEMS for one in item.numbers()}
    assert not [one for one in load_published() if one.paper in papers() and id(one) not in listed]
    for one in load_published():
        places = [place for place in one.places if re.match("Table|Figure", place)]
        known = {item.place for item in papers().get(one.paper, ())}
        assert one.paper not in papers() or {*places} <= known, one


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.paper}-{item.key}")
def test_an_item_can_be_run_or_says_why_not(item: PaperItem) -> None:
    assert item.title
    if item.cannot:
        return
    declared = study(item.study)
    declared.settings(**{**item.settings, **item.stand_in_settings})
    for name in item.stand_ins:
        assert entry(name, "models").details["family"] in declared.kinds | declared.also_accepts
    assert all(knows(name, "models") or re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name) for name in item.models)
    assert all(entry(name).note for name in item.data), "the catalog has to say where it is to be had"
    assert {*item.needs} <= {*sources(item.paper)}
    assert item.models or item.stand_ins or item.needs or set(item.settings["experiments"]) == {"raters"}


def test_every_source_is_needed() -> None:
    for paper, items in papers().items():
        assert {*sources(paper)} == {name for item in items for name in item.needs}


def test_a_paper_has_two_names() -> None:
    assert list(paper_names()) == ["valnorm", "vast", "contextual2static", "inferences", "whole-words"]
    assert find_items("vast") == find_items("wolfe2022")
    assert [item.key for item in find_items("vast", ["1", "figure-20"])] == ["table-1", "figure-20"]


@pytest.mark.parametrize(("paper", "table", "near"), [("vasst", "1", "vast"), ("vast", "figure-28", "figure-2")])
def test_an_unknown_name_has_near_ones(paper: str, table: str, near: str) -> None:
    with pytest.raises(WordworthError, match=near):
        find_items(paper, [table])
