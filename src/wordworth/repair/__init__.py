"""Remove a bias from a transformer's weights, and save the network as an ordinary checkpoint."""

from wordworth.errors import require

require("language models")
