"""One bench for all of it."""

import os
from collections.abc import Iterator

import pytest

from chaos.bench import Bench


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """With torch only where all is run: it takes longer to import than the sample takes."""
    made = Bench(tmp_path_factory.mktemp("chaos"), torch=os.environ.get("WORDWORTH_CHAOS") == "all")
    yield made
    made.close()
