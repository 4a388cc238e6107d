"""Makes the figure and the tables of docs/training.md: small models trained from nothing, and measured on the way.

    python -m experiments.training_curves [--device cuda] [--steps N] [--only-train] [--folder DIR] [NAME…]

It takes the texts that are at hand (WikiText, Brown and Reddit want $WORDWORTH_DATA). Each training leaves its runs
and checkpoints in a folder under DIR; one that is there is not trained again.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl
import torch
import transformers as hf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from tools.pages import DOCS, markdown, put
from tools.svg import draw_svg

import wordworth as ww
from wordworth.catalog.fetch.sources import here
from wordworth.catalog.read.corpora import documents, load_corpus
from wordworth.catalog.registry import entry
from wordworth.pages.figures import TRAINING_CHAPTER, figures_of
from wordworth.results.runs import read_runs

PAGE, FACTS = DOCS / "training.md", "training.json"
HELD_OUT = 20_000
"""Words of the first text that no model is trained on: those that it predicts are among them."""
MEASURED = (10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240)
SHORT = 20
"""Steps of the two trainings that are held against each other, with the callback and without it."""
TEXTS = ("enwiki-sample", "wikitext", "brown", "reddit")


@dataclass(frozen=True)
class Training:
    """A model that is trained, and on what."""

    texts: tuple[str, ...]
    steps: int
    width: int = 128
    layers: int = 4
    units: int = 6_000
    """Of the tokenizer."""
    length: int = 128
    batch: int = 8
    rate: float = 2e-3


TRAININGS = {
    "wiki": Training(("enwiki-sample",), 1_280),
    "all-texts": Training(TEXTS, 2_560),
    "all-texts-large": Training(TEXTS, 2_560, width=384, layers=6, units=16_000, length=256, batch=64, rate=1e-3),
}
"""The last one wants a GPU."""


def lines_of(name: str) -> Iterator[str]:
    """The lines of a text, without the documents that the first words of the first text lie in."""
    corpus, words = load_corpus(name), 0
    for _, line in documents(corpus, lambda _: None):
        words += len(line.split())
        if name != TEXTS[0] or words > HELD_OUT:
            yield line


def tokenizer_of(texts: tuple[str, ...], units: int, longest: int) -> Any:
    """Byte-level BPE, trained on the same text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    learner = trainers.BpeTrainer(
        vocab_size=units,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|end|>", "<|pad|>"],
        show_progress=False,
    )
    tokenizer.train_from_iterator((line for text in texts for line in lines_of(text)), learner)
    marks = {"eos_token": "<|end|>", "pad_token": "<|pad|>", "model_max_length": longest}
    return hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **marks)


def blocks(tokenizer: Any, chosen: Training) -> list[dict[str, list[int]]]:
    """The texts, one line behind the other, in pieces of one length."""
    lines = (line for text in chosen.texts for line in lines_of(text))
    ids = [token for line in lines for token in (*tokenizer(line, verbose=False)["input_ids"], 0)]
    whole = range(0, len(ids) - chosen.length, chosen.length)
    return [{"input_ids": (some := ids[at : at + chosen.length]), "labels": some} for at in whole]


def trainer_of(chosen: Training, folder: Path, steps: int, device: str, data: Any, tokenizer: Any) -> hf.Trainer:
    """A GPT-2 of few layers with its dropout, in a Trainer."""
    hf.set_seed(0)
    config = hf.GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=chosen.width,
        n_layer=chosen.layers,
        n_head=chosen.width // 32,
        n_positions=2 * chosen.length,
        bos_token_id=0,
        eos_token_id=0,
    )
    arguments = hf.TrainingArguments(
        str(folder),
        max_steps=steps,
        per_device_train_batch_size=chosen.batch,
        learning_rate=chosen.rate,
        warmup_steps=steps // 20,
        lr_scheduler_type="cosine",
        weight_decay=0.1,
        logging_steps=10,
        save_strategy="steps",
        save_steps=max(steps // 4, 1),
        save_only_model=True,
        use_cpu=device == "cpu",
        bf16=device != "cpu",
        report_to="none",
        disable_tqdm=True,
    )
    return hf.Trainer(hf.GPT2LMHeadModel(config), arguments, train_dataset=data, processing_class=tokenizer)


def train(name: str, steps: int, folder: Path, device: str) -> None:
    """One training with the callback, and two short ones with it and without it."""
    chosen = TRAININGS[name]
    tokenizer = tokenizer_of(chosen.texts, chosen.units, 2 * chosen.length)
    data = blocks(tokenizer, chosen)
    ended = []
    for measured in (False, True):
        trainer = trainer_of(chosen, folder / f"short-{measured}", SHORT, device, data, tokenizer)
        if measured:
            trainer.add_callback(ww.WordworthCallback(trainer, every=SHORT // 2, output=folder / "short", name=name))
        trainer.train()
        losses = [log["loss"] for log in trainer.state.log_history if "loss" in log]
        weights = {name: weight.cpu() for name, weight in trainer.model.state_dict().items()}
        ended.append((weights, losses))
    same = ended[0][1] == ended[1][1] and all(torch.equal(ended[0][0][key], ended[1][0][key]) for key in ended[0][0])
    trainer = trainer_of(chosen, folder, steps, device, data, tokenizer)
    trainer.add_callback(ww.WordworthCallback(trainer, at=MEASURED, output=folder / "runs", name=name))
    began = time.monotonic()
    trainer.train()
    took = time.monotonic() - began
    measuring = sum(log.get("wordworth/seconds", 0.0) for log in trainer.state.log_history)
    facts = {
        **asdict(chosen),
        "steps": steps,
        "device": device,
        "parameters": trainer.model.num_parameters(),
        "tokens": len(data) * chosen.length,
        "seconds": took - measuring,
        "measuring": measuring,
        "measured": len({one.name.partition("-")[2] for one in (folder / "runs").iterdir()}),
        "same": same,
    }
    (folder / FACTS).write_text(json.dumps(facts, indent=1), encoding="utf-8")


def _number(row: dict[str, Any]) -> str:
    if row["value"] == row["high"] == 0:  # where nothing was hit, a bootstrap has no width
        return f"0 of {row['n']:,}"
    return f"{row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"


def trainings(every: dict[str, dict[str, Any]]) -> str:
    """What was trained, how long it took, and how much of that was measuring."""
    rows = []
    for name, facts in every.items():
        share = facts["measuring"] / facts["seconds"]
        once = facts["measuring"] / facts["measured"]
        rows.append(
            [
                name,
                ", ".join(facts["texts"]),
                f"{facts['layers']} × {facts['width']}, {facts['parameters'] / 1e6:.1f} million",
                f"{facts['tokens'] / 1e6:.1f} million",
                f"{facts['steps']:,} × {facts['batch'] * facts['length']:,}",
                f"{facts['seconds']:,.0f} s ({facts['device']})",
                f"{facts['measured']} × {once:.1f} s = {share:.1%}",
                "the same" if facts["same"] else "NOT the same",
            ]
        )
    header = ["training", "texts", "layers, weights", "tokens of text", "steps × tokens", "training", "measuring"]
    return markdown([*header, f"{SHORT} steps with and without it"], rows)


def _rows(scores: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield what the table shows: valence in three layers, the tests in the top one, words by band."""
    plain = scores.filter(pl.col("components").is_null(), pl.col("variant").is_null(), pl.col("control").is_null())
    for layer in sorted(set(plain.filter(measure="valence")["layer"])):
        yield f"valence, layer {layer}", plain.filter(measure="valence", layer=layer)
    top = plain["layer"].max()
    for test in plain.filter(measure="weat")["dataset"].unique(maintain_order=True):
        yield f"{test}, d, layer {top}", plain.filter(measure="weat", dataset=test, layer=top)
    for band in plain.filter(experiment="coverage", measure="top", k=1)["subset"].unique(maintain_order=True):
        some = plain.filter(experiment="coverage", measure="top", k=1, subset=band)
        yield f"top-1, {band} ({some['n'].max():,} words)", some
    yield "bits per word", plain.filter(measure="bits-per-word")


def learned(folder: Path) -> str:
    """Return the numbers at some steps, with the test of the last against the first."""
    scores = read_runs([folder]).scores
    last = int(scores["step"].max())
    shown = [step for step in (0, 40, 160, 640, 2_560) if step < last] + [last]
    changes = {
        (one.columns["measure"], one.columns["dataset"]): one
        for study in ("vast", "predict")
        for one in ww.compare(folder / f"{study}-step{last}", folder / f"{study}-step0", layer="top").differences
    }
    rows = []
    for title, some in _rows(scores):
        at = {row["step"]: row for row in some.iter_rows(named=True)}
        row = at[last]
        whole = row["experiment"] != "coverage" and row["layer"] in (None, scores["layer"].max())
        found = changes.get((row["measure"], row["dataset"])) if whole else None
        change = ""
        if found is not None:
            tested, p = found.test, f"p {'< .001' if found.p_holm < 0.001 else f'= {found.p_holm:.2f}'}"
            change = f"{tested.difference:+.2f} [{tested.low:.2f}, {tested.high:.2f}], {p}"
        rows.append([title, *(_number(at[step]) for step in shown), change])
    return markdown(["", *(f"step {step:,}" for step in shown), "change since step 0"], rows)


def draw(folders: list[Path]) -> None:
    """The curves of all trainings, a file a figure."""
    for figure in figures_of(read_runs(folders).scores)[TRAINING_CHAPTER]:
        (DOCS / "figures" / f"training-{figure.id}.svg").write_text(draw_svg(figure), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["wiki", "all-texts"], metavar="NAME", help=", ".join(TRAININGS))
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--only-train", action="store_true", help="write no page: it is made where the runs go")
    parser.add_argument("--folder", type=Path, default=Path("runs/training-curves"))
    given = parser.parse_args()
    for name in given.names:
        lacking = [text for text in TRAININGS[name].texts if not here(text, entry(text, "corpora").sources)]
        if lacking and lacking != [TEXTS[0]]:
            print(f"{name} is left out: {', '.join(lacking)} are not here")
        elif not (given.folder / name / FACTS).exists():
            train(name, given.steps or TRAININGS[name].steps, given.folder / name, given.device)
    if given.only_train:
        return
    every = {name: json.loads(path.read_text()) for name in TRAININGS if (path := given.folder / name / FACTS).exists()}
    put(PAGE, "trainings", trainings(every))
    put(PAGE, "learned", "\n\n".join(f"**{name}**\n\n{learned(given.folder / name / 'runs')}" for name in every))
    draw([given.folder / name / "runs" for name in every])


if __name__ == "__main__":
    main()
