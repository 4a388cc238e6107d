"""valnorm, weat and the estimators of static on word vectors, from the vectors alone."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import polars as pl
from scipy.stats import pearsonr, spearmanr

from truth import plain
from truth.check import Check, score
from wordworth.catalog.models import load_embeddings
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_analogies, load_pairs
from wordworth.catalog.read.word_sets import load_test, load_word_set, polar_words
from wordworth.embedding import Embedding
from wordworth.measure import label
from wordworth.results.run import Run

ROUNDING = 1e-9
Get = Callable[[str], plain.Vector | None]


def embeddings_of(models: Sequence[str]) -> dict[str, Embedding]:
    """The vectors by the names that scores have."""
    loaded = [embedding for model in models for embedding in load_embeddings(model)]
    return {embedding.provenance.name: embedding for embedding in loaded}


def getter(embedding: Embedding, *, names: bool = False) -> Get:
    """A word's vector: as written, in lower case, with a capital; a name only as written where there are capitals."""
    cased = any(word != word.lower() for word in embedding.words)

    def get(word: str) -> plain.Vector | None:
        forms = (word,) if names and cased else (word, word.lower(), word.capitalize())
        form = next((form for form in forms if form in embedding), None)
        return None if form is None else np.asarray(embedding[form], dtype=np.float64)

    return get


def there(get: Get, words: Sequence[str]) -> list[plain.Vector]:
    return [vector for vector in map(get, words) if vector is not None]


def valence_checks(run: Run, embeddings: dict[str, Embedding]) -> Iterator[Check]:
    polar = polar_words()
    for name, embedding in embeddings.items():
        get = getter(embedding)
        a, b = there(get, polar.pleasant), there(get, polar.unpleasant)
        for lexicon in map(load_lexicon, ("bellezza", "anew")):
            vectors = [get(word) for word in lexicon.words]
            effects = [plain.sc_weat(vector, a, b) for vector in vectors if vector is not None]
            ratings = [rating for rating, v in zip(lexicon.valence, vectors, strict=True) if v is not None]
            place = {"model": name, "dataset": lexicon.name, "experiment": "valence"}
            for variant, correlate in ((None, pearsonr), ("spearman", spearmanr)):
                row = score(run.scores, **place, measure="valence", variant=variant)
                if row:
                    again = float(correlate(effects, ratings).statistic)
                    how, of = "a loop over words, SciPy's correlation", f"{name}, {lexicon.name}"
                    yield Check("valnorm", label("valence", variant), of, how, row["value"], again, ROUNDING)


def similarity_checks(run: Run, embeddings: dict[str, Embedding], study: str = "valnorm") -> Iterator[Check]:
    for name, embedding in embeddings.items():
        get = getter(embedding)
        for pairs in map(load_pairs, ("ws-353", "simlex-999", "men", "rg-65")):
            row = score(run.scores, model=name, dataset=pairs.name, measure="similarity")
            if row:
                rated = [(get(u), get(v), r) for u, v, r in zip(pairs.first, pairs.second, pairs.scores, strict=True)]
                both = [(plain.cos(u, v), r) for u, v, r in rated if u is not None and v is not None]
                again = float(spearmanr(*zip(*both, strict=True)).statistic)
                of = f"{name}, {pairs.name}"
                yield Check(study, "similarity", of, "a loop over pairs", row["value"], again, 1e-6)


def analogy_checks(run: Run, embeddings: dict[str, Embedding], every: int = 40) -> Iterator[Check]:
    """One in `every` of the questions: the answers to them are in the items."""
    questions = load_analogies().questions[::every]
    for name, embedding in embeddings.items():
        items = run.item_table("analogies").filter(pl.col("model") == name, pl.col("skipped").is_null()).collect()
        answers = {tuple(row[:4]): row[4] for row in items.select("a", "b", "c", "d", "is_correct").iter_rows()}
        asked = [question for question in questions if question in answers]
        rows = [tuple(str(_form(embedding, word)) for word in question) for question in asked]
        if rows:
            among = embedding.words[:300_000], np.asarray(embedding.matrix[:300_000])
            ours = float(np.mean([answers[question] for question in asked]))
            again = plain.analogy(*among, rows)  # type: ignore[arg-type]
            of = f"{name}, {len(rows)} of Google's questions"
            yield Check("valnorm", "analogy", of, "3CosAdd a question at a time", ours, again, ROUNDING)


def _form(embedding: Embedding, word: str) -> str | None:
    return next((form for form in (word, word.lower(), word.capitalize()) if form in embedding), None)


def weat_checks(run: Run, embeddings: dict[str, Embedding], study: str = "weat") -> Iterator[Check]:
    for row in run.scores.filter(measure="weat").to_dicts():
        test, embedding = load_test(row["dataset"]), embeddings[row["model"]]
        if not test.stand_ins:
            x, y, a, b = _sets(run, row, embedding)
            of = f"{row['dataset']}, {row['model']}"
            again = plain.weat(x, y, a, b)
            yield Check(study, "weat d", of, "a loop over words", row["value"], again, ROUNDING)
            p = plain.weat_p(x, y, a, b)
            if p is not None:
                yield Check(study, "weat p", of, "every partition listed", row["p"], p, ROUNDING)


def _sets(run: Run, row: dict[str, object], embedding: Embedding) -> list[list[plain.Vector]]:
    """Return the vectors of the words that the run used, in the spelling that its items have."""
    place = (pl.col("model") == row["model"], pl.col("dataset") == row["dataset"])
    used = run.item_table("association_words").filter(*place, pl.col("skipped").is_null()).collect()
    spelled = [used.filter(role=role).select("word", "spelling").rows() for role in "XYAB"]
    return [[np.asarray(embedding[form or word], dtype=np.float64) for word, form in rows] for rows in spelled]


def estimator_checks(run: Run, embeddings: dict[str, Embedding]) -> Iterator[Check]:
    """The paper's definitions, and three beside them, on the published lists."""
    pairs = load_word_set("bommasani-gender_pairs").pairs
    names = {"gender": ("male", "female"), "race": ("white", "hispanic", "asian"), "religion": ("christian", "islam")}
    for name, embedding in embeddings.items():
        get = getter(embedding)
        both = [(get(f), get(m)) for f, m in pairs]
        vectors = [(f, m) for f, m in both if f is not None and m is not None]
        classes = {key: [there(get, load_word_set(f"bommasani-{c}").words) for c in of] for key, of in names.items()}
        classes["gender-pairs"] = [[male for _, male in vectors], [female for female, _ in vectors]]
        for targets in ("professions", "adjectives"):
            words = there(get, load_word_set(f"bommasani-{targets}").words)
            for attribute, sets in classes.items():
                if not all(sets):  # a class of which the model has no word: the attribute has no score
                    continue
                values: dict[tuple[str, str | None], float] = {
                    ("manzini", None): plain.manzini(words, sets),
                    ("manzini", "centroid"): plain.manzini_centroid(words, sets),
                }
                if len(sets) == 2:
                    values["garg-euclidean", None] = plain.garg(words, sets, euclidean=True)
                    values["garg-cosine", None] = plain.garg(words, sets, euclidean=False)
                if attribute == "gender-pairs":
                    values["direct-bias", None] = plain.direct_bias(words, vectors)
                    values["ripa", None] = plain.ripa(words, vectors)
                place = {"model": name, "dataset": attribute, "subset": targets}
                for (measure, variant), again in values.items():
                    row = score(run.scores, **place, measure=measure, variant=variant)
                    if row:
                        of, how = f"{name}, {attribute}, {targets}", "a loop over words"
                        yield Check("static", label(measure, variant), of, how, row["value"], again, ROUNDING)


def debias_checks(run: Run, embedding: Embedding) -> Iterator[Check]:
    """WEAT and similarity of vectors without their part along he − she."""
    get = getter(embedding)
    he, she = (vector / np.linalg.norm(vector) for vector in there(get, ["he", "she"]))
    g = (he - she) / np.linalg.norm(he - she)

    def projected(vector: plain.Vector) -> plain.Vector:
        return vector - (vector @ g) * g

    how = "vectors without their part along he − she, plain loops"
    for row in run.scores.filter(measure="weat", version="projection").to_dicts():
        sets = [there(get, group) for group in load_test(row["dataset"]).groups]
        again = plain.weat(*([projected(vector) for vector in group] for group in sets))
        yield Check("debias", "weat d", f"{embedding.name}, {row['dataset']}", how, row["value"], again, 1e-5)
    for row in run.scores.filter(measure="similarity", version="projection").to_dicts():
        pairs = load_pairs(row["dataset"])
        rated = [(get(u), get(v), r) for u, v, r in zip(pairs.first, pairs.second, pairs.scores, strict=True)]
        both = [(plain.cos(projected(u), projected(v)), r) for u, v, r in rated if u is not None and v is not None]
        again = float(spearmanr(*zip(*both, strict=True)).statistic)
        yield Check("debias", "similarity", f"{embedding.name}, {pairs.name}", how, row["value"], again, 1e-5)
