"""The leaderboard as an element of the page: columns that can be chosen, rows that can be sorted."""

from wordworth.report.glossary import glossed
from wordworth.report.leaderboard import Column, Leaderboard
from wordworth.report.markup import Child, Markup, tag
from wordworth.report.naming import number
from wordworth.run.flags import MARK

ARROWS = {"higher": " ↑", "lower": " ↓"}
CAPTION = "Models by measure"
ABOUT = (
    "↑ higher is better, ↓ lower; the best of a column is bold; click a heading to sort. Language models stand with "
    "their best layer: bleached for valence, mean over subwords and sentences for similarity, "
    "stereotypes in the layer that reads valence best."
)


def board_markup(board: Leaderboard) -> Markup:
    """The table, what may be chosen of it, and what is to be known of its numbers."""
    shown = board.shown
    longest = max(map(len, board.models), default=0)
    narrow = f"min-width:min({longest + 3}ch,13rem,38vw)"  # a name is broken only where it would take the numbers' room
    without = [model for model in board.models if not any(model in column.values for column in shown)]
    head = tag(
        "tr", tag("th", "model", scope="col", style=narrow), (_heading(one, one in shown) for one in board.columns)
    )
    rows = (
        tag("tr", tag("th", model, scope="row"), (_cell(one, model, one in shown) for one in board.columns),
            hidden=model in without)
        for model in board.models
    )  # fmt: skip
    table = tag("table", tag("caption", CAPTION), tag("thead", head), tag("tbody", rows))
    told = f"Without a number in these columns: {len(without)} of {len(board.models)} models." if without else ""
    return tag(
        "div",
        tag("p", glossed(ABOUT)),
        _columns(board) if len(shown) < len(board.columns) else None,
        tag("div", table, class_="scroll", tabindex="0", role="region", aria_label=CAPTION),
        tag("p", told, class_="care without", aria_live="polite"),
        note(board.note),
        class_="sortable",
    )


def _heading(column: Column, shown: bool) -> Markup:
    return tag("th", column.title, ARROWS.get(column.better), scope="col", class_="number", hidden=not shown)


def _cell(column: Column, model: str, shown: bool) -> Markup:
    text: Child = number(column.values[model]) if model in column.values else ""
    value = tag("strong", text) if column.best == model else text
    return tag("td", value, care(column.flags.get(model)), class_="number", hidden=not shown)


def _columns(board: Leaderboard) -> Markup:
    """A box for each column."""
    shown = board.shown
    count = tag("span", f"{len(shown)} of {len(board.columns)}", class_="chosen")
    boxes = (tag("label", tag("input", type="checkbox", checked=one in shown), one.title) for one in board.columns)
    buttons = [
        tag("button", "All", type="button", data_columns="all"),
        tag("button", "As at first", type="button", data_columns="first"),
    ]
    chosen = tag("fieldset", tag("legend", "Columns of the leaderboard", class_="unseen"), boxes, tag("p", buttons))
    return tag("details", tag("summary", "Columns: ", count), chosen, class_="columns")


def care(flags: str | None) -> Markup | None:
    """The mark of a number that is to be read with care, with the reason over it."""
    return tag("abbr", MARK, title=flags) if flags else None


def note(text: str) -> Markup | None:
    """The reasons once more, for print and for those who cannot hover."""
    return tag("p", text, class_="care") if text else None
