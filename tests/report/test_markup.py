"""HTML is escaped, and words that read from right to left do not turn round what stands beside them."""

from wordworth.report.markup import table, tag


def test_words_from_right_to_left_stand_apart() -> None:
    assert tag("p", "It says شكرا جزيلا (3), and שלום.") == (
        "<p>It says <bdi>شكرا جزيلا</bdi> (3), and <bdi>שלום</bdi>.</p>"
    )
    assert tag("p", ["<b> & 饒恕"]) == "<p>&lt;b&gt; &amp; 饒恕</p>"
    assert "<td><bdi>سلام</bdi></td>" in table(["word"], [["سلام"]])
    for name in ("title", "option", "text"):  # which hold no elements
        assert tag(name, "سلام <") == f"<{name}>سلام &lt;</{name}>"
