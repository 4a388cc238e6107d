"""The study `static`: contextual models reduced to static embeddings (Bommasani, Davis & Cardie 2020)."""

from wordworth.study.static.export import export
from wordworth.study.static.study import static

__all__ = ["export", "static"]
