"""valnorm, weat and the estimators of static on word vectors, from the vectors alone."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import polars as pl
from scipy.stats import pearsonr, spearmanr

from truth import plain
from truth.check import Check, score
from wordworth.catalog.models import load_embeddings
from wordworth.catalog.read.analogies import load_analogies
from wordworth.catalog.read.association_tests import load_test
from wordworth.catalog.read.lexica import load_lexicon
from wordworth.catalog.read.pairs import load_pairs
from wordworth.catalog.read.word_sets import load_word_set, polar_words
from wordworth.embedding import Embedding
from wordworth.results import Run

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
            for measure, correlate in (("valence", pearsonr), ("valence:spearman", spearmanr)):
                row = score(run.scores, model=name, dataset=lexicon.name, measure=measure, experiment="valence")
                if row:
                    again = float(correlate(effects, ratings).statistic)
                    how = "a loop over words, SciPy's correlation"
                    yield Check("valnorm", f"{measure}, {name}, {lexicon.name}", how, row["value"], again, ROUNDING)


def similarity_checks(run: Run, embeddings: dict[str, Embedding], study: str = "valnorm") -> Iterator[Check]:
    for name, embedding in embeddings.items():
        get = getter(embedding)
        for pairs in map(load_pairs, ("ws-353", "simlex-999", "men", "rg-65")):
            row = score(run.scores, model=name, dataset=pairs.name, measure="similarity")
            if row:
                rated = [(get(u), get(v), r) for u, v, r in zip(pairs.first, pairs.second, pairs.scores, strict=True)]
                both = [(plain.cos(u, v), r) for u, v, r in rated if u is not None and v is not None]
                again = float(spearmanr(*zip(*both, strict=True)).statistic)
                yield Check(study, f"similarity, {name}, {pairs.name}", "a loop over pairs", row["value"], again, 1e-6)


def analogy_checks(run: Run, embeddings: dict[str, Embedding], every: int = 40) -> Iterator[Check]:
    """One in `every` of the questions: the answers to them are in the items."""
    questions = load_analogies().questions[::every]
    for name, embedding in embeddings.items():
        named = ["{} : {} :: {} : {}".format(*question) for question in questions]
        answered = run.items.collect().filter(
            pl.col("experiment") == "analogy", pl.col("model") == name, pl.col("item").is_in(named)
        )
        scored = answered.drop_nulls("value").unique("item")
        spelled = {word: form for word in {w for q in questions for w in q} if (form := _form(embedding, word))}
        asked = set(scored.get_column("item").to_list())
        rows = [tuple(spelled[w] for w in q) for q, n in zip(questions, named, strict=True) if n in asked]
        if rows:
            among = embedding.words[:300_000], np.asarray(embedding.matrix[:300_000])
            again, ours = plain.analogy(*among, rows), float(scored.get_column("value").mean())  # type: ignore[arg-type]
            what = f"analogy, {name}, {len(rows)} of Google's questions"
            yield Check("valnorm", what, "3CosAdd a question at a time", ours, again, ROUNDING)


def _form(embedding: Embedding, word: str) -> str | None:
    return next((form for form in (word, word.lower(), word.capitalize()) if form in embedding), None)


def weat_checks(run: Run, embeddings: dict[str, Embedding], study: str = "weat") -> Iterator[Check]:
    for row in run.scores.filter(pl.col("measure") == "weat").to_dicts():
        test, embedding = load_test(row["dataset"]), embeddings[row["model"]]
        if not test.stand_ins:
            x, y, a, b = _sets(run, row, embedding)
            what = f"{row['dataset']}, {row['model']}"
            again = plain.weat(x, y, a, b)
            yield Check(study, f"weat d, {what}", "a loop over words", row["value"], again, ROUNDING)
            p = plain.weat_p(x, y, a, b)
            if p is not None:
                yield Check(study, f"weat p, {what}", "every partition listed", row["p"], p, ROUNDING)


def _sets(run: Run, row: dict[str, object], embedding: Embedding) -> list[list[plain.Vector]]:
    """The vectors of the words that the run's items say were used, in the spelling that they say."""
    items = run.items.collect().filter(
        pl.col("model") == row["model"], pl.col("dataset") == row["dataset"], pl.col("left_out").is_null()
    )
    groups = items.get_column("group").unique(maintain_order=True).to_list()
    spelled = [items.filter(pl.col("group") == group).select("item", "found_as").rows() for group in groups]
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
                values = {
                    "manzini": plain.manzini(words, sets),
                    "manzini:centroid": plain.manzini_centroid(words, sets),
                }
                if len(sets) == 2:
                    values["garg-euclidean"] = plain.garg(words, sets, euclidean=True)
                    values["garg-cosine"] = plain.garg(words, sets, euclidean=False)
                if attribute == "gender-pairs":
                    values |= {"direct-bias": plain.direct_bias(words, vectors), "ripa": plain.ripa(words, vectors)}
                for measure, again in values.items():
                    row = score(run.scores, model=name, dataset=f"{attribute}/{targets}", measure=measure)
                    if row:
                        what = f"{measure}, {name}, {attribute}/{targets}"
                        yield Check("static", what, "a loop over words", row["value"], again, ROUNDING)


def debias_checks(run: Run, embedding: Embedding) -> Iterator[Check]:
    """WEAT and similarity of vectors without their part along he − she."""
    get = getter(embedding)
    he, she = (vector / np.linalg.norm(vector) for vector in there(get, ["he", "she"]))
    g = (he - she) / np.linalg.norm(he - she)

    def projected(vector: plain.Vector) -> plain.Vector:
        return vector - (vector @ g) * g

    how = "vectors less their part along he − she, plain loops"
    for row in run.scores.filter(pl.col("measure") == "weat", pl.col("setting") == "projection").to_dicts():
        sets = [there(get, group) for group in load_test(row["dataset"]).groups]
        again = plain.weat(*([projected(vector) for vector in group] for group in sets))
        yield Check("debias", f"weat d, {embedding.name}, {row['dataset']}", how, row["value"], again, 1e-5)
    for row in run.scores.filter(pl.col("measure") == "similarity", pl.col("setting") == "projection").to_dicts():
        pairs = load_pairs(row["dataset"])
        rated = [(get(u), get(v), r) for u, v, r in zip(pairs.first, pairs.second, pairs.scores, strict=True)]
        both = [(plain.cos(projected(u), projected(v)), r) for u, v, r in rated if u is not None and v is not None]
        again = float(spearmanr(*zip(*both, strict=True)).statistic)
        yield Check("debias", f"similarity, {embedding.name}, {pairs.name}", how, row["value"], again, 1e-5)
