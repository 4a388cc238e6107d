"""A bias taken out of a transformer's weights, so that the network saved is an ordinary checkpoint."""

from wordworth.errors import require

require("language models")
