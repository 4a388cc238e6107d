"""Draw a figure as SVG without a browser, for documents."""

from wordworth.pages.figures import Figure
from wordworth.pages.figures.document import draw_in_light


def draw_svg(figure: Figure) -> str:
    """Draw the figure as SVG, in light colours on white."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(draw_in_light(figure))
    return drawn
