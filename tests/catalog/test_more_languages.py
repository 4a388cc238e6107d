"""Norms, pairs and analogies of more languages, fetched from the package index: count, first, ninth and last record."""

import pytest

from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_analogies, load_pairs
from wordworth.catalog.registry import entry
from wordworth.errors import WordworthError

PLACES = (0, 8, -1)
LEXICA = {
    "french": (1031, [("abeille", 4.22), ("agréable", 8.29), ("zoo", 6.84)]),
    "glasgow": (5553, [("abattoir", 2.864), ("abducted", 1.969), ("zoology", 5.765)]),
    "spanish-stadthagen": (14031, [("ábaco", 5.35), ("abandonar", 2.55), ("zurra", 3.76)]),
    "spanish-guasch": (1400, [("abandono", 1.09), ("abrigo", 4.4), ("zurra", 2.81)]),
    "portuguese-soares": (1034, [("maus-tratos", 2.0), ("agressivo", 3.0), ("zelo", 5.88)]),
    "polish-imbir": (4904, [("aborcja", 2.6), ("agresja", 2.52), ("żywy", 6.64)]),
    "german-kanske": (1000, [("Abdruck", 5.03125), ("Absicht", 4.921875), ("Zutritt", 5.1875)]),
    "german-schauenburg": (858, [("Abendessen", 7.512), ("Abweichler", 4.333), ("zynisch", 3.932)]),
    "french-bonin": (1657, [("abeille", 3.83), ("ail", 3.34), ("zoom", 3.75)]),
    "dutch-roest": (672, [("aanslag", 1.86), ("agressief", 2.74), ("zwempak", 4.28)]),
    "dutch-speed": (485, [("aalbes", 3.333333), ("aktetas", 4.0), ("zweep", 3.5)]),
    "finnish": (420, [("ahdinko", 1.54), ("ampiainen", 2.88), ("älykkyys", 5.66)]),
    "chinese-simplified": (5465, [("不可思议", 5.4), ("不幸", 2.6), ("修长", 7.0)]),
    "turkish-hisnet": (17346, [("avurtlamak", -0.375), ("kuru kemik", -0.25), ("tutuk evi", -0.75)]),
}
PAIRS = {
    "gur-65": (65, [("Auto", "Fahrt", 2.75), ("Berg", "Wald", 1.75), ("Zauberer", "Orakel", 1.71)]),
    "gur-350": (350, [("Absage", "ablehnen", 3.5), ("Ansehen", "Schaden", 0.88), ("Zielstrebigkeit", "Erfolg", 2.63)]),
    "zg-222": (222, [("Abweichung", "sortieren", 2.0), ("Ansatz", "europäisch", 0.952381),
        ("zusammenstellen", "zwei", 1.952381)]),
    "schm-280": (280, [("Psychologie", "Geist", 7.2), ("Seife", "Oper", 5.1), ("Brot", "Butter", 6.7)]),
    "yp-130-german": (130, [("angeben", "prahlen", 4.0), ("konsumieren", "essen", 3.83),
        ("verweisen", "zurücklehnen", 0.0)]),
    "mc-30-spanish": (30, [("asilo", "manicomio", 3.61), ("costa", "bosque", 0.42),
        ("herramienta", "implementar", 2.95)]),
    "ws-353-spanish": (352, [("entrada", "boleto", 7.69), ("Arafat", "paz", 6.73), ("palabra", "similitud", 4.75)]),
    "rg-65-french": (65, [("corde", "sourire", 0.0), ("refuge", "fruit", 0.0), ("midi", "dîner", 2.17)]),
    "simlex-999-portuguese": (999, [("velho", "novo", 0.0), ("estúpido", "burro", 9.17),
        ("comparecer", "chegar", 2.5)]),
    "ws-353-portuguese": (352, [("amor", "sexo", 6.77), ("telefone", "comunicação", 7.5),
        ("arquitetura", "século", 3.78)]),
    "rw-portuguese": (2034, [("salpico", "esguicho", 8.75), ("instrumentalidade", "utilidade", 3.25),
        ("risinho", "rir", 5.5)]),
    "ws-240-chinese": (240, [("李白", "诗", 9.2), ("员工", "公司", 8.65), ("蛋白质", "文物", 0.15)]),
    "ws-297-chinese": (297, [("足球", "足球", 4.98), ("类型", "种类", 4.240741), ("延迟", "种族主义", 0.262963)]),
    "rg-65-dutch": (65, [("koord", "glimlach", 0.027027), ("fruit", "oven", 0.358974), ("jongen", "knul", 3.923077)]),
}  # fmt: skip
# Name → questions, of them syntactic, and the three.
ANALOGIES = {
    "bless": (20000, 0, "donkey chordate cow beast", "donkey ungulate deer mammal", "hotel ceiling squirrel snout"),
    "semrel": (7516, 0, "unsupervised supervised biblical secular",
        "unsupervised supervised emotional unemotional", "evidence disprove battle surrender"),
    "google-german": (18552, 9683, "Athen Griechenland Bagdad Irak",
        "Athen Griechenland Havanna Kuba", "schreiben schreibt arbeiten arbeitet"),
    "semrel-german": (2462, 0, "neugotisch altgotisch unfruchtbar fruchtbar",
        "neugotisch altgotisch längerfristig kurzfristig", "schmeicheln beleidigen verbieten erlauben"),
    "google-french": (31688, 9464, "allumé éteint court long",
        "allumé éteint gentil méchant", "plaire plaisons devoir devons"),
    "google-polish": (24570, 9224, "Ateny Grecja Bagdad Irak",
        "Ateny Grecja Hawana Kuba", "widzieć widywać spać sypiać"),
    "google-portuguese": (17487, 8662, "Atenas Grécia Bagdade Iraque",
        "Atenas Grécia Havana Cuba", "escrever escrevem trabalhar trabalham"),
    "google-chinese": (953, 0, "雅典 希腊 巴格达 伊拉克", "雅典 希腊 哈瓦那 古巴", "叔叔 阿姨 继子 继女"),
    "google-dutch": (10189, 9564, "jongen meisje broer zus", "jongen meisje hij zij", "schrijf schrijft werk werkt"),
    "google-finnish": (1037, 0, "leveä kapea pitkä lyhyt", "leveä kapea nopea hidas", "eteen taakse koillinen lounas"),
}  # fmt: skip


@pytest.mark.index
@pytest.mark.parametrize("name", LEXICA)
def test_lexica(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)
    count, records = LEXICA[name]
    lexicon = load_lexicon(name)
    assert len(lexicon) == count
    assert [lexicon.words[at] for at in PLACES] == [word for word, _ in records]
    assert [lexicon.valence[at] for at in PLACES] == pytest.approx([value for _, value in records], abs=1e-6)
    assert lexicon.scale is not None
    assert lexicon.scale[0] <= lexicon.valence.min() < lexicon.valence.max() <= lexicon.scale[1]
    assert len(lexicon) + len(lexicon.left_out) == entry(name, "lexica").count


@pytest.mark.index
def test_umlauts_are_corrected() -> None:
    assert {"Ärger", "Brücke", "Dämon"} <= set(load_lexicon("german-kanske").words)


@pytest.mark.index
@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name: str) -> None:
    count, records = PAIRS[name]
    pairs = load_pairs(name)
    assert len(pairs) == count == entry(name, "pairs").count
    assert [(pairs.first[at], pairs.second[at]) for at in PLACES] == [(one, other) for one, other, _ in records]
    assert [pairs.scores[at] for at in PLACES] == pytest.approx([score for *_, score in records], abs=1e-6)


@pytest.mark.index
@pytest.mark.parametrize("name", ANALOGIES)
def test_analogies(name: str) -> None:
    count, syntactic, *records = ANALOGIES[name]
    analogies = load_analogies(name)
    assert len(analogies) == count == entry(name, "analogies").count
    assert [" ".join(analogies.questions[at]) for at in PLACES] == records
    assert sum(one.stop - one.start for one in analogies.sections if one.kind == "syntactic") == syntactic


@pytest.mark.index
def test_bellezza_needs_the_english_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORDWORTH_DATA", raising=False)
    with pytest.raises(
        WordworthError, match=r"the copy from subs2vec 0\.9\.6 has none; replace it with the other copy"
    ):
        load_lexicon("bellezza-french")
