"""The one idea: every representation is an `Embedding` (words × dimensions) or `Layers` (the same words in layers).

Names are listed in `__init__.pyi`, and imported when they are first used: a help needs no arrays.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
