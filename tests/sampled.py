"""What `make test` runs a sample of, and `make test-all` all of."""

import os

import pytest

ALL = os.environ.get("WORDWORTH_TESTS") == "all"
only_in_all = pytest.mark.skipif(not ALL, reason="only `make test-all` runs it")
