"""Words of the field have a gloss where they stand, by mouse, keyboard and finger, and in print."""

from pathlib import Path

import polars as pl

from seen_page import EVIL, Seen
from wordworth.report.glossary import TERMS, glossary, glossed, legend
from wordworth.report.page import page
from wordworth.report.runs import read_runs


def test_the_first_of_each_term_in_a_paragraph_is_linked() -> None:
    text = "ρ in layer 3 (bleached), and ρ in layer 4 with 2 components nullified; misaligned is not aligned."
    seen = Seen(glossed(text))
    assert "".join(seen.texts) == text
    linked = [str(one["href"]) for _, one in seen.elements]
    assert linked == [f"#term-{name}" for name in
                      ("rho", "layer", "bleached", "components", "nullified", "misaligned", "aligned")]  # fmt: skip
    for name, attributes in seen.elements:
        assert name == "a"  # a link is reached by Tab, and by a finger
        assert str(attributes["data-gloss"]).endswith(".")
        assert f"#{attributes['aria-describedby']}" == attributes["href"]


def test_a_term_is_a_word_of_its_own() -> None:
    assert "<a" not in glossed("layered hard-aligned-ish dρ interred subwordsmith")
    assert glossed("d is a letter; d = 1.2 is an effect size.").count("<a") == 1
    assert glossed("women and men; .65 on men").count("<a") == 1
    assert "#term-dagger" in glossed("1.40† [.83, 1.79]")


def test_nothing_of_a_text_becomes_an_element() -> None:
    seen = Seen(glossed(f"a layer of {EVIL}"))
    assert [name for name, _ in seen.elements] == ["a"]
    assert "".join(seen.texts) == f"a layer of {EVIL}"


def test_terms_have_names_of_their_own() -> None:
    assert len({term.id for term in TERMS}) == len(TERMS)
    assert all(len(term.id) > len("term-") for term in TERMS)
    for term in TERMS:
        assert f'href="#{term.id}"' in glossed(f"on {term.name} = 1") or term.name == "below", term.name


def test_what_only_a_legend_has_is_glossed_under_the_figure() -> None:
    rows = pl.DataFrame({"study": ["vast"] * 4, "setting": ["random", "bleached", "untrained:misaligned", None]})
    seen = Seen(legend(rows, "Valence, bleached; random weights.") or "")
    assert "".join(seen.texts) == "In the figure: random, untrained, misaligned."
    linked = [str(one["href"]) for name, one in seen.elements if name == "a"]
    assert linked == ["#term-random-sentences", "#term-untrained", "#term-misaligned"]
    directions = legend(pl.DataFrame({"study": ["infer"], "setting": ["random:1"]}), "")
    assert "#term-random-directions" in str(directions)
    assert legend(rows.filter(pl.col("setting") == "bleached"), "bleached") is None


def test_the_page_ends_in_the_terms_that_it_uses(audit: Path) -> None:
    text = page(read_runs([audit]), audit)
    seen = Seen(text)
    used = {str(one["href"])[1:] for name, one in seen.elements if one.get("class") == "gloss"}
    listed = {str(one["id"]) for name, one in seen.elements if name == "dd" and "id" in one}
    assert used == listed
    assert {"term-valence", "term-bleached", "term-nullified", "term-neutral"} <= used
    assert glossary("no term") is None
