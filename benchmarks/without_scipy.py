"""Where scipy is not installed, a stand-in for what is imported on the way and not used: a device's machine is bare."""

import sys
from importlib.util import find_spec
from types import ModuleType

if find_spec("scipy") is None:
    for name in ("scipy", "scipy.sparse"):
        sys.modules[name] = ModuleType(name)
    vars(sys.modules["scipy.sparse"])["csr_array"] = None
