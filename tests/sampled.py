"""What `make test` runs a sample of, and `make test-all` all of."""

import os

ALL = os.environ.get("WORDWORTH_TESTS") == "all"
