"""Blocks side by side: order, errors, and BLAS left as it was found."""

import pytest
from threadpoolctl import threadpool_info

from wordworth.statistics.bootstrap import in_threads, in_torch_threads

pytestmark = pytest.mark.kernels


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_blas_has_one_thread_inside_and_its_own_again_outside():
    before = blas_threads()
    assert in_threads(lambda _: blas_threads(), range(4)) == [[1] * len(before)] * 4
    assert blas_threads() == before


def test_torch_has_one_thread_inside_and_its_own_again_outside():
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    assert in_torch_threads(lambda x: (x * x, torch.get_num_threads()), range(20)) == [(x * x, 1) for x in range(20)]
    assert torch.get_num_threads() == before
