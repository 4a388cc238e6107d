"""One bench for all of it."""

from collections.abc import Iterator

import pytest

from chaos.bench import Bench
from sampled import ALL


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """With torch only where all is run: it takes longer to import than the sample takes."""
    made = Bench(tmp_path_factory.mktemp("chaos"), torch=ALL)
    yield made
    made.close()
