"""Sets of sentence pairs: each published layout with sentences made here, a user's table, and the catalog's counts."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wordworth.catalog.read.sentence_pairs import SentencePair, load_sentence_pairs
from wordworth.catalog.registry import entries, entry
from wordworth.catalog.resolve import Origin, of_entry
from wordworth.errors import WordworthError


@pytest.fixture
def read_as(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reads files made here as the set of the catalog that is named."""

    def read(name: str, files: dict[str, str]) -> Any:
        for file, text in files.items():
            (tmp_path / file).write_text(text, encoding="utf-8")
        path = tmp_path if len(files) > 1 else tmp_path / next(iter(files))

        def located(named: Any, kind: str, language: str) -> Origin:
            known = entry(name, kind)
            return replace(of_entry(known), path=path, sha256="0", language=known.language)

        monkeypatch.setattr("wordworth.catalog.read.sentence_pairs.located_data", located)
        return load_sentence_pairs(name)

    return read


def test_crows_pairs(read_as: Any) -> None:
    header = ",sent_more,sent_less,stereo_antistereo,bias_type\n"
    rows = '0,"Tall folk, they sing.","Short folk, they sing.",stereo,height\n1,Same.,Same.,stereo,height\n'
    data = read_as("crows-pairs", {"pairs.csv": header + rows})
    assert data.pairs == (SentencePair("Tall folk, they sing.", "Short folk, they sing.", type="height"),)
    assert data.left_out == {"pairs with a blank sentence, or with the same one twice": 1}
    assert data.has_faults
    assert not data.is_per_word


@pytest.mark.parametrize(("part", "before"), [("intra", ""), ("inter", "A baker came.")])
def test_stereoset(part: str, before: str, read_as: Any) -> None:
    labelled = {"anti-stereotype": "He was thin.", "stereotype": "He was round.", "unrelated": "He was blue."}
    sentences = [{"sentence": text, "gold_label": label} for label, text in labelled.items()]
    one = {"target": "baker", "bias_type": "profession", "context": "A baker came", "sentences": sentences}
    data = read_as(f"stereoset-{part}", {"dev.json": json.dumps({"data": {f"{part}sentence": [one]}})})
    expected = SentencePair("He was round.", "He was thin.", "He was blue.", before, "profession", "baker")
    assert data.pairs == (expected,)
    assert data.is_per_word


def test_winobias_takes_pairs_that_differ_only_in_pronouns(read_as: Any) -> None:
    pro = "1 [The diver] met the poet because [he] sang.\n2 The diver met [the poet] and fed [her] rice.\n"
    anti = "1 [The diver] met the poet because [she] sang.\n2 The diver met [the poet] and fed [him] some rice.\n"
    files = {f"{side}_stereotyped_{kind}.txt.{part}": "" for side in ("pro", "anti") for kind in ("type1", "type2")
             for part in ("dev", "test")}  # fmt: skip
    files |= {"pro_stereotyped_type2.txt.dev": pro, "anti_stereotyped_type2.txt.dev": anti}
    data = read_as("winobias", files)
    first, second = "The diver met the poet because he sang.", "The diver met the poet because she sang."
    assert data.pairs == (SentencePair(first, second, type="type2", group="diver"),)
    assert data.left_out == {"pairs that differ in more than pronouns": 1}


def test_winogender_takes_the_gender_of_most_for_the_stereotype(read_as: Any) -> None:
    names = {"male": "he", "female": "she", "neutral": "they"}
    rows = [
        (f"{job}.guest.{answer}.{gender}.txt", f"The {job} told the guest that {word} slept.")
        for job in ("diver", "poet") for answer in (0, 1) for gender, word in names.items()
    ]  # fmt: skip
    stats = "occupation\tbergsma_pct_female\tbls_pct_female\tbls_year\ndiver\t1\t20\t2015\npoet\t1\t70\t2015\n"
    sentences = "sentid\tsentence\n" + "".join(f"{name}\t{text}\n" for name, text in rows)
    data = read_as("winogender", {"occupations-stats.tsv": stats, "all_sentences.tsv": sentences})
    assert [(pair.group, pair.women) for pair in data.pairs] == [("diver", 0.2), ("poet", 0.7)]
    assert [pair.stereotype.split()[-2] for pair in data.pairs] == ["he", "she"]


def test_bec_pro_pairs_men_with_women_in_blocks(read_as: Any) -> None:
    header = "\tSentence\tSent_TM\tSent_AM\tSent_TAM\tTemplate\tPerson\tGender\tProfession\tProf_Gender\n"
    rows = [
        f"0\tP{at} {gender} is a {of}.\t\t\t\t\t\t{gender}\tjob{at}\t{of}\n"
        for of in ("male", "balanced", "female") for gender in ("male", "female") for at in range(180)
    ]  # fmt: skip
    data = read_as("bec-pro", {"BEC-Pro_EN.tsv": header + "".join(rows)})
    assert (len(data), data.left_out) == (360, {"pairs on professions with about as many women as men": 180})
    assert data.pairs[0][:2] == ("P0 male is a male.", "P0 female is a male.")
    assert data.pairs[-1][:2] == ("P179 female is a female.", "P179 male is a female.")
    with pytest.raises(WordworthError, match="blocks of 180"):
        read_as("bec-pro", {"BEC-Pro_EN.tsv": header + "".join(rows[1:181]) + "".join(rows[:180])})


def test_a_user_s_table(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("type\tstereotype\tantistereotype\nheight\tTall ones sing.\tShort ones sing.\n", encoding="utf-8")
    data = load_sentence_pairs(path, "german")
    assert (data.name, data.language) == ("mine", "german")
    assert data.pairs == (SentencePair("Tall ones sing.", "Short ones sing.", type="height"),)
    path.write_text("one\ttwo\na\tb\n", encoding="utf-8")
    with pytest.raises(WordworthError, match="no columns stereotype"):
        load_sentence_pairs(path)
    path.write_text("stereotype\tantistereotype\nsame\tsame\n", encoding="utf-8")
    with pytest.raises(WordworthError, match="has no pairs"):
        load_sentence_pairs(path)


@pytest.mark.index
@pytest.mark.parametrize("known", entries("sentence_pairs"), ids=lambda known: known.name)
def test_the_sets_of_the_catalog(known: Any) -> None:
    data = load_sentence_pairs(known.name)
    assert len(data) == known.count
    if known.name == "bec-pro":  # the same sentence but for the person
        changed = {
            frozenset((one, other))
            for pair in data.pairs
            for one, other in zip(pair.stereotype.lower().split(), pair.antistereotype.lower().split(), strict=True)
            if one != other
        }
        words = ["he she", "man woman", "brother sister", "son daughter", "husband wife", "boyfriend girlfriend"]
        words += ["father mother", "uncle aunt", "dad mom"]
        marked = {frozenset(f"{word}," for word in pair.split()) for pair in words}
        assert changed == {frozenset(pair.split()) for pair in words} | marked
