"""Makes the tables of docs/predict.md from a run of this version: `make results`. Nothing in them is typed by hand.

Models that are not on the machine are fetched. About five minutes on two cores the first time, and seconds the second:
predictions are kept in the cache. The paraphrase probe wants $WORDWORTH_DATA and is passed over without it.
"""

from pathlib import Path

from pages import markdown, put

from wordworth.catalog.fetch.sources import here
from wordworth.catalog.registry import entry
from wordworth.study import study
from wordworth.study.predict.tables import predict_tables

PAGE = Path(__file__).parent / "predict.md"
MODELS = ["smollm2-135m", "gemma3-270m"]
NEAR = ["glove-6b-50d", "synonyms", "lemma"]
PROBES = ("rare", "common")
SECTIONS = {
    "% of words and of types predicted": "prediction",
    "surprise": "surprise",
    "% covered, by training frequency": "coverage",
    "% of words predicted, near misses counted (soft match)": "soft-match",
    "paraphrases recognised, of rare and of common words": "paraphrase",
    "% of a band's misses, by the band of the guess": "confusion",
    "said instead": "instead",
}


def main() -> None:
    probed = all(here(name, entry(name, "paraphrases").sources) for name in PROBES)
    found = study("predict")(MODELS, soft_match=NEAR, paraphrases=PROBES if probed else ())
    made: dict[str, list[str]] = {}
    for table in predict_tables(found.scores, found.items):
        name = SECTIONS.get(table.title.split(" · ")[-1])
        if name is None:
            continue
        model = next((one for one in MODELS if table.title.startswith(f"{one} · ")), "")
        told = f"{model}:\n\n" if model else ""
        made.setdefault(name, []).append(told + markdown(table.header, table.rows))
    for name, tables in made.items():
        put(PAGE, name, "\n\n".join(tables))


if __name__ == "__main__":
    main()
