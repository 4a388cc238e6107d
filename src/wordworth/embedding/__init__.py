"""Hold every representation as an `Embedding` (words × dimensions) or `Layers` (the same words in several layers).

`__init__.pyi` lists the names. They are imported on first use, so that `--help` loads no array library.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
