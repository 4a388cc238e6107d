"""What a run leaves behind: a folder with its manifest, its scores and the items they are made of.

Names are listed in `__init__.pyi`, and imported when they are first used: a help needs no arrays.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
