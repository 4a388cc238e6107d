"""The lint of names: functions are verbs, variables nouns, and names of modules say what they are of."""

from pathlib import Path

from tools.check_names import ALLOWED, CLEAN_ROOMS, check, find_names, find_variables

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


def test_variables_are_nouns():
    source = """
def load(named, scores, *, asked=1):
    found, missing_words = [given for given in scores], lambda one: one.chosen
    self._held = found
class Sample:
    drawn: int
"""
    assert {name for _, name, _ in find_variables(source)} == {"named", "asked", "found", "given", "one", "drawn"}


def test_the_package_has_none():
    assert check(Path(__file__).parent.parent / "src") == []
    assert all((Path(__file__).parent.parent / "src" / "wordworth" / room).is_dir() for room in CLEAN_ROOMS)
    assert len(ALLOWED) <= 30
    assert all(ALLOWED.values())
