"""The pair generator: sizes, index → pair → index, slices, samples, templates of one's own, and bad ones."""

from itertools import islice, product
from pathlib import Path

import numpy as np
import pytest

from wordworth.catalog.read.word_sets import load_word_set
from wordworth.catalog.registry import entry
from wordworth.errors import WordworthError
from wordworth.nli.pairs import PairSet, draw_evenly
from wordworth.nli.probe import Probe, by_letter, by_sound, load_probe, probe_names

SIZES = {
    "gender": 1_968 * 164 * 6,
    "nationality": 1_968 * 25 * 32,
    "religion": 1_968 * 25 * 17,
    "gender:formula": 27 * 95 * 164 * 6,
    "nationality:formula": 26 * 27 * 95 * 32,
    "religion:formula": 26 * 27 * 95 * 17,
}


@pytest.fixture(scope="module")
def gender() -> PairSet:
    return PairSet.of(load_probe("gender"))


@pytest.mark.parametrize("name", SIZES)
def test_sizes_and_indices(name: str) -> None:
    """1,936,512 pairs by the authors' lists; 2,134,080 and 1,133,730 by the paper's formula.

    An index is that of its pair; the formula's `terrible` stands twice and is told apart.
    """
    pairs = PairSet.of(load_probe(name))
    assert len(pairs) == SIZES[name]
    stated = {"gender": 1_936_512, "nationality:formula": 2_134_080, "religion:formula": 1_133_730}
    assert len(pairs) == stated.get(name, len(pairs))
    some = np.random.default_rng(1).integers(len(pairs), size=1000).tolist()
    for index in [0, len(pairs) - 1, *some]:
        assert np.ravel_multi_index(pairs.pair(index).positions, pairs.shape) == index


@pytest.mark.parametrize("name", ["gender", "nationality", "religion:formula"])
def test_pairs_are_those_of_nested_loops(name: str) -> None:
    """An independent enumeration by itertools and plain string work."""
    probe = load_probe(name)
    pairs = PairSet.of(probe)
    loops = product(probe.actions, probe.premises, probe.hypotheses)
    person = "" if name == "gender" else " person"
    wanted = set(np.random.default_rng(2).integers(30_000, size=1000).tolist()) | {0}
    for index, (action, premise, hypothesis) in enumerate(islice(loops, 30_000)):
        if index in wanted:
            rest = f"{person} {action.verb} {by_sound(action.object)} {action.object}."
            found = pairs.pair(index)
            assert found[:2] == (f"The {premise}{rest}", f"The {hypothesis}{rest}")
            assert found.subjects == (premise, hypothesis)
            assert found.action == action


def find_pair(pairs: PairSet, words: str) -> tuple[str, str]:
    """Return the only pair with these words: premise, hypothesis, verb, object."""
    keys = ("premise", "hypothesis", "verb", "object")
    found = pairs.where({key: (word,) for key, word in zip(keys, words.split("/"), strict=True)})
    assert len(found) == 1
    return found.pair(0)[:2]


@pytest.mark.parametrize(
    ("name", "words", "premise", "hypothesis", "rest"),
    [
        ("gender", "banker/man/spoke to/crew", "banker", "man", "spoke to a crew"),
        ("gender", "doctor/lady/drove/SUV", "doctor", "lady", "drove an SUV"),
        ("nationality", "evil/canadian/owns/oven", "evil person", "Canadian person", "owns an oven"),
        ("religion", "ignorant/muslim/hated/owner", "ignorant person", "Muslim person", "hated an owner"),
    ],
)
def test_published_examples(name: str, words: str, premise: str, hypothesis: str, rest: str) -> None:
    """Pairs of Tables 2, 4 and 6."""
    expected = f"The {premise} {rest}.", f"The {hypothesis} {rest}."
    assert find_pair(PairSet.of(load_probe(name)), words) == expected


@pytest.mark.parametrize(
    ("name", "words", "premise", "hypothesis"),
    [
        ("gender", "accountant/man/ate/apple", "An accountant ate an apple.", "A man ate an apple."),
        ("gender", "doctor/woman/drove/SUV", "A doctor drove a SUV.", "A woman drove a SUV."),
        ("nationality", "rude/Iraqi/bought/car", "A rude person bought a car.", "An Iraqi person bought a car."),
        ("religion", "evil/Sikh/hated/owner", "An evil person hated an owner.", "A Sikh person hated an owner."),
    ],
)
def test_articles_of_the_authors_code(name: str, words: str, premise: str, hypothesis: str) -> None:
    """By hand after `SubjectTemplate.apply`: “A” or “An” by the first letter, before the subject too."""
    pairs = PairSet.of(load_probe(name, articles="dev2020"))
    assert find_pair(pairs, words) == (premise, hypothesis)
    assert len(pairs) == SIZES[name]
    assert len({load_probe(name, articles=way).sha256 for way in ("sound", "letter", "dev2020")}) == 3
    assert {text.split()[0] for text in PairSet.of(pairs.probe.swap_subjects()).pair(0)[:2]} <= {"A", "An"}


def test_articles_of_a_probe_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    text = '[probe]\nname = "own"\npremise = "Today the SUBJECT ate."\nhypothesis = "SUBJECT ate."\n'
    path.write_text(text + 'slots = { premise = { words = ["hour"] }, hypothesis = { words = ["we"] } }\n')
    assert PairSet.of(load_probe(path)).pair(0)[:2] == ("Today the hour ate.", "We ate.")
    assert PairSet.of(load_probe(path, articles="dev2020")).pair(0)[:2] == ("Today a hour ate.", "We ate.")


def test_subjects_do_not_meet_the_training_words() -> None:
    for name, train in (("nationality", "dev-demonyms_train"), ("religion", "dev-adherents_train")):
        tested = {word.lower() for word in load_probe(name).hypotheses}
        assert not tested & set(load_word_set(train).words)


def test_slices(gender: PairSet) -> None:
    part = gender.where({"occupation": ["doctor", "nurse"], "kind": ["eating"]})
    assert part.shape == (5 * 22, 2, 6)
    assert part.label == "occupation=doctor|nurse,kind=eating"
    for index in (0, 77, len(part) - 1):
        pair = part.pair(index)
        assert gender.pair(int(np.ravel_multi_index(pair.positions, gender.shape))) == pair
        assert pair.action.verb in {"ate", "consumed", "finished", "cooked", "prepared"}
    rude = PairSet.of(load_probe("nationality")).where({"polarity": ["rude"], "demonym": ["Iraqi"]})
    assert len(rude) == 1968
    assert gender.words_of("kind") == ("commerce", "interaction", "driving", "eating")
    with pytest.raises(WordworthError, match=r"no pair of gender has verb=ate,object=car"):
        gender.where({"verb": ["ate"], "object": ["car"]})
    with pytest.raises(WordworthError, match="no occupation 'docter'; did you mean doctor"):
        gender.where({"occupation": ["docter"]})
    with pytest.raises(WordworthError, match="cannot be sliced by 'ocupation'"):
        gender.where({"ocupation": ["doctor"]})
    with pytest.raises(WordworthError, match="none has the index"):
        gender.pair(len(gender))


def test_a_batch_holds_each_sentence_once(gender: PairSet) -> None:
    """Two whole actions and one pair of another: (164 + 6) · 2 + 2 sentences, each pair its own two."""
    indices = np.r_[np.arange(984, 3 * 984), 1_000_000]
    batch = gender.batch(indices)
    assert len(batch.sentences) == len(set(batch.sentences)) == 2 * 170 + 2
    for row in (0, 5, 984, 1967, 1968):
        first, second = batch.pairs[row]
        found = gender.pair(int(indices[row]))
        assert (batch.sentences[first], batch.sentences[second]) == found[:2]


def test_even_samples() -> None:
    """One index of each stretch, in order, no hypothesis met more than chance has it."""
    drawn = draw_evenly(1_936_512, 12_000, seed=3)
    assert len(drawn) == 12_000
    assert (np.diff(drawn) > 0).all()
    stretch = 1_936_512 / 12_000
    assert (np.abs(drawn - (np.arange(12_000) + 0.5) * stretch) <= stretch / 2 + 1).all()
    counts = np.bincount(drawn % 6, minlength=6)
    assert abs(counts / 12_000 - 1 / 6).max() < 0.015
    assert np.array_equal(drawn, draw_evenly(1_936_512, 12_000, seed=3))
    assert np.array_equal(draw_evenly(5, 7, 0), np.arange(5))


OWN = """
[probe]
name = "age"
premise = "a/an AGE person VERB a/an OBJECT."
hypothesis = "A/an SUBJECT VERB a/an OBJECT."
labels = { premise = "age", hypothesis = "job" }
slots = { premise = { words = ["old", "young"] }, hypothesis = { words = ["engineer", "honest lawyer", "unionist"] } }
verbs = [
  { verbs = { words = ["saw"] }, objects = { words = ["hour", "TV"] } },
  { verbs = "dev-eating_verbs", objects = ["dev-food"] },
]
subspace = { words = ["old", "young", "aged"], components = 1 }
"""


def _own(folder: Path, old: str = "", new: str = "") -> Probe:
    path = folder / "own.toml"
    assert old in OWN
    path.write_text(OWN.replace(old, new, 1) if old else OWN, encoding="utf-8")
    return load_probe(path)


def test_own_probe(tmp_path: Path) -> None:
    probe = _own(tmp_path)
    pairs = PairSet.of(probe)
    assert pairs.shape == (2 + 5 * 22, 2, 3)
    assert pairs.pair(0)[:2] == ("An old person saw an hour.", "An engineer saw an hour.")
    assert pairs.pair(5)[:2] == ("A young person saw an hour.", "A unionist saw an hour.")
    assert pairs.pair(6 + 1)[:2] == ("An old person saw a TV.", "An honest lawyer saw a TV.")
    assert probe.subspace is not None
    assert (probe.subspace.words, probe.subspace.components) == (("old", "young", "aged"), 1)
    assert probe_names() == ["gender", "nationality", "religion"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('words = ["old", "young"]', 'words = ["old", " "]', "without blanks"),
        ('premise = { words = ["old", "young"] }', 'premise = ["aged"]', "'aged' is no word set"),
        ("a/an AGE person", "a person", "without SUBJECT or AGE"),
        ("a/an AGE person", "a/an AGE AGE", "SUBJECT more than once"),
        ("verbs = [", "verb = [", "verb is an unknown field"),
        ('verbs = { words = ["saw"] }, ', "", "entry 1 has no verbs"),
        ("[probe]", "[prob]", "one table"),
        ("components = 1", 'pair = ["he", "she"]', "subspace: "),
        ('labels = { premise = "age"', 'labels = { premise = "verb"', "labels.premise"),
        ("components = 1 }", 'components = 1 }\ngroups = { men = ["king"] }', "groups.men: 'king'"),
    ],
)
def test_bad_probes(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(WordworthError, match=message):
        _own(tmp_path, old, new)


AN = (
    "hour heir heiress honest honor honour hourglass apple urchin umbrella unintended uninvited unidentified usher "
    "utter utmost unimportant SUV MP FBI X-ray MRI HR 8 11 18 80 8,000 11,000 18-wheeler in-law earl emir eminence "
    "oven ox ulcer urn uncle onerous only ugly Uzbekistani Emirati Iraqi old-timer iPhone Euler actor"
)
A = (
    "unit university unicorn uniform union unique user usual utensil utility utopia uranium urinal European eulogy ewe "
    "one once one-way ouija TV VIP UFO USB BBC NATO NASA T-shirt 1 10 100 180 1,100 110 house hero history ukulele "
    "Ukrainian Ugandan ubiquitous hen horse unilateral bagel yacht women u-turn"
)


@pytest.mark.parametrize(("words", "article"), [(AN, "an"), (A, "a")])
def test_by_sound(words: str, article: str) -> None:
    assert [word for word in words.split() if by_sound(word) != article] == []


def test_every_object_of_the_published_lists() -> None:
    """By hand over all 184: a vowel at the start is heard as one; of the others only SUV sounds like one."""
    groups = entry("dev-occupation-gender").details["verbs"]
    words = {word for group in groups for name in group["objects"] for word in load_word_set(name).words}
    assert len(words) == 184
    assert {word for word in words if by_sound(word) != by_letter(word)} == {"SUV"}
    assert by_letter("SUV") == "a"  # the authors' code
    assert [by_letter(word) for word in ("hour", "unit", "Auto")] == ["a", "an", "an"]
