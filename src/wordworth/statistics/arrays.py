"""The arrays that statistics take and give."""

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.floating]
"""Of any precision, as they are given."""
Exact = NDArray[np.float64]
"""Of the precision that statistics are computed in."""
