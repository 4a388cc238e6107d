"""VAST's semantic isolation once more: published files, numpy and transformers, nothing of the package.

`python -m truth.isolation MODEL POOLING DATA [GGUF]` prints ρ on Bellezza in the top layer.
"""

import csv
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModel, AutoTokenizer

WEAT_SETS = (
    *("flower", "insect", "pleasant", "unpleasant", "instrument", "weapon", "ea_name", "aa_name", "ea_name_2"),
    *("aa_name_2", "pleasant_2", "unpleasant_2", "male_name", "female_name", "career", "domestic", "mathematics"),
    *("art", "male", "female", "science", "art_2", "male_2", "female_2", "mental", "physical", "temporary"),
    *("permanent", "young", "old"),
)
BINS = (2.5, 4.0, 6.0, 7.5)
TONES = ("very unpleasant", "unpleasant", "neither pleasant nor unpleasant", "pleasant", "very pleasant")
BATCH_SENTENCES = 256

Vectors = NDArray[np.float64]


def read_ratings(data: Path) -> tuple[dict[str, float], dict[str, float]]:
    """Return Bellezza's ratings (1–5), and one rating on 1–9 per word: Warriner's, else ANEW's, else Bellezza's."""

    def column(name: str, word: str, rating: str) -> dict[str, float]:
        with (data / "lexica" / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
            return {row[word]: float(row[rating]) for row in csv.DictReader(file)}

    warriner = column("warriner", "Word", "V.Mean.Sum")
    for wrong in ("FALSE", "TRUE"):  # a spreadsheet's spelling
        if wrong in warriner:
            warriner[wrong.lower()] = warriner.pop(wrong)
    anew = column("anew", "Description", "Valence Mean")
    bellezza = column("bellezza", "word", "combined_pleasantness")
    nine = {word: 2 * rating - 1 for word, rating in bellezza.items()}
    return bellezza, nine | anew | warriner


def write_prefix(context: str, rating: float) -> str:
    """Return the text before the word: VAST's appendix."""
    if context == "bleached":
        return "This is"
    place = sum(rating >= end for end in BINS)
    return f"It is {TONES[-1 - place if context == 'misaligned' else place]} to think of"


class TopLayer:
    """The top layer of a model, in batches of sentences of one length, so that nothing is padded."""

    def __init__(self, folder: Path, pooling: str, gguf: str | None = None) -> None:
        self.pooling = pooling
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        more: dict[str, Any] = {"gguf_file": gguf} if gguf else {}
        self.tokenizer = AutoTokenizer.from_pretrained(folder, **more)
        self.network = AutoModel.from_pretrained(folder, dtype=torch.float32, **more).eval().to(self.device)
        empty = self.tokenizer("")["input_ids"]
        self.first, self.last = (1, 1) if len(empty) == 2 else (0, 0)  # [CLS] and [SEP], or nothing

    def vectors(self, prefixes: Mapping[str, str]) -> dict[str, Vectors]:
        """Return the vector of each word behind its prefix, pooled over the tokens that the prefix does not have."""
        words = list(prefixes)
        ids = self.tokenizer([f"{prefixes[word]} {word}" for word in words])["input_ids"]
        begins = {text: len(self.tokenizer(text)["input_ids"]) - self.last for text in set(prefixes.values())}
        by_length: dict[int, list[int]] = {}
        for at, sentence in enumerate(ids):
            by_length.setdefault(len(sentence), []).append(at)
        pooled: dict[str, Vectors] = {}
        for rows in by_length.values():
            for start in range(0, len(rows), BATCH_SENTENCES):
                batch = rows[start : start + BATCH_SENTENCES]
                with torch.inference_mode():
                    given = torch.tensor([ids[at] for at in batch], device=self.device)
                    states = self.network(input_ids=given).last_hidden_state.double().cpu().numpy()
                for at, sentence in zip(batch, states, strict=True):
                    span = sentence[begins[prefixes[words[at]]] : len(sentence) - self.last]
                    pooled[words[at]] = span[-1] if self.pooling == "last" else span.mean(axis=0)
        return pooled


def correlate(words: Vectors, pleasant: Vectors, unpleasant: Vectors, ratings: Vectors) -> float:
    """Return Pearson's ρ of SC-WEAT's effect sizes with ratings."""
    w, a, b = (one / np.linalg.norm(one, axis=1, keepdims=True) for one in (words, pleasant, unpleasant))
    to_a, to_b = w @ a.T, w @ b.T
    effects = (to_a.mean(axis=1) - to_b.mean(axis=1)) / np.concatenate([to_a, to_b], axis=1).std(axis=1, ddof=1)
    return float(np.corrcoef(effects, ratings)[0, 1])


def isolate(
    model: TopLayer, data: Path, contexts: Iterable[str], numbers: Iterable[int]
) -> dict[tuple[str, int], float]:
    """Return ρ on Bellezza per context and number of nullified components, fitted on all words as the authors fit them.

    All words: Warriner, ANEW, Bellezza and the ten WEATs, then the polar words, which stay aligned in misaligned.
    """
    bellezza, ratings = read_ratings(data)
    sets = json.loads((data / "lists" / "vast_word_sets.json").read_text(encoding="utf-8"))
    pleasant, unpleasant = sets["pleasant"], sets["unpleasant"]
    polar = dict.fromkeys(pleasant, 8.0) | dict.fromkeys(unpleasant, 2.0)
    others = {word: 5.0 for name in WEAT_SETS for word in sets[name]}
    ratings = others | polar | ratings
    own = {word: 2 * rating - 1 for word, rating in bellezza.items()}
    people = np.array(list(bellezza.values()))
    table = {}
    for context in contexts:
        steady = "aligned" if context == "misaligned" else context
        every = model.vectors({word: write_prefix(context, rating) for word, rating in ratings.items()})
        poles = model.vectors({word: write_prefix(steady, ratings[word]) for word in polar})
        base = np.stack([*every.values(), *poles.values()])
        mean = base.mean(axis=0)
        directions = np.linalg.svd(base - mean, full_matrices=False)[2]
        # Scored with the ratings of the lexicon itself.
        scored = model.vectors({word: write_prefix(context, rating) for word, rating in own.items()})
        sides = model.vectors({word: write_prefix(steady, own.get(word, polar[word])) for word in polar})
        groups = [
            np.stack([vectors[word] for word in words])
            for vectors, words in ((scored, bellezza), (sides, pleasant), (sides, unpleasant))
        ]
        for k in numbers:
            v = directions[:k]
            cut = [(group - mean) - (group - mean) @ v.T @ v for group in groups]
            table[context, k] = correlate(cut[0], cut[1], cut[2], people)
    return table


if __name__ == "__main__":
    folder, pooling, data, *gguf = sys.argv[1:]
    numbers = isolate(
        TopLayer(Path(folder), pooling, *gguf), Path(data), ("bleached", "aligned", "misaligned"), (0, 1, 2, 5, 8)
    )
    for (context, k), rho in numbers.items():
        print(context, k, f"{rho:.5f}", sep="\t", flush=True)
