"""ValNorm's tables of languages."""

import polars as pl
from wordworth.results.schema import ITEMS, SCORES

from wordworth.study.valnorm.study import BELLEZZA, valnorm_tables


def _scores(*rows: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame([{"study": "valnorm", **row} for row in rows], schema=SCORES)


def _row(language: str, measure: str, dataset: str, value: float, n: int) -> dict[str, object]:
    where = {"model": "m", "language": language, "experiment": measure, "measure": measure}
    return {**where, "dataset": dataset, "value": value, "n": n}


def test_languages_side_by_side() -> None:
    english = [_row("english", "valence", "bellezza", 0.8, 399), _row("english", "valence", "anew", 0.7, 1029)]
    english += [_row("english", "valence", "warriner", 0.6, 13915), _row("english", "weat", "weat1", 1.5, 50)]
    variance = {"experiment": "weat", "dataset": "weat1", "measure": "weat:variance", "value": 0.125, "n": 2}
    scores = _scores(*english, {**_row("polish", "weat", "weat1", 1.0, 16), "flags": "n=16"}, variance)
    _, table = valnorm_tables(scores, pl.DataFrame(schema=ITEMS))
    assert table.header == ["language", "model", BELLEZZA, "valence", "weat1"]
    assert table.rows == [
        ["english", "m", ".800 (399)", ".600 (13,915)", "1.50 (50)"],
        ["polish", "m", "", "", "1.00† (16)"],
        ["variance", "", "", "", ".125"],
    ]
    assert table.note == "† to be read with care: n=16 (weat1 polish)"
    assert len(list(valnorm_tables(_scores(*english), pl.DataFrame(schema=ITEMS)))) == 1


def test_people_across_languages() -> None:
    pairs = {
        "bellezza~bellezza-german": 0.95,
        "bellezza~bellezza-polish": 0.94,
        "bellezza-german~bellezza-polish": 0.92,
    }
    rows = [
        {"experiment": "raters", "dataset": name, "measure": "raters", "value": rho, "n": 300}
        for name, rho in pairs.items()
    ]
    _, table = valnorm_tables(_scores(*rows), pl.DataFrame(schema=ITEMS))
    assert table.header == ["lexicon", "bellezza", "bellezza-german", "bellezza-polish"]
    assert table.rows[1] == ["bellezza-german", ".950", "", ".920"]
