"""The lint of names: functions are verbs, and names of modules say what they are of."""

from pathlib import Path

from tools.check_names import ALLOWED, check, find_names

SOURCE = """
KINDS = ("a", "b")
MODEL_KINDS = ("c",)
_kept: dict = {}

class Listed: ...

class Part:
    def _chosen(self): ...
    def select(self): ...

def load_shared(): ...
def merged(): ...
"""


def test_participles_and_generic_names_are_found():
    assert {name for _, name, _ in find_names(SOURCE)} == {"KINDS", "_kept", "Listed", "Part", "_chosen", "merged"}


def test_the_package_has_none():
    assert check(Path(__file__).parent.parent / "src") == []
    assert len(ALLOWED) <= 30
    assert all(ALLOWED.values())
